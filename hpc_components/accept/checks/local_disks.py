"""The nodes' own disks."""

from collections.abc import Collection, Iterator, Sequence

from hpc_components.accept.checks.files import MEASURED
from hpc_components.accept.checks.part import Part, QueueRun, by_node, on_each_node, quoted, silent
from hpc_components.accept.result import Code, Figure, Outcome, held, judged, left_out

_NOT_MOUNTED = "not mounted"

_ON_NODE = """\
mountpoint -q {scratch} || {{ echo {not_mounted}; exit; }}
d=$(mktemp -d {scratch}/hpc-accept-XXXXXX) || exit
trap 'rm -rf "$d"' EXIT
export SLURM_PROCID=0 SLURM_NTASKS=1 # each node reads its own file
for step in write read; do python3 throughput.py $step "$d" {mib} 0; done"""


def local_scratch(run: QueueRun) -> Part | None:
    """The local disks must be mounted on every node, and users must be able to write there."""
    scratch = run.queue.local_scratch or ""
    if not scratch:
        return None
    script = _ON_NODE.format(scratch=quoted(scratch), not_mounted=quoted(_NOT_MOUNTED), mib=run.mib)

    def judge(text: str) -> Iterator[Outcome]:
        found = by_node(text)
        what = f"{scratch} is on local disks of every node, and users may write there"
        if not run.speeds_count and found and all(lines == [_NOT_MOUNTED] for lines in found.values()):
            yield left_out(Code.LOCAL_SCRATCH, what, run.queue.name, "hosts of a rehearsal have no local disks")
            return
        wrong = silent(found, run, text)
        wrong += [f"{node}: {fault}" for node, lines in sorted(found.items()) if (fault := _fault(lines, scratch))]
        yield held(Code.LOCAL_SCRATCH, what, run.queue.name, wrong)
        if figures := list(_slowest(found.values(), scratch)):
            what = f"sequential throughput of {scratch}, a node's own disks"
            yield judged(Code.LOCAL_SCRATCH, what, run.queue.name, figures, f"{run.mib} MiB a node")

    return Part(code=Code.LOCAL_SCRATCH, script=on_each_node(script), judge=judge, seconds=120)


def _fault(lines: Sequence[str], scratch: str) -> str:
    if lines == [_NOT_MOUNTED]:
        return f"{scratch} is not mounted, so that jobs fill the root disk"
    measured = {match[1] for line in lines if (match := MEASURED.match(line))}
    return "" if measured == {"write", "read"} else lines[-1]


def _slowest(nodes: Collection[Sequence[str]], scratch: str) -> Iterator[Figure]:
    found = [match for lines in nodes for line in lines if (match := MEASURED.match(line))]
    for step in ("write", "read"):
        rates = [int(m[2]) / max(float(m[4]) - float(m[3]), 1e-9) / 2**20 for m in found if m[1] == step]
        if rates:
            yield Figure(name=f"{scratch} {step}, slowest node", value=round(min(rates), 1), unit="MiB/s")
