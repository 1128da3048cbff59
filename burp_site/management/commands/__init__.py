"""Management commands of the composition."""
