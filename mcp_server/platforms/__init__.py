"""One module a database; adding a module adds its tools and edits no other file."""
