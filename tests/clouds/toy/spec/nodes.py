"""The head node, the login nodes and the disks on the toy cloud."""

from typing import Literal

from hpc_components.spec.nodes import Disk, HeadNode, LoginNodes
from hpc_components.spec.values import Size


class ToyDisk(Disk):
    """A disk in one zone."""

    type: Literal["slow", "fast"] = "fast"
    """What it is."""


class ToyHeadNode(HeadNode):
    """The node that runs Slurm's controller."""

    root: ToyDisk = ToyDisk(size=Size.gib(64))
    """Root disk."""
    state: ToyDisk = ToyDisk(size=Size.gib(64))
    """Disk for Slurm's state."""


class ToyLoginNodes(LoginNodes):
    """Nodes for users."""

    root: ToyDisk = ToyDisk(size=Size.gib(64))
    """Root disk."""
