from collections.abc import Iterable

from hpc_components.catalog._load import Record


def nearest(found: Iterable[Record], name: str) -> Record | None:
    """Return the record with the longest `prefix` that matches `name`, or None if no prefix matches.

    A matching prefix is followed by a hyphen or by the end of the name. The prefix `""` matches every name.
    """
    fitting = [
        record for record in found if record["prefix"] in ("", name) or name.startswith(f"{record['prefix']}-")
    ]
    return max(fitting, key=lambda record: len(record["prefix"]), default=None)
