import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from hpc_components.elastic.journal.whole_file import replace_whole

VERSION = 1
MONTHS_KEPT = 3
"""Number of months that are remembered, so that a clock that is set back finds the month before again."""


@dataclass(frozen=True, kw_only=True)
class Month:
    """What is remembered of a month. Amounts are in nano-USD."""

    limit: int = 0
    """The month's budget; 0 if it is not known yet."""
    recorded: int = 0
    """What the ledger showed last."""
    lost: int = 0
    """What the ledger showed once and does not show any more."""
    stopped_at: int = 0
    """Budget at which launches stopped; 0 if they go on."""
    told: tuple[str, ...] = ()
    """Notices about this budget that were sent."""


class BudgetRecord:
    """A small JSON file, replaced as a whole.

    A file that is missing or malformed counts as empty: launches stop again as soon as the ledger's figures say so,
    and notices are sent again.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._months: dict[str, Month] = {}
        with suppress(OSError, ValueError, TypeError, AttributeError, KeyError):
            self._months = _months(json.loads(path.read_text(encoding="utf-8")))

    def month(self, name: str) -> Month:
        return self._months.get(name, Month())

    def put(self, name: str, month: Month) -> None:
        """Remember a month, and write it to disk. Raise OSError if it can only be remembered until a restart."""
        self._months.pop(name, None)
        self._months[name] = month
        for old in list(self._months)[:-MONTHS_KEPT]:
            del self._months[old]
        months = {each: asdict(this) for each, this in self._months.items()}
        replace_whole(self._path, json.dumps({"version": VERSION, "months": months}))


def _months(document: Mapping[str, Mapping[str, Mapping[str, object]]]) -> dict[str, Month]:
    return {
        name: Month(**{**raw, "told": tuple(raw["told"])})  # ty: ignore[invalid-argument-type]
        for name, raw in document["months"].items()
    }
