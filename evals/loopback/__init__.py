"""HTTP services on loopback that a test scripts: connections, faults, and a record of every request."""
