"""Measurements of speed and memory: `python -m tests.benchmarks`, never part of the tests."""
