"""What Slurm can read as a number and a flag."""

import re

from hpc_components.spec.slurm_time import ENDLESS

__all__ = ["wrong_value"]

_MOST = {"uint16": 2**16 - 1, "uint32": 2**32 - 1, "uint64": 2**64 - 1}
_FLAGS = {"yes", "up", "true", "1", "no", "down", "false", "0"}


def wrong_value(type: str, value: str | int | bool) -> tuple[str, str] | None:
    """Reason and remedy where Slurm could not read `value` as a key's `type` (see `catalog.slurm_keys`).

    Source: Slurm's own source, src/common/parse_value.c.
    """
    text = str(value).strip().lower()
    if type == "flag":
        return None if text in _FLAGS else (f"{value!r} is neither yes nor no to Slurm", "use true or false")
    most = _MOST.get(type)
    if most is None or text in ENDLESS:
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
