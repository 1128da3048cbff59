"""Management commands of `artifacts`."""
