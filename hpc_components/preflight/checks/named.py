from collections.abc import Iterator
from typing import Any

from hpc_components.preflight.account import Account, AccountPart, Fact, Named, Seen
from hpc_components.preflight.asked import Asked
from hpc_components.preflight.checks import Check, Found
from hpc_components.spec.account_rules import AccountFault
from hpc_components.spec.findings import Problem


def named_checks(asked: Asked, account: Account, part: AccountPart) -> Iterator[Check]:
    """Yield a check for each kind of thing that the description names."""
    every = list(part.named(asked))
    for kind in dict.fromkeys(each.kind for each in every):
        some = [each for each in every if each.kind == kind]
        yield Check(
            asks=_several(kind),
            keys=tuple(dict.fromkeys(str(each.path[0]) for each in some)),
            permissions=tuple(part.permissions[kind]),
            ask=lambda some=some: _look_up(account, some),
        )


def _several(kind: str) -> str:
    return f"{kind[:-1]}ies" if kind.endswith(("ry", "ty")) else f"{kind}s"


def _look_up(account: Account, some: list[Named]) -> Iterator[Found]:
    answers: dict[str, Seen | None] = {}
    for each in some:
        if each.id not in answers:
            answers[each.id] = account.look_up(each.kind, each.id)
        yield from _judged(account, each, answers[each.id])


def _judged(account: Account, each: Named, seen: Seen | None) -> Iterator[Found]:
    if seen is None:
        yield (
            each.fault,
            Problem(
                path=each.path,
                value=each.id,
                reason=f"{account.who} has no {each.kind} {each.id}, or may not see it",
                remedy="correct the id, or check that the credentials belong to the right account",
            ),
        )
        return
    if seen.problem:
        yield (
            each.fault,
            Problem(
                path=each.path,
                value=each.id,
                reason=f"the {each.kind} {each.id} can't be used: {seen.problem}",
                remedy=f"make it usable, or name another {each.kind}",
                level=seen.level,
            ),
        )
    for fact in each.facts:
        if fact.name in seen.facts and not fact.holds(seen.facts[fact.name]):
            yield fact.fault, _differs(each, fact, seen.facts[fact.name])


def _differs(each: Named, fact: Fact, seen: Any) -> Problem:
    shown = f"{seen:,}" if isinstance(seen, int) else seen if isinstance(seen, str) else ", ".join(seen)
    return Problem(
        path=each.path,
        value=each.id,
        reason=f"the {fact.name} of {each.kind} {each.id} is {shown}, but must be {fact.in_words}",
        remedy=fact.remedy,
        level=fact.level,
        # several facts of a place are several findings
        about={"fact": fact.name} if fact.fault is not AccountFault.ADDRESSES else None,
    )
