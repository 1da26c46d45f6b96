"""Shows an acceptance test: as a document, on a terminal, and as a page."""
