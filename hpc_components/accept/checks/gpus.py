"""GPUs: their number on each node, and an all-reduce of NCCL across the nodes."""

import re
from collections.abc import Iterator

from hpc_components.accept import expected
from hpc_components.accept.checks.part import Part, QueueRun, by_node, on_each_node, silent
from hpc_components.accept.result import Code, Figure, Outcome, held, judged, left_out
from hpc_components.catalog import machine

_COUNT = """\
if command -v nvidia-smi >/dev/null; then nvidia-smi -L 2>&1 | grep -c "^GPU "
elif command -v rocm-smi >/dev/null; then rocm-smi --showid --csv 2>/dev/null | grep -c "^card"
else ls -d /dev/nvidia[0-9]* 2>/dev/null | wc -l; fi
echo "$CUDA_VISIBLE_DEVICES$ROCR_VISIBLE_DEVICES"
"""

_BUS = re.compile(r"^# Avg bus bandwidth\s*:\s*([\d.]+)", re.M)


def gpus_of(run: QueueRun) -> int:
    facts = machine(run.queue.cloud, run.queue.machine)
    return facts.gpu_count if facts else 0


def count(run: QueueRun) -> Part | None:
    """Every node must have as many GPUs as its machine type, and a step must get all of them."""
    gpus = gpus_of(run)
    if not gpus:
        return None

    def judge(text: str) -> Iterator[Outcome]:
        found = by_node(text)
        wrong = silent(found, run, text)
        for node, lines in sorted(found.items()):
            number, given = lines[0].strip(), [each for each in lines[-1].split(",") if each.strip()]
            if number != str(gpus):
                wrong.append(f"{node} has {number} of {gpus} GPUs")
            elif len(given) != gpus:
                wrong.append(f"{node}: a step that asks for {gpus} GPUs gets {len(given)}")
        yield held(Code.GPUS, f"every node has {gpus} GPUs, and steps get them", run.queue.name, wrong)

    return Part(code=Code.GPUS, script=on_each_node(_COUNT), judge=judge)


def nccl(run: QueueRun) -> Part | None:
    """An all-reduce over all GPUs of the nodes must reach the share of the fabric's rate in the limits."""
    gpus, what = gpus_of(run), "bus bandwidth of an all-reduce of NCCL"
    if not gpus or run.nodes < 2:
        return None

    def judge(text: str) -> Iterator[Outcome]:
        if "no nccl-tests" in text:
            yield left_out(Code.NCCL, what, run.queue.name, "all_reduce_perf of nccl-tests is not on the nodes' PATH")
            return
        found, limit = _BUS.search(text), expected.nccl_bandwidth(run.queue) if run.speeds_count else None
        lines = text.strip().splitlines()
        figures = [
            Figure(
                name="NCCL bus bandwidth",
                value=float(found[1]),
                unit="GB/s",
                at_least=round(limit.value, 1) if limit else None,
                source=limit.source if limit else "",
                unsure=bool(limit and limit.unsure),
            )
        ] if found else []  # fmt: skip
        wrong = "" if found else f"all_reduce_perf does not run: {lines[-1].strip() if lines else 'no message'}"
        yield judged(Code.NCCL, what, run.queue.name, figures, f"{gpus * run.nodes} GPUs, 1 GiB", wrong=wrong)

    script = (
        "module load openmpi 2>/dev/null; module load nccl 2>/dev/null\n"
        "if ! command -v all_reduce_perf >/dev/null; then echo 'no nccl-tests'; exit; fi\n"
        f"srun --ntasks-per-node={gpus} --ntasks={gpus * run.nodes} all_reduce_perf -b 1G -e 1G -g 1\n"
    )
    return Part(code=Code.NCCL, script=script, judge=judge, seconds=180)
