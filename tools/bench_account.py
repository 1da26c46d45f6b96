"""The environment of programs that launch nodes in a benchmark: stand-ins for an AWS account and for Slurm.

The account is the tests' stand-in for EC2, plus DynamoDB and Route 53, to which ParallelCluster writes. Each call
takes as long as a call to AWS. Slurm's commands are shell scripts that print fixed answers and record their
arguments.
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from elastic.drivers.ec2_server import Ec2Server  # noqa: E402  # ty: ignore
from elastic.drivers.fake_ec2 import FakeEc2  # noqa: E402  # ty: ignore
from serving import serving  # noqa: E402  # ty: ignore

__all__ = ["REGION", "Account", "make_slurm", "serving"]

REGION = "us-east-2"
LATENCY = 0.1
"""Duration of a call in seconds, about the time in which EC2 answers a head node in its region."""

ROUTE_53 = """<?xml version="1.0"?>
<ChangeResourceRecordSetsResponse xmlns="https://route53.amazonaws.com/doc/2013-04-01/"><ChangeInfo>
<Id>/change/C1</Id><Status>INSYNC</Status><SubmittedAt>2026-11-21T00:00:00Z</SubmittedAt>
</ChangeInfo></ChangeResourceRecordSetsResponse>"""

SCONTROL = """#!/bin/sh
here=${0%/*}
echo "$@" >> "$here/told"
[ "$1" = show ] || exit 0
case "$*" in *--oneliner*) cat "$here/nodes.lines" ;; *) cat "$here/nodes.records" ;; esac
"""
SQUEUE = """#!/bin/sh
cat "${0%/*}/jobs"
"""
SUDO = """#!/bin/sh
exec "$@"
"""


class Account(Ec2Server):
    """A stand-in for AWS with the latency of a call within a region."""

    def __init__(self) -> None:
        super().__init__(FakeEc2(), LATENCY)

    def other(self, headers: Mapping[str, str], path: str, body: bytes) -> tuple[int, str, bytes]:
        """Answer calls to DynamoDB and Route 53, which accept everything."""
        target = headers.get("X-Amz-Target", "")
        if target:
            self.ec2.calls[target.rpartition(".")[2]] += 1
            return 200, "application/x-amz-json-1.0", b'{"UnprocessedItems": {}}'
        self.ec2.calls["ChangeResourceRecordSets"] += 1
        return 200, "text/xml", ROUTE_53.encode()

    def environment(self) -> dict[str, str]:
        """Return environment variables that direct an SDK to this account."""
        return {
            "AWS_ENDPOINT_URL": self.url,
            "AWS_ACCESS_KEY_ID": "x",
            "AWS_SECRET_ACCESS_KEY": "x",
            "AWS_DEFAULT_REGION": REGION,
            "AWS_CONFIG_FILE": "/dev/null",
            "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
        }


def make_slurm(folder: Path, jobs: Sequence[Sequence[str]]) -> Path:
    """Create Slurm's commands in `folder`, for PATH. `jobs` are lists of nodes that are powering up."""
    folder.mkdir()
    for name, text in (("scontrol", SCONTROL), ("squeue", SQUEUE), ("sudo", SUDO)):
        (folder / name).write_text(text, encoding="utf-8")
        (folder / name).chmod(0o755)
    records = [_record(node) for nodes in jobs for node in nodes]
    (folder / "nodes.records").write_text("\n\n".join("\n   ".join(each) for each in records), encoding="utf-8")
    (folder / "nodes.lines").write_text("\n".join(" ".join(each) for each in records) + "\n", encoding="utf-8")
    queue = "".join(f"{number}|CONFIGURING|{','.join(nodes)}\n" for number, nodes in enumerate(jobs, start=1))
    (folder / "jobs").write_text(queue, encoding="utf-8")
    return folder


def _record(node: str) -> list[str]:
    """Return a node's record as `scontrol show node` prints it."""
    return [
        f"NodeName={node} Arch=x86_64 CoresPerSocket=1",
        "CPUAlloc=96 CPUTot=96 CPULoad=0.00",
        f"NodeAddr={node} NodeHostName={node}",
        "RealMemory=360000 AllocMem=0 FreeMem=N/A Sockets=96 Boards=1",
        "State=MIXED+CLOUD+NOT_RESPONDING+POWERING_UP ThreadsPerCore=1 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A",
        f"Partitions={node.partition('-')[0]}",
        "BootTime=None SlurmdStartTime=None",
        "LastBusyTime=2026-11-21T00:00:00",
    ]
