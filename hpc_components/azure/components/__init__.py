"""Components for Azure, one per file. Each works on its own with plain ids. `hpc_components.azure` exports them."""
