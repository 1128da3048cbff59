"""Schema history of `chat`."""
