"""Model providers: one module a wire format, all behind `chat.providers.base.Provider`."""
