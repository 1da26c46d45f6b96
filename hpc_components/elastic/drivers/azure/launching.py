"""Creates a scale set's machines. Each launch, whatever its size, is a single change of the scale set's capacity.

A launch goes through these states:

    recorded         the blob contains the launch, the existing machines and the capacity to request
    requested        Azure has accepted the change
    watched          machines appear and get hosts, then names, until all are named or no more are expected
    done             surplus machines are deleted, or all new machines if there are too few

The change is requested with the ETag that the scale set had when the launch was recorded. A late or repeated request
is therefore executed at most once, and never undoes later changes. A launch resumed after a crash continues from its
record. It depends only on which machines exist, not on earlier responses.
"""

from collections.abc import Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from hpc_components.elastic.drivers.azure.arm import ONE_SET, OPERATIONS, Arm
from hpc_components.elastic.drivers.azure.assignments import Assignments, LaunchRecord
from hpc_components.elastic.drivers.azure.errors import ArmError, Told, codes_in
from hpc_components.elastic.drivers.azure.fleet import Fleet
from hpc_components.elastic.drivers.azure.listing import USUAL_LAG_SECONDS
from hpc_components.elastic.drivers.azure.machines import Machine
from hpc_components.elastic.drivers.azure.memory import LIST_LAG_SECONDS
from hpc_components.elastic.drivers.contract import CapacityError, LaunchError, ThrottledError
from hpc_components.elastic.model import Instance, Launch

LAUNCH_TIMEOUT_SECONDS = 600.0
"""Maximum seconds that a launch waits for other changes to the scale set to finish, and for new machines to get
hosts."""
FIRST_STATUS_SECONDS = 4.0
"""Seconds before an operation is first checked. The delay is short because refusals arrive quickly."""
FIRST_LIST_SECONDS, LIST_INTERVAL_SECONDS = 10.0, 5.0
"""Seconds before the machines are first listed, and between two lists, unless the daemon lists them in the meantime.
No machine gets a host before the first list, and a machine that has a host takes longer than one interval to ask for
its name. The operation is checked at the same interval, because Azure allows a burst of 45 checks, then 15 per
minute."""
SILENCE_TIMEOUT_SECONDS = 60.0
"""Seconds without a response from Azure after which a launch is abandoned."""

Steps = Generator[float, None, Sequence[Instance]]
"""Generator that yields the number of seconds to wait before the next step, and returns the machines."""


@dataclass(frozen=True, kw_only=True)
class _End:
    told: tuple[Told, ...] = ()
    """Reasons for the failure. Empty if the operation succeeded."""

    def error(self, failed: Sequence[Machine], words: str) -> Exception:
        """Return the error to raise if too few machines were created."""
        told = [*self.told, *(machine.failure for machine in failed if machine.failure)]
        return ArmError(200, told) if told else CapacityError(words)


def next_look(waited: float) -> float:
    """Return the number of seconds until the next check of an operation."""
    if waited < FIRST_STATUS_SECONDS:
        return FIRST_STATUS_SECONDS
    return FIRST_LIST_SECONDS - waited if waited < FIRST_LIST_SECONDS else LIST_INTERVAL_SECONDS


