"""The driver for Compute Engine.

A launch is one batch of bulk inserts with the exact names of the nodes, whatever its size (see `launching`). If
machines are placed close together, the batch has one bulk insert for each compact policy; the driver creates and
removes these policies (see `policies`). Everything else (machine type, network, image, purchase option) comes from
the instance template, which the stack creates; the config bucket contains a list of the templates (see `fleets`). A
node's machine is called `<cluster>-<node>`. Because names are reused, a machine's id also includes its number.

The driver uses only the standard library, because it is copied to the head node, whose service account it uses.
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
from hpc_components.elastic.drivers.gcp.planning import region_of
from hpc_components.elastic.drivers.gcp.policies import Policies
from hpc_components.elastic.drivers.http import Connections, Send
from hpc_components.elastic.drivers.instance_metadata import ADDRESS
from hpc_components.elastic.drivers.pace import Pace
from hpc_components.elastic.model import Instance, Launch

CLUSTER = "cluster"
"""Object that exists in the config bucket until the cluster is destroyed."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """Addresses of a cluster's machines and config bucket."""

    project: str
    """Project id."""
    bucket: str
    """Name of the config bucket."""
    regions: tuple[str, ...]
    """Regions of the cluster's queues."""
    compute: str = COMPUTE
    """URL of Compute Engine."""
    storage: str = STORAGE
    """URL of Cloud Storage."""


def connect(config: Config) -> "GcpDriver":
    """Return the driver, as defined in `contract`.

    Raise ConfigError if the head node lacks metadata that the stack sets. The environment variable IMDS overrides the
    address of the metadata server.
    """
    metadata = Metadata(os.environ.get("IMDS", ADDRESS))
    told = {key: metadata.read(f"instance/attributes/{key}") or "" for key in ("hpc-project", "hpc-config")}
    for key, value in told.items():
        if not value:
            raise ConfigError(f"{key}: missing; cloud 'gcp' needs this metadata of the head node; run `pulumi up`")
    zones = {pool.zone for queue in config.queues for pool in queue.pools}
    regions = {region_of(zone) for zone in zones} | ({config.region} if config.region else set())
    place = Place(project=told["hpc-project"], bucket=told["hpc-config"], regions=tuple(sorted(regions)))
    return GcpDriver(config.cluster, place, Tokens(metadata), Connections().send)


class GcpDriver:
    """The machines of one cluster, whose labels contain the cluster's name and the role `compute`.

    `running` returns the seconds of a monotonic clock.
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
        """Create machines; see `Machines`. Return when the outcome of all is known."""
        steps = self.steps(launch)
        while True:
            try:
                self._sleep(next(steps))
            except StopIteration as end:
                return end.value

    def steps(self, launch: Launch) -> Steps:
        """Run a launch in steps. Yield the number of seconds to wait before each next step."""
        with plain_errors():
            fleet = self._fleets.of(launch.pool)
            region = region_of(launch.pool.zone)
            policies = self._policies.get(region) or self._policies.setdefault(region, self._of_region(region))
            return (yield from Launching(self._compute, policies, self._listing, launch, fleet).steps())

    def terminate(self, ids: Collection[str]) -> None:
        """Delete machines; see `Machines`.

        OSError names machines that were created a moment ago and that Google can't find yet.
        """
        with plain_errors():
            self._listing.delete(ids)

    def list(self) -> Sequence[Instance]:
        """Return all machines; see `Machines`.

        Machines that disappeared while this process ran are listed for an hour.
        """
        with plain_errors():
            machines = self._listing.all()
        used = self._listing.memory.policies()
        for policies in self._policies.values():
            policies.tidy(used)
        return machines

    def find(self, ids: Collection[str], tokens: Collection[str] = ()) -> Sequence[Instance]:
        """Return machines by id and by token; see `Machines`."""
        with plain_errors():
            return [*self._listing.find(ids), *self._listing.of_launches(tokens)]

    def stays(self) -> bool:
        """Return whether the cluster will outlive its present head node.

        Raise LaunchError or OSError if the answer is unknown.
        """
        with plain_errors():
            return self._bucket.has(CLUSTER)

    @property
    def policies(self) -> Sequence[str]:
        """Names of the placement policies that are known to exist."""
        return [name for policies in self._policies.values() for name in policies.left]

    def _of_region(self, region: str) -> Policies:
        return Policies(self._compute, self._cluster, region, self._running)
