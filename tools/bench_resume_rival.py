"""ParallelCluster's `slurm_resume`, installed in a separate folder with its configuration, to compare with our
daemon.

`bench_resume.py` imports this module; with that folder's Python and the arguments `NODES LOG` it runs `slurm_resume`.
"""

import json
import logging
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

PACKAGE = "aws-parallelcluster-node==3.16.1"

CONFIG = """[slurm_resume]
cluster_name = demo
region = {region}
dynamodb_table = demo
hosted_zone = Z0123456789
dns_domain = demo.pcluster
head_node_private_ip = 10.0.0.1
head_node_hostname = head
clustermgtd_heartbeat_file_path = {folder}/heartbeat
fleet_config_file = {folder}/fleet.json
run_instances_overrides = {folder}/none.json
create_fleet_overrides = {folder}/none.json
logging_config = {folder}/logging.conf
"""
LOGGING = """[loggers]
keys=root
[handlers]
keys=file
[formatters]
keys=
[logger_root]
level=INFO
handlers=file
[handler_file]
class=FileHandler
level=INFO
args=("{folder}/log",)
"""


@dataclass(frozen=True)
class ResumeRival:
    """An installed node package."""

    folder: Path

    @classmethod
    def install(cls, folder: Path) -> "ResumeRival | None":
        """Install the package once (some seconds). Return None, with a message on standard error, if that fails."""
        if not (folder / "installed").exists():
            print("installing ParallelCluster's node package for comparison ...", file=sys.stderr)
            subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
            pip = [folder / "venv/bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            if subprocess.run([*pip, PACKAGE], check=False).returncode != 0:
                print(
                    "ParallelCluster's node package can't be installed: only our daemon is measured", file=sys.stderr
                )
                return None
            (folder / "installed").touch()
        return cls(folder)

    def program(
        self, folder: Path, slurm: Path, region: str, jobs: Sequence[Sequence[str]]
    ) -> tuple[list[str], dict[str, str]]:
        """Return the command and environment with which slurmctld would call it. Its files are written to `folder`.

        `slurm` is the folder with Slurm's commands, `jobs` are lists of node names.
        """
        everything = ",".join(node for nodes in jobs for node in nodes)
        listed = [
            {"job_id": number, "nodes_alloc": ",".join(nodes), "nodes_resume": ",".join(nodes), "oversubscribe": "NO"}
            for number, nodes in enumerate(jobs, start=1)
        ]
        fleet = {"q0": {"cr0": {"Api": "run-instances", "Instances": [{"InstanceType": "c7i.48xlarge"}]}}}
        files = {
            "resume.json": json.dumps({"all_nodes_resume": everything, "jobs": listed}),
            "fleet.json": json.dumps(fleet),
            "none.json": "{}",
            "resume.conf": CONFIG.format(folder=folder, region=region),
            "logging.conf": LOGGING.format(folder=folder),
            # its other daemon writes it; without it slurm_resume does nothing
            "heartbeat": datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S.%f%z"),
        }
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
        environment = {
            "CONFIG_FILE": str(folder / "resume.conf"),
            "SLURM_BINARIES_DIR": str(slurm),
            "SLURM_RESUME_FILE": str(folder / "resume.json"),
            "PATH": f"{slurm}:{os.environ['PATH']}",
        }
        return [str(self.folder / "venv/bin/python"), __file__, everything, str(folder / "log")], environment


def main(log: str) -> None:
    """Run slurm_resume, which would otherwise log to a folder in /var that does not exist here."""
    logging.basicConfig(filename=log, level=logging.INFO)
    from slurm_plugin.resume import main as resume  # ty: ignore

    resume()


if __name__ == "__main__":
    main(sys.argv.pop())
