"""Records of families of machine types, by the beginning of a type's name."""

from collections.abc import Iterable

from hpc_components.catalog._load import Record


def nearest(found: Iterable[Record], name: str) -> Record | None:
    """The record with the longest `prefix` that `name` is or begins with, before a hyphen; `""` is one of all."""
    fitting = [
        record for record in found if record["prefix"] in ("", name) or name.startswith(f"{record['prefix']}-")
    ]
    return max(fitting, key=lambda record: len(record["prefix"]), default=None)
