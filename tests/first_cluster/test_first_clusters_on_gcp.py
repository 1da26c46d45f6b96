"""What `hpc init` proposes on Google Cloud is to keep, and its answers are judged by Google's facts."""

from typing import Any

import pytest

from hpc_components.catalog import machine, regions, zones
from hpc_components.first_cluster import WORKLOADS
from hpc_components.first_cluster.interview import Interview
from hpc_components.first_cluster.reading import AnswerError
from hpc_components.gcp import first_cluster

GIVEN = {
    "cloud": "gcp",
    "region": "us-central1",
    "project": "my-hpc-project",
    "ssh_from": "none",
    "budget": "none",
    "name": "me",
}


def interview(**answers: str) -> Interview:
    started = Interview(None)
    started.take_all(GIVEN | answers)
    return started


def proposed(**answers: str) -> Any:
    judgement = interview(**answers).judgement("Pulumi.me.yaml")
    assert judgement.errors == ()
    assert judgement.cluster is not None
    return judgement.cluster


@pytest.mark.parametrize("workload", WORKLOADS)
def test_each_workload_has_machines_wherever_they_are_sold(workload: str) -> None:
    without = set()
    for region in regions("gcp"):
        try:
            name = first_cluster.machine_for(workload, region)
        except ValueError:
            without.add(region)
            continue
        zone = first_cluster.zone_for(name, region)
        assert zone.id in zones("gcp", region)
        assert not zone.note or f"--filter name={name}" in zone.note
    assert workload == "gpu" or len(without) <= 1, "the others' last choice is sold everywhere"


@pytest.mark.parametrize("workload", WORKLOADS)
@pytest.mark.parametrize("region", ["us-central1", "europe-west4", "asia-southeast1"])
def test_what_is_proposed_is_to_keep(workload: str, region: str) -> None:
    cluster = proposed(region=region, workload=workload)
    assert cluster.queues[0].machine == first_cluster.machine_for(workload, region)
    assert (cluster.project, cluster.os_login, cluster.head_node.ssh_key) == ("my-hpc-project", True, None)
    assert cluster.network.iap
    assert not cluster.throw_away
    assert cluster.buckets == {}


@pytest.mark.parametrize("workload", WORKLOADS)
def test_somebody_gets_in_whatever_they_come_from(workload: str) -> None:
    public = proposed(workload=workload, ssh_from="203.0.113.7")
    assert public.head_node.public != bool(public.login_nodes and public.login_nodes.public)
    private = proposed(workload=workload, ssh_from="10.0.0.0/12, 192.168.0.0/16")
    assert not private.head_node.public
    assert private.login_nodes is not None
    assert not private.login_nodes.public


def test_nodes_of_one_job_are_close_and_those_of_many_are_not() -> None:
    assert proposed(workload="mpi").queues[0].placement != "none"
    assert {proposed(workload=each).queues[0].placement for each in ("throughput", "teaching")} == {"none"}


def test_what_stands_in_is_like_the_first_and_in_its_zone() -> None:
    queue = proposed(workload="throughput").queues[0]
    assert (queue.machine, queue.fallback) == ("n2d-standard-16", ("n2-standard-16", "n4-standard-16"))
    assert proposed(workload="throughput", machine="c3-standard-22").queues[0].fallback == ()


@pytest.mark.parametrize(
    ("name", "workload"),
    [
        ("a3-highgpu-8g", "gpu"),
        ("h4d-standard-192", "mpi"),
        ("h3-standard-88", "mpi"),
        ("n2-standard-16", "throughput"),
    ],
)
def test_a_machine_tells_what_it_is_for(name: str, workload: str) -> None:
    assert interview(machine=name).answers.workload == workload


def test_arm_nodes_have_an_arm_head_node() -> None:
    head = machine("gcp", proposed(machine="c4a-standard-16").head_node.machine)
    assert head is not None
    assert head.arch == "arm64"


def test_the_zone_is_one_that_sells_the_machine() -> None:
    zone = first_cluster.zone_for("h3-standard-88", "europe-west4")
    facts = machine("gcp", "h3-standard-88")
    assert facts is not None
    assert zone.id in facts.offered["europe-west4"].split()
    assert not zone.note


def test_the_region_of_googles_own_command_is_proposed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CLOUDSDK_COMPUTE_REGION", "CLOUDSDK_COMPUTE_ZONE"):
        monkeypatch.delenv(name, raising=False)
    assert first_cluster.default_region() == "us-central1"
    monkeypatch.setenv("CLOUDSDK_COMPUTE_ZONE", "asia-southeast1-b")
    assert first_cluster.default_region() == "asia-southeast1"
    monkeypatch.setenv("CLOUDSDK_COMPUTE_REGION", "europe-west4")
    assert first_cluster.default_region() == "europe-west4"


@pytest.mark.parametrize(
    ("field", "answer", "words"),
    [
        (
            "region",
            "us-centrl1",
            "the catalogue has no Google Cloud region 'us-centrl1'; did you mean us-central1?",
        ),
        ("region", "us-central1-a", "'us-central1-a' is a zone; specify its region, us-central1"),
        (
            "machine",
            "h3-standard-8",
            "'h3-standard-8' is not a machine type of Google Cloud; did you mean h3-standard-88?",
        ),
        ("machine", "h3-standard-88", "h3-standard-88 is not available in africa-south1, only in "),
        ("project", "My Project", "use small letters, digits and -, beginning with a letter: my-project"),
        ("ssh_key", "none", "`hpc init` does not use this option on Google Cloud; users log in through OS Login"),
    ],
)
def test_an_answer_that_cannot_be_is_refused_with_the_reason(field: str, answer: str, words: str) -> None:
    started = interview(region="africa-south1", workload="throughput")
    with pytest.raises(AnswerError) as caught:
        started.take(field, answer)
    assert words in str(caught.value)


class TestQuestions:
    def asked(self, **answers: str) -> set[str]:
        started = Interview(None)
        started.take_all({"cloud": "gcp", "region": "us-central1", **answers})
        return {question.field for question in started.open()}

    def test_the_project_is_asked_for_and_proposed_by_nobody(self) -> None:
        assert "project" in self.asked()
        assert "ssh_key" not in self.asked()
        assert "project" not in self.asked(project="my-hpc-project")
        started = Interview(None)
        started.take("cloud", "gcp")
        assert started.default("project") is None
        assert started.is_needed("project")

    def test_elsewhere_it_is_not(self) -> None:
        elsewhere = Interview(None)
        elsewhere.take_all({"cloud": "aws", "region": "us-east-2"})
        assert not {"project", "billing_account"} & {question.field for question in elsewhere.open()}
        with pytest.raises(AnswerError, match="`hpc init` does not use this option on AWS"):
            elsewhere.take("project", "my-hpc-project")

    def test_only_a_budget_has_an_account(self) -> None:
        assert "billing_account" in self.asked(budget="500")
        assert "billing_account" not in self.asked(budget="none")
        whole = {"budget": "500", "notify": "me@example.org", "billing_account": "012345-6789AB-CDEF01"}
        cluster = proposed(**whole)
        assert (cluster.billing_account, cluster.budget.monthly) == ("012345-6789AB-CDEF01", 500)
        with pytest.raises(AnswerError, match="--billing-account"):
            interview(**whole | {"billing_account": "my-account"})


def test_a_flag_is_blamed_for_itself_alone() -> None:
    with pytest.raises(AnswerError, match=r"^--machine h3-standard-8: .* did you mean h3-standard-88\?$"):
        interview(machine="h3-standard-8")
