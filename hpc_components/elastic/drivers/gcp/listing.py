from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress

from hpc_components.elastic.drivers.contract import RefusedError, ThrottledError
from hpc_components.elastic.drivers.gcp.compute import Compute, Request
from hpc_components.elastic.drivers.gcp.errors import NOT_FOUND, GceError
from hpc_components.elastic.drivers.gcp.limits import LIMITS
from hpc_components.elastic.drivers.gcp.machines import (
    FIELDS,
    Machine,
    machine_id,
    machine_in,
    machines_in,
    parts_of,
)
from hpc_components.elastic.drivers.gcp.memory import Memory
from hpc_components.elastic.drivers.gcp.planning import LAUNCH, delete_request, listed_labels
from hpc_components.elastic.drivers.unended import raise_unended
from hpc_components.elastic.model import Instance, InstanceState, Launch

PAGE = "500"
"""Maximum number of machines per page. Source: Google's discovery document for Compute Engine, instances.list."""
MAX_LOOKUPS = 100
"""Maximum number of machines that are looked up individually because a list did not contain them. Google allows 1,500
such requests per minute."""


class Listing:
    """All methods may raise GceError or OSError. Thread-safe."""

    def __init__(self, compute: Compute, cluster: str, running: Callable[[], float]) -> None:
        self._compute, self.cluster, self._running = compute, cluster, running
        self.label = cluster.lower()
        """Value of the label `clustername`."""
        self.memory = Memory()

    def all(self) -> list[Instance]:
        """Return all machines, including those that disappeared within the past hour."""
        now = self._running()
        chosen = _labels(**listed_labels(self.cluster))
        told = self.memory.see(self._pages("aggregated/instances", _fields("items/*/instances"), chosen), now)
        listed = {each.id for each in told}
        lost = self.memory.to_ask(self.memory.compare(listed, now), now, MAX_LOOKUPS)
        with suppress(GceError, ThrottledError):  # these machines are looked up again after the next listing
            found = self.find(lost) if lost else ()
            told += [each for each in found if each.state is not InstanceState.GONE]
        return told + [each for each in self.memory.gone() if each.id not in listed]

    def find(self, ids: Collection[str]) -> list[Instance]:
        """Return machines by their ids. Unknown ids are left out."""
        now = self._running()
        wanted = {id: parts_of(id) for id in sorted(ids)}
        wanted = {id: parts for id, parts in wanted.items() if all(parts)}
        told = self._compute.all([self._get(zone, name) for zone, name, _ in wanted.values()])
        found = []
        for id, raw in zip(wanted, told, strict=True):
            if isinstance(raw, GceError):
                if not raw.has(NOT_FOUND):
                    raise raw
            elif str(raw["id"]) == parts_of(id)[2]:
                found += self.memory.see([machine_in(raw, self.cluster)], now)
                continue
            else:  # a newer machine has reused the name
                self.memory.go(id, now)
            self.memory.miss(id, now)
            known = self.memory.get(id)
            if known and known.gone is not None:
                found.append(known.machine.instance)
        return found

    def look(self, zone: str, names: Sequence[str]) -> list[Machine]:
        """Return the machines that currently have these names, whichever cluster they belong to."""
        told = self._compute.all([self._get(zone, name) for name in names])
        for error in told:
            if isinstance(error, GceError) and not error.has(NOT_FOUND):
                raise error
        return self._seen(machine_in(raw, self.cluster) for raw in told if not isinstance(raw, GceError))

    def of_launches(self, tokens: Collection[str]) -> list[Instance]:
        now, found = self._running(), []
        for token in sorted(tokens):
            chosen = _labels(clustername=self.label, **{LAUNCH: token})
            machines = self._pages("aggregated/instances", _fields("items/*/instances"), chosen)
            found += self.memory.see(machines, now)
        return found

    def made(self, launch: Launch, names: Collection[str]) -> list[Instance]:
        """Return the machines with these names that the launch has created, if they are already visible."""
        now, zone = self._running(), launch.pool.zone
        chosen = _labels(**{LAUNCH: launch.token})
        listed = {each.name: each for each in self._pages(f"zones/{zone}/instances", _fields("items"), chosen)}
        if missing := [name for name in names if name not in listed]:
            there = {each.name: each for each in self.look(zone, missing)}
            listed |= {name: each for name, each in there.items() if each.instance.token == launch.token}
        return self.memory.see((each for name, each in listed.items() if name in names), now)

    def unseen(self, launch: Launch, numbers: Mapping[str, str]) -> list[Instance]:
        """Return records of machines that a launch has created but that are not visible yet or have already
        disappeared.

        `numbers` maps each machine's name to its number.
        """
        machines = [self._unseen(launch, name, numeric) for name, numeric in numbers.items()]
        return self.memory.see(machines, self._running())

    def delete(self, ids: Collection[str]) -> None:
        """Raise the same errors as `Machines.terminate`."""
        now = self._running()
        # look up unknown ids first, because their names may belong to newer machines by now
        self.find([id for id in ids if self.memory.get(id) is None])
        wanted: dict[str, tuple[str, str, str]] = {}
        for id in sorted(ids):
            known = self.memory.get(id)
            if known and known.gone is None:
                wanted[id] = parts_of(id)
        requests = [
            delete_request(zone, name, numeric, self._deletions(id)) for id, (zone, name, numeric) in wanted.items()
        ]
        told = dict(zip(wanted, self._compute.all(requests), strict=True))
        errors = {id: reply for id, reply in told.items() if isinstance(reply, GceError)}
        self.memory.end((id for id in told if id not in errors), now)
        raise_unended(self._failures(errors, now), len(told))

    def _failures(self, errors: Mapping[str, GceError], now: float) -> dict[str, Exception]:
        failures: dict[str, Exception] = {}
        early = []
        for id, error in errors.items():
            if not error.has(NOT_FOUND):
                failures[id] = _about(id, error)
                continue
            self.memory.miss(id, now)
            known = self.memory.get(id)
            if known and known.gone is None:
                early.append(id)
        seen = f"created or last seen less than {LIMITS.list_lag_seconds} s ago"
        unknown = OSError(f"Google Cloud currently can't find machines {seen}: {', '.join(early)}")
        return failures | dict.fromkeys(early, unknown)

    def _deletions(self, id: str) -> int:
        known = self.memory.get(id)
        return known.deletions if known else 0

    def _get(self, zone: str, name: str) -> Request:
        return Request(method="GET", path=f"zones/{zone}/instances/{name}", query={"fields": FIELDS})

    def _pages(self, path: str, fields: str, chosen: str) -> list[Machine]:
        pages = self._compute.pages(path, filter=chosen, maxResults=PAGE, fields=fields)
        machines = (machine for page in pages for machine in machines_in(page, self.cluster))
        return list({machine.instance.id: machine for machine in machines}.values())

    def _unseen(self, launch: Launch, name: str, numeric: str) -> Machine:
        instance = Instance(
            id=machine_id(launch.pool.zone, name, numeric),
            node=name.removeprefix(f"{self.cluster}-"),
            token=launch.token,
            pool=launch.pool,
            state=InstanceState.PENDING,
            launched=launch.asked,
        )
        return Machine(instance, name, frozenset(), self.label)

    def _seen(self, machines: Iterable[Machine]) -> list[Machine]:
        found = list(machines)
        self.memory.see((each for each in found if each.cluster == self.label), self._running())
        return found


def _about(id: str, error: GceError) -> Exception:
    meaning = error.meaning()
    return RefusedError(f"{id}: {meaning}", [id]) if error.protected else meaning


def _labels(**labels: str) -> str:
    return " AND ".join(f'(labels.{key} = "{value}")' for key, value in labels.items())


def _fields(items: str) -> str:
    return f"{items}({FIELDS}),nextPageToken"
