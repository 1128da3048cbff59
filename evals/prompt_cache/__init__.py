"""Does the prompt cache hold? Scripted conversations, played against a simulator or the real service."""
