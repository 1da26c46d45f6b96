"""A review shown: as a comment of a pull request, and as a page."""
