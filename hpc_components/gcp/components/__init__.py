"""Google Cloud components, one a file, each usable alone with plain ids. `hpc_components.gcp` has their names."""
