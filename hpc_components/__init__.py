"""HPC clusters as typed Pulumi components, on AWS so far.

Import from the modules that docs/public.md lists: `hpc_components.aws` (components), `hpc_components.spec` and
`hpc_components.aws.spec` (descriptions), `hpc_components.program` (the program of a described cluster),
`hpc_components.testing` (run a program without a cloud). This package itself imports nothing.
"""

__version__ = "0.1.0"
