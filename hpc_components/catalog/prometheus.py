"""Facts about Prometheus: which systems have packages of it, and how much its data takes."""

from functools import cache

from hpc_components.catalog.by_kind import RecordsByKind

_RECORDS = RecordsByKind("prometheus", __file__)


@cache
def prometheus_systems() -> tuple[str, ...]:
    """Return the operating systems whose own archive has Prometheus, Alertmanager and node_exporter."""
    return tuple(one["os"] for one in _RECORDS.records("packages"))


@cache
def unconfirmed_version(os: str) -> str | None:
    """Return the version of Prometheus in an operating system's archive if the record is marked `unsure`, else None.

    None as well if the system has no packages of Prometheus.
    """
    found = (one for one in _RECORDS.records("packages") if one["os"] == os and one.get("unsure"))
    return next((one["prometheus"] for one in found), None)


def bytes_per_sample() -> int:
    """Return what a sample takes on disk, at most."""
    return _size("bytes_per_sample")


def series_per_node() -> int:
    """Return the number of series that Prometheus keeps of a node, at most."""
    return _size("series_per_node")


def _size(name: str) -> int:
    (found,) = (record["value"] for record in _RECORDS.records("size") if record["name"] == name)
    return found
