"""Records of machine families, by prefix of the type's name."""

from collections.abc import Iterable

from hpc_components.catalog._load import Record


def nearest(found: Iterable[Record], name: str) -> Record | None:
    """Return the record with the longest `prefix` of `name`, up to a hyphen or the end; `""` is a prefix of all."""
    fitting = [
        record for record in found if record["prefix"] in ("", name) or name.startswith(f"{record['prefix']}-")
    ]
    return max(fitting, key=lambda record: len(record["prefix"]), default=None)
