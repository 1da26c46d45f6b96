"""What earlier looks at an idle node have found: what was doubtful, and counters that must not grow fast."""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FILE = Path("/run/hpc-health.json")
"""The file is lost with a reboot, as the counters are."""


@dataclass
class History:
    doubts: dict[str, int] = field(default_factory=dict)
    """Number of looks in a row at which a check was doubtful, keyed by check."""
    counts: dict[str, list[tuple[float, int]]] = field(default_factory=dict)
    """(time in seconds, value) of each counter, oldest first."""

    def doubt(self, check: str, doubtful: bool) -> int:
        """Record whether a check was doubtful. Return for how many looks in a row it has been."""
        self.doubts[check] = self.doubts.get(check, 0) + 1 if doubtful else 0
        return self.doubts[check]

    def grown(self, counters: Mapping[str, int], now: float, seconds: float) -> dict[str, int]:
        """Record counters. Return by how much each has grown within the last `seconds`.

        A counter that is lower than before was reset, or has wrapped: it counts from its new value.
        """
        growth: dict[str, int] = {}
        for name, value in counters.items():
            kept = [(at, old) for at, old in self.counts.get(name, []) if now - seconds <= at <= now]
            if kept and value < kept[-1][1]:
                kept = []
            self.counts[name] = [*kept, (now, value)]
            growth[name] = value - self.counts[name][0][1]
        return growth


def read_history(file: Path) -> History:
    """Read the file. A missing or broken one is an empty history."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        document: dict[str, Any] = json.loads(file.read_text())
        counts = {name: [(float(at), int(value)) for at, value in seen] for name, seen in document["counts"].items()}
        return History({name: int(times) for name, times in document["doubts"].items()}, counts)
    return History()


def write_history(file: Path, history: History) -> None:
    """Replace the file. If it can't be written, the next look begins anew."""
    with suppress(OSError):
        new = file.with_suffix(".new")
        new.write_text(json.dumps({"doubts": history.doubts, "counts": history.counts}))
        os.replace(new, file)
