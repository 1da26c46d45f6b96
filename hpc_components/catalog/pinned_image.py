import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True, kw_only=True)
class PinnedImage:
    """A machine image that doesn't change when its publisher releases newer ones."""

    name: str
    """The image's id, URN or parameter."""
    made: date
    """Date of the image's content."""
    known: date
    """Date of the newest image record in the cloud's catalogue. Age is measured relative to this date instead of
    today, so that a description has the same findings every day."""
    newer: str
    """Remedy: how to get a newer image. `{region}` stands for the cluster's region."""

    @property
    def age_days(self) -> int:
        """Negative if the image is newer than the catalogue."""
        return (self.known - self.made).days


def day_in(text: str) -> date | None:
    """Return the first date in an image's name, such as `ubuntu-2404-noble-amd64-v20250115` or `24.04.202607140`, or
    None if there isn't one."""
    for year, month, day in re.findall(r"(20\d\d)(\d\d)(\d\d)", text):
        try:
            return date(int(year), int(month), int(day))
        except ValueError:
            continue
    return None


def newest_record(as_of: Iterable[str]) -> date:
    """Return the latest date in `as_of`. A month such as `2026-11` is treated as its first day."""
    return max(date.fromisoformat(f"{day}-01"[:10]) for day in as_of)
