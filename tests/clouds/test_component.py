"""Components take their arguments as an object, as a dict or as keywords, and show their documentation."""

import inspect
from collections.abc import Callable
from typing import Any

import pulumi
import pytest

from hpc_components import aws, azure, gcp
from hpc_components.cloud import CLOUDS, cloud_named
from hpc_components.preview.record import record

SECURITY_GROUPS = {role: ["sg-0123456789abcdef0"] for role in ("head", "login", "compute", "storage")}
NETWORK = {
    "id": "vpc-0123456789abcdef0",
    "cidr": "10.20.0.0/16",
    "private_subnets": {"use2-az2": "subnet-0123456789abcdef0"},
    "security_groups": SECURITY_GROUPS,
}
ROLE = {"instance_profile": "nodes", "role_arn": "arn:aws:iam::123456789012:role/nodes", "role_name": "nodes"}
GROUP = {"name": "site", "id": "/subscriptions/s/resourceGroups/site", "location": "eastus"}
CASES: list[tuple[Any, type, dict[str, Any]]] = [
    (aws.Vpc, aws.VpcArgs, {"cidr": "10.20.0.0/16", "zones": ["use2-az2"], "ssh_from": ["203.0.113.0/24"]}),
    (azure.Vpc, azure.VpcArgs, {"cidr": "10.20.0.0/16", "group": GROUP}),
    (gcp.Vpc, gcp.VpcArgs, {"cidr": "10.20.0.0/16", "project": "fluids-1", "region": "us-central1"}),
    (aws.EfaComputeFleet, aws.EfaComputeFleetArgs, {
        "queue": "mpi", "machines": ["c7i.large"], "zones": ["use2-az2"], "max": 2, "network": NETWORK,
        "image": "ami-0123456789abcdef0", "user_data": "#!/bin/sh\n", "root": {"size_gib": 40},
        "config": {"bucket": "cfd-config", "arn": "arn:aws:s3:::cfd-config"}, "identities": {"own": ROLE},
        "tags": {"ClusterName": "cfd"},
    }),
]  # fmt: skip


def graph(program: Callable[[], object]) -> list[tuple[str, Any]]:
    return [(each.urn, each.inputs) for each in record(program).resources]


@pytest.mark.parametrize(("component", "args", "values"), CASES, ids=lambda each: getattr(each, "__name__", ""))
def test_a_dict_and_keywords_make_what_an_object_makes(component: Any, args: Any, values: dict[str, Any]) -> None:
    by_dict = graph(lambda: component("net", values))
    assert len(by_dict) > 1
    assert graph(lambda: component("net", **values)) == by_dict
    plain = {name: value for name, value in values.items() if not isinstance(value, dict)}
    if len(plain) == len(values):
        assert graph(lambda: component("net", args(**plain))) == by_dict


def test_parts_of_arguments_are_dicts_too() -> None:
    recording = record(lambda: aws.EfaComputeFleet("mpi", CASES[-1][2]))
    template = recording.one("LaunchTemplate")
    [interface] = template.inputs["networkInterfaces"]
    assert interface["securityGroups"] == SECURITY_GROUPS["compute"]
    assert template.inputs["tags"]["ClusterName"] == "cfd"


def test_the_default_cluster_is_the_stack() -> None:
    recording = record(lambda: aws.Vpc("net", CASES[0][2]), stack="prod")
    assert {each.inputs["tags"]["ClusterName"] for each in recording.all("Subnet")} == {"prod"}


@pytest.mark.parametrize(
    ("positional", "keywords", "said"),
    [
        (
            (),
            {"cidrr": "10.0.0.0/16", "zones": ()},
            r"^VpcArgs\.cidrr: unknown argument; did you mean cidr\?$",
        ),
        ((), {"zones": ("use2-az2",)}, r"^VpcArgs: cidr is missing$"),
        (({},), {}, r"^VpcArgs: cidr, zones are missing$"),
        (({"cidr": "10.0.0.0/16"},), {"zones": ()}, r"^Vpc: pass either args or keyword arguments, not both; "),
        (
            ({"cidr": "10.0.0.0/16", "zones": "use2-az2"},),
            {},
            r"^VpcArgs\.zones: 'use2-az2' is of type str; ",
        ),
        (({"cidr": "10.0.0.0/30", "zones": ["use2-az2"]},), {}, r"^VpcArgs\.cidr: "),
        ((7,), {}, r"^Vpc args: 7 is of type int; specify VpcArgs$"),
    ],
)
def test_wrong_arguments_are_refused_with_their_path(
    positional: tuple[Any, ...], keywords: dict[str, Any], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        aws.Vpc("net", *positional, **keywords)


def components() -> list[Any]:
    packages = [__import__(cloud_named(cloud).package, fromlist=["*"]) for cloud in CLOUDS]
    found = [getattr(package, name) for package in packages for name in package.__all__]
    return [each for each in found if isinstance(each, type) and issubclass(each, pulumi.ComponentResource)]


@pytest.mark.parametrize(
    "component", components(), ids=lambda each: f"{each.__module__.split('.')[1]}-{each.__name__}"
)
def test_help_shows_our_documentation(component: Any) -> None:
    assert ":param" not in (inspect.getdoc(component.__init__) or "")
    assert inspect.getdoc(component.__init__).startswith("Create the c")
    doc = inspect.getdoc(component) or ""
    if component.__name__ != "Cluster":
        assert "\n\nArguments:\n    " in doc


def test_a_component_s_help_lists_arguments_and_outputs() -> None:
    doc = inspect.getdoc(aws.Vpc) or ""
    assert "\n    cidr: Address range in CIDR notation, from /16 to /20.\n" in doc
    assert "\n    vpc_id: Id of the VPC.\n" in doc
