"""What Slurm can read as a number and a flag."""

from hpc_components.spec.slurm.settings import number
from hpc_components.spec.slurm.times import ENDLESS

__all__ = ["wrong_value"]

_MOST = {"uint16": 2**16 - 3, "uint32": 2**32 - 3, "uint64": 2**64 - 3}
"""The two numbers above mean something else. Source: Slurm's own source, slurm/slurm.h, NO_VAL and INFINITE."""

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
    read = number(text)
    if read is None or (text.endswith("k") and type == "uint16"):
        return f"{value!r} is no number to Slurm", "write a whole number without a unit, or INFINITE"
    if read > most:
        reason = f"{value} is more than {most}"
        if read <= most + 2:
            reason += ", and the two numbers above stand for nothing said and for no limit"
        return reason, f"use at most {most}, or INFINITE where no limit is meant"
    return None
