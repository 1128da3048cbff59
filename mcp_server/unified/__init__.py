"""Tools over all databases."""
