"""From a description to the images of nodes."""

from typing import Literal

from hpc_components.aws.catalog.images import image_parameter
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.catalog import machine

_DRIVERS: dict[str, Literal["nvidia", "neuron"]] = {"NVIDIA": "nvidia", "AWS": "neuron"}
"""Driver that an image must contain, by manufacturer of the accelerators."""


def image(cluster: AwsClusterSpec, machine_type: str, own: str | None) -> str:
    """Return the image of the description, or the default for this machine type, which EC2 resolves at launch."""
    if own is not None:
        return own
    facts = machine("aws", machine_type)
    arch = facts.arch if facts else "x86_64"
    driver = _DRIVERS.get(facts.accelerator.manufacturer) if facts and facts.accelerator else None
    parameter = image_parameter(cluster.os, arch, driver)
    if parameter is None:
        raise ValueError(
            f"the catalogue has no image of {cluster.os} for {machine_type}; give its id as image: ami-..."
        )
    return f"resolve:ssm:{parameter.parameter}"
