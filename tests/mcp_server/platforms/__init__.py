"""Tests of the platforms, one module each."""
