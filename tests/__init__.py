"""Tests, one folder a package."""
