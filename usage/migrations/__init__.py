"""Schema history of `usage`."""
