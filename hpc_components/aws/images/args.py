from collections.abc import Mapping
from typing import Literal

from pulumi import Input

from hpc_components.aws.catalog.images import image_parameter
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.spec.node_images import machine_of_base

_DRIVERS: dict[str, Literal["nvidia", "neuron"]] = {"NVIDIA": "nvidia", "AWS": "neuron"}


def image(cluster: AwsClusterSpec, machine_type: str, own: str | None) -> str:
    """Return the image `own` if one is specified. Otherwise, return a reference to the machine type's default image,
    which EC2 resolves at launch.
    """
    base = cluster.base_of(own)
    if base is not None:
        return base
    facts = machine_of_base(cluster, machine_type, own)
    arch = facts.arch if facts else "x86_64"
    driver = _DRIVERS.get(facts.accelerator.manufacturer) if facts and facts.accelerator else None
    parameter = image_parameter(cluster.os, arch, driver)
    if parameter is None:
        raise ValueError(
            f"the catalogue has no {cluster.os} image for {machine_type}; specify one with image: ami-..."
        )
    return f"resolve:ssm:{parameter.parameter}"


def node_image(
    cluster: AwsClusterSpec, machine_type: str, own: str | None, made: Mapping[str, Input[str]]
) -> Input[str]:
    """Return the image that a recipe of the stack has made, if `own` names one. `made` maps recipes to images."""
    found = None if own is None else made.get(own)
    return found if found is not None else image(cluster, machine_type, own)
