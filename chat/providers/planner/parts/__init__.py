"""What several recipes have in common: resolving a gene or disease, reading drugs, trials, annotations."""
