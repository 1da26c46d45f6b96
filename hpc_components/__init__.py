"""HPC clusters as typed Pulumi components.

Import only from the modules listed in docs/public.md and docs/components.md:

- `hpc_components.<cloud>`: components, in a separate package per cloud that requires the extra of the same name
- `hpc_components.spec` and `hpc_components.<cloud>.spec`: descriptions
- `hpc_components.program`: functions that create a described cluster
- `hpc_components.testing`: functions that run programs without a cloud

This package itself imports nothing.
"""

__version__ = "0.1.0"
