"""Google Cloud components, one per file. Each can be used alone, with plain ids.

Import them from `hpc_components.gcp`.
"""
