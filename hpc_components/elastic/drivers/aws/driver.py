"""The driver for EC2.

A launch is one RunInstances call that passes only a launch template and tags. Everything else (machine type, subnet,
image, purchase option, reservation) comes from the template, because the head node's role does not permit launches
that differ from the template (condition `ec2:IsLaunchTemplateResource`). The template's default version is used: a
stack makes its newest version the default, and an administrator can return to an older version by changing the
default.

A RunInstances call can't name machines individually. Therefore, the tag `hpc:nodes` contains the node names of all
machines in a launch, and each machine's launch index is the position of its own name.
"""

import re
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from botocore.exceptions import ClientError

from hpc_components.elastic.config import Config, ConfigError
from hpc_components.elastic.drivers.aws.api import Api, ec2_client, filters
from hpc_components.elastic.drivers.aws.errors import (
    ALREADY_LAUNCHED,
    NO_TEMPLATE,
    UNKNOWN_MACHINE,
    code_of,
    plain_errors,
)
from hpc_components.elastic.drivers.aws.health import Health
from hpc_components.elastic.drivers.aws.limits import LIMITS
from hpc_components.elastic.drivers.aws.reservations import about_reservation, reservation_error
from hpc_components.elastic.drivers.aws.templates import Template, Templates
from hpc_components.elastic.drivers.contract import LaunchError, RefusedError
from hpc_components.elastic.drivers.unended import raise_unended
from hpc_components.elastic.model import Instance, InstanceState, Launch, Pool
from hpc_components.elastic.names import nodes_of, tag_of

MAX_PER_CALL = 1000
"""Maximum number of instances in one DescribeInstances or TerminateInstances call. Source: EC2 API reference."""

EVENTUAL_CONSISTENCY_SECONDS = 120.0
"""Seconds for which EC2, which is eventually consistent, may fail to find an instance that it has just created.
Source: EC2 developer guide, "Eventual consistency"; two minutes is more than observed.
"""

STATES = {
    "pending": InstanceState.PENDING,
    "running": InstanceState.RUNNING,
    # only an administrator stops a node; its machine still costs money, and may be started again
    "stopping": InstanceState.RUNNING,
    "stopped": InstanceState.RUNNING,
    "shutting-down": InstanceState.STOPPING,
    "terminated": InstanceState.GONE,
}
PURCHASES = {"spot": "spot", "capacity-block": "capacity_block"}
"""Maps EC2's instance life cycle to the value of `purchase`."""

TAKEN = frozenset(
    {
        "Server.InsufficientInstanceCapacity",
        "Server.ScheduledStop",
        "Server.SpotInstanceShutdown",
        "Server.SpotInstanceTermination",
    }
)
"""State reason codes of machines that EC2 reclaimed, so that their software was not at fault. Source: EC2 API
reference, StateReason, read 2026-11-22. The code for terminations through the API is left out, because otherwise, if
a program terminated all machines, they would be replaced endlessly."""

PROTECTED = "OperationNotPermitted"


def connect(config: Config) -> "AwsDriver":
    """Return the driver, as defined in `contract`.

    Raise ConfigError if `config` lacks the region or the cluster's config bucket.
    """
    if not config.region:
        raise ConfigError("region: missing; cloud 'aws' needs it")
    if not config.config:
        raise ConfigError("config: missing; cloud 'aws' needs the cluster's config bucket, the tag hpc:config")
    return AwsDriver(config.cluster, config.config, ec2_client(config.region))


