"""Azure components without their own folder, one per file. `hpc_components.azure` exports all of them."""
