"""Decides which sessions exceed the maximum per user on all login nodes together."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, order=True)
class Session:
    """A session of a user on a node. Older sessions come first, in the same order on all nodes."""

    start: float
    """Seconds since the epoch. The session's own node determines it once, and other nodes read it."""
    node: str
    id: str
    """Name of its cgroup, a systemd scope."""
    uid: int = field(compare=False)
    terminal: str = field(compare=False)
    """For example pts/0. Empty without one, as for scp."""


@dataclass(frozen=True)
class Report:
    """The sessions of another node."""

    written: float
    """Seconds since the epoch."""
    sessions: tuple[Session, ...]


def surplus(here: Sequence[Session], reports: Iterable[Report], maximum: int) -> list[Session]:
    """Return the sessions of this node to end: those for which the user had `maximum` older ones when they began.

    A session that is to end does not count for others. A report that was written before a session began does not
    count for it, because the sessions in it may have ended first. All nodes decide alike once they know each other's
    sessions, so exactly the oldest ones remain.
    """
    known = list(reports)
    ended: list[Session] = []
    for session in sorted(here):
        remain = [each for each in here if each not in ended]
        elsewhere = [each for report in known if report.written >= session.start for each in report.sessions]
        if sum(each.uid == session.uid and each < session for each in [*remain, *elsewhere]) >= maximum:
            ended.append(session)
    return ended


def refusal(sessions: Sequence[Session], maximum: int) -> str:
    """Return the message for a user who has `sessions` and must not get another."""
    each_user = f"{maximum} session{'s' if maximum > 1 else ''}"
    lines = [f"Each user can have {each_user} on all login nodes together, and you have:"]
    lines += [f"  {_described(each)}" for each in sorted(sessions)]
    lines.append(
        "Leave one of them (`exit`), or type `loginctl terminate-session` and its name on its node. A session whose "
        "connection was lost ends within four minutes."
    )
    return "\n".join(lines)


def farewell(sessions: Sequence[Session], maximum: int) -> str:
    """Return the message for a session that is ended. `sessions` are the user's sessions that remain."""
    others = ", ".join(_described(each) for each in sorted(sessions))
    return f"This session ends: each user can have {maximum} on all login nodes together, and you have {others}."


def _described(session: Session) -> str:
    name = session.id.removeprefix("session-").removesuffix(".scope")
    recent = time.time() - session.start < 12 * 3600
    since = time.strftime("%H:%M" if recent else "%d %b %H:%M", time.localtime(session.start))
    terminal = f", {session.terminal}" if session.terminal else ""
    return f"session {name} on {session.node} since {since}{terminal}"