class AwsDriver:
    """The machines of one cluster, identified by the cluster's name and, because another stack may use the same name,
    by its config bucket.

    `client` is an `ec2_client`. `clock` returns seconds since the epoch, and `running` returns the seconds of a
    monotonic clock.
    """

    limits = LIMITS

    def __init__(
        self,
        cluster: str,
        config: str,
        client: Any,
        clock: Callable[[], float] = time.time,
        running: Callable[[], float] = time.monotonic,
    ) -> None:
        self._ours = {"tag:ClusterName": cluster, "tag:hpc:config": config}
        self._api = Api(client)
        self._templates = Templates(cluster, self._ours, self._api)
        self._health = Health(self._api, clock, running)
        self._running = running
        self._lock = threading.Lock()
        self._seen: dict[str, float] = {}
        """Maps each machine id to the time (`running`) at which the machine was created or last seen. Kept as long as
        parts of EC2 may not know the machine yet."""

    def launch(self, launch: Launch) -> Sequence[Instance]:
        """Create machines; see `Machines`. A repeated launch also returns those of its machines that have ended."""
        with plain_errors():
            template = self._templates.of(launch.pool)
            try:
                return self._run(launch, template)
            except ClientError as error:
                if code_of(error) in ALREADY_LAUNCHED:
                    return self._made_before(launch)
                if template.reservation and about_reservation(error):
                    raise reservation_error(error, template.reservation, self._api) from error
                if code_of(error) not in NO_TEMPLATE:
                    raise
            self._templates.forget()  # the stack has created a new one since
            return self._run(launch, self._templates.of(launch.pool))

    def terminate(self, ids: Collection[str]) -> None:
        """Terminate machines; see `Machines`.

        RefusedError names protected machines. OSError names machines that were created or seen a moment ago but that
        EC2 can't find now. Any other machine that EC2 can't find is gone.
        """
        every, failures = sorted(ids), dict[str, Exception]()
        for start in range(0, len(every), MAX_PER_CALL):
            failures |= self._terminate(every[start : start + MAX_PER_CALL])
        unknown = {id for id, error in failures.items() if _cause(error) == UNKNOWN_MACHINE}
        with self._lock:
            recent = {each for each, at in self._seen.items() if at + EVENTUAL_CONSISTENCY_SECONDS > self._running()}
        early = sorted(recent & unknown)
        age = f"created or seen less than {EVENTUAL_CONSISTENCY_SECONDS:.0f} s ago"
        words = f"EC2 does not know {', '.join(early)} now, although {age}"
        failures = {id: error for id, error in failures.items() if id not in unknown}
        raise_unended(failures | dict.fromkeys(early, OSError(words)), len(every))

    def list(self) -> Sequence[Instance]:
        """Return all machines; see `Machines`. Machines that have ended are listed for about an hour."""
        with plain_errors():
            instances = self._listed({**self._ours, "tag:hpc:role": "compute"})
        self._see(instances)
        if any(each.state is InstanceState.RUNNING for each in instances):
            return self._health.told(instances)
        return instances

    def find(self, ids: Collection[str], tokens: Collection[str] = ()) -> Sequence[Instance]:
        """Return machines by id and by token; see `Machines`.

        EC2 rejects a call that contains an unknown id; the call is then repeated without that id.
        """
        every = sorted(ids)
        with plain_errors():
            found = [
                each
                for start in range(0, len(every), MAX_PER_CALL)
                for each in self._find(every[start : start + MAX_PER_CALL])
            ]
            for token in tokens:
                found += self._listed({"client-token": token})
        self._see(found)
        return found

    def _see(self, instances: Sequence[Instance]) -> None:
        """Remember that these machines exist. For some time, an answer that omits one of them proves nothing."""
        now = self._running()
        with self._lock:
            self._seen = {each: at for each, at in self._seen.items() if at + EVENTUAL_CONSISTENCY_SECONDS > now}
            self._seen |= {each.id: now for each in instances if each.alive}

    def _run(self, launch: Launch, template: Template) -> Sequence[Instance]:
        # Send all tags again, although most are in the template, so as not to depend on how EC2 merges tags: other
        # request parameters replace the template's. Source: EC2 API reference, RunInstances.
        tags = {**template.tags, "hpc:nodes": tag_of(launch.nodes), "hpc:launch": launch.token}
        pairs = [{"Key": key, "Value": value} for key, value in tags.items()]
        reply = self._api.call(
            "RunInstances",
            LaunchTemplate={"LaunchTemplateId": template.id, "Version": "$Default"},
            MinCount=launch.minimum,
            MaxCount=len(launch.nodes),
            ClientToken=launch.token,
            TagSpecifications=[
                {"ResourceType": kind, "Tags": pairs} for kind in ("instance", "volume", "network-interface")
            ],
        )
        made = [_instance(each, tags) for each in reply["Instances"]]
        self._see(made)
        return made

    def _made_before(self, launch: Launch) -> Sequence[Instance]:
        """Return the machines that EC2 has already created for a token, even if they have ended or the template has
        changed since."""
        made = self._listed({"client-token": launch.token})
        if not made:
            raise OSError(f"EC2 knows launch {launch.token}, but does not list its machines yet")
        return made

    def _find(self, ids: Sequence[str]) -> Sequence[Instance]:
        while ids:
            try:
                found = self._api.pages("DescribeInstances", InstanceIds=[*ids], Filters=filters(self._ours))
                return [_instance(each) for page in found for each in _instances(page)]
            except ClientError as error:
                if code_of(error) != UNKNOWN_MACHINE:
                    raise
                unknown = set(_ids_in(str(error)))
                if unknown.isdisjoint(ids):
                    raise
            ids = [each for each in ids if each not in unknown]
        return ()

    def _listed(self, chosen: Mapping[str, str]) -> Sequence[Instance]:
        pages = self._api.pages("DescribeInstances", Filters=filters(chosen), MaxResults=MAX_PER_CALL)
        return [_instance(each) for page in pages for each in _instances(page)]

    def _terminate(self, ids: Sequence[str]) -> dict[str, Exception]:
        """Terminate machines in one call. Return the error for each id that is not terminated.

        A single unknown or protected machine makes the call fail for all; the call is then repeated without it.
        """
        try:
            with plain_errors():
                self._api.call("TerminateInstances", InstanceIds=[*ids])
        except (LaunchError, OSError) as error:
            code = _cause(error)
            if code not in (UNKNOWN_MACHINE, PROTECTED):
                return dict.fromkeys(ids, error)
            bad = set(ids) if len(ids) == 1 else {each for each in _ids_in(str(error)) if each in ids}
            if not bad:
                half = len(ids) // 2
                return self._terminate(ids[:half]) | self._terminate(ids[half:])
            rest = [each for each in ids if each not in bad]
            failures = {id: _about(id, error) for id in sorted(bad)}
            return failures | (self._terminate(rest) if rest else {})
        return {}


