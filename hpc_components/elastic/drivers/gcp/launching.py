"""Creates machines with the requested names in a single batch, with one bulk insert per policy.

A launch goes through these states:

    names free       no machine with these names is still being deleted
    policies ready   missing policies have been created
    requested        each bulk insert has been sent, with a request id derived from the launch
    watched          the outcome of each bulk insert is awaited
    done             if there are too few machines, they have been deleted; otherwise they belong to the launch

Nothing is recorded. A launch resumed after a crash sends the same requests with the same ids, and gets the same
operations.
"""

from collections.abc import Collection, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hpc_components.elastic.drivers.contract import (
    CapacityError,
    FailedError,
    LaunchError,
    QuotaError,
    RefusedError,
    ThrottledError,
)
from hpc_components.elastic.drivers.gcp.compute import Compute
from hpc_components.elastic.drivers.gcp.errors import EXISTS, MINIMUM, NOT_FOUND, GceError
from hpc_components.elastic.drivers.gcp.fleets import Fleet
from hpc_components.elastic.drivers.gcp.listing import Listing
from hpc_components.elastic.drivers.gcp.machines import Machine
from hpc_components.elastic.drivers.gcp.operations import inserted, unfinished
from hpc_components.elastic.drivers.gcp.planning import Chunk, insert_request, plan_chunks, units_of
from hpc_components.elastic.drivers.gcp.policies import Policies
from hpc_components.elastic.model import Instance, InstanceState, Launch

NAME_TIMEOUT_SECONDS = 240.0
"""Maximum time, in seconds, that a launch waits for older machines with the same names to disappear. Google gives
each machine up to 90 s to shut down."""
NAME_POLL_SECONDS = 2.0
MIN_POLL_SECONDS, MAX_POLL_SECONDS = 1.0, 5.0
SILENCE_TIMEOUT_SECONDS = 60.0
RETRY_PAUSES_SECONDS = (2.0, 4.0, 8.0)
"""Pauses, in seconds, before throttled bulk inserts are sent again, if other bulk inserts in the batch were
accepted."""
MAX_ATTEMPTS = 4
"""Maximum number of attempts to create machines whose names turn out to be taken."""

Steps = Generator[float, None, Sequence[Instance]]
"""Generator that yields the number of seconds to wait before the next step, and returns the machines."""


@dataclass
class _Tally:
    made: dict[str, str] = field(default_factory=dict)
    """Maps the name of each created machine to its number, which is empty if only the name is known."""
    failed: dict[str, GceError] = field(default_factory=dict)
    groups: list[str] = field(default_factory=list)
    """Ids of the operation groups that created the machines."""


