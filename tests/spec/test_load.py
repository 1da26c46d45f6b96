from pathlib import Path
from typing import Any

import pytest

from hpc_components.aws.fleet.model import CapacityBlock
from hpc_components.aws.spec import AwsQueue
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.spec import Size, SpecError, check, load_cluster
from hpc_components.spec.project import find_project
from tests.spec.described import document
from tests.spec.rules.judged import cluster


def test_a_right_description_is_a_cluster() -> None:
    found = load_cluster(document().data)
    assert isinstance(found, AwsClusterSpec)
    assert (found.name, found.zones, found.max_nodes) == ("cfd", ("use2-az2",), 1)
    assert found.queue("cpu").machines == ("c7i.large",)


def test_all_errors_are_told_at_once() -> None:
    with pytest.raises(SpecError) as caught:
        load_cluster(document("name: 9cfd\nthrow_away: 1\nqueues: [{name: cpu, max: 1}]").data)
    assert [each.path for each in caught.value.findings] == ["queues[0].machine", "throw_away", "name"]
    first, *lines = str(caught.value).splitlines()
    assert first == "3 errors in the cluster's description:"
    assert [line.split()[:2] for line in lines] == [
        ["HPC-FRM-002", "queues[0].machine:"],
        ["HPC-FRM-003", "throw_away:"],
        ["HPC-NAM-001", "name:"],
    ]


def test_an_error_is_one_line_whatever_it_quotes() -> None:
    with pytest.raises(SpecError) as caught:
        load_cluster(document('tags: {"a\\e[31m\\nb": 1}').data)
    _, line = str(caught.value).splitlines()
    assert line.startswith(r"  HPC-FRM-003 tags.a\x1b[31m\nb: ")


@pytest.mark.parametrize("data", [None, [], "aws", {}, {"cloud": "oci"}])
def test_what_is_no_cluster_is_refused(data: object) -> None:
    with pytest.raises(SpecError, match=r"^1 error in the cluster's description:\n  HPC-FRM-004"):
        load_cluster(data)


@pytest.mark.parametrize("stack", ["aws-dev", "aws-cfd", "aws-ultracluster", "aws-university"])
def test_the_order_of_keys_means_nothing(stack: str) -> None:
    """Pulumi hands a program keys in alphabetical order, whatever the file's is."""
    data = find_project(Path(__file__)).open(stack).cluster.data
    cluster, other = load_cluster(data), load_cluster(_backwards(data))
    assert _backwards(data) == data
    assert other.model_dump_json() == cluster.model_dump_json()


def _backwards(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _backwards(data[key]) for key in reversed(data)}
    return [_backwards(each) for each in data] if isinstance(data, list) else data


def test_a_cluster_made_in_python_passes_unchanged() -> None:
    made = cluster(
        queues=[
            AwsQueue(name="cpu", machine="c7i.large", max=2, memory=Size.gib(3)),
            AwsQueue(name="more", machine="c7i.large", max=2),
        ],
        storage={"home": {"type": "nfs", "mount": "/home", "size": "1TiB"}},
        network={"cidr": "10.20.0.0/16"},
    )
    checked = check(made)
    assert checked == made
    assert checked.queues[0].memory == Size.gib(3)
    assert checked.model_fields_set == made.model_fields_set


def test_a_cluster_made_in_python_goes_through_the_rules() -> None:
    with pytest.raises(SpecError, match="HPC-NAM-003"):
        check(cluster(queues=[AwsQueue(name="cpu", machine="c7i.large", max=1)] * 2))


def test_purchases_survive_the_way_through_json() -> None:
    block = CapacityBlock(capacity_block="cr-0123456789abcdef0")
    gpu = AwsQueue(name="gpu", machine="p5.48xlarge", max=1, purchase=block)
    dumped = cluster(queues=[gpu]).model_dump(mode="json")
    assert dumped["queues"][0]["purchase"] == {"capacity_block": "cr-0123456789abcdef0"}
    assert AwsClusterSpec.model_validate(dumped).queues[0].purchase == block


def test_what_the_user_wrote_is_told_from_defaults() -> None:
    queue = load_cluster(document().data).queues[0]
    assert queue.given("max")
    assert not queue.given("min")