def _instances(page: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    return (each for reservation in page["Reservations"] for each in reservation["Instances"])


def _instance(raw: Mapping[str, Any], more_tags: Mapping[str, str] | None = None) -> Instance:
    tags = {tag["Key"]: tag["Value"] for tag in raw.get("Tags", ())} | dict(more_tags or {})
    queue, state = tags.get("hpc:queue", ""), raw["State"]["Name"]
    return Instance(
        id=raw["InstanceId"],
        node=_node(queue, tags.get("hpc:nodes", ""), raw["AmiLaunchIndex"]) or raw["InstanceId"],
        token=tags.get("hpc:launch", ""),
        pool=Pool(queue=queue, machine=raw["InstanceType"], zone=tags.get("hpc:zone", ""), purchase=_purchase(raw)),
        state=STATES[state],
        launched=raw["LaunchTime"].timestamp(),
        failing=f"EC2 says that it is {state}" if state in ("stopping", "stopped") else "",
        taken=raw.get("StateReason", {}).get("Code") in TAKEN,
    )


def _node(queue: str, tag: str, index: int) -> str:
    """Return the node name, or an empty string for a machine that the daemon did not launch.

    The id of such a machine serves as its name.
    """
    nodes = _nodes(queue, tag)
    return nodes[index] if index < len(nodes) else ""


@lru_cache(maxsize=256)
def _nodes(queue: str, tag: str) -> tuple[str, ...]:
    try:
        return nodes_of(queue, tag)
    except ValueError:
        return ()


def _purchase(raw: Mapping[str, Any]) -> str:
    reserved = "CapacityReservationTarget" in raw.get("CapacityReservationSpecification", {})
    return PURCHASES.get(raw.get("InstanceLifecycle", ""), "reservation" if reserved else "on_demand")


def _ids_in(text: str) -> list[str]:
    return re.findall(r"\bi-[0-9a-f]+", text)


def _cause(error: Exception) -> str:
    """Return the EC2 code of an error raised by `plain_errors`, or an empty string if EC2 did not answer."""
    return code_of(error.__cause__) if isinstance(error.__cause__, ClientError) else ""


def _about(id: str, error: Exception) -> Exception:
    """Return the error to report for a machine that is not terminated."""
    if _cause(error) != PROTECTED:
        return error
    return RefusedError(
        f"{id}: protected from termination; disable termination protection, or terminate it manually", [id]
    )
