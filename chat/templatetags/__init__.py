"""Template tags of the chat pages."""
