"""Prometheus's text format.

Source: Prometheus documentation, "Exposition formats", "Metric and label naming".
"""

from collections.abc import Iterable, Mapping
from typing import Any

Sample = tuple[Mapping[str, str], Any]
"""Labels and value of one series."""


def family(name: str, kind: str, words: str, samples: Iterable[Sample]) -> str:
    """Return the lines of one metric. `kind` is `gauge` or `counter`; `words` explain the metric in one line."""
    lines = [f"# HELP {name} {words}", f"# TYPE {name} {kind}"]
    lines += [f"{name}{_labels(labels)} {float(value):.15g}" for labels, value in samples]
    return "\n".join(lines) + "\n"


def _labels(labels: Mapping[str, str]) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{key}="{_escaped(value)}"' for key, value in labels.items()) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
