"""Google Cloud components, one per file. Each can be used alone, with plain ids; import them from
`hpc_components.gcp`."""
