"""Slurm's `Key=value`: values as it reads them, and the user's own on top of ours."""

from collections.abc import Mapping

__all__ = ["Value", "merged", "slurm_time", "text"]

Value = str | int | bool

_BY_NAME = ("schedulerparameters",)
"""Lists of named parameters: the user's are added to ours, and stand in for those of the same name, in any case."""

_UNITED = (
    "accountingstorageenforce", "accountingstoragetres", "jobsubmitplugins", "launchparameters", "privatedata",
    "prologflags",
)  # fmt: skip
"""Lists to which the user's entries are added."""


def text(value: Value) -> str:
    """A value as slurm.conf has it."""
    if isinstance(value, bool):
        return "YES" if value else "NO"
    return str(value)


_INSTEAD = {"propagateresourcelimits": "propagateresourcelimitsexcept"}
"""A key of the user's that says what one of ours says; Slurm takes one of them."""


def slurm_time(seconds: int) -> str:
    """A span of time as Slurm reads it: `days-hours:minutes:seconds`."""
    days, rest = divmod(seconds, 86400)
    return f"{days}-{rest // 3600:02}:{rest % 3600 // 60:02}:{rest % 60:02}"


def merged(ours: Mapping[str, Value], theirs: Mapping[str, Value]) -> dict[str, str]:
    """Our keys with the user's values where there are any, then the user's other keys; Slurm reads any case."""
    wanted = {key.lower(): text(value) for key, value in theirs.items()}
    gone = {_INSTEAD[low] for low in wanted if low in _INSTEAD}
    found = {
        key: _one(key.lower(), text(value), wanted.get(key.lower()))
        for key, value in ours.items()
        if key.lower() not in gone
    }
    taken = {key.lower() for key in ours}
    return found | {key: text(value) for key, value in theirs.items() if key.lower() not in taken}


def _one(low: str, ours: str, theirs: str | None) -> str:
    if theirs is None:
        return ours
    if low in _UNITED:
        return ",".join(dict.fromkeys([*ours.split(","), *theirs.split(",")]))
    if low in _BY_NAME:
        return ",".join((_named(ours) | _named(theirs)).values())
    return theirs


def _named(parameters: str) -> dict[str, str]:
    """Parameters by name; of those of the same name Slurm takes the first."""
    found: dict[str, str] = {}
    for one in parameters.split(","):
        found.setdefault(one.partition("=")[0].lower(), one)
    return found
