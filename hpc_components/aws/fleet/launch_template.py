"""Pure functions that convert plain values to the provider's typed arguments for a launch template."""

import base64
from collections.abc import Mapping, Sequence
from typing import Literal

import pulumi_aws as aws
from pulumi import Input

from hpc_components.aws.catalog.efa import efa_interfaces
from hpc_components.catalog import Machine

Purchase = Literal["on_demand", "spot", "reservation", "capacity_block"]

TAGGED_AT_LAUNCH = ("instance", "volume", "network-interface")


def network_interfaces(
    machine: str, *, efa: bool, subnet: Input[str], security_groups: Sequence[Input[str]]
) -> "list[aws.ec2.LaunchTemplateNetworkInterfaceArgs]":
    """Return all network interfaces of a node, primary interface first.

    If a template has interfaces, RunInstances uses only the subnets and security groups of those interfaces. Source:
    EC2 API reference, RunInstances, SubnetId. For EFA layouts, see `hpc_components.catalog.efa_interfaces`.
    """
    layout = efa_interfaces(machine) if efa else ()
    if not layout:
        return [_interface(0, 0, None, subnet, security_groups)]
    return [
        _interface(
            interface.card,
            interface.device,
            None if interface.type == "interface" else interface.type,
            subnet,
            security_groups,
        )
        for interface in layout
    ]


def _interface(
    card: int, device: int, kind: str | None, subnet: Input[str], security_groups: Sequence[Input[str]]
) -> "aws.ec2.LaunchTemplateNetworkInterfaceArgs":
    return aws.ec2.LaunchTemplateNetworkInterfaceArgs(
        network_card_index=card,
        device_index=device,
        interface_type=kind,
        subnet_id=subnet,
        security_groups=list(security_groups),
        delete_on_termination="true",
    )


def check_smt_off(machine: Machine | None) -> None:
    """Raise ValueError if EC2 can't run the machine type with one thread per core. No bare-metal type can run this
    way.

    Source: EC2 user guide, "Supported CPU options for Amazon EC2 instance types".
    """
    if machine is None:
        raise ValueError(
            "the catalogue has no core count for this machine type; leave smt on, or use a machine type from "
            "the catalogue"
        )
    if 1 not in machine.valid_threads_per_core:
        raise ValueError(
            "EC2 can't run this machine type with one thread per core; leave smt on, or use another machine type"
        )


def cpu_options(machine: Machine | None, *, smt: bool) -> "aws.ec2.LaunchTemplateCpuOptionsArgs | None":
    """Return the CPU options that turn SMT off, or None if there is nothing to turn off.

    The options include the core count, because EC2 requires both values. Source: EC2 user guide, "Rules for
    specifying CPU options".
    """
    if smt or machine is None or machine.threads_per_core == 1:
        return None
    return aws.ec2.LaunchTemplateCpuOptionsArgs(core_count=machine.cores, threads_per_core=1)


def market_options(
    purchase: Purchase, max_spot_price: float | None
) -> "aws.ec2.LaunchTemplateInstanceMarketOptionsArgs | None":
    """Return the market options for spot machines or capacity blocks, or None for other purchase options. Interrupted
    spot machines are terminated and not restarted.
    """
    if purchase == "capacity_block":
        return aws.ec2.LaunchTemplateInstanceMarketOptionsArgs(market_type="capacity-block")
    if purchase != "spot":
        return None
    return aws.ec2.LaunchTemplateInstanceMarketOptionsArgs(
        market_type="spot",
        spot_options=aws.ec2.LaunchTemplateInstanceMarketOptionsSpotOptionsArgs(
            spot_instance_type="one-time",
            instance_interruption_behavior="terminate",
            max_price=None if max_spot_price is None else f"{max_spot_price:.6f}".rstrip("0").rstrip("."),
        ),
    )


def capacity_reservation(
    reservation: Input[str] | None,
) -> "aws.ec2.LaunchTemplateCapacityReservationSpecificationArgs | None":
    """Return a specification that limits launches to the reservation's capacity, or None if there is no
    reservation.
    """
    if reservation is None:
        return None
    return aws.ec2.LaunchTemplateCapacityReservationSpecificationArgs(
        capacity_reservation_target=(
            aws.ec2.LaunchTemplateCapacityReservationSpecificationCapacityReservationTargetArgs(
                capacity_reservation_id=reservation
            )
        )
    )


def metadata_options() -> "aws.ec2.LaunchTemplateMetadataOptionsArgs":
    """Return options that make the metadata service require session tokens, accept requests only from the node
    itself, and include the node's tags.
    """
    return aws.ec2.LaunchTemplateMetadataOptionsArgs(
        http_endpoint="enabled",
        http_tokens="required",
        http_put_response_hop_limit=1,
        instance_metadata_tags="enabled",
    )


def tag_specifications(tags: Mapping[str, Input[str]]) -> "list[aws.ec2.LaunchTemplateTagSpecificationArgs]":
    return [
        aws.ec2.LaunchTemplateTagSpecificationArgs(resource_type=kind, tags=dict(tags)) for kind in TAGGED_AT_LAUNCH
    ]


def encoded_user_data(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
