"""The driver for Compute Engine.

A launch of any size is a single batch of bulk inserts with the exact names of the nodes (see `launching`). If
machines are placed close together, the batch has one bulk insert for each compact policy. The driver creates and
removes these policies (see `policies`). Everything else (machine type, network, image, purchase option) comes from an
instance template. The stack creates the templates and lists them in the config bucket (see `fleets`). A node's
machine is called `<cluster>-<node>`. Because these names are reused, a machine's id also includes the unique number
that Google assigns to the machine.

The driver uses only the standard library, because it is copied to the head node. It runs with the head node's service
account.
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
from hpc_components.elastic.drivers.gcp.identity import Metadata, Tokens
from hpc_components.elastic.drivers.gcp.launching import Launching, Steps
from hpc_components.elastic.drivers.gcp.limits import LIMITS
from hpc_components.elastic.drivers.gcp.listing import Listing
from hpc_components.elastic.drivers.gcp.login_nodes import read_login_nodes
from hpc_components.elastic.drivers.gcp.planning import region_of
from hpc_components.elastic.drivers.gcp.policies import Policies
from hpc_components.elastic.drivers.http import Connections, Send
from hpc_components.elastic.drivers.instance_metadata import ADDRESS
from hpc_components.elastic.drivers.pace import Pace
from hpc_components.elastic.model import Instance, Launch, LoginNode

CLUSTER = "cluster"
"""Name of the object that remains in the config bucket until the cluster is destroyed."""


@dataclass(frozen=True, kw_only=True)
class Place:
    project: str
    bucket: str
    regions: tuple[str, ...]
    compute: str = COMPUTE
    storage: str = STORAGE


def connect(config: Config) -> "GcpDriver":
    """Return the driver, as defined in `contract`.

    Raise ConfigError if the head node is missing metadata that the stack sets. The environment variable IMDS
    overrides the address of the metadata server.
    """
    metadata = Metadata(os.environ.get("IMDS", ADDRESS))
    told = {key: metadata.read(f"instance/attributes/{key}") or "" for key in ("hpc-project", "hpc-config")}
    for key, value in told.items():
        if not value:
            raise ConfigError(f"{key}: missing; cloud 'gcp' requires this metadata on the head node; run `pulumi up`")
    zones = {pool.zone for queue in config.queues for pool in queue.pools}
    regions = {region_of(zone) for zone in zones} | ({config.region} if config.region else set())
    place = Place(project=told["hpc-project"], bucket=told["hpc-config"], regions=tuple(sorted(regions)))
    return GcpDriver(config.cluster, place, Tokens(metadata), Connections().send)


class GcpDriver:
    """The machines of one cluster, identified by labels with the cluster's name and the role `compute`.

    `running` is a monotonic clock that returns seconds.
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
        """Create machines, as defined in `Machines`. Return when the outcome of every request is known."""
        steps = self.steps(launch)
        while True:
            try:
                self._sleep(next(steps))
            except StopIteration as end:
                return end.value

    def steps(self, launch: Launch) -> Steps:
        with plain_errors():
            fleet = self._fleets.of(launch.pool)
            region = region_of(launch.pool.zone)
            policies = self._policies.get(region) or self._policies.setdefault(region, self._of_region(region))
            return (yield from Launching(self._compute, policies, self._listing, launch, fleet).steps())

    def terminate(self, ids: Collection[str]) -> None:
        """Delete machines, as defined in `Machines`.

        Raise OSError for machines that Google can't find although they were created or last seen a moment ago.
        """
        with plain_errors():
            self._listing.delete(ids)

    def list(self) -> Sequence[Instance]:
        """Return all machines, as defined in `Machines`, and delete unused placement policies.

        Machines that disappeared while this process was running are listed for an hour.
        """
        with plain_errors():
            machines = self._listing.all()
        used = self._listing.memory.policies()
        for policies in self._policies.values():
            policies.tidy(used)
        return machines

    def find(self, ids: Collection[str], tokens: Collection[str] = ()) -> Sequence[Instance]:
        with plain_errors():
            return [*self._listing.find(ids), *self._listing.of_launches(tokens)]

    def login_nodes(self) -> Sequence[LoginNode]:
        """Return the login nodes; see `LoginNodesListed`."""
        with plain_errors():
            return [*read_login_nodes(self._compute, self._cluster)]

    def stays(self) -> bool:
        """Return whether the cluster will outlive its current head node.

        Raise LaunchError or OSError if this can't be determined.
        """
        with plain_errors():
            return self._bucket.has(CLUSTER)

    @property
    def policies(self) -> Sequence[str]:
        return [name for policies in self._policies.values() for name in policies.left]

    def _of_region(self, region: str) -> Policies:
        return Policies(self._compute, self._cluster, region, self._running)
