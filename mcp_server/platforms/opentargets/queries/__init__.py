"""The GraphQL texts asked of Open Targets, one constant an operation, grouped by the record at their root.

Every field exists in release 26.06. `meta` rides along, so that each result names its release.
A variable that is not sent counts as an argument that is not given, so optional filters share one text.
"""

RELEASE = "meta { dataVersion { year month } }"
