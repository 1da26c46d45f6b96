"""The table of valid settings of slurm.conf that undo other keys of the description."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from hpc_components.catalog._load import records
from hpc_components.spec.findings import Level
from hpc_components.spec.slurm.keys import Scope
from hpc_components.spec.slurm.settings import Setting
from hpc_components.spec.slurm.values import ENDLESS, number

NO_LIMIT = 2**32 - 1
"""Number for Slurm's words for no limit, above every bound."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """One value of a setting, and what it undoes. Exactly one of `words`, `parts` and the two bounds is given."""

    name: str
    scope: Scope
    words: tuple[str, ...]
    """The whole value is one of these words, or a list of them, in lower case."""
    parts: tuple[str, ...]
    """The list has one of these words, in lower case."""
    parameter: str | None = None
    """Name of the parameter within the value (`bf_window=...`) to which the bounds apply."""
    below: int | str | None = None
    """The number is below this, or below a number of the cluster."""
    above: int | str | None = None
    """The number is above this, or above a number of the cluster."""
    beside: str
    """What it undoes in the description; see the rule."""
    because: str
    """The reason, with placeholders `{value}`, `{bound}` and `{what}`."""
    instead: str | None = None
    """The value to use; None: leave the setting out."""
    level: Level
    source: str
    as_of: str

    def number_in(self, setting: Setting) -> int | None:
        """Return the number to which the bounds apply; None if the value has none."""
        text = setting.text
        if self.parameter is not None:
            pairs = dict(part.partition("=")[::2] for part in text.split(","))
            text = next((value for key, value in pairs.items() if key.lower() == self.parameter), "")
        return NO_LIMIT if text.lower() in ENDLESS else number(text)

    def has_words(self, setting: Setting) -> bool:
        """Return whether the value has the words of this record."""
        given = {word.lower() for word in setting.text.split(",") if word}
        return bool(given) and (given <= set(self.words) or not given.isdisjoint(self.parts))


def undone_by(setting: Setting) -> Iterator[Undone]:
    """Yield the records for a setting's key."""
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
