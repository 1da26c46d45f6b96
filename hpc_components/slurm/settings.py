from collections.abc import Mapping

from hpc_components.spec.slurm.ownership import MERGED_BY_NAME, MERGED_LISTS, REPLACED_KEYS
from hpc_components.spec.slurm.values import Value, text, unquoted


def merged(ours: Mapping[str, Value], theirs: Mapping[str, Value]) -> dict[str, str]:
    """Return our keys, with the user's values where given, followed by the user's other keys.

    Keys are case-insensitive.
    """
    wanted = {key.lower(): value for key, value in theirs.items()}
    gone = {REPLACED_KEYS[low] for low in wanted if low in REPLACED_KEYS}
    found = {
        key: _one(key.lower(), text(value), wanted.get(key.lower()))
        for key, value in ours.items()
        if key.lower() not in gone
    }
    taken = {key.lower() for key in ours}
    return found | {key: text(value) for key, value in theirs.items() if key.lower() not in taken}


def _one(low: str, ours: str, theirs: Value | None) -> str:
    if theirs is None:
        return ours
    if low in MERGED_LISTS:
        return ",".join(dict.fromkeys([*ours.split(","), *unquoted(theirs).split(",")]))
    if low in MERGED_BY_NAME:
        return ",".join((_named(ours) | _named(unquoted(theirs))).values())
    return text(theirs)


def _named(parameters: str) -> dict[str, str]:
    """Return the parameters, keyed by name. If a name occurs more than once, its first parameter applies, as in
    Slurm.
    """
    found: dict[str, str] = {}
    for one in parameters.split(","):
        found.setdefault(one.partition("=")[0].lower(), one)
    return found
