"""AWS components, which can be used individually with plain ids. `hpc_components.aws` exports their names."""
