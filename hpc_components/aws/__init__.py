"""AWS components, one a file, each usable alone with plain ids."""
