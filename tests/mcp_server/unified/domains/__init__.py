"""How each domain is searched and opened."""
