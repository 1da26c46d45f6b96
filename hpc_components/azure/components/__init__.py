"""Components for Azure without a folder of their own, one per file. `hpc_components.azure` exports all."""
