from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from hpc_components.catalog._load import records
from hpc_components.spec.findings import Level
from hpc_components.spec.slurm.keys import Scope
from hpc_components.spec.slurm.settings import Setting
from hpc_components.spec.slurm.values import ENDLESS, number

NO_LIMIT = 2**32 - 1
"""Value that stands for "no limit". It is larger than any limit that can be set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """A slurm.conf value that undoes another key of the description.

    The value is specified by `words`, by `parts`, or by the bounds `below` and `above`.
    """

    name: str
    scope: Scope
    words: tuple[str, ...]
    """Lower-case words. The record applies if the value consists only of these words."""
    parts: tuple[str, ...]
    """Lower-case words. The record applies if the value is a list that contains at least one of these words."""
    parameter: str | None = None
    """Name of the parameter to which the bounds apply, e.g. `bf_window`, or None if they apply to the whole value."""
    below: int | str | None = None
    """The record applies to numbers below this bound. A string is the name of a bound that is computed for each
    cluster, e.g. `all_nodes`."""
    above: int | str | None = None
    """The record applies to numbers above this bound. Strings are names of bounds, as for `below`."""
    beside: str
    """What the value undoes: a key of `PROMISES` in `rules/undone.py`."""
    because: str
    """Reason for the finding, with the placeholders `{value}`, `{bound}` and `{what}`."""
    instead: str | None = None
    """Value to use instead, or None if the setting should be removed."""
    level: Level
    source: str
    as_of: str

    def number_in(self, setting: Setting) -> int | None:
        """Return the number that the bounds apply to, or None if the value doesn't contain one."""
        text = setting.text
        if self.parameter is not None:
            pairs = dict(part.partition("=")[::2] for part in text.split(","))
            text = next((value for key, value in pairs.items() if key.lower() == self.parameter), "")
        return NO_LIMIT if text.lower() in ENDLESS else number(text)

    def has_words(self, setting: Setting) -> bool:
        given = {word.lower() for word in setting.text.split(",") if word}
        return bool(given) and (given <= set(self.words) or not given.isdisjoint(self.parts))


def undone_by(setting: Setting) -> Iterator[Undone]:
    yield from _table().get((setting.scope, setting.key.lower()), ())


@cache
def _table() -> dict[tuple[Scope, str], list[Undone]]:
    found: dict[tuple[Scope, str], list[Undone]] = {}
    for record in records("undone", __file__):
        scope = record.pop("kind")
        one = Undone(
            scope=scope,
            words=tuple(word.lower() for word in record.pop("is", ())),
            parts=tuple(word.lower() for word in record.pop("has", ())),
            level=Level(record.pop("level", Level.WARNING)),
            **record,
        )
        found.setdefault((scope, one.name.lower()), []).append(one)
    return found
