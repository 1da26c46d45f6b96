"""AWS components, one a file, each usable alone with plain ids. `hpc_components.aws` has their names."""
