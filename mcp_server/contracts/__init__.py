"""Hold the tools against recorded responses and against the live services, and say what has drifted."""
