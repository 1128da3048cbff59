"""Sessions, the agent loop and its providers, pages and API."""
