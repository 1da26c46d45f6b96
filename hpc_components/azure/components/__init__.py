"""Azure components that have no folder of their own, one per file. `hpc_components.azure` exports them all."""
