"""Commands of the chat application."""
