import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hpc_components.aws.catalog.network_limits import log_retention_days
from hpc_components.catalog.by_kind import RecordsByKind
from hpc_components.catalog.level import Level
from hpc_components.catalog.offer import Limit, Refusal

_IDLE = Limit(
    id="HPC-SSM-001",
    title="Sessions must end after 1 to 60 whole minutes without activity",
    source='Systems Manager user guide, "Session document schema", idleSessionTimeout',
)
_MAX = Limit(
    id="HPC-SSM-002",
    title="The maximum duration of a session must be 1 to 1,440 whole minutes",
    why="Some values above 17 hours, such as 1,080 minutes, don't match the pattern for durations in AWS's own "
    "description of the API. It is unknown whether AWS refuses them, so they cause only a warning.",
    source='Systems Manager user guide, "Session document schema", maxSessionDuration; botocore, MaxSessionDuration',
)
_COUNT = Limit(
    id="HPC-SSM-003",
    title="Each user must be allowed at least one session",
    source="our own function, which ends all sessions above the limit",
)
_LOGS = Limit(
    id="HPC-SSM-004",
    title="The retention time of session logs must be one that CloudWatch offers",
    source="CloudWatch Logs API, PutRetentionPolicy",
)

LIMITS = (_IDLE, _MAX, _COUNT, _LOGS)

facts_of_kind = RecordsByKind.in_files(Path(__file__).with_name("facts.json")).records


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOrder:
    """Settings for sessions. None means no limit or, for `log_days`, no logs."""

    idle_minutes: float | None = None
    max_minutes: float | None = None
    sessions: int | None = None
    """Maximum number of sessions per user."""
    log_days: float | None = None


def refusals(order: SessionOrder) -> Iterator[Refusal]:
    """Yield the reasons why Session Manager, our limit or CloudWatch would refuse the order, and a warning if AWS may
    refuse the duration.
    """
    yield from _minutes(_IDLE, "idle_minutes", "idle", order.idle_minutes)
    yield from _minutes(_MAX, "max_minutes", "max", order.max_minutes)
    if order.sessions is not None and order.sessions < 1:
        yield _COUNT.refuse("sessions", reason="all sessions would be ended", changes={"sessions": 1})
    if order.log_days is not None and order.log_days not in log_retention_days():
        offered = log_retention_days()
        yield _LOGS.refuse(
            "log_days",
            reason=f"CloudWatch keeps logs for {', '.join(map(str, offered))} days",
            changes={"log_days": next((days for days in offered if days >= order.log_days), offered[-1])},
        )


def _minutes(limit: Limit, field: str, key: str, minutes: float | None) -> Iterator[Refusal]:
    if minutes is None:
        return
    fact = next(each for each in facts_of_kind("minutes") if each["key"] == key)
    least, most = fact["least"], fact["most"]
    if minutes != int(minutes) or not least <= minutes <= most:
        yield limit.refuse(
            field,
            reason=f"Session Manager accepts {least} to {most:,} whole minutes",
            changes={field: max(least, min(round(minutes), most))},
        )
    elif key == "max" and not re.fullmatch(facts_of_kind("max_pattern")[0]["pattern"], str(int(minutes))):
        yield limit.refuse(
            field,
            reason=f"AWS's description of the API does not allow {int(minutes)} minutes",
            changes={field: most},
            level=Level.WARNING,
        )
