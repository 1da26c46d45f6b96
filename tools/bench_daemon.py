"""Benchmark of the complete elastic daemon (with EC2's driver and Slurm's commands) and of its ResumeProgram.

`bench.py` imports this module; as a program, `bench_daemon.py CONFIG` prints the CPU seconds of a cycle.
"""

import os
import socketserver
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from bench_account import ROOT, Account, serving
from bench_resume import prepare

NODES, JOBS = 10_000, 100
MACHINE = "c7i.48xlarge"


def measure(runs: int) -> None:
    """Run both benchmarks and print their results."""
    print(f"{'daemon: cycle, EC2 lists 10,000':36} {_cycle():7.2f}s {1.5:7.2f}s   CPU")
    print(f"{'ResumeProgram, jobs of 400 nodes':36} {_resume_program(runs):7.3f}s {0.05:7.2f}s")


def _cycle() -> float:
    each = NODES // JOBS
    jobs = [[f"compute-{first + 1 + index}" for index in range(each)] for first in range(0, NODES, each)]
    with tempfile.TemporaryDirectory() as name, serving(Account()) as account:
        config, environment = prepare(Path(name), account, jobs, [MACHINE])
        command = [sys.executable, __file__, str(config)]
        done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return float(done.stdout)


def _resume_program(runs: int) -> float:
    """Return the seconds that slurmctld waits for its ResumeProgram while a daemon listens."""

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.rfile.read()

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = (ROOT / "hpc_components/elastic/programs/wake.py").read_text(encoding="utf-8")
        program = folder / "hpc-resume"
        program.write_text(text.replace("/run/hpc-elastic/socket", str(folder / "socket")), encoding="utf-8")
        program.chmod(0o755)
        took = []
        with serving(socketserver.ThreadingUnixStreamServer(str(folder / "socket"), Handler)):
            for _ in range(max(runs, 7)):
                start = time.perf_counter()
                subprocess.run([program, "compute-[1-400]"], check=True)
                took.append(time.perf_counter() - start)
    return statistics.median(took)


def main(config: str) -> None:
    """Launch all machines, then print the CPU seconds of a cycle while they boot."""
    from hpc_components.elastic.clock import Clock
    from hpc_components.elastic.config import load_config
    from hpc_components.elastic.daemon.cycle import Cycle
    from hpc_components.elastic.drivers import connect
    from hpc_components.elastic.journal.file import Journal
    from hpc_components.elastic.slurm.scontrol import Scontrol

    told = load_config(Path(config).read_text(encoding="utf-8"))
    clock = Clock()
    journal = Journal(Path(config).with_name("journal.json"), clock)
    cycle = Cycle(told, connect(told), Scontrol(), journal, clock)
    cycle.run()
    cycles = []
    for _ in range(5):
        start = time.process_time()
        seen = len(cycle.run().instances)
        cycles.append(time.process_time() - start)
        if seen != NODES:
            raise RuntimeError(f"the daemon sees {seen} of {NODES} machines")
    print(statistics.median(cycles))


if __name__ == "__main__":
    main(sys.argv[1])
