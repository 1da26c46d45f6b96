"""Prometheus's text format, in files for node_exporter.

Sources: Prometheus documentation, "Exposition formats"; node_exporter, README, "Textfile Collector": a file must be
replaced as a whole.
"""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

MAX_SERIES_OF_METRIC = 512
"""Maximum number of series of one metric, whatever a driver lists: 64 devices with eight ports each."""


@dataclass(frozen=True)
class Metric:
    name: str
    kind: str
    """`gauge` or `counter`."""
    words: str
    """What it means, in one line."""
    samples: tuple[tuple[Mapping[str, str], float | Decimal], ...]
    """Labels and values."""


def written(metrics: Iterable[Metric], *, max_series: int | None = MAX_SERIES_OF_METRIC) -> str:
    """Return the file's text. A metric without samples is left out, and so are series of a metric beyond the maximum,
    unless it is None.
    """
    return "".join(_lines(metric, max_series) for metric in metrics if metric.samples)


def write(path: Path, text: str) -> None:
    """Replace the file. Raise OSError if that is impossible."""
    new = path.with_name(f".{path.name}.new")  # node_exporter reads *.prom only
    new.write_text(text, encoding="utf-8")
    new.chmod(0o644)
    os.replace(new, path)


def _lines(metric: Metric, max_series: int | None) -> str:
    lines = [f"# HELP {metric.name} {metric.words}", f"# TYPE {metric.name} {metric.kind}"]
    for labels, value in metric.samples[:max_series]:
        shown = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels.items())
        lines.append(f"{metric.name}{{{shown}}} {value:.15g}" if shown else f"{metric.name} {value:.15g}")
    return "\n".join(lines) + "\n"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
