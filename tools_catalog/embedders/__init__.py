"""The ways to turn texts into vectors, each a plug-in behind one protocol."""
