"""What users are told at submission, by real daemons."""

import pytest

from tests.slurm.described import cluster, queue
from tests.slurm.head import Release

pytestmark = [pytest.mark.slurm, pytest.mark.slow]

SAID = {
    "": "costs up to 0.20 USD, at contract price (0.20 USD an hour)",  # a core has two CPUs
    "--exclusive -N2": "costs up to 19.20 USD, at contract price (19.20 USD an hour)",
    "-n 24 -c 2 -t 2:00:00": "costs up to 9.60 USD, at contract price (4.80 USD an hour)",
    "--mem=90G": "costs up to 4.65 USD, at contract price (4.65 USD an hour)",
    "--mem=0 -N2": "costs up to 19.20 USD, at contract price (19.20 USD an hour)",
    "-p gpu --gres=gpu:2 -t 10": "costs up to 4.00 USD, at contract price (24.00 USD an hour)",
    "-p gpu --gpus=4": "costs 48.00 USD an hour, at contract price",
    "-p gpu --gpus-per-task=l4:1 -n 3 -t 60": "costs up to 36.00 USD, at contract price (36.00 USD an hour)",
    "-p whole -n 1 -t 60": "costs up to 9.60 USD, at contract price (9.60 USD an hour)",
    "-p cpu,gpu -n 96 -t 60": "costs up to 48.00 USD, at contract price (48.00 USD an hour)",
}
"""By the options of `sbatch`: a CPU node costs 9.60 USD an hour, a GPU node with 8 GPUs 96 USD."""

SCRIPT = "job() { as alice sbatch -D /tmp $1 --wrap true 2>&1 | grep costs; }\n" + "".join(
    f"job '{options}'\n" for options in SAID
)


def test_users_are_told_what_a_job_costs(release: Release) -> None:
    described = cluster(
        queue(machine="c7i.24xlarge", max=4, slurm={"DefaultTime": "60"}),
        queue(name="gpu", machine="g6.48xlarge", max=2),
        queue(name="whole", machine="c7i.24xlarge", max=2, slurm={"OverSubscribe": "EXCLUSIVE"}),
        slurm={"accounting": {"cost_estimates": True}},
        billing={"rates": {"c7i.24xlarge": 9.6, "g6.48xlarge": 96}},
    )
    assert release.run(described, SCRIPT).output.splitlines() == [f"sbatch: {words}" for words in SAID.values()]
