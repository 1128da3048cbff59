"""The unified query language: from a text to a plan of searches, without network or clock."""
