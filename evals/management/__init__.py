"""Commands of the evaluations."""
