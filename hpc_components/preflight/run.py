from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from hpc_components.catalog.account_facts import MachineFact
from hpc_components.preflight.account import Account, AccountPart, NotAnsweredError, NotPermittedError
from hpc_components.preflight.asked import Asked
from hpc_components.preflight.checks import Answer, Check, Found, checks_of, first_checks
from hpc_components.spec.account_rules import ACCOUNT_RULES
from hpc_components.spec.findings import Finding, Level
from hpc_components.spec.validate import locate

_THREADS = 8
"""Checks that ask at the same time. Each waits for answers nearly all of its time."""


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """A check that was not answered, or not completely. What it asks is unknown, not right."""

    check: str
    keys: tuple[str, ...]
    permission: str | None
    """The missing permission, or None if the reason is another one."""
    reason: str


@dataclass(frozen=True, kw_only=True)
class Preflight:
    who: str
    """The account and the caller, in words."""
    findings: tuple[Finding, ...]
    """All findings to report, most severe first."""
    silenced: tuple[Finding, ...]
    answered: tuple[str, ...]
    """What was asked and answered."""
    left_out: tuple[LeftOut, ...]
    facts: tuple[MachineFact, ...] = ()
    """What is known now and may be kept. Nothing from checks that were left out, even in part."""

    @property
    def errors(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.level is Level.ERROR)


@dataclass(frozen=True, kw_only=True)
class _Answer:
    check: Check
    found: tuple[Found, ...]
    facts: tuple[MachineFact, ...]
    left_out: LeftOut | None


def run(
    asked: Asked, account: Account, part: AccountPart, on_answer: Callable[[str], None] = lambda check: None
) -> Preflight:
    """Ask everything, several checks at a time.

    `on_answer` is called with the name of each check that has ended, in any order. If the account or the region can't
    be used, nothing else is asked: the cloud would refuse every question for that one reason.
    """
    answers = _all_answers(list(first_checks(asked, account, part)), on_answer)
    others = list(checks_of(asked, account, part))
    if any(answer.found for answer in answers):
        reason = "the account or the region can't be used"
        unasked = tuple(LeftOut(check=c.asks, keys=c.keys, permission=None, reason=reason) for c in others)
    else:
        answers, unasked = answers + _all_answers(others, on_answer), ()
    findings = [_finding(found, asked) for answer in answers for found in answer.found]
    silence = asked.cluster.silence
    return Preflight(
        who=account.who,
        findings=tuple(sorted((each for each in findings if each.id not in silence), key=Finding.sort_key)),
        silenced=tuple(
            sorted(
                (replace(each, silenced=silence[each.id]) for each in findings if each.id in silence),
                key=Finding.sort_key,
            )
        ),
        answered=tuple(answer.check.asks for answer in answers if answer.left_out is None),
        left_out=tuple(answer.left_out for answer in answers if answer.left_out) + unasked,
        facts=tuple(fact for answer in answers if answer.left_out is None for fact in answer.facts),
    )


def _all_answers(checks: Sequence[Check], on_answer: Callable[[str], None]) -> list[_Answer]:
    def ask(check: Check) -> _Answer:
        answer = _answer(check)
        on_answer(check.asks)
        return answer

    threads = ThreadPoolExecutor(_THREADS)
    try:
        return list(threads.map(ask, checks))
    finally:  # after Ctrl-C or without credentials, ask nothing more
        threads.shutdown(cancel_futures=True)


def _answer(check: Check) -> _Answer:
    """Ask one check. What it found before it was refused is kept."""
    found: list[Answer] = []
    permission, reason = None, ""
    try:
        for each in check.ask():
            found.append(each)
    except NotPermittedError as error:
        permission, reason = error.permission, str(error)
    except NotAnsweredError as error:
        reason = f"not answered: {error}"
    except (KeyError, TypeError, ValueError) as error:
        reason = f"not answered: unexpected response ({error!r})"
    left_out = LeftOut(check=check.asks, keys=check.keys, permission=permission, reason=reason) if reason else None
    return _Answer(
        check=check,
        found=tuple(each for each in found if not isinstance(each, MachineFact)),
        facts=tuple(each for each in found if isinstance(each, MachineFact)),
        left_out=left_out,
    )


def _finding(found: Found, asked: Asked) -> Finding:
    fault, problem = found
    return locate(fault.value, problem.level or ACCOUNT_RULES[fault].level, problem, asked.document)
