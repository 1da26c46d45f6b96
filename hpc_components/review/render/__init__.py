"""Renderers of a review: as text, as a comment on a pull request, and as a page."""
