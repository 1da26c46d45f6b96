"""The driver for Azure's scale sets and availability sets.

A launch is a single change of a scale set's capacity, whatever its size (see `launching`). Machines are deleted by
their ids, with one request per scale set. The capacity is never lowered, because Azure would then choose which
machines to delete. Azure chooses the machine names, so each scale set has a blob that maps machines to nodes (see
`assignments`). The nodes read this blob as well. Everything else (machine type, subnet, image, purchase option) comes
from the scale set, which the stack creates. For an availability set, a launch is a single deployment of a template,
which the stack also creates (see `deploying`).

The driver uses only the standard library, because it is copied to the head node. It authenticates with the head
node's identity.
"""

import os
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from hpc_components.elastic.config import Config, ConfigError
from hpc_components.elastic.drivers.azure.arm import LIMITS as RATES
from hpc_components.elastic.drivers.azure.arm import OTHER, Arm, Container
from hpc_components.elastic.drivers.azure.availability_sets import AvailabilitySet, read_availability_sets
from hpc_components.elastic.drivers.azure.deploying import Deploying
from hpc_components.elastic.drivers.azure.errors import ArmError, plain_errors
from hpc_components.elastic.drivers.azure.fleet import Fleet
from hpc_components.elastic.drivers.azure.identity import Metadata, Tokens
from hpc_components.elastic.drivers.azure.launching import Launching, Steps, adopt
from hpc_components.elastic.drivers.azure.limits import LIMITS
from hpc_components.elastic.drivers.azure.listing import Listing
from hpc_components.elastic.drivers.azure.login_nodes import read_login_nodes
from hpc_components.elastic.drivers.azure.machines import parts_of
from hpc_components.elastic.drivers.azure.named_fleet import NamedFleet
from hpc_components.elastic.drivers.azure.scale_sets import ScaleSet, read_scale_sets
from hpc_components.elastic.drivers.contract import FailedError, LaunchError, RefusedError
from hpc_components.elastic.drivers.http import Connections, Send
from hpc_components.elastic.drivers.instance_metadata import ADDRESS
from hpc_components.elastic.drivers.pace import Pace
from hpc_components.elastic.drivers.unended import raise_unended
from hpc_components.elastic.model import Instance, Launch, LoginNode, Pool

SETS_FRESH_SECONDS = 4.9
"""Seconds before the scale sets are read again. Less than the minimum time between two regular cycles, so that each
of these cycles reads them. Azure sometimes shows a capacity of 0 for a moment, in which case the set's machines are
overlooked until the next read."""
CONTAINER = "nodes"
"""Name of the blob container, which is in the same storage account as the cluster's configuration."""
ENDPOINTS = {
    "AzurePublicCloud": ("https://management.azure.com", "blob.core.windows.net"),
    "AzureUSGovernmentCloud": ("https://management.usgovcloudapi.net", "blob.core.usgovcloudapi.net"),
    "AzureChinaCloud": ("https://management.chinacloudapi.cn", "blob.core.chinacloudapi.cn"),
}
"""Maps `azEnvironment` from the metadata service to the URL of Azure Resource Manager and the domain suffix of
storage accounts. Source: Azure CLI, `az cloud list`."""


@dataclass(frozen=True, kw_only=True)
class Place:
    arm: str
    """URL of Azure Resource Manager, e.g. `https://management.azure.com`."""
    group: str
    """Id of the nodes' resource group."""
    own_group: str
    """Id of the head node's resource group, which also has the login nodes."""
    config: str
    """Configuration container as `<account>/config`, which is the value of the `hpc:config` tag."""
    blobs: str
    """URL of the blob container, e.g. `https://<account>.blob.core.windows.net/nodes`."""


