from dataclasses import replace
from typing import Any

import pulumi
import pytest
from both_modes import checked_preview

from clouds.gcp.nodes_sample import IMAGE, ROOT, WHO, WHO_LENDS
from clouds.gcp.sample import NETWORK, PROJECT, SERVICES, TAGS, ZONE, email
from hpc_components.boot import user_data
from hpc_components.gcp.fleet.node_metadata import Login
from hpc_components.gcp.login.component import LoginNodeNLB, LoginNodeNLBArgs
from hpc_components.preview.record import Recording, record
from hpc_components.preview.recording import ProgramError

GROUP = "RegionInstanceGroupManager"
ZONES = (ZONE, "us-central1-b")


def args(**change: Any) -> LoginNodeNLBArgs:
    usual: dict[str, Any] = {
        "project": PROJECT,
        "machine": "n2-standard-4",
        "image": IMAGE,
        "user_data": user_data("gcp"),
        "min": 2,
        "max": 4,
        "network": NETWORK,
        "zones": ZONES,
        "identities": WHO,
        "services": SERVICES,
        "root": ROOT,
        "tags": TAGS,
    }
    return LoginNodeNLBArgs(**{**usual, **change})


def make(**change: Any) -> None:
    pulumi.export("address", LoginNodeNLB("cfd-login", args(**change)).address)


def recorded(**change: Any) -> Recording:
    return record(lambda: make(**change))


@pytest.fixture(scope="module")
def inside() -> Recording:
    return checked_preview(make)


@pytest.fixture(scope="module")
def outside() -> Recording:
    return checked_preview(lambda: make(public=True))


def test_login_nodes_inside_the_network_have_a_fixed_address(inside):
    subnet = NETWORK.subnets["login"]
    address = inside.one("Address").inputs
    assert (address["addressType"], address["subnetwork"]) == ("INTERNAL", subnet)
    rule = inside.one("ForwardingRule")
    assert {key: rule.inputs[key] for key in ("loadBalancingScheme", "ipProtocol", "ports", "network")} == {
        "loadBalancingScheme": "INTERNAL",
        "ipProtocol": "TCP",
        "ports": ["22"],
        "network": NETWORK.id,
    }
    assert rule.inputs["subnetwork"] == subnet
    assert rule.property_dependencies["ipAddress"] == (inside.one("Address").urn,)


def test_login_nodes_on_the_internet_have_a_fixed_address(outside):
    assert outside.one("Address").inputs["addressType"] == "EXTERNAL"
    rule = outside.one("ForwardingRule").inputs
    assert rule["loadBalancingScheme"] == "EXTERNAL"
    assert not {"subnetwork", "network"} & set(rule)
    template = outside.one("RegionInstanceTemplate").inputs
    assert template["networkInterfaces"] == [{"subnetwork": NETWORK.subnets["login"], "nicType": "GVNIC"}]


@pytest.mark.parametrize("scheme", ["inside", "outside"])
def test_who_comes_back_comes_to_the_same_node(scheme, request):
    made = request.getfixturevalue(scheme)
    service = made.one("RegionBackendService").inputs
    assert service["loadBalancingScheme"] == made.one("ForwardingRule").inputs["loadBalancingScheme"]
    assert (service["protocol"], service["sessionAffinity"]) == ("TCP", "CLIENT_IP")
    (backend,) = service["backends"]
    assert backend["balancingMode"] == "CONNECTION"
    assert made.one("RegionHealthCheck").inputs["tcpHealthCheck"] == {"port": 22}


def test_nodes_are_added_and_none_is_taken_away(inside):
    policy = inside.one("RegionAutoscaler").inputs["autoscalingPolicy"]
    assert (policy["mode"], policy["minReplicas"], policy["maxReplicas"]) == ("ONLY_SCALE_OUT", 2, 4)
    assert policy["cpuUtilization"] == {"target": 0.7}
    group = inside.one(GROUP).inputs
    assert "targetSize" not in group, "the autoscaler's: an update would take nodes away"
    assert group["updatePolicy"] == {
        "type": "OPPORTUNISTIC",
        "minimalAction": "REPLACE",
        "instanceRedistributionType": "NONE",
    }


def test_nodes_are_spread_and_called_after_the_cluster(inside):
    group = inside.one(GROUP).inputs
    assert group["distributionPolicyZones"] == list(ZONES)
    assert group["baseInstanceName"] == "cfd-login"


def test_a_fixed_number_grows_by_nothing():
    made = recorded(min=2, max=2)
    assert made.one(GROUP).inputs["targetSize"] == 2
    assert made.all("RegionAutoscaler") == ()


def test_metadata_says_role_config_and_keys():
    login = Login(admin_user="ops", ssh_key="ssh-ed25519 AAAA me")
    template = recorded(login=login, identities=WHO_LENDS).one("RegionInstanceTemplate").inputs
    metadata = dict(template["metadata"])
    assert metadata.pop("user-data") == user_data("gcp")
    assert metadata == {
        "hpc-cluster": "cfd",
        "hpc-role": "login",
        "hpc-config": "cfd-config-1c09",
        "hpc-project": PROJECT,
        "hpc-data-account": email("cfd-data"),
        "enable-oslogin": "FALSE",
        "block-project-ssh-keys": "true",
        "serial-port-enable": "false",
        "ssh-keys": "ops:ssh-ed25519 AAAA me",
    }
    assert template["labels"]["hpc_role"] == "login"


def test_nodes_agree_on_host_keys_and_boot_with_their_permissions(inside):
    bound = {each.name.removeprefix("cfd-login-"): each for each in inside.all("SecretIamMember")}
    assert {name: each.inputs["role"].rpartition(".")[2] for name, each in bound.items()} == {
        "reads-munge": "secretAccessor",
        "reads-ssh-host": "secretAccessor",
        "sets-ssh-host": "secretVersionAdder",
    }
    assert {each.urn for each in bound.values()} <= set(inside.one("RegionInstanceTemplate").depends_on)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"min": 0}, "max: 4 is not allowed with min 0;"),
        ({"min": 5}, "max: 4 is not allowed with min 5;"),
        ({"zones": ()}, "zones is empty"),
        ({"zones": (ZONE, "us-east1-b")}, r"zones\[1\]: 'us-east1-b' is not in us-central1"),
        (
            {"network": replace(NETWORK, subnets={})},
            "network: the network has no subnet named login; its subnets are: none",
        ),
        ({"machine": "m5.large"}, "machine: 'm5.large' is not a Google Cloud machine type"),
    ],
)
def test_what_google_would_refuse_is_refused_here(change, message):
    with pytest.raises(ValueError, match=f"LoginNodeNLBArgs.{message}"):
        args(**change)


def test_a_name_with_which_no_machine_can_begin():
    with pytest.raises(ProgramError, match=r"name: \S+ has 64 characters"):
        record(lambda: LoginNodeNLB("l" * 56, args()))
