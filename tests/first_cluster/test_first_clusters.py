"""Every description that `hpc init` proposes is one to keep."""

from typing import Any

import pytest

from hpc_components.aws import first_cluster
from hpc_components.catalog import machine, regions, zones_offering
from hpc_components.cloud import CLOUDS, cloud_named
from hpc_components.first_cluster import WORKLOADS, proposals
from hpc_components.first_cluster.answers import FirstCluster
from hpc_components.first_cluster.interview import Interview
from hpc_components.first_cluster.reading import AnswerError

HONEST = {"HPC-QTA-001", "HPC-QTA-002", "HPC-BUD-008"}
"""Warnings about the account and the purse, of which no file can be rid."""


def interview(**answers: str) -> Interview:
    started = Interview(None)
    given = {"cloud": "aws", "region": "us-east-2", "ssh_from": "none", "budget": "none", "name": "mine"} | answers
    started.take_all(given)
    return started


def proposed(**answers: str) -> Any:
    judgement = interview(**answers).judgement("Pulumi.mine.yaml")
    assert judgement.errors == ()
    assert judgement.cluster is not None
    warned = {finding.id for finding in judgement.findings if finding.level == "warning"}
    assert warned <= HONEST, judgement.findings
    return judgement.cluster


@pytest.mark.parametrize("workload", WORKLOADS)
def test_each_workload_has_machines_wherever_they_are_sold(workload: str) -> None:
    without = []
    for region in regions("aws"):
        try:
            name = first_cluster.machine_for(workload, region)
        except ValueError:
            without.append(region)
            continue
        facts = machine("aws", name)
        assert facts is not None
        assert first_cluster.zone_for(name, region).id in zones_offering(facts, region)
    assert workload == "gpu" or without == [], "the others' last choice is sold everywhere"


@pytest.mark.parametrize("workload", WORKLOADS)
@pytest.mark.parametrize("region", ["us-east-2", "eu-central-1", "ap-southeast-2"])
def test_what_is_proposed_is_to_keep(workload: str, region: str) -> None:
    cluster = proposed(region=region, workload=workload)
    assert cluster.queues[0].machine == first_cluster.machine_for(workload, region)
    assert not cluster.throw_away
    assert cluster.buckets == {}


@pytest.mark.parametrize("cloud", CLOUDS)
def test_the_first_user_of_a_new_cluster_is_its_administrator(cloud: str) -> None:
    first = cloud_named(cloud).parts.first_cluster
    key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFBSXHTRvHGkmOm0DJtYXGVpNIbQGrKPG9ChjVIsWQpA me@laptop"
    given = {"cloud": cloud, "region": first.default_region(), "ssh_from": "none", "budget": "none", "name": "mine"}
    given |= {
        field: value for field, value in {"ssh_key": key, "project": "my-project"}.items() if field in first.asks
    }
    started = Interview(None)
    started.take_all(given | {"users": f"ada={key},ben={key}"})
    cluster = started.judgement("Pulumi.mine.yaml").cluster
    assert cluster is not None
    assert {name: (user.uid, user.admin, user.keys) for name, user in cluster.users.items()} == {
        "ada": (2001, True, (key,)),
        "ben": (2002, False, (key,)),
    }


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("ada=x.pub,ada=y.pub", "neither a public key nor a file"),
        ("ada", "lacks a name or a key"),
        ("=k", "lacks a name or a key"),
        ("ada=ssh-rsa AAAA,ada=ssh-rsa AAAA", "ada is listed twice"),
        ("ada=ssh-rsa AAAA", "the key is incomplete or damaged"),
        ("root=ssh-ed25519 AAAA", "'root' is reserved"),
    ],
)
def test_users_without_a_valid_name_and_key_are_refused(answer: str, message: str) -> None:
    with pytest.raises(AnswerError, match=message):
        interview(users=answer)


def test_where_none_is_sold_one_is_asked_for() -> None:
    with pytest.raises(
        ValueError, match=r"^none of the machine types proposed for gpu is known to be available in .*--machine$"
    ):
        first_cluster.machine_for("gpu", "ap-east-2")


@pytest.mark.parametrize("workload", WORKLOADS)
def test_a_public_range_has_something_public_and_a_private_one_login_nodes(workload: str) -> None:
    public = proposed(workload=workload, ssh_from="203.0.113.7")
    assert [str(one) for one in public.network.ssh_from] == ["203.0.113.7/32"]
    assert public.head_node.public != bool(public.login_nodes and public.login_nodes.public)
    private = proposed(workload=workload, ssh_from="10.0.0.0/12, 192.168.0.0/16")
    assert not private.head_node.public
    assert private.login_nodes is not None
    assert not private.login_nodes.public


@pytest.mark.parametrize(
    ("name", "workload"), [("p5.48xlarge", "gpu"), ("hpc6a.48xlarge", "mpi"), ("c7i.2xlarge", "throughput")]
)
def test_a_machine_tells_what_it_is_for(name: str, workload: str) -> None:
    started = interview(machine=name)
    assert started.answers.workload == workload
    assert started.judgement("").errors == ()


def test_the_first_line_says_what_it_is_for() -> None:
    assert interview(workload="gpu").description().startswith("# Training on GPUs.\n")


def test_arm_nodes_have_an_arm_head_node() -> None:
    cluster = interview(region="us-east-1", machine="hpc7g.16xlarge").judgement("").cluster
    assert cluster is not None
    head = machine("aws", cluster.head_node.machine)
    assert head is not None
    assert head.arch == "arm64"


def test_where_the_zone_is_not_known_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proposals, "machine", lambda cloud, name: None)
    zone = first_cluster.zone_for("c5.xlarge", "us-east-2")
    assert zone.id == "use2-az1"
    assert zone.note.startswith(
        "the catalogue doesn't list the zones of us-east-2 that offer c5.xlarge; to find them, run: aws ec2 describe-"
    )


