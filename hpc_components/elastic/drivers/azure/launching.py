"""How machines are made: one change of a scale set's capacity, however many there are, and however often it is asked.

    written down     the launch is in the blob, with the machines that there are and the capacity to ask for
    asked for        Azure has accepted the change
    watched          machines appear, get hosts and then names, until all have one or Azure says that no more come
    done             too few are deleted, so are those that got no host; the others are the launch's machines

The change is asked for with the scale set's ETag as it was when the launch was written down. So a request that is
late, or sent again, is carried out once or not at all, and never undoes what came between. Whoever comes back to a
launch after a crash goes on where it stands. Nothing depends on what was answered, only on what is there.
"""

from collections.abc import Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from hpc_components.elastic.drivers.azure.arm import ONE_SET, OPERATIONS, Arm
from hpc_components.elastic.drivers.azure.assignments import Assignments, LaunchRecord
from hpc_components.elastic.drivers.azure.errors import ArmError, Told, codes_in
from hpc_components.elastic.drivers.azure.fleet import Fleet
from hpc_components.elastic.drivers.azure.listing import LATE
from hpc_components.elastic.drivers.azure.machines import Machine
from hpc_components.elastic.drivers.azure.memory import SETTLING
from hpc_components.elastic.drivers.contract import CapacityError, LaunchError, ThrottledError
from hpc_components.elastic.model import Instance, Launch

__all__ = ["Launching", "adopt", "next_look"]

LONGEST = 600.0
"""Seconds that a launch waits: for other changes of the scale set to end, or for hosts."""
SOON = 4.0
"""Seconds until the first look at an operation: what can't be had is refused quickly."""
FIRST_LOOK, LOOK = 10.0, 5.0
"""Seconds after which the machines are listed, and between two lists, unless the daemon has listed them anyway. No
machine has a host sooner, and after it has one it takes longer than that to ask for its name. `LOOK` is also
the time between two looks at the operation, of which Azure allows 45 at once and then 15 a minute."""
UNHEARD = 60.0
"""Seconds after which a launch is given up that can't be watched because Azure does not answer."""

Steps = Generator[float, None, Sequence[Instance]]
"""Yields the seconds to wait until the next step."""


@dataclass(frozen=True, kw_only=True)
class _End:
    """What Azure says that became of the operation."""

    told: tuple[Told, ...] = ()
    """Why it failed; empty if it did not."""

    def error(self, failed: Sequence[Machine], words: str) -> Exception:
        """Why there are too few machines."""
        told = [*self.told, *(machine.failure for machine in failed if machine.failure)]
        return ArmError(200, told) if told else CapacityError(words)


def next_look(waited: float) -> float:
    """Seconds until the next look at an operation."""
    if waited < SOON:
        return SOON
    return FIRST_LOOK - waited if waited < FIRST_LOOK else LOOK


