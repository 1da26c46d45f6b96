"""The job of a rehearsal: the published one, made to the cluster's measure, scaled on the command line alone."""

import shutil
import subprocess

import pytest

from hpc_components.rehearse.events import Fault
from hpc_components.rehearse.run.job import choose_queue, own_job, reference_job
from hpc_components.spec.source import UnreadableError
from tests.rehearse.performing import described
from tests.rehearse.setups import changed, setup_of

PUBLISHED = """\
#!/bin/bash
#SBATCH --job-name=mpi-hello
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=96
#SBATCH --cpus-per-task=1
#SBATCH --partition=compute-queue
#SBATCH --output=/fsx/mpi-hello-%j.out

module load openmpi
srun python3 /fsx/hello_mpi.py
"""


def job_of(stack, fault=None, *, nodes=None, cores=2, full=False, queue=None):
    setup = setup_of(stack)
    queue = setup.cluster.queue(queue) if queue else choose_queue(setup.cluster, fault)
    checkpoints = fault in (Fault.SPOT, Fault.DEAD_NODE)
    return reference_job(setup, queue, nodes=nodes, cores=cores, full=full, checkpoints=checkpoints)


def test_the_published_job_is_run_unchanged():
    job = job_of("aws-cfd", full=True)
    assert job.files["/fsx/submit_job.sh"] == PUBLISHED
    assert job.command == ("sbatch", "submit_job.sh")
    assert (job.scale.ranks, job.scale.full_ranks) == (384, 384)


def test_it_is_scaled_on_the_command_line_alone():
    job = job_of("aws-cfd")
    assert job.files["/fsx/submit_job.sh"] == PUBLISHED
    assert job.command == ("sbatch", "--ntasks-per-node=8", "submit_job.sh")
    assert (job.scale.nodes, job.scale.ranks, job.scale.full_ranks) == (4, 32, 384)


@pytest.mark.parametrize(("cores", "ranks"), [(1, 16), (8, 128), (64, 384)])
def test_a_larger_machine_runs_more_of_it(cores, ranks):
    assert job_of("aws-cfd", cores=cores).scale.ranks == ranks


def test_gpus_are_asked_for_all_of_them():
    job = job_of("aws-ultracluster")
    assert "#SBATCH --gres=gpu:8\n" in job.files["/fsx/submit_job.sh"]
    assert (job.scale.nodes, job.scale.ranks) == (3, 24)
    assert job.user == "abe"


def test_a_job_gets_as_many_nodes_as_asked_for():
    assert job_of("aws-cfd", nodes=16).scale.nodes == 16
    with pytest.raises(
        UnreadableError, match="--nodes 17 is more than queue compute-queue has; request at most 16 nodes"
    ):
        job_of("aws-cfd", nodes=17)


def test_files_lie_in_a_users_home_where_there_is_nothing_faster():
    job = job_of("aws-dev")
    assert job.directory == "/home/alice"
    assert set(job.files) == {"/home/alice/submit_job.sh", "/home/alice/hello_mpi.py"}
    assert "--output=/home/alice/mpi-hello-%j.out" in job.files["/home/alice/submit_job.sh"]


def test_without_any_shared_file_system_homes_are_shared():
    setup = setup_of(changed("aws-cfd", storage={}))
    job = reference_job(setup, setup.cluster.queues[0], nodes=None, cores=2, full=False, checkpoints=False)
    assert job.directory == "/home/alice"


@pytest.mark.parametrize(
    ("stack", "fault", "queue"),
    [
        ("aws-cfd", None, "compute-queue"),
        ("aws-cfd", Fault.SPOT, "spot"),
        ("aws-cfd", Fault.CAPACITY, "compute-queue"),
        ("aws-university", Fault.CAPACITY, "cpu"),
        ("aws-university", Fault.DEAD_NODE, "nlp"),
    ],
)
def test_the_fault_chooses_the_queue(stack, fault, queue):
    assert choose_queue(described(stack), fault).name == queue


def test_a_spot_notice_needs_a_spot_queue():
    with pytest.raises(UnreadableError, match="ultracluster has no spot queue"):
        choose_queue(described("aws-ultracluster"), Fault.SPOT)


def test_a_spot_rehearsal_runs_work_with_checkpoints():
    job = job_of("aws-cfd", Fault.SPOT)
    assert job.kind == "checkpoint"
    assert (job.queue, job.scale.nodes, job.scale.ranks) == ("spot", 1, 1)
    assert "/fsx/checkpoint.py" in job.files


def test_a_job_of_ones_own_is_not_touched():
    text = "#!/bin/bash\n#SBATCH --partition=deep-learning\nhostname\n"
    job = own_job(setup_of("aws-university"), "mine.sh", text, nodes=3)
    assert job.files == {"/fsx/mine.sh": text}
    assert job.command == ("sbatch", "--nodes=3", "mine.sh")
    assert (job.queue, job.user, job.scale) == ("deep-learning", "dave", None)


def test_a_job_of_ones_own_without_a_queue_goes_to_the_first():
    job = own_job(setup_of("aws-university"), "mine.sh", "#!/bin/bash\nhostname\n", nodes=None)
    assert (job.queue, job.user, job.command) == ("nlp", "alice", ("sbatch", "mine.sh"))


def test_what_a_job_of_ones_own_asks_for_may_stand_anywhere_on_its_lines():
    queues = [
        {"name": "cpu", "machine": "c7i.large", "max": 2},
        {"name": "gpu", "machine": "g6.xlarge", "max": 2, "slurm": {"AllowAccounts": "vision"}},
    ]
    accounts = {"nlp": {"users": ["alice"], "default_for": ["alice"]}, "vision": {"users": ["alice"]}}
    setup = setup_of(changed("aws-cfd", queues=queues, slurm={"accounting": {"accounts": accounts}}))
    job = own_job(setup, "mine.sh", "#!/bin/bash\n#SBATCH -N 1 -p gpu\nhostname\n", nodes=None)
    assert (job.queue, job.command) == ("gpu", ("sbatch", "--account=vision", "mine.sh"))
    job = own_job(setup, "mine.sh", "#!/bin/bash\n#SBATCH -N 1 -p gpu -A other\nhostname\n", nodes=None)
    assert (job.queue, job.command) == ("gpu", ("sbatch", "mine.sh"))


@pytest.mark.skipif(not shutil.which("shellcheck"), reason="needs shellcheck")
@pytest.mark.parametrize("stack", ["aws-cfd", "aws-ultracluster"])
@pytest.mark.parametrize("fault", [None, Fault.DEAD_NODE])
def test_shellcheck_finds_nothing_in_job_scripts(tmp_path, stack, fault):
    script = next(text for path, text in job_of(stack, fault).files.items() if path.endswith(".sh"))
    file = tmp_path / "job.sh"
    file.write_text(script)
    done = subprocess.run(["shellcheck", str(file)], capture_output=True, text=True)
    assert done.stdout == ""
