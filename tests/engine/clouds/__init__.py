"""What the life of a stack in the real engine depends on, by cloud."""

from importlib import import_module
from typing import Protocol

from hpc_components.testing.engine import Engine, StackState, StateResource


class CloudLife(Protocol):
    """One cloud, as the tests of this folder ask for it."""

    file: str
    """Type of the resources that are files which nodes fetch."""
    file_is_replaced: bool
    """Whether the provider can't change one in place."""

    def run_elastic(self, engine: Engine, state: StackState, cluster: str) -> None:
        """Start nodes as the elastic daemon does, everywhere where it may."""

    def run_others(self, engine: Engine, cluster: str) -> set[str]:
        """Ids of machines of another cluster, and of another stack's cluster of the same name."""
        ...

    def write_logs(self, engine: Engine, state: StackState) -> dict[str, StateResource]:
        """Put an object into each bucket behind Pulumi's back; id of the object -> its bucket."""
        ...

    def goes_along(self, resource: StateResource, state: StackState) -> bool:
        """Whether the cloud deletes it with something that does not stay, although Pulumi retains it."""
        ...


def life_on(cloud: str) -> CloudLife:
    """The one of the cloud with this name."""
    return import_module(f"engine.clouds.{cloud}").LIFE


def stays(resource: StateResource, state: StackState, life: CloudLife) -> bool:
    """It is retained, or goes only together with one that is: the settings of a bucket, say."""
    around = state.resources.get(resource.deleted_with or "")
    kept = resource.retain or (around is not None and stays(around, state, life))
    return kept and not life.goes_along(resource, state)
