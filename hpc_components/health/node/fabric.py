"""Checks of RDMA ports: whether they are there and active, how fast they are, and how often their links went down."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hpc_components.health.node.machine import Machine
from hpc_components.health.node.verdict import WELL, Verdict, failed
from hpc_components.health.node.wanted import Ports

_DEVICES = "/sys/class/infiniband"
_ACTIVE = 4
"""State of a port that works. Source: Linux, Documentation/ABI/stable/sysfs-class-infiniband, state."""


@dataclass(frozen=True, kw_only=True)
class Port:
    name: str
    """Device and number, e.g. `mlx5_ib0/1`."""
    link_layer: str
    active: bool
    gbps: float | None
    """None if the kernel does not show the rate."""
    downs: int | None
    """How often the link has gone down since the device's counters began, or None if they are not shown."""


def read_ports(machine: Machine) -> tuple[Port, ...]:
    return tuple(
        _port(machine, device, number)
        for device in machine.names(_DEVICES) or ()
        for number in machine.names(f"{_DEVICES}/{device}/ports") or ()
    )


def _port(machine: Machine, device: str, number: str) -> Port:
    folder = f"{_DEVICES}/{device}/ports/{number}"
    state, rate = machine.text(f"{folder}/state") or "", machine.text(f"{folder}/rate") or ""
    first = rate.partition(" ")[0]
    return Port(
        name=f"{device}/{number}",
        link_layer=machine.text(f"{folder}/link_layer") or "",
        active=state.startswith(f"{_ACTIVE}:"),
        gbps=float(first) if first.replace(".", "", 1).isdecimal() else None,
        downs=machine.number(f"{folder}/counters/link_downed"),
    )


def judge_ports(ports: Sequence[Port], wanted: Ports) -> Verdict:
    own = [port for port in ports if not wanted.link_layer or port.link_layer == wanted.link_layer]
    for port in own:
        if port.active and port.gbps is not None and port.gbps < wanted.gbps:
            return failed(f"{port.name}: {port.gbps:g} Gb/s, but the machine has {wanted.gbps}")
    active = sum(port.active for port in own)
    if active < wanted.count:
        down = ", ".join(port.name for port in own if not port.active)
        return failed(f"{active} active ports of {wanted.count}" + (f": {down} down" if down else ""))
    return WELL


def judge_flaps(ports: Sequence[Port], grown: Mapping[str, int], most: int, wanted: Ports) -> Verdict:
    """Judge how often links went down. `grown` is by how much each counter has grown in the time that counts."""
    own = [port for port in ports if port.link_layer == wanted.link_layer and wanted.link_layer]
    for port in own:
        if grown.get(port.name, 0) > most:
            return failed(f"{port.name}: its link went down {grown[port.name]} times")
    return WELL