class Launching:
    """One call of `Machines.launch`."""

    def __init__(self, fleet: Fleet, arm: Arm, launch: Launch) -> None:
        self._fleet, self._arm, self._launch = fleet, arm, launch

    def steps(self) -> Steps:
        """Make the machines. Raises what `Machines.launch` does, and ArmError."""
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
        """Write down what has become of the launch. What the blob says then: names that were given out stay."""
        token = self._launch.token

        def change(assigned: Assignments) -> Assignments:
            now = assigned.launches.get(token)
            if now and (now.done or now.made != record.made[: len(now.made)]):
                return assigned  # a request without an answer was carried out
            return assigned.with_launch(token, record)

        return self._fleet.assign(change).launches.get(token, record)

    def _forget(self) -> None:
        self._fleet.assign(lambda assigned: assigned.without_launch(self._launch.token))

    def _ask(self, record: LaunchRecord, *, may_forget: bool) -> Generator[float, None, LaunchRecord]:
        """Have the capacity changed, unless it was before. `may_forget`: no earlier request can be under way."""
        fleet, waited = self._fleet, 0.0
        scale_set = fleet.scale_set if may_forget else fleet.refresh()
        while waited < LONGEST:
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
                    return record  # an earlier request was carried out, or somebody else's
                settled = waited >= max(LATE, fleet.patience(machines)) and not scale_set.updating
                if may_forget or settled or waited > SETTLING:
                    capacity = fleet.capacity_for(missing, machines)
                    record = self._put(replace(record, etag=scale_set.etag, capacity=capacity))
                    may_forget = True  # no request with the former ETag is carried out any more
                    continue
                pause = 2.0
            waited += pause
            yield pause
            scale_set = fleet.refresh()
        self._forget()
        raise ThrottledError(f"{scale_set.name} is being changed by somebody else for {LONGEST:.0f} s")

    def _change(self, record: LaunchRecord) -> str:
        """Ask for the capacity. Where Azure tells what becomes of it, or nothing."""
        scale_set = self._fleet.scale_set
        document = {"sku": {**scale_set.sku, "capacity": record.capacity}}
        reply = self._arm.change("PATCH", scale_set.id, document, bucket=self._fleet.bucket, etag=record.etag)
        self._fleet.changed()
        operation = reply.headers.get("azure-asyncoperation") or reply.headers.get("location") or ""
        return operation if self._arm.is_own(operation) else scale_set.id

    def _watch(self, record: LaunchRecord) -> Generator[float, None, LaunchRecord]:
        """Give names to the machines that get hosts, until there are enough, or no more come."""
        waited, heard, looked = 0.0, 0.0, FIRST_LOOK - LOOK
        end: _End | None = None
        ended = 0.0
        while not record.done:
            pause = next_look(waited)
            yield pause
            waited += pause
            error = None
            try:
                if end is None and (end := self._end_of(record) or (_End() if waited >= LONGEST else None)):
                    ended, looked = waited, waited - LOOK
                if waited >= looked + LOOK:
                    looked = waited
                    record, error = self.settle(record, end, waited - ended)
                    heard = waited
            except (OSError, ArmError, ThrottledError):  # what is there now is there later, too
                if waited > heard + UNHEARD:
                    raise
            if error:
                raise error
        return record

    def _end_of(self, record: LaunchRecord) -> _End | None:
        """What became of the operation; None as long as it is under way."""
        fleet = self._fleet
        if self._arm.is_own(record.operation):
            try:
                reply = self._arm.get(record.operation, bucket=f"{OPERATIONS}:{fleet.name}")
            except ArmError as error:
                # 403: the operation belongs to the subscription, where no role of a resource group holds. What Azure
                # makes of that is not documented, and the scale set itself says whether it is still being changed.
                if error.status not in (403, 404):
                    raise
            else:
                status = "inprogress" if reply.status == 202 else (reply.document or {}).get("status", "succeeded")
                if status.lower() == "failed":
                    return _End(told=tuple(codes_in(reply.document)))
                if status.lower() != "canceled":  # by a later change of the scale set, which goes on with ours
                    return _End() if status.lower() == "succeeded" else None
        return None if fleet.refresh().updating else _End()

    def settle(self, record: LaunchRecord, end: _End | None, since: float) -> tuple[LaunchRecord, Exception | None]:
        """Give out names and, `since` seconds after the operation's end, delete what will have none.

        What the launch is then; and why it made nothing, if that is so.
        """
        fleet = self._fleet
        machines = fleet.machines(LOOK) if end is None else fleet.read()
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
        with suppress(ThrottledError):  # what has no name is listed under its own id, and ended by the daemon
            fleet.delete(machine for machine in new if not enough or machine.vm_id not in made)
        if enough:
            return self._put(replace(record, made=tuple(made), done=True, known=frozenset())), None
        if not new and not (end and end.told) and fleet.patience(machines) == SETTLING:
            return record, OSError(f"{fleet.scale_set.name}: Azure has made machines, and does not list them")
        self._forget()
        words = f"{fleet.scale_set.name}: {len(ready)} of {len(record.nodes)} machines, fewer than {record.minimum}"
        return record, (end or _End()).error(new, words)

    def _may_come(self, machines: Sequence[Machine], new: Sequence[Machine], since: float) -> bool:
        """Whether there may be more machines than are listed, so long after the operation has ended."""
        if any(machine.pending for machine in new) and since < LATE:
            return True
        self._fleet.refresh()
        return since < self._fleet.patience(machines)


def adopt(fleet: Fleet, arm: Arm, now: float) -> None:
    """Go on by one step with a launch that was written down and on which nobody works any more.

    The daemon repeats a launch without an answer, but not for ever, nor if no job needs it any more. What it has made
    gets its names all the same, for the daemon to see it.
    """
    if fleet.assigned.open is None or fleet.assigned.open[0] in fleet.launching:
        fleet.left_alone = None
        return
    if arm.pace.delay(f"{ONE_SET}:{fleet.name}"):
        return  # the next list goes on
    token, record = fleet.assigned.open
    scale_set = fleet.refresh()
    if not fleet.may_be_made(record):
        return
    if scale_set.updating or fleet.left_alone is None:
        fleet.left_alone = now
    launch = Launch(token=token, pool=scale_set.pool, nodes=record.nodes, minimum=record.minimum, asked=record.asked)
    end = None if scale_set.updating else _End()
    with suppress(LaunchError, OSError, ArmError):  # the next list goes on
        Launching(fleet, arm, launch).settle(record, end, now - fleet.left_alone)
