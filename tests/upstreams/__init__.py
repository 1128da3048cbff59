"""A loopback server that stands for the databases."""
