"""`hpc init` on the toy cloud: a description without errors, and the project around it."""

from pathlib import Path

import pytest

from clouds.running import hpc
from hpc_components.first_cluster import WORKLOADS

pytestmark = pytest.mark.usefixtures("toy")

ASKED = ("init", "--cloud", "toy", "--region", "reef-1", "--budget", "none", "--name", "first")


@pytest.mark.parametrize("workload", WORKLOADS)
def test_a_first_cluster_has_no_errors_and_can_be_planned(tmp_path: Path, workload: str) -> None:
    done = hpc(*ASKED, "--workload", workload, "--ssh-from", "203.0.113.0/24", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "0 errors" in done.stdout
    text = (tmp_path / "Pulumi.first.yaml").read_text()
    assert "cloud: toy" in text
    assert (tmp_path / "requirements.txt").read_text().startswith("hpc-components[toy]==")
    if workload == "mpi":
        planned = hpc("preview", "first", cwd=tmp_path)
        assert planned.returncode == 0, planned.stderr
        assert "cluster first on the toy cloud, reef-1" in planned.stdout


def test_a_program_of_ones_own_makes_the_clouds_cluster(tmp_path: Path) -> None:
    done = hpc(*ASKED, "--workload", "mpi", "--ssh-from", "none", "--program", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "from clouds.toy import Cluster" in (tmp_path / "__main__.py").read_text()
    assert hpc("preview", "first", cwd=tmp_path).returncode == 0


def test_answers_are_judged_by_the_clouds_facts(tmp_path: Path) -> None:
    def refused(*answers: str) -> str:
        done = hpc(*ASKED[:3], "--ssh-from", "none", "--budget", "none", *answers, cwd=tmp_path)
        assert (done.returncode, [*tmp_path.iterdir()]) == (2, [])
        return done.stderr

    assert "did you mean reef-1?" in refused("--workload", "mpi", "--region", "reef-11")
    assert "coral-192 is not sold in atoll-2; it is in reef-1" in refused(
        "--region", "atoll-2", "--machine", "coral-192"
    )
    assert "did you mean tide-64?" in refused("--region", "reef-1", "--machine", "tide64")
