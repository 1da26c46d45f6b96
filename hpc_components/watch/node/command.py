"""The command line of `hpc-metrics`."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from hpc_components.textfile import write, written
from hpc_components.watch.node.fabric import fabric_metrics
from hpc_components.watch.node.gpu import gpu_metrics
from hpc_components.watch.node.system import system_metrics

FILE = Path("/var/lib/prometheus/node-exporter/hpc.prom")
"""The directory is that of Debian's and Ubuntu's packages of node_exporter."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="hpc-metrics", description="Write metrics of this node to a file for node_exporter, once."
    )
    parser.add_argument("file", nargs="?", type=Path, default=FILE, help=f"default: {FILE}")
    options = parser.parse_args(arguments)
    root = Path("/")
    try:
        write(options.file, written([*system_metrics(root), *fabric_metrics(root), *gpu_metrics()]))
    except OSError as error:
        print(f"hpc-metrics: {error}", file=sys.stderr)
        return 1
    return 0