def test_the_region_of_awss_own_tools_is_proposed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    assert first_cluster.default_region() == "eu-west-1"
    monkeypatch.delenv("AWS_REGION")
    monkeypatch.delenv("AWS_DEFAULT_REGION", raising=False)
    assert first_cluster.default_region() in regions("aws")


@pytest.mark.parametrize(
    ("field", "answer", "words"),
    [
        ("cloud", "asw", "'asw' is not one of aws, azure, gcp; did you mean aws?"),
        ("workload", "throughtput", "did you mean throughput?"),
        ("region", "us-east-22", "the catalogue has no AWS region 'us-east-22'; did you mean us-east-2?"),
        ("machine", "hpc6a.48xlarg", "is not a machine type of AWS; did you mean hpc6a.48xlarge?"),
        (
            "machine",
            "hpc7g.16xlarge",
            "hpc7g.16xlarge is not available in us-east-2; regions that offer it: ap-northeast-1, eu-west-1",
        ),
        ("zone", "use1-az1", "use1-az1"),
        (
            "ssh_from",
            "203.0.113.7/24",
            "203.0.113.7/24 is an address within 203.0.113.0/24; enter 203.0.113.0/24 for the whole range, or",
        ),
        ("ssh_from", "my-office", "'my-office' is not an IPv4 address range; write it like"),
        ("budget", "much", "'much' is not a valid amount; enter USD per month, such as 500, or none"),
        ("budget", "nan", "'nan' is not a valid amount; enter"),
        ("budget", "-3", "'-3' is not a valid amount; enter"),
        (
            "name",
            "my_cluster",
            "'my_cluster' is not a valid cluster name; use at most 40 letters, digits and hyphens",
        ),
    ],
)
def test_an_answer_that_cannot_be_is_refused_with_the_reason_and_forgotten(
    field: str, answer: str, words: str
) -> None:
    started = interview(machine="hpc6a.48xlarge")
    before = started.answers
    with pytest.raises(AnswerError) as caught:
        started.take(field, answer)
    assert words in str(caught.value)
    assert started.answers == before


@pytest.mark.parametrize("name", ["no", "N", "true", "null", "on"])
def test_words_that_mean_something_else_in_yaml_are_names_too(name: str) -> None:
    assert interview(workload="mpi", name=name).judgement("").cluster is not None


@pytest.mark.parametrize("name", ["12", "a: b", "a\nb", "# a", "{{ 7 }}", "\x07", "'", '"'])
def test_a_name_that_is_none_is_told_as_such_whatever_is_in_it(name: str) -> None:
    with pytest.raises(AnswerError, match="is not a valid cluster name"):
        interview(workload="mpi", name=name)


def test_a_large_budget_is_written_as_it_is_read() -> None:
    cluster = interview(workload="mpi", budget="$12,345,678.5", notify="a@example.org").judgement("").cluster
    assert cluster is not None
    assert cluster.budget is not None
    assert cluster.budget.monthly == 12345678.5


def test_a_budget_wants_somebody_who_hears_of_it() -> None:
    started = interview(workload="mpi", budget="1,500")
    asked = [question.field for question in started.open()]
    assert asked == ["machine", "max_nodes", "scratch", "bucket", "login_nodes", "key_pair", "users", "notify"]
    assert [field for field in asked if started.is_needed(field)] == ["notify"]
    with pytest.raises(AnswerError, match="'me' is not an email address"):
        started.take("notify", "me")
    started.take("notify", "a@example.org, b@example.org")
    assert (started.answers.budget, started.answers.notify) == (1500, ("a@example.org", "b@example.org"))


@pytest.mark.parametrize(
    ("cloud", "region", "scratch", "further"),
    [
        ("aws", "us-east-2", "2.4TiB", {"key_pair": "mine"}),
        ("azure", "eastus", "8TiB", {"ssh_key": "none"}),
        ("gcp", "us-central1", "9000GiB", {"project": "my-hpc-project"}),
    ],
)
def test_answers_about_nodes_and_storage_are_in_the_description(
    cloud: str, region: str, scratch: str, further: dict[str, str]
) -> None:
    sizes = {"max_nodes": "7", "scratch": scratch, "bucket": "yes", "login_nodes": "yes"}
    started = interview(cloud=cloud, region=region, workload="mpi", **sizes, **further)
    judgement = started.judgement("Pulumi.mine.yaml")
    assert judgement.errors == ()
    assert judgement.cluster is not None
    assert judgement.cluster.queues[0].max == 7
    assert str(judgement.cluster.storage["scratch"].size) == scratch
    assert list(judgement.cluster.buckets) == ["data"]
    assert judgement.cluster.login_nodes is not None
    without = {"scratch": "none", "bucket": "no", "login_nodes": "no"}
    cluster = interview(cloud=cloud, region=region, workload="mpi", **without, **further).judgement("").cluster
    assert cluster is not None
    assert (list(cluster.storage), cluster.buckets, cluster.login_nodes) == (["home"], {}, None)


def test_choices_are_what_may_be_answered() -> None:
    started = interview(workload="gpu")
    assert dict(started.choices("cloud"))["gcp"] == "Google Cloud"
    assert "us-east-2" in dict(started.choices("region"))
    words = dict(started.choices("machine"))
    assert started.default("machine") == next(iter(words))
    assert "4 x L4" in words["g6.12xlarge"]
    assert "per hour" in words["g6.12xlarge"]
    assert started.choices("name") == []


def test_awss_module_is_what_a_cloud_brings() -> None:
    promised = {name for name in vars(FirstCluster) if not name.startswith("_")}
    assert promised <= set(vars(cloud_named("aws").parts.first_cluster))
