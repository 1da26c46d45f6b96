"""The descriptor of Google Cloud."""

from hpc_components.cloud import PricedCloud

__all__ = ["CLOUD"]

CLOUD = PricedCloud(
    name="gcp",
    title="GCP",
    package="hpc_components.gcp",
    sdk="pulumi_gcp",
    pulumi_package="gcp",
)
