"""What Slurm can read as a number, a flag and a time."""

import re

from hpc_components.spec.values import Duration

__all__ = ["is_slurm_time", "minutes", "proposed_time", "wrong_value"]

_MOST = {"uint16": 2**16 - 1, "uint32": 2**32 - 1, "uint64": 2**64 - 1}
_FLAGS = {"yes", "up", "true", "1", "no", "down", "false", "0"}
_ENDLESS = {"infinite", "unlimited"}


def wrong_value(type: str, value: str | int | bool) -> tuple[str, str] | None:
    """Reason and remedy where Slurm could not read `value` as a key's `type` (see `catalog.slurm_keys`).

    Source: Slurm's own source, src/common/parse_value.c.
    """
    text = str(value).strip().lower()
    if type == "flag":
        return None if text in _FLAGS else (f"{value!r} is neither yes nor no to Slurm", "use true or false")
    most = _MOST.get(type)
    if most is None or text in _ENDLESS:
        return None
    if isinstance(value, bool):
        return "Slurm wants a number here", f"use {int(value)}"
    number = re.fullmatch(r"(0x[0-9a-f]+|0[0-7]*|[1-9]\d*)(k?)", text)
    if number is None or (number[2] and type == "uint16"):
        return f"{value!r} is no number to Slurm", "write a whole number without a unit, or INFINITE"
    digits = number[1]
    base = 16 if digits.startswith("0x") else 8 if digits.startswith("0") else 10
    if int(digits, base) * (1024 if number[2] else 1) > most:
        return f"{value} is more than {most}", f"use at most {most}, or INFINITE"
    return None


def is_slurm_time(text: str) -> bool:
    """Whether Slurm can read `text` as a time.

    Source: Slurm's own source, src/common/parse_time.c.
    """
    if text.lower() in _ENDLESS or text == "-1":
        return True
    return re.fullmatch(r"\d+(:\d+){0,2}|\d+-(\d+(:\d+){0,2})?", text) is not None


def proposed_time(text: str) -> str | None:
    """A time written our way (`2d`, `90m`) in Slurm's way (`2-00:00:00`), or None."""
    try:
        seconds = Duration.parse(text.lower()).seconds
    except ValueError:
        return None
    days, rest = divmod(seconds, 86400)
    clock = f"{rest // 3600:02}:{rest % 3600 // 60:02}:{rest % 60:02}"
    return f"{days}-{clock}" if days else clock


def minutes(text: str) -> float | None:
    """The minutes that Slurm reads in `text`; infinity where there is no limit, None where it is no time."""
    if not is_slurm_time(text):
        return None
    if text.lower() in _ENDLESS or text == "-1":
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
    """Minutes and seconds, either of which may be missing."""
    whole, seconds = (*parts, 0, 0)[:2]
    return whole + seconds / 60
