"""Creates an availability set's machines: each launch is one deployment of a template, whatever its size.

Outside a scale set, Azure can't create a given number of machines, but a deployment accepts a list of machines. The
deployment is named after the launch's token and is kept by Azure. A resumed launch therefore finds its deployment and
never sends it again, so no other state has to be recorded. Machines are named after their node and token, so their
names never clash with those of machines being deleted.

If part of a deployment fails but enough machines exist, those machines are kept and the failed ones are deleted. The
failed ones are deleted last, because a resumed launch is treated as undecided while any of them exists. Which nodes
end up with machines is up to Azure. Source: Azure Resource Manager documentation, "Template specs", "Resource
iteration in ARM templates"; REST API reference, Deployments - Create Or Update, Virtual Machines - Create Or Update,
`networkInterfaceConfigurations`.
"""

from collections.abc import Generator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from hpc_components.elastic.drivers.azure.arm import Arm
from hpc_components.elastic.drivers.azure.errors import ArmError, Told, reasons_in
from hpc_components.elastic.drivers.azure.launching import (
    FIRST_LIST_SECONDS,
    LAUNCH_TIMEOUT_SECONDS,
    LIST_INTERVAL_SECONDS,
    SILENCE_TIMEOUT_SECONDS,
    Steps,
    next_look,
)
from hpc_components.elastic.drivers.azure.listing import USUAL_LAG_SECONDS
from hpc_components.elastic.drivers.azure.machines import Machine
from hpc_components.elastic.drivers.azure.named_fleet import NamedFleet, machine_name
from hpc_components.elastic.drivers.contract import CapacityError, RefusedError, ThrottledError
from hpc_components.elastic.model import Instance, Launch

API_VERSION = "2022-09-01"
"""API version of Microsoft.Resources."""
BUCKET = "deployments"


@dataclass(frozen=True, kw_only=True)
class _End:
    succeeded: bool = False
    told: tuple[Told, ...] = ()
    """Reasons why the deployment failed."""


class Deploying:
    """A single `Machines.launch` call for an availability set."""

    def __init__(self, fleet: NamedFleet, arm: Arm, launch: Launch) -> None:
        self._fleet, self._arm, self._launch = fleet, arm, launch
        self._place = f"{fleet.group.group}/providers/Microsoft.Resources/deployments/hpc-{launch.token}"
        self._asked_now = False
        """Whether this call has sent the deployment. If so, no earlier call can have decided the deployment's
        outcome."""

    def steps(self) -> Steps:
        """Create the machines. Raise ArmError, or the errors that `Machines.launch` describes."""
        self._fleet.launching.add(self._launch.token)
        try:
            if self._read() is None:
                self._ask()
            return (yield from self._watch())
        finally:
            self._fleet.launching.discard(self._launch.token)

    def _read(self) -> Mapping[str, Any] | None:
        try:
            return self._arm.get(self._place, bucket=BUCKET, version=API_VERSION).document["properties"]
        except ArmError as error:
            if error.status == 404:
                return None
            raise

    def _ask(self) -> None:
        fleet, launch = self._fleet, self._launch
        if not fleet.group.template:
            raise RefusedError(f"availability set {fleet.name} has no tag hpc:template; run `pulumi up` again")
        machines = [{"name": machine_name(node, launch.token), "node": node} for node in launch.nodes]
        values = {"machines": machines, "token": launch.token, "availabilitySet": fleet.group.id}
        parameters = {name: {"value": value} for name, value in values.items()}
        template = {"templateLink": {"id": fleet.group.template}, "parameters": parameters}
        document = {"properties": {"mode": "Incremental", **template}}
        self._asked_now = True
        self._arm.change("PUT", self._place, document, bucket=BUCKET, version=API_VERSION)
        fleet.changed()

    def _watch(self) -> Generator[float, None, Sequence[Instance]]:
        """Wait until all machines have hosts or no more can be expected. Return the launch's machines."""
        waited, heard, pause = 0.0, 0.0, next_look(0.0) if self._asked_now else 0.0
        looked = FIRST_LIST_SECONDS - LIST_INTERVAL_SECONDS if self._asked_now else -LIST_INTERVAL_SECONDS
        end: _End | None = None
        ended = 0.0
        while True:
            yield pause
            waited += pause
            made = error = None
            try:
                if end is None and (end := self._end() or (_End() if waited >= LAUNCH_TIMEOUT_SECONDS else None)):
                    ended, looked = waited, waited - LIST_INTERVAL_SECONDS
                if waited >= looked + LIST_INTERVAL_SECONDS:
                    looked = waited
                    self._fleet.machines(LIST_INTERVAL_SECONDS) if end is None else self._fleet.read()
                    made, error = self._settle(end, waited - ended)
                    heard = waited
            except (OSError, ArmError, ThrottledError):  # nothing is lost by looking again later
                if waited > heard + SILENCE_TIMEOUT_SECONDS or not pause:
                    raise
            if error:
                raise error
            if made is not None:
                return made
            pause = next_look(waited)

    def _end(self) -> _End | None:
        """Return the deployment's result, or None while it is under way."""
        properties = self._read()
        if properties is None:  # an administrator has deleted the deployment; its machines are still listed
            return _End()
        state = properties["provisioningState"].lower()
        if state == "succeeded":
            return _End(succeeded=True)
        if state in ("failed", "canceled"):
            return _End(told=tuple(reasons_in(properties)))
        return None

    def _settle(self, end: _End | None, since: float) -> tuple[list[Instance] | None, Exception | None]:
        """Return the launch's machines, or an error if too few were created. Both are None while more machines may
        appear.

        `since` is the number of seconds since the deployment ended.
        """
        fleet, launch = self._fleet, self._launch
        there, past = fleet.of_launch(launch.token)
        ready = [machine for machine in there if machine.ready]
        made = [*ready, *past]
        if len(made) >= len(launch.nodes):
            return self._told(made), None
        if (
            end is None
            or any(map(fleet.is_unclear, there))
            or (since < USUAL_LAG_SECONDS and self._may_come(end, there))
        ):
            return None, None
        failed = [machine for machine in there if not machine.ready]
        if end.succeeded or len(made) >= launch.minimum or (made and not failed and not self._asked_now):
            with suppress(ThrottledError):  # if throttled, leave the failed machines for the daemon to terminate
                fleet.delete(failed)
                fleet.delete_unseen(launch.nodes, launch.token)
            return self._told(made), None
        # a single failed lookup proves nothing; raise, so that these machines are looked up again
        if unknown := fleet.delete([*ready, *failed]):
            raise OSError(f"Azure can't find {', '.join(unknown)}, although it listed them a moment ago")
        fleet.delete_unseen(launch.nodes, launch.token)
        told = [machine.failure for machine in failed if machine.failure] or end.told
        words = (
            f"{fleet.name}: only {len(made)} of {len(launch.nodes)} machines were created; at least "
            f"{launch.minimum} are needed"
        )
        return None, ArmError(200, told) if told else CapacityError(words)

    def _may_come(self, end: _End, there: Sequence[Machine]) -> bool:
        """Return whether more machines may still appear or get hosts, because the list of machines can lag behind the
        deployment.
        """
        unseen = end.succeeded and self._fleet.unseen(self._launch.nodes, self._launch.token)
        return bool(unseen) or any(machine.pending for machine in there)

    def _told(self, machines: Sequence[Machine]) -> list[Instance]:
        order = {node: index for index, node in enumerate(self._launch.nodes)}
        return self._fleet.told(sorted(machines, key=lambda machine: order.get(machine.node, 0)))
