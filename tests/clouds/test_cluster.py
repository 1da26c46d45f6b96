"""A cluster is one component: made from a model, a dict or the stack's file, any number of times, anywhere."""

from typing import Any

import pulumi
import pulumi_aws
import pulumi_azure_native
import pulumi_gcp
import pytest

from hpc_components import aws, azure, gcp
from hpc_components.aws.spec import AwsClusterSpec
from hpc_components.preview.record import record
from hpc_components.spec import SpecError
from hpc_components.testing import ProgramError, Recording

DESCRIPTIONS: dict[str, dict[str, Any]] = {
    "aws": {
        "region": "us-east-2", "zone": "use2-az2", "network": {"cidr": "10.20.0.0/16"},
        "head_node": {"machine": "m7i.large"}, "login_nodes": {"machine": "m7i.large"},
        "queues": [{"name": "mpi", "machine": "c7i.large", "max": 2}],
        "buckets": {"data": {"type": "s3"}}, "throw_away": True,
    },
    "azure": {
        "region": "eastus", "zone": "eastus-1", "network": {"cidr": "10.20.0.0/16"},
        "head_node": {"machine": "Standard_D2s_v5"}, "login_nodes": {"machine": "Standard_D2s_v5"},
        "queues": [{"name": "mpi", "machine": "Standard_D8as_v5", "max": 2}],
        "buckets": {"data": {"type": "blob"}}, "throw_away": True,
    },
    "gcp": {
        "project": "fluids-1", "region": "us-central1", "zone": "us-central1-a", "network": {"cidr": "10.20.0.0/16"},
        "head_node": {"machine": "n2-standard-2"}, "login_nodes": {"machine": "n2-standard-2"},
        "queues": [{"name": "mpi", "machine": "c2-standard-8", "max": 2}],
        "buckets": {"data": {"type": "gcs"}}, "throw_away": True,
    },
}  # fmt: skip
CLUSTERS: dict[str, Any] = {"aws": aws.Cluster, "azure": azure.Cluster, "gcp": gcp.Cluster}
PROVIDERS: dict[str, Any] = {
    "aws": lambda name: pulumi_aws.Provider(name, region="us-east-2"),
    "azure": lambda name: pulumi_azure_native.Provider(name, location="eastus"),
    "gcp": lambda name: pulumi_gcp.Provider(name, project="fluids-1"),
}
EVERY_CLOUD = pytest.mark.parametrize("cloud", CLUSTERS)


def outside(recording: Recording) -> list[str]:
    """The names of what stands directly below the stack."""
    return [each.name for each in recording.resources if each.parent is None]


@EVERY_CLOUD
def test_all_resources_are_below_the_cluster(cloud: str) -> None:
    recording = record(lambda: CLUSTERS[cloud]("cfd", DESCRIPTIONS[cloud]))
    assert outside(recording) == ["cfd"]
    assert len(recording.resources) > 50
    assert [each.name for each in recording.resources if each.type.startswith("pulumi:providers:")] == [
        f"cfd-{cloud}"
    ]


@EVERY_CLOUD
def test_two_clusters_are_made_by_one_program(cloud: str) -> None:
    def program() -> None:
        CLUSTERS[cloud]("one", DESCRIPTIONS[cloud])
        CLUSTERS[cloud]("two", {**DESCRIPTIONS[cloud], "network": {"cidr": "10.30.0.0/16"}})

    recording = record(program)
    assert sorted(outside(recording)) == ["one", "two"]
    one, two = ([each.type for each in recording.resources if each.name.startswith(name)] for name in ("one", "two"))
    assert one == two


@EVERY_CLOUD
def test_a_cluster_below_a_component_takes_its_provider(cloud: str) -> None:
    class Site(pulumi.ComponentResource):
        """A user's component with a cluster in it."""

        def __init__(self) -> None:
            super().__init__("site:index:Site", "site", {}, pulumi.ResourceOptions(provider=PROVIDERS[cloud]("ours")))
            CLUSTERS[cloud]("cfd", DESCRIPTIONS[cloud], pulumi.ResourceOptions(parent=self))

    recording = record(Site)
    assert sorted(outside(recording)) == ["ours", "site"]
    custom = [each for each in recording.resources if each.custom and not each.type.startswith("pulumi:")]
    assert {str(each.provider).rpartition("::")[0].rpartition("::")[2] for each in custom} == {"ours"}


@EVERY_CLOUD
def test_outputs_have_the_ids_that_a_user_wants(cloud: str) -> None:
    made: list[Any] = []
    record(lambda: made.append(CLUSTERS[cloud]("cfd", DESCRIPTIONS[cloud])))
    [cluster] = made
    assert set(cluster.outputs) == {"access", "head_node", "network", "login", "buckets"}
    assert (cluster.outputs["access"]["cloud"], cluster.outputs["access"]["cluster"]) == (cloud, "cfd")
    assert set(cluster.outputs["buckets"]) == set(cluster.buckets) == {"data"}
    assert {"private_ip", "public_ip"} < set(cluster.outputs["head_node"])
    network = cluster.outputs["network"]
    subnets = network.get("private_subnets") or network["subnets"]
    assert subnets
    assert network["security_groups"] if cloud != "gcp" else "security_groups" not in network


def test_a_model_a_dict_and_the_stacks_file_make_the_same() -> None:
    described = {"cloud": "aws", "name": "cfd", **DESCRIPTIONS["aws"]}

    def graph(*arguments: Any, **options: Any) -> list[tuple[str, Any]]:
        return [
            (each.urn, each.inputs) for each in record(lambda: aws.Cluster("cfd", *arguments), **options).resources
        ]

    by_dict = graph(described)
    assert graph(AwsClusterSpec.model_validate(described)) == by_dict
    assert graph(config={"hpc:cluster": described}) == by_dict
    assert graph(DESCRIPTIONS["aws"]) == by_dict  # without cloud and name


def test_the_name_of_the_description_goes_first() -> None:
    recording = record(lambda: aws.Cluster("lab", {**DESCRIPTIONS["aws"], "name": "cfd"}))
    assert outside(recording) == ["lab"]
    assert recording.one("hpc:aws:SlurmHeadNode").name == "cfd-head"


def test_wrong_descriptions_are_refused_before_anything_is_made() -> None:
    wrong = {**DESCRIPTIONS["aws"], "zone": "use1-az1"}
    with pytest.raises(SpecError, match=r"zone: .*use1-az1"):
        aws.Cluster("cfd", wrong)
    with pytest.raises(SpecError, match="HPC-MCH-002 zone"):
        aws.Cluster("cfd", AwsClusterSpec.model_validate({"cloud": "aws", "name": "cfd", **wrong}))
    given: Any = {"cloud": "azure", "name": "cfd", **DESCRIPTIONS["azure"]}
    with pytest.raises(
        ValueError, match=r"^Cluster cfd: the description is for cloud azure, but this Cluster is for cloud aws$"
    ):
        aws.Cluster("cfd", given)
    with pytest.raises(ProgramError, match="doesn't describe a cluster"):
        record(lambda: aws.Cluster("cfd"))
