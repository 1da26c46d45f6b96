"""The driver for EC2.

A launch is one RunInstances call that passes only a launch template and tags. Everything else (machine type, subnet,
image, purchase option, reservation) comes from the template, because the head node's role does not permit launches
that differ from the template (condition `ec2:IsLaunchTemplateResource`). The template's default version is used: a
stack makes its newest version the default, and an administrator can return to an older version by changing the
default.

A RunInstances call can't name machines individually. Therefore, the tag `hpc:nodes` contains the node names of all
machines in a launch, and a machine's launch index is the position of its node's name in this tag.
"""

import re
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from decimal import Decimal
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
from hpc_components.elastic.drivers.aws.instances import instance_of, instances_in, login_node_of
from hpc_components.elastic.drivers.aws.limits import LIMITS
from hpc_components.elastic.drivers.aws.reservations import about_reservation, reservation_error
from hpc_components.elastic.drivers.aws.spot_prices import spot_prices
from hpc_components.elastic.drivers.aws.templates import Template, Templates
from hpc_components.elastic.drivers.contract import LaunchError, RefusedError
from hpc_components.elastic.drivers.unended import raise_unended
from hpc_components.elastic.model import Instance, InstanceState, Launch, LoginNode, Pool
from hpc_components.elastic.names import tag_of

MAX_PER_CALL = 1000
"""Maximum number of instances in one DescribeInstances or TerminateInstances call. Source: EC2 API reference."""

EVENTUAL_CONSISTENCY_SECONDS = 120.0
"""Seconds for which EC2 may fail to find a newly created instance, because EC2 is eventually consistent. Source: EC2
developer guide, "Eventual consistency"; two minutes is longer than any observed delay."""

PROTECTED = "OperationNotPermitted"


def connect(config: Config) -> "AwsDriver":
    """Return the driver, as defined in `contract`.

    Raise ConfigError if `config` lacks the region or the cluster's config bucket.
    """
    if not config.region:
        raise ConfigError("region: missing; cloud 'aws' requires a region")
    if not config.config:
        raise ConfigError("config: missing; cloud 'aws' requires the cluster's config bucket (tag hpc:config)")
    return AwsDriver(config.cluster, config.config, ec2_client(config.region))


class AwsDriver:
    """The machines of one cluster.

    A cluster is identified by its name and its config bucket, because another stack may use the same name. `client`
    is an `ec2_client`. `clock` returns seconds since the epoch, and `running` returns the seconds of a monotonic
    clock.
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
        self._clock = clock
        self._templates = Templates(cluster, self._ours, self._api)
        self._health = Health(self._api, clock, running)
        self._running = running
        self._lock = threading.Lock()
        self._seen: dict[str, float] = {}
        """Maps machine ids to the times (from `running`) at which the machines were created or last seen. Each entry
        is kept as long as parts of EC2 may fail to find the machine."""

    def launch(self, launch: Launch) -> Sequence[Instance]:
        """Create machines; see `Machines`. A repeated launch also returns its machines that have ended."""
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
            self._templates.forget()  # the stack has since created a new template
            return self._run(launch, self._templates.of(launch.pool))

    def terminate(self, ids: Collection[str]) -> None:
        """Terminate machines; see `Machines`.

        Raise RefusedError for protected machines, and OSError for machines that were created or seen a moment ago but
        that EC2 can't find now. Any other machine that EC2 can't find is considered gone.
        """
        every, failures = sorted(ids), dict[str, Exception]()
        for start in range(0, len(every), MAX_PER_CALL):
            failures |= self._terminate(every[start : start + MAX_PER_CALL])
        unknown = {id for id, error in failures.items() if _cause(error) == UNKNOWN_MACHINE}
        with self._lock:
            recent = {each for each, at in self._seen.items() if at + EVENTUAL_CONSISTENCY_SECONDS > self._running()}
        early = sorted(recent & unknown)
        seen = f"created or last seen less than {EVENTUAL_CONSISTENCY_SECONDS:.0f} s ago"
        words = f"EC2 currently can't find machines {seen}: {', '.join(early)}"
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

        EC2 rejects a call that contains an unknown id, so such a call is repeated without that id.
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

    def login_nodes(self) -> Sequence[LoginNode]:
        """Return the login nodes; see `LoginNodesListed`."""
        chosen = {**self._ours, "tag:hpc:role": "login", "instance-state-name": "running"}
        with plain_errors():
            return [login_node_of(each) for each in self._described(chosen)]

    def spot_prices(self, pools: Collection[Pool]) -> Mapping[Pool, Decimal]:
        """Return the current prices; see `SpotPriced`."""
        with plain_errors():
            return spot_prices(self._api, pools, self._clock)

    def _see(self, instances: Sequence[Instance]) -> None:
        """Remember these machines. For a while, a response that omits one of them does not prove that the machine is
        gone.
        """
        now = self._running()
        with self._lock:
            self._seen = {each: at for each, at in self._seen.items() if at + EVENTUAL_CONSISTENCY_SECONDS > now}
            self._seen |= {each.id: now for each in instances if each.alive}

    def _run(self, launch: Launch, template: Template) -> Sequence[Instance]:
        # Resend all tags, although most are in the template, so that the result does not depend on how EC2 merges
        # tags. For all other parameters, values in the request replace those in the template. Source: EC2 API
        # reference, RunInstances.
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
        made = [instance_of(each, tags) for each in reply["Instances"]]
        self._see(made)
        return made

    def _made_before(self, launch: Launch) -> Sequence[Instance]:
        """Return the machines that EC2 has already created for this launch, even if they have ended or the template
        has since changed.
        """
        made = self._listed({"client-token": launch.token})
        if not made:
            raise OSError(f"EC2 has already accepted launch {launch.token} but does not list its machines yet")
        return made

    def _find(self, ids: Sequence[str]) -> Sequence[Instance]:
        while ids:
            try:
                found = self._api.pages("DescribeInstances", InstanceIds=[*ids], Filters=filters(self._ours))
                return [instance_of(each) for page in found for each in instances_in(page)]
            except ClientError as error:
                if code_of(error) != UNKNOWN_MACHINE:
                    raise
                unknown = set(_ids_in(str(error)))
                if unknown.isdisjoint(ids):
                    raise
            ids = [each for each in ids if each not in unknown]
        return ()

    def _listed(self, chosen: Mapping[str, str]) -> Sequence[Instance]:
        return [instance_of(each) for each in self._described(chosen)]

    def _described(self, chosen: Mapping[str, str]) -> Iterator[Mapping[str, Any]]:
        pages = self._api.pages("DescribeInstances", Filters=filters(chosen), MaxResults=MAX_PER_CALL)
        return (each for page in pages for each in instances_in(page))

    def _terminate(self, ids: Sequence[str]) -> dict[str, Exception]:
        """Terminate machines. Return an error for each id that could not be terminated.

        A single unknown or protected machine makes the whole call fail. The call is then repeated without that
        machine.
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


def _ids_in(text: str) -> list[str]:
    return re.findall(r"\bi-[0-9a-f]+", text)


def _cause(error: Exception) -> str:
    """Return the EC2 code of an error raised by `plain_errors`, or an empty string if EC2 did not respond."""
    return code_of(error.__cause__) if isinstance(error.__cause__, ClientError) else ""


def _about(id: str, error: Exception) -> Exception:
    if _cause(error) != PROTECTED:
        return error
    return RefusedError(
        f"{id}: protected from termination; disable termination protection, or terminate the machine manually", [id]
    )
