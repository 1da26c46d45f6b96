"""Throughput that a cloud states for a file system."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class StatedThroughput:
    """Throughput of a file system in MiB/s, of all clients together."""

    write: float
    read: float
    source: str
    """Page of the cloud that states it."""


def per_tib(mbps: float, gib: float, source: str) -> StatedThroughput:
    """Return the throughput of a file system that reads and writes `mbps` MB/s for each TiB of its capacity."""
    return of_mbps(mbps * gib / 1024, source)


def of_mbps(mbps: float, source: str) -> StatedThroughput:
    """Return a throughput that is stated in MB/s, for reads as for writes."""
    return StatedThroughput(write=mbps * 1e6 / 2**20, read=mbps * 1e6 / 2**20, source=source)
