"""The fast fabric: its interfaces, and what MPI reaches over it."""

import re
from collections.abc import Iterator

from hpc_components.accept import expected
from hpc_components.accept.checks.part import Part, QueueRun, by_node, on_each_node, silent
from hpc_components.accept.result import Code, Figure, Outcome, held, judged, left_out
from hpc_components.spec.queue_defaults import fabric_of
from hpc_components.wording import plural

_FIGURES = re.compile(r"^(latency|bandwidth) ([\d.]+)$", re.M)

_OSU_ROW = re.compile(r"^(\d+)\s+([\d.]+)\s*$", re.M)

_SMALL, _LARGE = 8, 4 * 2**20
"""Message sizes in bytes for latency and bandwidth."""

_NO_TOOL = "no tool:"

_MPI = f"""\
module load openmpi 2>/dev/null
two() {{ srun --nodes=2 --ntasks=2 --ntasks-per-node=1 "$@"; }}
if command -v osu_latency osu_bw >/dev/null; then
  echo "tool osu"
  two osu_latency -m {_SMALL}:{_SMALL}; echo "@ bandwidth"; two osu_bw -m {_LARGE}:{_LARGE}
elif ! command -v mpicc >/dev/null; then
  echo "{_NO_TOOL} the nodes have neither osu_latency nor mpicc; install an MPI with its compiler"
elif ! said=$(mpicc -O2 -o pingpong pingpong.c 2>&1); then
  echo "{_NO_TOOL} mpicc of the nodes can't compile: $(grep -m 1 error <<<"$said")"
else
  echo "tool pingpong"
  two ./pingpong
fi
"""


def devices(run: QueueRun) -> Part | None:
    """Every node must have the device files of its fabric's interfaces; without them, MPI uses the slow network."""
    fabric = fabric_of(run.queue)
    if fabric is None or not fabric.has_verbs:
        return None

    def judge(text: str) -> Iterator[Outcome]:
        found = by_node(text)
        wrong = silent(found, run, text)
        for node, lines in sorted(found.items()):
            count = int(lines[-1]) if lines[-1].isdecimal() else 0
            if count < fabric.interfaces:
                wrong.append(f"{node} has {count} of {fabric.interfaces} interfaces in /dev/infiniband")
        what = f"every node has {plural(fabric.interfaces, 'interface')} of {fabric.name}"
        yield held(Code.FABRIC, what, run.queue.name, wrong)

    return Part(code=Code.FABRIC, script=on_each_node("ls /dev/infiniband 2>/dev/null | grep -c uverbs"), judge=judge)


def mpi(run: QueueRun) -> Part | None:
    """Two processes on two nodes must reach the latency and the bandwidth of the fabric, where limits are known."""
    what = "latency and bandwidth of MPI between two nodes"
    if run.nodes < 2:
        return None

    def judge(text: str) -> Iterator[Outcome]:
        if _NO_TOOL in text:
            yield left_out(Code.MPI, what, run.queue.name, text.partition(_NO_TOOL)[2].strip())
            return
        measured = dict(_osu(text) if "tool osu" in text else _FIGURES.findall(text))
        latency, bandwidth = expected.mpi_latency(run.queue), expected.mpi_bandwidth(run.queue)
        if not run.speeds_count:
            latency = bandwidth = None
        figures = []
        if "latency" in measured:
            figures.append(
                Figure(
                    name="MPI latency",
                    value=float(measured["latency"]),
                    unit="µs",
                    at_most=latency.value if latency else None,
                    source=latency.source if latency else "",
                    unsure=bool(latency and latency.unsure),
                )
            )
        if "bandwidth" in measured:
            figures.append(
                Figure(
                    name="MPI bandwidth",
                    value=float(measured["bandwidth"]),
                    unit="MiB/s",
                    at_least=round(bandwidth.value, 1) if bandwidth else None,
                    source=bandwidth.source if bandwidth else "",
                    unsure=bool(bandwidth and bandwidth.unsure),
                )
            )
        wrong = "" if len(figures) == 2 else f"MPI does not run: {_reason(text)}"
        tool = "OSU micro-benchmarks" if "tool osu" in text else "own ping-pong, compiled on the node"
        yield judged(Code.MPI, what, run.queue.name, figures, "" if wrong else tool, wrong=wrong)

    return Part(code=Code.MPI, script=_MPI, judge=judge, seconds=180)


def _reason(text: str) -> str:
    """Return the first message of MPI itself, or else the last one of srun, which says only how a process ended."""
    lines = [line.strip() for line in text.splitlines() if re.search(r"[A-Za-z]", line)]
    messages = [line for line in lines if not line.startswith(("tool ", "@ ")) and not _FIGURES.match(line)]
    own = [line for line in messages if not line.startswith(("srun:", "slurmstepd:", "#"))]
    return (own[:1] or messages[-1:] or ["no message"])[0]


def _osu(text: str) -> Iterator[tuple[str, str]]:
    """Yield the values of osu_latency (µs) and osu_bw (MB/s, which are converted to MiB/s)."""
    first, _, second = text.partition("@ bandwidth")
    for size, value in _OSU_ROW.findall(first):
        if int(size) == _SMALL:
            yield "latency", value
    for size, value in _OSU_ROW.findall(second):
        if int(size) == _LARGE:
            yield "bandwidth", f"{float(value) * 1e6 / 2**20:.1f}"
