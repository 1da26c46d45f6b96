"""Azure components, one a file, each usable alone with plain ids. `hpc_components.azure` has their names."""
