"""The managed tool server process, the two-tier catalogue and its hybrid search."""
