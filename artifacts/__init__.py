"""The large-output pipeline: noise filters, previews, the artifact store, the jq engine."""