class Launching:
    """A single `Machines.launch` call."""

    def __init__(self, compute: Compute, policies: Policies, listing: Listing, launch: Launch, fleet: Fleet) -> None:
        self._compute, self._policies, self._listing = compute, policies, listing
        self._launch, self._fleet = launch, fleet
        self._cluster, self._zone = listing.cluster, launch.pool.zone
        self._names = {f"{self._cluster}-{node}": node for node in launch.nodes}

    def steps(self) -> Steps:
        """Create the machines. Raise GceError in addition to the errors of `Machines.launch`."""
        chunks = plan_chunks(self._launch, self._fleet, self._cluster)
        policies = list(dict.fromkeys(chunk.policy for chunk in chunks if chunk.policy))
        with self._policies.held(policies):
            yield from self._wait_for_names(self._listing.memory.ending(self._zone, self._names))
            if policies and self._fleet.placement:
                yield from self._policies.make(policies, self._fleet.placement)
            tally = _Tally()
            for attempt in range(MAX_ATTEMPTS):
                yield from self._try(chunks, attempt, tally)
                chunks = yield from self._again(chunks, tally)
                if not chunks:
                    break
            return self._end(tally)

    def _wait_for_names(self, others: Collection[Any]) -> Generator[float, None, None]:
        ids = [each.machine.instance.id for each in others if each.machine.instance.token != self._launch.token]
        waited = 0.0
        while ids:
            ids = [each.id for each in self._listing.find(ids) if each.state is not InstanceState.GONE]
            if ids and waited >= NAME_TIMEOUT_SECONDS:
                raise FailedError(
                    f"{ids[0]} is still being deleted after {NAME_TIMEOUT_SECONDS:.0f} s, so its name can't "
                    "be reused yet"
                )
            if ids:
                waited += NAME_POLL_SECONDS
                yield NAME_POLL_SECONDS

    def _try(self, chunks: Sequence[Chunk], attempt: int, tally: _Tally) -> Generator[float, None, None]:
        asked = yield from self._ask(chunks, attempt, tally)
        operations = {told["name"]: told for told in asked.values()}
        yield from self._watch(operations)
        ended = {chunk: operations[asked[chunk]["name"]] for chunk in chunks if chunk in asked}
        errors = {chunk: GceError.in_operation(told) for chunk, told in ended.items()}
        groups = [group for chunk, told in ended.items() if errors[chunk] and (group := told.get("operationGroupId"))]
        tally.groups += [group for told in ended.values() if (group := told.get("operationGroupId"))]
        # If none of the bulk inserts' errors includes a cause, stop reading at the first machine error that includes
        # one.
        none = all(error.has(MINIMUM) for error in errors.values() if error)
        became = inserted(self._compute, self._zone, groups, lambda error: none and not error.has(EXISTS))
        for chunk, error in errors.items():
            for name in map(self._name, chunk.nodes):
                this = became.get(name)
                if error is None or (this and not this.error and not error.has(MINIMUM)):
                    tally.made[name] = this.numeric if this else ""
                    tally.failed.pop(name, None)
                else:
                    tally.failed[name] = this.error if this and this.error else error

    def _ask(
        self, chunks: Sequence[Chunk], attempt: int, tally: _Tally
    ) -> Generator[float, None, Mapping[Chunk, Mapping[str, Any]]]:
        """Send the bulk inserts, and record immediate refusals in `tally`. Return the operations, keyed by chunk."""
        asked: dict[Chunk, Mapping[str, Any]] = {}
        left = list(chunks)
        for pause in (0.0, *RETRY_PAUSES_SECONDS):
            if pause:
                yield pause
            told = dict(zip(left, self._compute.all([self._request(chunk, attempt) for chunk in left]), strict=True))
            asked |= {chunk: reply for chunk, reply in told.items() if not isinstance(reply, GceError)}
            errors = {chunk: reply for chunk, reply in told.items() if isinstance(reply, GceError)}
            for chunk, error in errors.items():
                self._look_at_refusal(error)
                tally.failed |= dict.fromkeys(map(self._name, chunk.nodes), error)
            left = [chunk for chunk, error in errors.items() if error.throttled]
            if not left or not asked:  # if no request was accepted, leave the retry to the daemon
                return asked
        return asked

    def _look_at_refusal(self, error: GceError) -> None:
        """Raise an exception unless the error is a definite refusal."""
        if error.has(NOT_FOUND) and "resourcePolicies" in str(error):
            self._policies.forget()
            raise FailedError(str(error))
        meaning = error.meaning()
        if not isinstance(meaning, LaunchError):
            raise meaning from error

    def _watch(self, operations: dict[str, Mapping[str, Any]]) -> Generator[float, None, None]:
        waited = unheard = 0.0
        left = sum(told.get("status") != "DONE" for told in operations.values())
        while left:
            # Google allows 20 checks per second
            pause = max(MIN_POLL_SECONDS, min(waited / 3, MAX_POLL_SECONDS), left / 20)
            yield pause
            waited += pause
            try:
                left = unfinished(self._compute, self._zone, operations)
                unheard = 0.0
            except (OSError, GceError, ThrottledError):
                unheard += pause
                if unheard > SILENCE_TIMEOUT_SECONDS:
                    raise

    def _again(self, chunks: Sequence[Chunk], tally: _Tally) -> Generator[float, None, list[Chunk]]:
        """Return the bulk inserts to repeat.

        Bulk inserts are repeated if they failed because the requested names still belong to machines that are about
        to disappear. If any bulk insert failed for another reason, none are repeated.
        """
        taken = [name for name, error in tally.failed.items() if error.has(EXISTS)]
        if not taken:
            return []
        there = {each.name: each for each in self._listing.look(self._zone, taken)}
        for name in taken:
            this = there.get(name)
            if this is None or this.instance.state is InstanceState.STOPPING or this.instance.failing:
                continue
            if this.instance.token == self._launch.token:
                tally.made[name] = this.instance.id.rpartition("/")[2]
                del tally.failed[name]
            else:
                raise self._give_up(tally, self._name_is_taken(this))
        if any(not error.has(EXISTS | MINIMUM) for error in tally.failed.values()):
            return []
        leaving = [this.instance for name, this in there.items() if name in tally.failed]
        self._listing.delete([each.id for each in leaving if each.state is not InstanceState.STOPPING])
        if not leaving:  # the other machine has disappeared by now, or is not visible everywhere yet
            yield NAME_POLL_SECONDS
        yield from self._wait_for_names(self._listing.memory.ending(self._zone, list(tally.failed)))
        left = []
        for chunk in chunks:
            nodes = tuple(node for node in chunk.nodes if self._name(node) in tally.failed)
            if nodes:
                had = len(chunk.nodes) - len(nodes)
                left.append(Chunk(policy=chunk.policy, nodes=nodes, minimum=max(1, chunk.minimum - had)))
        return left

    def _name_is_taken(self, by: Machine) -> Exception:
        """Return the error for a name that is already used by machine `by`.

        If the daemon's list shows this machine, the daemon will terminate or use it. Otherwise, only an administrator
        can delete it.
        """
        project = self._compute.project
        delete = f"gcloud compute instances delete {by.name} --zone {self._zone} --project {project}"
        words = f"machine {by.name} already exists in {self._zone}"
        if by.cluster == self._listing.label:
            return FailedError(f"{words}, made by another launch; if the daemon does not delete it, run: {delete}")
        return RefusedError(
            f"{words}, but its labels show that it is not one of the cluster's nodes; delete it with: {delete}"
        )

    def _end(self, tally: _Tally) -> Sequence[Instance]:
        """Return the machines. If there are too few for the launch, delete all of them and raise an error with the
        reason.
        """
        self._let_go(tally)
        if len(tally.made) < self._launch.minimum:
            raise self._give_up(tally, _reason(tally.failed.values()))
        order = {node: number for number, node in enumerate(self._launch.nodes)}
        made = self._made(tally, tally.made)
        return sorted(made, key=lambda each: order[each.node])

    def _let_go(self, tally: _Tally) -> None:
        """Delete the machines of jobs that did not get all of their machines."""
        units = [{*map(self._name, nodes)} for nodes, least in units_of(self._launch) if least == len(nodes)]
        torn = {name for unit in units if not unit <= tally.made.keys() for name in unit & tally.made.keys()}
        if torn:
            made = self._made(tally, torn)
            self._listing.delete([each.id for each in made if each.alive])
            tally.made = {name: numeric for name, numeric in tally.made.items() if name not in torn}

    def _give_up(self, tally: _Tally, error: Exception) -> Exception:
        """Delete the machines that were created, and return the error."""
        if tally.made:
            made = self._made(tally, tally.made)
            self._listing.delete([each.id for each in made if each.alive])
        return error

    def _made(self, tally: _Tally, names: Collection[str]) -> list[Instance]:
        """Return the machines with these names, even if they are not visible yet.

        Raise OSError if the id of a machine is unknown.
        """
        made = self._listing.made(self._launch, names)
        shown = {self._name(each.node) for each in made}
        missing = {name: tally.made[name] for name in names if name not in shown}
        if not missing:
            return made
        told = inserted(self._compute, self._zone, tally.groups, lambda error: False)
        numbers = {name: known or (told[name].numeric if name in told else "") for name, known in missing.items()}
        if unclear := [name for name, numeric in numbers.items() if not numeric]:
            raise OSError(f"Google has created {', '.join(unclear)} but does not list them yet")
        return [*made, *self._listing.unseen(self._launch, numbers)]

    def _request(self, chunk: Chunk, attempt: int) -> Any:
        return insert_request(
            self._launch, self._fleet, chunk, cluster=self._cluster, project=self._compute.project, attempt=attempt
        )

    def _name(self, node: str) -> str:
        return f"{self._cluster}-{node}"


_PASSING = (ThrottledError, FailedError)


def _reason(errors: Collection[GceError]) -> Exception:
    """Return the most informative of several errors.

    If an operation failed because of throttling or an internal error, the error is treated as a CapacityError.
    Repeating the request would not help, because Google would return the same operation.
    """
    meanings = [(error, error.meaning()) for error in errors if not error.has(MINIMUM)]
    meanings = [
        (error, CapacityError(str(meaning)) if error.status == 200 and isinstance(meaning, _PASSING) else meaning)
        for error, meaning in meanings
    ]
    for kind in (QuotaError, CapacityError, RefusedError, ThrottledError):
        for error, meaning in meanings:
            if isinstance(meaning, kind):
                meaning.__cause__ = error
                return meaning
    return CapacityError(str(next(iter(errors), "no machines")))
