"""The network of a cluster on the toy cloud."""

from typing import Literal

from hpc_components.spec.network import ExistingNetwork, Network


class ToyExistingNetwork(ExistingNetwork):
    """A pool that is there already."""

    id_key = "pool"
    pool: str
    """The pool's id, `pools/ours`."""

    @property
    def shown_by(self) -> str:
        """There is a list of them."""
        return "the list of pools"


class ToyNetwork(Network):
    """Where the cluster lives."""

    existing: ToyExistingNetwork | None = None
    """A pool that is there already."""
    nat: Literal["one", "none"] = "one"
    """A spring, or none."""
