"""Tools over several databases."""
