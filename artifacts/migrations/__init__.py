"""Schema history of `artifacts`."""
