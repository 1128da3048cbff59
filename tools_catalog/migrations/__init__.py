"""Schema history of `tools_catalog`."""
