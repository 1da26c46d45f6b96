"""Reads and writes times in Slurm's notation, e.g. `90`, `2:30:00`, `7-0` or `INFINITE`."""

import re

from hpc_components.spec.slurm.values import ENDLESS
from hpc_components.spec.values import Duration


def is_slurm_time(text: str) -> bool:
    """Return whether Slurm can read `text` as a time.

    Source: Slurm source code, src/common/parse_time.c.
    """
    if text.lower() in ENDLESS or text == "-1":
        return True
    return re.fullmatch(r"\d+(:\d+){0,2}|\d+-(\d+(:\d+){0,2})?", text) is not None


def proposed_time(text: str) -> str | None:
    """Convert a duration such as `2d` or `90m` to Slurm's notation (`2-00:00:00`). Return None if `text` is not a
    duration.
    """
    try:
        seconds = Duration.parse(text.lower()).seconds
    except ValueError:
        return None
    return slurm_time(seconds).removeprefix("0-")


def slurm_time(seconds: int) -> str:
    """Return a duration in Slurm's notation: `days-hours:minutes:seconds`."""
    days, rest = divmod(seconds, 86400)
    return f"{days}-{rest // 3600:02}:{rest % 3600 // 60:02}:{rest % 60:02}"


def minutes(text: str) -> float | None:
    """Return the number of minutes that Slurm reads from `text`.

    Return infinity if `text` means no limit, and None if it is not a time.
    """
    if not is_slurm_time(text):
        return None
    if text.lower() in ENDLESS or text == "-1":
        return float("inf")
    days, dash, clock = text.rpartition("-")
    parts = [int(part or 0) for part in clock.split(":")]
    if dash:
        hours, *rest = parts
        return int(days) * 1440 + hours * 60 + _minutes(rest)
    if len(parts) == 3:
        return parts[0] * 60 + _minutes(parts[1:])
    return _minutes(parts)


def _minutes(parts: list[int]) -> float:
    """Convert [minutes, seconds], [minutes] or [] to minutes."""
    whole, seconds = (*parts, 0, 0)[:2]
    return whole + seconds / 60