class Launching:
    """A single `Machines.launch` call for a scale set."""

    def __init__(self, fleet: Fleet, arm: Arm, launch: Launch) -> None:
        self._fleet, self._arm, self._launch = fleet, arm, launch

    def steps(self) -> Steps:
        """Create the machines. Raise ArmError in addition to the errors of `Machines.launch`."""
        token, fleet = self._launch.token, self._fleet
        fleet.launching.add(token)
        try:
            record, is_new = fleet.assigned.launches.get(token), False
            if record is None:
                record, is_new = self._write_down(), True
            if not record.done and not record.operation:
                record = yield from self._ask(record, may_forget=is_new)
            if not record.done:
                record = yield from self._watch(record)
            return fleet.made(record)
        finally:
            fleet.launching.discard(token)

    def _write_down(self) -> LaunchRecord:
        fleet, launch = self._fleet, self._launch
        if fleet.outdated:
            fleet.refresh()
        there = [] if fleet.is_empty else fleet.machines()
        record = LaunchRecord(
            nodes=launch.nodes,
            minimum=launch.minimum,
            asked=launch.asked,
            known=frozenset(machine.vm_id for machine in fleet.ever(there)),
            etag=fleet.scale_set.etag,
            capacity=fleet.capacity_for(len(launch.nodes), there),
        )
        return self._put(record)

    def _put(self, record: LaunchRecord) -> LaunchRecord:
        """Record the state of the launch, and return the updated record. Names that are already assigned are kept."""
        token = self._launch.token

        def change(assigned: Assignments) -> Assignments:
            now = assigned.launches.get(token)
            if now and (now.done or now.made != record.made[: len(now.made)]):
                return assigned  # an unanswered write to the blob succeeded after all
            return assigned.with_launch(token, record)

        return self._fleet.assign(change).launches.get(token, record)

    def _forget(self) -> None:
        self._fleet.assign(lambda assigned: assigned.without_launch(self._launch.token))

    def _ask(self, record: LaunchRecord, *, may_forget: bool) -> Generator[float, None, LaunchRecord]:
        """Request the capacity unless this has already been done. Return the updated record.

        `may_forget` means that no earlier request can still be in progress, so the launch may be removed from the
        blob.
        """
        fleet, waited = self._fleet, 0.0
        scale_set = fleet.scale_set if may_forget else fleet.refresh()
        while waited < LAUNCH_TIMEOUT_SECONDS:
            if scale_set.etag == record.etag:
                while (wait := self._arm.pace.delay(fleet.bucket)) > 0:
                    waited += wait
                    yield wait
                try:
                    return self._put(replace(record, operation=self._change(record)))
                except ArmError as error:
                    if not error.conflict:
                        if may_forget and isinstance(error.meaning(spot=fleet.spot), LaunchError):
                            self._forget()
                        raise
                    pause = 1.0 if error.status == 412 else 5.0
            else:
                machines = fleet.read()
                missing = len(record.nodes) - len(fleet.unnamed(machines, record))
                if missing <= 0 or (missing < len(record.nodes) and not may_forget):
                    return record  # an earlier request of this launch, or one from another client, was executed
                settled = waited >= max(USUAL_LAG_SECONDS, fleet.patience(machines)) and not scale_set.updating
                if may_forget or settled or waited > LIST_LAG_SECONDS:
                    capacity = fleet.capacity_for(missing, machines)
                    record = self._put(replace(record, etag=scale_set.etag, capacity=capacity))
                    may_forget = True  # a request with the old ETag can no longer be executed
                    continue
                pause = 2.0
            waited += pause
            yield pause
            scale_set = fleet.refresh()
        self._forget()
        raise ThrottledError(
            f"other clients have been changing scale set {scale_set.name} for {LAUNCH_TIMEOUT_SECONDS:.0f} s"
        )

    def _change(self, record: LaunchRecord) -> str:
        """Request the capacity.

        Return the operation's status URL, or the scale set's id if Azure does not return a usable URL.
        """
        scale_set = self._fleet.scale_set
        document = {"sku": {**scale_set.sku, "capacity": record.capacity}}
        reply = self._arm.change("PATCH", scale_set.id, document, bucket=self._fleet.bucket, etag=record.etag)
        self._fleet.changed()
        operation = reply.headers.get("azure-asyncoperation") or reply.headers.get("location") or ""
        return operation if self._arm.is_own(operation) else scale_set.id

    def _watch(self, record: LaunchRecord) -> Generator[float, None, LaunchRecord]:
        """Assign names to machines that get hosts, until there are enough or no more are expected."""
        waited, heard, looked = 0.0, 0.0, FIRST_LIST_SECONDS - LIST_INTERVAL_SECONDS
        end: _End | None = None
        ended = 0.0
        while not record.done:
            pause = next_look(waited)
            yield pause
            waited += pause
            error = None
            try:
                if end is None and (
                    end := self._end_of(record) or (_End() if waited >= LAUNCH_TIMEOUT_SECONDS else None)
                ):
                    ended, looked = waited, waited - LIST_INTERVAL_SECONDS
                if waited >= looked + LIST_INTERVAL_SECONDS:
                    looked = waited
                    record, error = self.settle(record, end, waited - ended)
                    heard = waited
            except (OSError, ArmError, ThrottledError):  # nothing is lost by retrying later
                if waited > heard + SILENCE_TIMEOUT_SECONDS:
                    raise
            if error:
                raise error
        return record

    def _end_of(self, record: LaunchRecord) -> _End | None:
        """Return the operation's result, or None if the operation is still in progress."""
        fleet = self._fleet
        if self._arm.is_own(record.operation):
            try:
                reply = self._arm.get(record.operation, bucket=f"{OPERATIONS}:{fleet.name}")
            except ArmError as error:
                # Status 403 is possible because operations belong to the subscription, where roles on a resource
                # group do not apply. Azure does not document this case, but the scale set itself shows whether it is
                # still being changed.
                if error.status not in (403, 404):
                    raise
            else:
                status = "inprogress" if reply.status == 202 else (reply.document or {}).get("status", "succeeded")
                if status.lower() == "failed":
                    return _End(told=tuple(codes_in(reply.document)))
                # a canceled operation was superseded by a later change, whose capacity includes our machines
                if status.lower() != "canceled":
                    return _End() if status.lower() == "succeeded" else None
        return None if fleet.refresh().updating else _End()

    def settle(self, record: LaunchRecord, end: _End | None, since: float) -> tuple[LaunchRecord, Exception | None]:
        """Assign names. If the operation has ended, also delete the machines that will not get a name.

        `since` is the number of seconds since the operation ended. Return the launch's record, and an error if the
        launch created nothing.
        """
        fleet = self._fleet
        machines = fleet.machines(LIST_INTERVAL_SECONDS) if end is None else fleet.read()
        record = fleet.assigned.launches.get(self._launch.token, record)
        new = fleet.unnamed(machines, record)
        free = len(record.nodes) - len(record.made)
        ready = [machine for machine in new if machine.ready][:free]
        made = dict.fromkeys((*record.made, *(machine.vm_id for machine in ready)))
        enough = len(made) >= record.minimum
        if record.done:
            return record, None
        if len(ready) < free and (end is None or self._may_come(machines, new, since)):
            return (self._put(replace(record, made=tuple(made))) if ready and enough else record), None
        # the daemon will list any machines that remain without a name, and terminate them
        with suppress(ThrottledError):
            fleet.delete(machine for machine in new if not enough or machine.vm_id not in made)
        if enough:
            return self._put(replace(record, made=tuple(made), done=True, known=frozenset())), None
        if not new and not (end and end.told) and fleet.patience(machines) == LIST_LAG_SECONDS:
            return record, OSError(
                f"scale set {fleet.scale_set.name}: Azure has created machines but does not list them"
            )
        self._forget()
        words = (
            f"scale set {fleet.scale_set.name}: only {len(ready)} of {len(record.nodes)} machines are ready; the "
            f"launch needs at least {record.minimum}"
        )
        return record, (end or _End()).error(new, words)

    def _may_come(self, machines: Sequence[Machine], new: Sequence[Machine], since: float) -> bool:
        """Return whether some machines may not be listed yet, `since` seconds after the operation ended."""
        if any(machine.pending for machine in new) and since < USUAL_LAG_SECONDS:
            return True
        self._fleet.refresh()
        return since < self._fleet.patience(machines)


def adopt(fleet: Fleet, arm: Arm, now: float) -> None:
    """Advance a recorded launch by one step if no thread is working on it.

    The daemon retries an unanswered launch only for a limited time, and only while a job is waiting for it. This
    function ensures that the launch's machines still get names and become visible to the daemon.
    """
    if fleet.assigned.open is None or fleet.assigned.open[0] in fleet.launching:
        fleet.left_alone = None
        return
    if arm.pace.delay(f"{ONE_SET}:{fleet.name}"):
        return  # continue with the next list
    token, record = fleet.assigned.open
    scale_set = fleet.refresh()
    if not fleet.may_be_made(record):
        return
    if scale_set.updating or fleet.left_alone is None:
        fleet.left_alone = now
    launch = Launch(token=token, pool=scale_set.pool, nodes=record.nodes, minimum=record.minimum, asked=record.asked)
    end = None if scale_set.updating else _End()
    with suppress(LaunchError, OSError, ArmError):  # retry with the next list
        Launching(fleet, arm, launch).settle(record, end, now - fleet.left_alone)
