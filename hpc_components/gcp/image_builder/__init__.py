"""Images that build machines make from the recipes of a description."""
