"""What every provider owes the loop, as one list of behaviours that runs against each of them.

A provider joins by one module in `harnesses/`: a subclass of `Harness` that starts its strict server, translates the
neutral script into that server's, and reads the requests that arrived. Nothing else has to name it. What a wire format
can't express at all is left out of the harness's `abilities`, `tiers` or `places`; all else is run.
"""
