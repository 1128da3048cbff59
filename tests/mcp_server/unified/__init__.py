"""Tests of the tools over all databases."""
