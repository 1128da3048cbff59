"""The one way out: requests, retries, rate limits, and the offline snapshot."""
