"""Management commands of `usage`."""
