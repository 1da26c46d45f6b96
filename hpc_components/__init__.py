"""HPC clusters as typed Pulumi components.

Import from the modules that docs/public.md and docs/components.md list: `hpc_components.<cloud>` for components (each
cloud is a separate package and needs its extra), `hpc_components.spec` and `hpc_components.<cloud>.spec` for
descriptions, `hpc_components.program` for the program of a described cluster, and `hpc_components.testing` for
running programs without a cloud. This package itself imports nothing.
"""

__version__ = "0.1.0"
