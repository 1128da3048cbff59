"""Datasets, evaluators, experiments: quality measured over the code path that users hit."""
