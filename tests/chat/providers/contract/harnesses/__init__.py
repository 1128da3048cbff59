"""One module a provider; `all_harnesses` finds them."""
