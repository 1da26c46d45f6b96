from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from hpc_components.review.change_effects import Effect
from hpc_components.review.document import (
    Change,
    Opening,
    Operation,
    PersonChange,
    QueueCost,
    Review,
    Right,
    RightKind,
)
from hpc_components.review.wording import effect_words, reported_operation, stops, unknown_errors
from hpc_components.wording import listed, plural

_LISTED_NAMES = 3
_NAME_CHARACTERS = 60
_LISTED_QUEUES = 2
_LISTED_PHRASES = 5
"""Maximum number of consequences in the headline. Alarms are never left out."""

_UNTOUCHED = "nothing that is running is affected"
_OF_DATA = {Effect.DATA_LOST, Effect.LEFT_BEHIND}
_QUIET = (Effect.UNPROTECTED, Effect.SLURMCTLD_RESTARTS, Effect.NEW_NODES, Effect.LIVE)

_TO_DO = {
    Operation.REPLACE: "to replace",
    Operation.DELETE: "to delete",
    Operation.FORGET: "to leave in the cloud",
    Operation.UNPROTECT: "no longer kept",
    Operation.UPDATE: "to change",
    Operation.KEEP: "left unchanged",
    Operation.CREATE: "to create",
}
"""Maps operations to phrases, in the order in which a headline lists them."""


def verdict(review: Review) -> str:
    """Summarise the consequences of a change and the number of changed resources in one line.

    Examples: `data in /home stays behind, ... (1 resource to replace, 2 files to change)`, `nothing changes`. If
    there is no comparison, the line says that the change could not be reviewed.
    """
    if review.failure:
        return "this change could not be reviewed"
    errors = f"; {plural(unknown_errors(review), 'error')}" if unknown_errors(review) else ""
    if review.worst is None:
        return f"nothing changes{', but see below' if review.notes else ''}{errors}"
    held = sum(map(stops, review.changes))
    end = f"; Pulumi stops at {plural(held, 'protected resource')}" if held else ""
    counts = ", ".join((*_counts(review, "resource"), *_counts(review, "file")))
    return f"{'; '.join(_phrases(review))} ({counts}){end}{errors}"


def _phrases(review: Review) -> list[str]:
    alarms = list(_alarms(review))
    if _is_new(review):
        return ["a new stack", *alarms]
    if _is_gone(review):
        return ["the stack is removed", *alarms[: len({change.effect for change in review.changes} & _OF_DATA)]]
    found = [*alarms, *_others(review)]
    found = found[: max(_LISTED_PHRASES, len(alarms))]
    if _is_untouched(review):
        return [*(found or ["a live change"]), _UNTOUCHED]
    return found or ["a live change, but see below"]


def _is_new(review: Review) -> bool:
    return review.cost is not None and review.cost.idle_before is None


def _is_gone(review: Review) -> bool:
    return review.cost is not None and review.cost.idle_after is None


def _is_untouched(review: Review) -> bool:
    """Return whether no current job, session, file or permission is affected."""
    if review.opened or review.closed or review.people or any(line.caution for line in review.description):
        return False
    return all(
        change.effect in _QUIET or (change.effect is Effect.ACCESS and change.operation is Operation.CREATE)
        for change in review.changes
        if not change.grants
    ) and not any(change.grants for change in review.changes)


def _alarms(review: Review) -> Iterator[str]:
    there = {change.effect for change in review.changes}
    for effect, phrase in _ALARMS.items():
        if effect in there and not (effect is Effect.HEAD_RESTARTS and Effect.HEAD_REPLACED in there):
            yield phrase([change for change in review.changes if change.effect is effect])
    moved = [line.path for line in review.description if line.effect is Effect.LEFT_BEHIND]
    if moved and not any(change.effect in (Effect.DATA_LOST, Effect.LEFT_BEHIND) for change in review.changes):
        yield f"users will no longer find their files where they were ({_row(moved)})"


def _lost(changes: Sequence[Change]) -> str:
    gone = [change for change in changes if change.operation is not Operation.UPDATE]
    return f"{_stored(gone)} is lost" if gone else f"older data in {_names(changes)} is deleted"


def _left_behind(changes: Sequence[Change]) -> str:
    return f"{_stored(changes)} stays behind, and users can't access it until it is copied"


