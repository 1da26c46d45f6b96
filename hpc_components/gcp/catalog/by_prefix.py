"""Looks up records by a prefix of the machine type's name."""

from collections.abc import Iterable

from hpc_components.catalog._load import Record


def nearest(found: Iterable[Record], name: str) -> Record | None:
    """Return the record with the longest `prefix` that `name` begins with, or None.

    A prefix must be followed by a hyphen or the end of the name. The prefix `""` matches all names.
    """
    fitting = [
        record for record in found if record["prefix"] in ("", name) or name.startswith(f"{record['prefix']}-")
    ]
    return max(fitting, key=lambda record: len(record["prefix"]), default=None)
