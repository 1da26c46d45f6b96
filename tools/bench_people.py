"""Benchmark of 2,000 users on 4,000 nodes, from the head node's decision to the last node that knows of a change.

The name server is dnsmasq as generated, asked as often as 4,000 nodes ask it. `hpc-people` itself does the work of
the head node and of a node, without Slurm and without a cloud. It runs in a separate network namespace.
"""

import datetime
import os
import random
import shutil
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench_names import CLUSTER, NODES, serving

from hpc_components.boot.name_service import domain_of
from hpc_components.people.node.command import FOLLOW_SECONDS
from hpc_components.people.node.document import Document, Group, Person, write
from hpc_components.people.node.follow import Follower
from hpc_components.people.node.lead import Files, Leader
from hpc_components.people.node.leaving import Spool
from hpc_components.people.node.name_service import Places
from hpc_components.people.node.version import NAME
from hpc_components.spec.addresses import head_address

USERS = 2000
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFBSXHTRvHGkmOm0DJtYXGVpNIbQGrKPG9ChjVIsWQpA user@laptop"
TODAY = datetime.date(2026, 11, 25)


def measure(runs: int) -> None:
    """Run all cases and print their results, or why they can't run here."""
    if os.geteuid() != 0 or not shutil.which("dnsmasq"):
        print("people are not measured: they need root and dnsmasq (apt-get install dnsmasq-base)")
        return
    subprocess.run(["unshare", "-n", "-m", sys.executable, __file__, "inside", str(runs)], check=True)


def described(changed: str) -> str:
    people = {f"user{number}": Person(2000 + number, "", (KEY,)) for number in range(USERS)}
    people["user0"] = Person(2000, changed, (KEY,))
    names = list(people)
    groups = {f"group{number}": Group(5000 + number, tuple(names[number::100])) for number in range(100)}
    return write(Document(people, groups))


def inside(runs: int) -> None:
    """Run all cases; called within the namespace."""
    with tempfile.TemporaryDirectory() as temporary, serving(Path(temporary)):
        folder = Path(temporary)
        leader, follower = _programs(folder)
        leader.files.described.write_text(described(""))
        first = _seconds(lambda: leader.lead(TODAY))
        led, applied, last, load = [], [], [], []
        for run in range(runs):
            leader.files.described.write_text(described(str(run)))
            led.append(_seconds(lambda: leader.lead(TODAY)))
            applied.append(_seconds(follower.apply))
            before = _cpu_of_server(folder)
            last.append(_until_last_node_knows(folder))
            load.append((_cpu_of_server(folder) - before) / last[-1])
        size = leader.files.published.stat().st_size
        print(f"{USERS:,} users, {len(NODES):,} nodes; document of {size:,} bytes, one fetch by each node")
        for words, values, unit in (
            ("head node: the first time, with all home directories", [first], "s"),
            ("head node: decide, write its tables, publish", led, "s"),
            ("a node: apply the document", applied, "s"),
            ("announced, until the last node has looked", last, "s"),
            ("name server's share of one CPU", [100 * each for each in load], "%"),
        ):
            print(f"{words:52} {statistics.median(values):7.3f}{unit} median, {max(values):.3f}{unit} at most")


def _programs(folder: Path) -> tuple[Leader, Follower]:
    places = Places(*(folder / name for name in ("extrausers", "keys")))
    spool = Spool(*(folder / "spool" for _ in range(4)))
    files = Files(
        described=folder / "described.json",
        known=folder / "ids",
        published=folder / "published.json",
        names=folder / "names" / "people",
        homes=folder / "homes",
        skeleton=folder / "skeleton",
    )
    for made in (files.homes, files.skeleton):
        made.mkdir()
    leader = Leader(lambda _: None, files, places, spool, run=lambda *_: "", tell=lambda _: None)
    return leader, Follower(lambda *_: None, file=files.published, places=places, spool=spool, tell=lambda _: None)


def _seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def _until_last_node_knows(folder: Path) -> float:
    """Announce another version, and return the seconds until all nodes have seen it.

    Each looks every `FOLLOW_SECONDS`, beginning at a random time.
    """
    wanted = f"10.1.2.{random.randrange(1, 255)}"
    (folder / "new").write_text(f"{wanted} {NAME}\n")
    (folder / "new").rename(folder / "names" / "people")
    start = time.perf_counter()
    due = sorted((start + random.uniform(0, FOLLOW_SECONDS), number) for number in range(len(NODES)))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        asking.connect((str(head_address(CLUSTER)), 53))
        while due:
            at, number = due.pop(0)
            time.sleep(max(0, at - time.perf_counter()))
            if _asked(asking, number) != wanted:
                due.append((at + FOLLOW_SECONDS, number))
    return time.perf_counter() - start


def _asked(asking: socket.socket, number: int) -> str:
    """Return the announced address. Source: RFC 1035, section 4."""
    labels = [*NAME.split("."), *domain_of(CLUSTER).split(".")]
    name = b"".join(bytes([len(label)]) + label.encode() for label in labels) + b"\0"
    asking.send(struct.pack(">6H", number, 0x0100, 1, 0, 0, 0) + name + struct.pack(">2H", 1, 1))
    return socket.inet_ntoa(asking.recv(512)[-4:])


def _cpu_of_server(folder: Path) -> float:
    """Return the seconds of CPU time that the name server has used."""
    (pid,) = subprocess.check_output(["pgrep", "-f", f"conf-file={folder}/server"], text=True).split()
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    if sys.argv[1:2] == ["inside"]:
        inside(int(sys.argv[2]))
    else:
        measure(3)
