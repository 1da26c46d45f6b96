"""HPC clusters as typed Pulumi components.

Import from the modules that docs/public.md and docs/components.md list: `hpc_components.<cloud>` (components; each
cloud is a separate package, and needs its extra), `hpc_components.spec` and `hpc_components.<cloud>.spec`
(descriptions), `hpc_components.program` (the program of a described cluster), `hpc_components.testing` (run a program
without a cloud). This package itself imports nothing.
"""

__version__ = "0.1.0"
