"""HPC clusters on AWS, Azure and GCP as typed Pulumi components.

Import what you need from its room: `hpc_components.spec` (what a cluster is), `hpc_components.aws` (components),
`hpc_components.testing` (record a program without a cloud). This package itself imports nothing.
"""

__version__ = "0.1.0"
