"""Benchmark of name lookups for 4,000 nodes, from the daemon's table through name server and forwarder to
`getaddrinfo`.

It runs in a separate network namespace. `bench.py` runs it too.
"""

import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.boot.name_service import FORWARDER_PORT, TABLE, domain_of, name_files
from hpc_components.elastic.slurm.name_table import NameTable
from hpc_components.spec.addresses import head_address

NODES = {f"compute-{number + 1}": f"10.20.{128 + number // 250}.{1 + number % 250}" for number in range(4000)}
"""Addresses of the nodes by name."""
CLUSTER = AwsClusterSpec.model_validate(
    {
        "cloud": "aws",
        "name": "bench",
        "region": "us-east-2",
        "zone": "use2-az2",
        "network": {"cidr": "10.20.0.0/16"},
        "head_node": {"machine": "m7i.large"},
        "queues": [{"name": "compute", "machine": "c7i.xlarge", "max": 4000}],
    }
)


def measure(runs: int) -> None:
    """Run all cases and print their results, or why they can't run here."""
    if os.geteuid() != 0 or not shutil.which("dnsmasq"):
        print("name lookups are not measured: they need root and dnsmasq (apt-get install dnsmasq-base)")
        return
    command = ["unshare", "-n", "-m", sys.executable, __file__, "inside", str(runs)]
    subprocess.run(command, check=True)


def inside(runs: int) -> None:
    """Run all cases; called within the namespace."""
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as table:
        last = list(NODES)[-1]
        appeared, looked_up, changed = [], [], []
        for run in range(runs):
            table.publish({}, ())
            until(lambda: not address_of(last))
            appeared.append(timed(lambda: (table.publish(NODES, ()), until(lambda: address_of(last) == NODES[last]))))
            looked_up.append(timed(lambda: [address_of(name) for name in NODES]))
            changed.append(timed(partial(_move, table, last, f"10.20.200.{run}")))
        for words, seconds in (
            ("4,000 nodes register: table written to name found", appeared),
            ("4,000 names looked up, one after another", looked_up),
            ("a node gets another address: seen by a client", changed),
        ):
            print(f"{words:52} {statistics.median(seconds):7.3f}s median, {max(seconds):.3f}s at most")


@contextmanager
def serving(folder: Path) -> Generator[NameTable]:
    """Run name server and forwarder as generated, except for the table's directory, and the port, which getaddrinfo
    fixes.
    """
    head, files = str(head_address(CLUSTER)), name_files(CLUSTER)
    names, off = folder / "names", folder / "names-off"
    for directory in (names, off):
        directory.mkdir(mode=0o755)
    folder.chmod(0o755)
    server = files["head/name-server.conf"].replace(TABLE, str(names))
    forwarder = files["common/names.conf"].replace(f"port={FORWARDER_PORT}", "port=53")
    (folder / "resolv.conf").write_text(f"nameserver 127.0.0.1\nsearch {domain_of(CLUSTER)}\n")
    for command in (
        ("ip", "link", "set", "lo", "up"),
        ("ip", "addr", "add", f"{head}/32", "dev", "lo"),
        ("mount", "--make-rprivate", "/"),
        ("mount", "--bind", str(folder / "resolv.conf"), "/etc/resolv.conf"),
    ):
        subprocess.run(command, check=True)
    running = []
    for name, text in (("server", server), ("forwarder", forwarder)):
        (folder / name).write_text(text)
        line = ["dnsmasq", "--keep-in-foreground", f"--conf-file={folder / name}"]
        running.append(subprocess.Popen(line, stderr=subprocess.DEVNULL))
    until(lambda: address_of("head") == head)
    yield NameTable(names / "nodes", off / "nodes")
    for process in running:
        process.terminate()
        process.wait()


def _move(table: NameTable, node: str, address: str) -> None:
    table.publish({**NODES, node: address}, ())
    until(lambda: address_of(node) == address)


def address_of(name: str) -> str:
    """Return the address that a program gets for a name; empty if the lookup fails."""
    try:
        return str(socket.getaddrinfo(name, None, socket.AF_INET, socket.SOCK_STREAM)[0][4][0])
    except socket.gaierror:
        return ""


def timed(run: Callable[[], object]) -> float:
    """Return the duration of `run` in seconds."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def until(done: Callable[[], object]) -> None:
    """Wait until `done` returns a true value, at most a minute."""
    end = time.monotonic() + 60
    while not done():
        if time.monotonic() > end:
            raise TimeoutError("it took more than a minute")
        time.sleep(0.01)


if __name__ == "__main__":
    if sys.argv[1:2] == ["inside"]:
        inside(int(sys.argv[2]))
    else:
        measure(5)
