"""The driver for Compute Engine.

A launch is one call of bulk inserts with the exact names of the nodes, whatever its size (`launching`); where
machines stand close together, one for each compact policy, which the driver makes and removes (`policies`). All else
(machine type, network, image, how they are bought) is the instance template's, which the stack makes; which templates
there are is in the config bucket (`fleets`). A node's machine is called `<cluster>-<node>`; names are used again, so
a machine's id has its number, too.

Standard library only: it travels to the head node, whose service account it uses.
"""

import os
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from hpc_components.elastic.config import Config, ConfigError
from hpc_components.elastic.drivers.gcp.compute import COMPUTE, OTHER, STORAGE, Bucket, Compute
from hpc_components.elastic.drivers.gcp.compute import LIMITS as RATES
from hpc_components.elastic.drivers.gcp.errors import plain_errors
from hpc_components.elastic.drivers.gcp.fleets import Fleets
from hpc_components.elastic.drivers.gcp.identity import ADDRESS, Metadata, Tokens
from hpc_components.elastic.drivers.gcp.launching import Launching, Steps
from hpc_components.elastic.drivers.gcp.limits import LIMITS
from hpc_components.elastic.drivers.gcp.listing import Listing
from hpc_components.elastic.drivers.gcp.planning import region_of
from hpc_components.elastic.drivers.gcp.policies import Policies
from hpc_components.elastic.drivers.http import Connections, Send
from hpc_components.elastic.drivers.pace import Pace
from hpc_components.elastic.model import Instance, Launch

__all__ = ["GcpDriver", "Place", "connect"]

CLUSTER = "cluster"
"""The object in the config bucket that is there for as long as the cluster is to stay."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a cluster's machines are."""

    project: str
    """Id of the project."""
    bucket: str
    """Name of the config bucket."""
    regions: tuple[str, ...]
    """Regions of its queues."""
    compute: str = COMPUTE
    """Address of Compute Engine."""
    storage: str = STORAGE
    """Address of Cloud Storage."""


def connect(config: Config) -> "GcpDriver":
    """As `contract` has it. ConfigError if the head node lacks metadata that the stack gives it.

    The environment's IMDS is the address of another metadata server.
    """
    metadata = Metadata(os.environ.get("IMDS", ADDRESS))
    told = {key: metadata.read(f"instance/attributes/{key}") or "" for key in ("hpc-project", "hpc-config")}
    for key, value in told.items():
        if not value:
            raise ConfigError(f"{key}: missing; cloud 'gcp' needs this metadata of the head node; bring the stack up")
    zones = {pool.zone for queue in config.queues for pool in queue.pools}
    regions = {region_of(zone) for zone in zones} | ({config.region} if config.region else set())
    place = Place(project=told["hpc-project"], bucket=told["hpc-config"], regions=tuple(sorted(regions)))
    return GcpDriver(config.cluster, place, Tokens(metadata), Connections().send)


class GcpDriver:
    """Machines of one cluster: those with its name and the role `compute` in their labels.

    `running` gives seconds of a clock that nobody sets.
    """

    limits = LIMITS

    def __init__(
        self,
        cluster: str,
        place: Place,
        tokens: Tokens,
        send: Send,
        running: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._cluster, self._running, self._sleep = cluster, running, sleep
        self._compute = Compute(place.compute, place.project, tokens, send, Pace(RATES, OTHER, running, sleep))
        self._listing = Listing(self._compute, cluster, running)
        self._bucket = Bucket(place.storage, place.bucket, tokens, send)
        self._fleets = Fleets(cluster, self._bucket)
        self._policies = {region: self._of_region(region) for region in place.regions}

    def launch(self, launch: Launch) -> Sequence[Instance]:
        """Make machines; as in `Machines`. It lasts until Google says what has become of all of them."""
        steps = self.steps(launch)
        while True:
            try:
                self._sleep(next(steps))
            except StopIteration as end:
                return end.value

    def steps(self, launch: Launch) -> Steps:
        """A launch as steps, with the seconds to wait between them."""
        with plain_errors():
            fleet = self._fleets.of(launch.pool)
            region = region_of(launch.pool.zone)
            policies = self._policies.get(region) or self._policies.setdefault(region, self._of_region(region))
            return (yield from Launching(self._compute, policies, self._listing, launch, fleet).steps())

    def terminate(self, ids: Collection[str]) -> None:
        """Delete machines; as in `Machines`. OSError names those made a moment ago that Google does not know yet."""
        with plain_errors():
            self._listing.delete(ids)

    def list(self) -> Sequence[Instance]:
        """All machines; as in `Machines`. Those that have gone while this process ran are listed for an hour."""
        with plain_errors():
            machines = self._listing.all()
        used = self._listing.memory.policies()
        for policies in self._policies.values():
            policies.tidy(used)
        return machines

    def find(self, ids: Collection[str], tokens: Collection[str] = ()) -> Sequence[Instance]:
        """Machines by id and by token; as in `Machines`."""
        with plain_errors():
            return [*self._listing.find(ids), *self._listing.of_launches(tokens)]

    def stays(self) -> bool:
        """Whether the cluster is to stay although its head node goes. LaunchError, OSError."""
        with plain_errors():
            return self._bucket.has(CLUSTER)

    @property
    def policies(self) -> Sequence[str]:
        """Names of the placement policies that are left, as far as they are known."""
        return [name for policies in self._policies.values() for name in policies.left]

    def _of_region(self, region: str) -> Policies:
        return Policies(self._compute, self._cluster, region, self._running)
