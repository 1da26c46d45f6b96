"""Counters of fast networks that node_exporter does not read (`hw_counters`).

Sources: Linux, drivers/infiniband/hw/efa/efa_verbs.c, for EFA; NVIDIA, "Understanding mlx5 Linux Counters", for
InfiniBand and RoCE. node_exporter reads the ports' `counters`, which EFA does not have.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from hpc_components.textfile import Metric

_BYTES = {
    "tx_bytes": "sent", "rx_bytes": "received", "rdma_read_bytes": "rdma_read", "rdma_write_bytes": "rdma_written",
}  # fmt: skip
_RETRANSMITTED = ("retrans_pkts", "packet_seq_err")
_UNRESPONSIVE = ("unresponsive_remote_events", "impaired_remote_conn_events")


def fabric_metrics(root: Path) -> Iterator[Metric]:
    """Yield metrics of a system whose root directory is `root`."""
    directories = sorted((root / "sys/class/infiniband").glob("*/ports/*/hw_counters"))
    moved = tuple(
        ({**_port(directory), "direction": way}, value)
        for directory in directories
        for file, way in _BYTES.items()
        for value in _values(directory, (file,))
    )
    yield Metric("hpc_fabric_bytes_total", "counter", "Bytes by direction, as the card counts them.", moved)
    words = "Packets that were sent again, or NAKs for packets out of sequence."
    yield Metric("hpc_fabric_retransmitted_packets_total", "counter", words, _sums(directories, _RETRANSMITTED))
    words = "Times that a peer did not respond, or its connection was impaired."
    yield Metric("hpc_fabric_unresponsive_peer_total", "counter", words, _sums(directories, _UNRESPONSIVE))


def _sums(directories: Sequence[Path], names: Sequence[str]) -> tuple[tuple[dict[str, str], float], ...]:
    each = ((directory, list(_values(directory, names))) for directory in directories)
    return tuple((_port(directory), sum(values)) for directory, values in each if values)


def _values(directory: Path, names: Sequence[str]) -> Iterator[float]:
    for name in names:
        file = directory / name
        if file.exists():
            yield float(file.read_text())


def _port(directory: Path) -> dict[str, str]:
    return {"device": directory.parents[2].name, "port": directory.parent.name}