def connect(config: Config) -> "AzureDriver":
    """Return the driver, as defined in `contract`.

    Raise ConfigError if the head node lacks a tag that the stack sets. The environment variable IMDS overrides the
    address of the metadata service.
    """
    metadata = Metadata(os.environ.get("IMDS", ADDRESS))
    compute = metadata.compute()
    tags = {tag["name"]: tag["value"] for tag in compute["tagsList"]}
    for tag in ("hpc:nodes-group", "hpc:config", "hpc:identity"):
        if not tags.get(tag):
            raise ConfigError(
                f"{tag}: the head node lacks this tag, which cloud 'azure' requires; run `pulumi up` again"
            )
    environment = compute.get("azEnvironment", "")
    if environment not in ENDPOINTS:
        raise ConfigError(f"azEnvironment: {environment!r} is not one of {', '.join(ENDPOINTS)}")
    arm, suffix = ENDPOINTS[environment]
    account = tags["hpc:config"].partition("/")[0]
    place = Place(
        arm=arm,
        group=tags["hpc:nodes-group"],
        own_group=compute.get("resourceId", "").partition("/providers/")[0],
        config=tags["hpc:config"],
        blobs=f"https://{account}.{suffix}/{CONTAINER}",
    )
    return AzureDriver(config.cluster, place, Tokens(metadata, tags["hpc:identity"]), Connections().send)