def _stored(changes: Sequence[Change]) -> str:
    """Return a phrase such as `data in /home and on cfd-head-state`."""
    mounts = list(dict.fromkeys(change.mount for change in changes if change.mount))
    others = [change for change in changes if not change.mount]
    places = (f"in {_row(mounts)}" if mounts else "", f"on {_names(others)}" if others else "")
    return f"data {' and '.join(filter(None, places))}"


def _away(changes: Sequence[Change]) -> str:
    mounts = list(dict.fromkeys(change.mount for change in changes if change.mount))
    return f"files in {_row(mounts)} are temporarily unavailable" if mounts else effect_words(Effect.FILES_AWAY)


def _words_of(effect: Effect) -> Callable[[Sequence[Change]], str]:
    return lambda _: effect_words(effect)


_ALARMS: dict[Effect, Callable[[Sequence[Change]], str]] = {
    Effect.DATA_LOST: _lost,
    Effect.LEFT_BEHIND: _left_behind,
    Effect.REFUSED: lambda changes: f"the cloud refuses the change to {_names(changes)}",
    Effect.NODES_END: _words_of(Effect.NODES_END),
    Effect.FILES_AWAY: _away,
    Effect.HEAD_REPLACED: _words_of(Effect.HEAD_REPLACED),
    Effect.HEAD_RESTARTS: _words_of(Effect.HEAD_RESTARTS),
    Effect.SESSIONS_CUT: _words_of(Effect.SESSIONS_CUT),
}
"""Maps effects to functions that return phrases for the headline, worst effect first."""


def _others(review: Review) -> Iterator[str]:
    yield from _people(review.people)
    yield from _reached(review)
    queues = list(_queues(review.cost.queues if review.cost else ()))
    yield from queues[:_LISTED_QUEUES]
    if len(queues) > _LISTED_QUEUES:
        yield f"{plural(len(queues) - _LISTED_QUEUES, 'more change')} of queues"
    if granted := [change for change in review.changes if change.grants]:
        yield f"access changes ({_names(granted)})"
    elif lines := [line.path for line in review.description if line.effect is Effect.ACCESS]:
        yield f"access changes ({_row(lines)})"
    if unprotected := [change for change in review.changes if change.effect is Effect.UNPROTECTED]:
        yield f"{_names(unprotected)} {'is' if len(unprotected) == 1 else 'are'} no longer protected"
    if unknown := [change for change in review.changes if change.effect is Effect.UNKNOWN]:
        yield f"the provider decides what happens to {_names(unknown)}"
    if kept := [change for change in review.changes if change.effect is Effect.KEPT]:
        paths = [f"{each.path} of {change.name}" for change in kept for each in change.properties]
        yield f"removing {_row(paths)} has no effect"
    if any(line.path.partition(".")[0] == "slurm" for line in review.description):
        yield "Slurm's settings change"
    elif not (review.cost and review.cost.queues) and not any(_alarms(review)):
        yield from _quietly(review)


def _quietly(review: Review) -> Iterator[str]:
    effects = {change.effect for change in review.changes}
    if Effect.SLURMCTLD_RESTARTS in effects:
        yield "Slurm's configuration changes"
    elif Effect.NEW_NODES in effects:
        yield "nodes launched after the change will differ"


def _people(people: Sequence[PersonChange]) -> Iterator[str]:
    """Yield phrases such as `users ada, ben gain access`. Each person is named once, for the greatest change."""
    found: dict[tuple[str, str], list[str]] = {phrases: [] for phrases in (*_RIGHTS.values(), _OTHER_RIGHTS)}
    for person in people:
        changed = {*_kinds("losses", person.losses), *_kinds("gains", person.gains)}
        greatest = next((phrases for right, phrases in _RIGHTS.items() if right in changed), _OTHER_RIGHTS)
        found[greatest].append(person.name)
    for (one, several), names in found.items():
        if names:
            yield (one if len(names) == 1 else several).format(_row(names))


def _kinds(side: str, rights: Iterable[Right]) -> Iterator[tuple[str, RightKind]]:
    return ((side, right.kind) for right in rights)


_RIGHTS = {
    ("losses", RightKind.ACCESS): ("user {} loses access", "users {} lose access"),
    ("gains", RightKind.ACCESS): ("user {} gains access", "users {} gain access"),
    ("gains", RightKind.ADMIN): ("user {} becomes an administrator", "users {} become administrators"),
    ("losses", RightKind.ADMIN): ("user {} is no longer an administrator", "users {} are no longer administrators"),
}
"""Maps changed rights to phrases for one person and for several, greatest change first."""

