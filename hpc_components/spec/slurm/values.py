import re

Value = str | int | bool

TRUE = frozenset({"yes", "up", "true", "1"})
"""Lower-case words that Slurm reads as yes. Source: Slurm source code, src/common/parse_value.c."""

_FALSE = frozenset({"no", "down", "false", "0"})

ENDLESS = frozenset({"infinite", "unlimited"})

_MAX_BY_TYPE = {"uint16": 2**16 - 3, "uint32": 2**32 - 3, "uint64": 2**64 - 3}
"""Maximum number for each type. The next two numbers have special meanings. Source: Slurm source code, slurm/slurm.h,
NO_VAL and INFINITE."""


def text(value: Value) -> str:
    if isinstance(value, bool):
        return "YES" if value else "NO"
    return str(value)


def unquoted(value: Value) -> str:
    """Return a value as Slurm reads it, i.e. without enclosing double quotes.

    Source: Slurm source code, src/common/parse_config.c.
    """
    written = text(value)
    return written[1:-1] if len(written) > 1 and written[0] == written[-1] == '"' else written


def number(value: Value) -> int | None:
    """Return the number that Slurm reads from `value`, or None if the value means "no limit" or is not a number.

    Source: Slurm source code, src/common/parse_value.c.
    """
    match = re.fullmatch(r"(0x[0-9a-f]+|0[0-7]*|[1-9]\d*)(k?)", unquoted(value).strip().lower())
    if match is None:
        return None
    digits = match[1]
    base = 16 if digits.startswith("0x") else 8 if digits.startswith("0") else 10
    return int(digits, base) * (1024 if match[2] else 1)


def wrong_value(type: str, value: Value) -> tuple[str, str] | None:
    """Return (reason, remedy) if Slurm can't read `value` as the given type (see `keys`), otherwise None.

    Source: Slurm source code, src/common/parse_value.c.
    """
    read = unquoted(value).strip().lower()
    if type == "flag":
        known = read in TRUE | _FALSE
        return None if known else (f"Slurm can't read {value!r} as yes or no", "use true or false")
    most = _MAX_BY_TYPE.get(type)
    if most is None or read in ENDLESS:
        return None
    if isinstance(value, bool):
        return "Slurm expects a number here", f"use {int(value)}"
    found = number(value)
    if found is None or (read.endswith("k") and type == "uint16"):
        return f"Slurm can't read {value!r} as a number", "write a whole number without a unit, or INFINITE"
    if found > most:
        reason = f"{value} is more than the maximum of {most}"
        if found <= most + 2:
            reason += ", and the two numbers above that mean `not set` and `no limit`"
        return reason, f"use at most {most}, or INFINITE for no limit"
    return None