class AzureDriver:
    """The machines of one cluster, in groups tagged with the cluster's name and config bucket.

    A group is a scale set (`Fleet`) or an availability set (`NamedFleet`).

    `clock` returns seconds since the epoch, and `running` returns the seconds of a monotonic clock.
    """

    limits = LIMITS

    def __init__(
        self,
        cluster: str,
        place: Place,
        tokens: Tokens,
        send: Send,
        clock: Callable[[], float] = time.time,
        running: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._cluster, self._place = cluster, place
        self._clock, self._running, self._sleep = clock, running, sleep
        self._arm = Arm(place.arm, tokens, send, Pace(RATES, OTHER, running, sleep))
        self._container = Container(place.blobs, tokens, send)
        self._fleets: Mapping[str, Fleet | NamedFleet] = {}
        """Fleets, keyed by group name."""
        self._by_pool: Mapping[tuple[str, str, str], Fleet | NamedFleet] = {}
        self._named: Sequence[AvailabilitySet] | None = None
        self._refreshed = float("-inf")
        """Time at which the groups were last read."""

    def launch(self, launch: Launch) -> Sequence[Instance]:
        """Create machines; see `Machines`.

        Return when all machines have hosts, or when Azure reports that no more are coming.
        """
        steps = self.steps(launch)
        while True:
            try:
                self._sleep(next(steps))
            except StopIteration as end:
                return end.value

    def steps(self, launch: Launch) -> Steps:
        """Run a launch in steps. Yield the number of seconds to wait before the next step."""
        with plain_errors():
            fleet = self._fleet_of(launch.pool)
        with plain_errors(spot=fleet.spot):
            try:
                if isinstance(fleet, NamedFleet):
                    return (yield from Deploying(fleet, self._arm, launch).steps())
                return (yield from Launching(fleet, self._arm, launch).steps())
            except ArmError as error:
                if error.status != 404:
                    raise
                self._by_pool = {}  # the stack may have created another group since
                raise FailedError(f"{fleet.name}: {error}") from error

    def terminate(self, ids: Collection[str]) -> None:
        """Delete machines; see `Machines`.

        Raise OSError for machines that were created a moment ago and that Azure does not list yet.
        """
        failures: dict[str, Exception] = {}
        asked = 0
        with plain_errors():
            by_fleet = self._by_fleet(ids)
        for fleet, wanted in by_fleet.items():
            own = {vm_id: f"{fleet.name}/{instance}/{vm_id}" for vm_id, instance in wanted.items()}
            asked += len(own)
            try:
                with plain_errors():
                    failures |= {own[vm_id]: error for vm_id, error in fleet.end(wanted).items()}
            # continue, so that the other fleets' machines are still terminated
            except (LaunchError, OSError) as error:
                failures |= dict.fromkeys(own.values(), error)
        raise_unended(failures, asked)

    def list(self) -> Sequence[Instance]:
        """Return all machines; see `Machines`.

        Machines that disappear while this process is running stay listed for an hour.
        """
        with plain_errors():
            if self._refreshed + SETS_FRESH_SECONDS > self._running():
                try:
                    return self._all_listed()
                except ArmError as error:
                    if error.status != 404:  # 404: the group has been deleted since
                        raise
            self._refresh()
            return self._all_listed()

    def find(self, ids: Collection[str], tokens: Collection[str] = ()) -> Sequence[Instance]:
        with plain_errors():
            found = [each for fleet, wanted in self._by_fleet(ids).items() for each in fleet.find(wanted)]
            for fleet in self._known_fleets().values() if tokens else ():
                found += [each for token in tokens for each in fleet.made_by(token)]
            return found

    def login_nodes(self) -> Sequence[LoginNode]:
        """Return the login nodes; see `LoginNodesListed`."""
        with plain_errors():
            return [*read_login_nodes(self._arm, self._place.own_group, self._cluster, self._place.config)]

    def _all_listed(self) -> Sequence[Instance]:
        return [each for fleet in self._fleets.values() for each in self._listed(fleet)]

    def _listed(self, fleet: Fleet | NamedFleet) -> Sequence[Instance]:
        machines = fleet.look()
        if isinstance(fleet, Fleet) and (machines or fleet.assigned.open):
            adopt(fleet, self._arm, self._running())
        return [*fleet.told(machines), *fleet.gone()]

    def _fleet_of(self, pool: Pool) -> Fleet | NamedFleet:
        key = _key(pool)
        if key not in self._by_pool:
            self._refresh(all_kinds=True)
        if key not in self._by_pool:
            raise RefusedError(
                f"cluster {self._cluster} has no scale set or availability set tagged with its config bucket, "
                f"hpc:queue={pool.queue}, hpc:machine={pool.machine} and hpc:zone={pool.zone}; run `pulumi "
                "up` again"
            )
        return self._by_pool[key]

    def _refresh(self, *, all_kinds: bool = False) -> None:
        """Read all scale sets and availability sets. If a pool has several, the newest is used for launches.

        Few clusters have availability sets. Until one is found, availability sets are read only at the start and
        whenever a pool is missing, in case the stack has created one for the pool.
        """
        began = self._running()
        where = self._place.group, self._cluster, self._place.config
        if all_kinds or self._named is None or self._named:
            self._named = tuple(read_availability_sets(self._arm, *where))
        groups = sorted((*read_scale_sets(self._arm, *where), *self._named), key=lambda group: group.made)
        self._fleets = {group.name: self._shown(group) for group in groups}
        self._by_pool = {_key(fleet.pool): fleet for fleet in self._fleets.values()}
        self._refreshed = began

    def _shown(self, group: ScaleSet | AvailabilitySet) -> Fleet | NamedFleet:
        fleet = self._fleets.get(group.name)
        if isinstance(group, ScaleSet):
            if not isinstance(fleet, Fleet):
                fleet = Fleet(group, self._arm, self._container, self._clock, self._running)
            fleet.show(group)
            return fleet
        if not isinstance(fleet, NamedFleet):
            fleet = NamedFleet(group, self._arm, self._running)
        fleet.show(group)
        return fleet

    def _known_fleets(self) -> Mapping[str, Fleet | NamedFleet]:
        if not self._fleets:
            self._refresh()
        return self._fleets

    def _by_fleet(self, ids: Collection[str]) -> Mapping[Listing, Mapping[str, str]]:
        """Group machines by fleet. Each group maps vmIds to machine ids within the fleet.

        Machines of unknown fleets are left out, because they are gone.
        """
        grouped: dict[Listing, dict[str, str]] = {}
        fleets = self._known_fleets() if ids else {}
        for group, instance, vm_id in map(parts_of, sorted(ids)):
            if fleet := fleets.get(group):
                grouped.setdefault(fleet, {})[vm_id] = instance
        return grouped


def _key(pool: Pool) -> tuple[str, str, str]:
    """Return the pool's key. The key omits the purchase option, because a queue has one group per machine type and
    zone.
    """
    return pool.queue, pool.machine, pool.zone