_OTHER_RIGHTS = ("the rights of user {} change", "the rights of users {} change")


def _reached(review: Review) -> Iterator[str]:
    """Yield phrases about opened and closed ports, e.g. `SSH is opened to the whole internet, 0.0.0.0/0`."""
    for ports, found in _by_ports(review.opened).items():
        before = [source for each in found for source in each.before]
        yield f"{ports} is opened to {_row(map(_range, found))}{f' (before: {_row(before)})' if before else ''}"
    for ports, found in _by_ports(review.closed).items():
        yield f"{ports} is closed to {_row(map(_range, found))}"


def _by_ports(openings: Iterable[Opening]) -> dict[str, list[Opening]]:
    found: dict[str, list[Opening]] = {}
    for each in openings:
        found.setdefault(_ports(each.low, each.high), []).append(each)
    return found


def _ports(low: int, high: int) -> str:
    if low == high:
        return "SSH" if low == 22 else f"port {low}"
    return "every port" if (low, high) in ((0, 65535), (1, 65535)) else f"ports {low} to {high}"


def _range(opening: Opening) -> str:
    return f"the whole internet, {opening.source}" if opening.source.endswith("/0") else opening.source


def _queues(queues: Sequence[QueueCost]) -> Iterator[str]:
    gone = [each for each in queues if each.nodes_after is None]
    new = [each for each in queues if each.nodes_before is None]
    renamed: list[QueueCost] = []
    for each in gone:
        twins = [other for other in new if _offer(other) == _offer(each) and other not in renamed]
        if len(twins) == 1:
            renamed.append(twins[0])
            yield (
                f"queue {_cut(each.queue)} is renamed to {_cut(twins[0].queue)}, which deletes the old queue: "
                "drain it first"
            )
        else:
            yield f"queue {_cut(each.queue)} is removed: drain it first"
    yield from (f"queue {_cut(each.queue)} is new" for each in new if each not in renamed)
    for each in queues:
        if each not in gone and each not in new:
            yield from _changed(each)


def _offer(queue: QueueCost) -> tuple[object, ...]:
    """Return the queue's machine, size and price after the change, or before it if the queue is removed."""
    if queue.nodes_after is None:
        return queue.machine_before, queue.nodes_before, queue.node_hour_before
    return queue.machine_after, queue.nodes_after, queue.node_hour_after


def _changed(queue: QueueCost) -> Iterator[str]:
    name, price = _cut(queue.queue), _price_change(queue.node_hour_before, queue.node_hour_after)
    if queue.machine_before != queue.machine_after:
        than = f" instead of {queue.machine_before}" if queue.machine_before else ""
        yield f"queue {name} uses {queue.machine_after or 'another machine'}{than}{price}"
    elif price:
        yield f"the price of queue {name} changes{price}"
    if queue.nodes_before != queue.nodes_after:
        verb = "may grow" if (queue.nodes_after or 0) > (queue.nodes_before or 0) else "shrinks"
        yield f"queue {name} {verb} to {plural(queue.nodes_after or 0, 'node')} ({queue.nodes_before} before)"


def _price_change(before: float | None, after: float | None) -> str:
    if before is None or after is None or before == after:
        return ""
    share = f", {100 * (after - before) / before:+,.0f} %".replace("-", "−") if before else ""
    return f" (USD {after:,.2f} per node-hour{share})"


def _names(changes: Iterable[Change]) -> str:
    return _row(change.name for change in changes)


def _row(names: Iterable[str]) -> str:
    return listed(map(_cut, dict.fromkeys(names)), _LISTED_NAMES)


def _cut(name: str) -> str:
    return name if len(name) <= _NAME_CHARACTERS else f"{name[:_NAME_CHARACTERS]}…"


def _counts(review: Review, noun: str) -> list[str]:
    """Return phrases with resource or file counts by operation, e.g. `["3 files to change", "1 to create"]`."""
    counts = Counter(reported_operation(change) for change in review.changes if change.is_file == (noun == "file"))
    parts = [(counts[operation], words) for operation, words in _TO_DO.items() if counts[operation]]
    return [
        f"{number:,} {words}" if index else f"{plural(number, noun)} {words}"
        for index, (number, words) in enumerate(parts)
    ]
