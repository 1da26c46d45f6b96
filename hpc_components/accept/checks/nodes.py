"""Ranks, names and first boot of a job's nodes."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hpc_components.accept.checks.part import Part, QueueRun, by_node, on_each_node, silent
from hpc_components.accept.result import Code, Figure, Outcome, held, left_out
from hpc_components.accept.result import judged as judged_figures
from hpc_components.strict_json import parse_json

_RANK = re.compile(r"^rank (\d+) of (\d+) on (\S+)$", re.M)

_SLOWEST = 3

SHOW_STEPS = "cat /opt/hpc/boot-steps.json 2>/dev/null || echo none"
"""Prints what a node recorded of its boot. `read_boot` takes its output."""


@dataclass(frozen=True, kw_only=True)
class Boot:
    """The run of a node's boot steps: the first, or on head and login nodes the last, for a changed configuration."""

    seconds: float
    """From the begin of the first step to the end of the last. Less than the sum of all: some steps run together."""
    steps: Mapping[str, float]
    """Seconds of each step, in the order of the boot."""


def ranks(run: QueueRun) -> Part:
    """Every rank of a step must say hello, from every node."""
    wanted = run.nodes * run.ranks_per_node

    def judge(text: str) -> Iterator[Outcome]:
        found = [(int(rank), host) for rank, _, host in _RANK.findall(text)]
        said, hosts = sorted(rank for rank, _ in found), {host for _, host in found}
        wrong = [] if said == list(range(wanted)) and len(hosts) == run.nodes else [
            f"{len(set(said))} ranks on {len(hosts)} nodes: {_last(text)}"
        ]  # fmt: skip
        what = f"all {wanted:,} ranks say hello from {run.nodes} nodes"
        yield held(Code.RANKS, what, run.queue.name, wrong, f"on {', '.join(sorted(hosts))}")

    hello = 'echo "rank $SLURM_PROCID of $SLURM_NTASKS on $(hostname -s)"'
    return Part(
        code=Code.RANKS,
        script=f"srun --ntasks={wanted} --ntasks-per-node={run.ranks_per_node} bash -c '{hello}'",
        judge=judge,
        seconds=120,
    )


def names(run: QueueRun) -> Part:
    """Every node must resolve the name of every node of the job and of the head node, all to the same addresses."""

    def judge(text: str) -> Iterator[Outcome]:
        found = by_node(text)
        wrong = silent(found, run, text)
        seen: dict[str, dict[str, list[str]]] = {}
        for node, lines in found.items():
            for name, _, address in (line.partition(" ") for line in lines):
                seen.setdefault(name, {}).setdefault(address, []).append(node)
        for name, addresses in sorted(seen.items()):
            if lost := addresses.get("-"):
                wrong.append(f"{', '.join(sorted(lost))} can't resolve {name}")
            elif len(addresses) > 1:
                wrong.append(f"{name} has different addresses: {', '.join(sorted(addresses))}")
        what = "every node resolves the names of all nodes of its job, and of the head node"
        lookups = sum(map(len, found.values()))
        yield held(Code.NAMES, what, run.queue.name, wrong, f"{lookups} lookups")

    look_up = (
        'for name in $(scontrol show hostnames "$SLURM_JOB_NODELIST") head; do\n'
        "  address=$(getent ahostsv4 \"$name\" | awk 'NR == 1 {print $1}')\n"
        '  [ "$name" = "$(hostname -s)" ] || echo "$name ${address:--}"\n'
        "done"
    )
    return Part(code=Code.NAMES, script=on_each_node(look_up), judge=judge, seconds=120)


def boot_steps(run: QueueRun) -> Part:
    """Show how long the first boot of the nodes took."""
    what = "seconds of the first boot of a node"

    def judge(text: str) -> Iterator[Outcome]:
        boots = boot_of(text)
        if not boots:
            yield left_out(Code.BOOT_STEPS, what, run.queue.name, "the nodes have no /opt/hpc/boot-steps.json")
            return
        longest = max(boots.values(), key=lambda boot: boot.seconds)
        slowest = sorted(longest.steps.items(), key=lambda each: -each[1])[:_SLOWEST]
        figures = [Figure(name=f"step {step}", value=seconds, unit="s") for step, seconds in slowest]
        total = Figure(name="all steps of the first boot", value=round(longest.seconds, 1), unit="s")
        yield judged_figures(Code.BOOT_STEPS, what, run.queue.name, [total, *figures])

    return Part(code=Code.BOOT_STEPS, script=on_each_node(SHOW_STEPS), judge=judge)


def boot_of(text: str) -> dict[str, Boot]:
    """Return the boots by node, given what the part printed."""
    found = {node: read_boot("\n".join(lines)) for node, lines in by_node(text).items()}
    return {node: boot for node, boot in found.items() if boot}


def read_boot(text: str) -> Boot | None:
    """Return the boot, or None if `text` is not what a boot records."""
    try:
        record = parse_json(text)
        steps = {str(step["step"]): float(step["seconds"]) for step in record["steps"]}
        return Boot(seconds=float(record["seconds"]), steps=steps)
    except (ValueError, KeyError, TypeError):
        return None


def _last(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip() and not _RANK.match(line)]
    return lines[-1].strip() if lines else "no message"
