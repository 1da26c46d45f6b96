"""AWS components, each in its own file and usable alone with plain ids. `hpc_components.aws` exports their names."""
