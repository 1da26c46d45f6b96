from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from both_modes import checked_preview

from clouds.gcp.sample import NETWORK, PROJECT, email
from hpc_components.gcp.firewall.component import FirewallRules, FirewallRulesArgs
from hpc_components.gcp.identity.component import NodeIdentity, NodeIdentityArgs
from hpc_components.gcp.ports import Network
from hpc_components.preview.record import Recording, record

HEAD, LOGIN, CPU, GPU = map(email, ("cfd-head", "cfd-login", "cfd-cpu", "cfd-gpu"))
ARGS: dict[str, Any] = {"project": PROJECT, "network": NETWORK, "head": HEAD, "login": LOGIN, "nodes": (CPU, GPU)}
OWN = replace(NETWORK, ranges={"head": "10.20.0.0/20", "login": "10.20.16.0/20", "nodes": "10.20.128.0/17"})
"""A network with separate subnets for head, login and compute nodes."""
WORLD = {
    "ssh_from": ("203.0.113.0/24", "198.51.100.7/32", "203.0.113.0/24"),
    "ssh_to": ("login",),
    "services_range": "10.20.64.0/18",
}


def make(**change: Any) -> None:
    FirewallRules("cfd-firewall", FirewallRulesArgs(**{**ARGS, **change}))


@pytest.fixture(scope="module", params=[NETWORK, OWN], ids=["theirs", "own"])
def full(request) -> Recording:
    return checked_preview(lambda: make(**WORLD, network=request.param))


def ids_of(machine: str) -> set[str]:
    """Return how a rule may match a machine with this account: by the account, or by the range of its subnet."""
    places = {HEAD: "head", LOGIN: "login"}
    return {machine, OWN.ranges[places.get(machine, "nodes")]} if "@" in machine else {machine}


def lets_in(recording: Recording, source: str, target: str) -> set[str]:
    """Return the ports of `target` that `source`, an account or a range, may reach: `tcp/22`, `all`."""
    found: set[str] = set()
    for rule in recording.all("Firewall"):
        sources, targets = (
            {each for key in keys for each in rule.inputs.get(key, ())}
            for keys in (
                ("sourceRanges", "sourceServiceAccounts"), ("destinationRanges", "targetServiceAccounts"),
            )
        )  # fmt: skip
        if sources & ids_of(source) and targets & ids_of(target):
            for allowed in rule.inputs["allows"]:
                ports: Sequence[str] = allowed.get("ports", [""])
                found |= {f"{allowed['protocol']}/{port}".removesuffix("/") for port in ports}
    return found


@pytest.mark.parametrize(
    ("source", "target", "ports"),
    [
        (CPU, GPU, {"all"}),
        (CPU, CPU, {"all"}),
        (HEAD, GPU, {"all"}),
        (GPU, HEAD, {"all"}),
        (CPU, LOGIN, {"all"}),
        (HEAD, LOGIN, {"all"}),
        (LOGIN, CPU, {"tcp/22", "tcp/6818"}),
        (LOGIN, HEAD, {"tcp/53", "udp/53", "tcp/2049", "tcp/6817-6829"}),
        (LOGIN, LOGIN, set()),
        ("10.20.0.0/16", LOGIN, {"tcp/22"}),
        ("10.20.0.0/16", HEAD, set()),
        ("10.20.0.0/16", CPU, set()),
        ("35.235.240.0/20", HEAD, {"tcp/22"}),
        ("35.235.240.0/20", GPU, {"tcp/22"}),
        ("35.191.0.0/16", LOGIN, {"tcp/22"}),
        ("130.211.0.0/22", LOGIN, {"tcp/22"}),
        ("35.191.0.0/16", HEAD, set()),
        ("10.20.64.0/18", CPU, {"tcp", "udp"}),
        ("203.0.113.0/24", LOGIN, {"tcp/22"}),
        ("203.0.113.0/24", HEAD, set()),
    ],
)
def test_each_role_reaches_the_ports_it_needs(full, source, target, ports):
    assert lets_in(full, source, target) == ports


def test_nothing_is_open_to_the_world(full):
    for rule in full.all("Firewall"):
        targets = {"destinationRanges", "targetServiceAccounts"} & rule.inputs.keys()
        assert len(targets) == 1, "a rule without a target holds for every machine of the network"
        assert "0.0.0.0/0" not in rule.inputs.get("sourceRanges", ())
        assert ("sourceRanges" in rule.inputs) != ("sourceServiceAccounts" in rule.inputs)
        assert (rule.inputs["network"], rule.inputs["project"]) == (NETWORK.id, PROJECT)
        assert rule.inputs["direction"] == "INGRESS"
        assert rule.inputs["description"]


def test_with_a_subnet_of_their_own_no_queue_is_named():
    """Otherwise the nodes of a removed queue would lose their rules while their jobs still run."""
    both = checked_preview(lambda: make(**WORLD, network=OWN))
    one = checked_preview(lambda: make(**WORLD, network=OWN, nodes=(CPU,)))
    assert [each.inputs for each in both.resources] == [each.inputs for each in one.resources]
    assert lets_in(one, HEAD, GPU) == lets_in(one, GPU, HEAD) == {"all"}


def test_packets_through_a_balancer_have_its_address():
    """Rules for login nodes match accounts, not the range of their subnet."""
    recording = checked_preview(lambda: make(**WORLD, network=OWN))
    for name in ("ssh-in-network", "health-checks", "ssh-from-users"):
        rule = recording.one("Firewall", f"cfd-firewall-{name}").inputs
        assert (rule["targetServiceAccounts"], rule.get("destinationRanges")) == ([LOGIN], None)


def test_each_range_is_there_once(full):
    assert full.one("Firewall", "cfd-firewall-ssh-from-users").inputs["sourceRanges"] == [
        "203.0.113.0/24",
        "198.51.100.7/32",
    ]


@pytest.mark.parametrize("network", [NETWORK, OWN], ids=["theirs", "own"])
def test_only_the_rules_asked_for_are_made(network):
    recording = checked_preview(lambda: make(iap=False, login=None, network=network))
    assert {each.name for each in recording.all("Firewall")} == {
        "cfd-firewall-cluster-to-nodes",
        "cfd-firewall-nodes-to-head",
    }


def test_no_rule_is_made_beside_the_users_own():
    theirs = Network(id=NETWORK.id, cidr=NETWORK.cidr, subnets=NETWORK.subnets, firewall_rules=False)
    assert not record(lambda: make(**WORLD, network=theirs)).all("Firewall")


def test_many_queues_are_more_than_one_rule_takes():
    """Google allows ten accounts per rule. Every pair is in one rule, and adding a queue changes no names."""

    def of(count: int) -> Recording:
        return record(lambda: make(nodes=tuple(email(f"cfd-queue-{number}") for number in range(count))))

    accounts = [email(f"cfd-queue-{number}") for number in range(23)]
    many = of(23)
    for rule in many.all("Firewall"):
        for key in ("sourceServiceAccounts", "targetServiceAccounts"):
            assert len(rule.inputs.get(key, ())) <= 10
    assert all(lets_in(many, one, two) == {"all"} for one in (HEAD, *accounts) for two in accounts)
    assert all(lets_in(many, "35.235.240.0/20", each) == {"tcp/22"} for each in (HEAD, LOGIN, *accounts))
    assert {each.urn for each in of(9).resources} <= {each.urn for each in many.resources}


def test_an_account_of_several_queues_is_named_once():
    recording = record(lambda: make(nodes=(CPU, CPU, GPU)))
    rule = recording.one("Firewall", "cfd-firewall-cluster-to-nodes").inputs
    assert rule["targetServiceAccounts"] == [CPU, GPU]
    assert rule["sourceServiceAccounts"] == [HEAD, CPU, GPU]


def test_rules_can_name_accounts_of_the_program():
    def program() -> None:
        queues = [NodeIdentity(f"cfd-{name}", NodeIdentityArgs(project=PROJECT)) for name in ("cpu", "gpu")]
        make(nodes=tuple(each.email for each in queues))

    rule = checked_preview(program).one("Firewall", "cfd-firewall-cluster-to-nodes")
    assert len(rule.inputs["targetServiceAccounts"]) == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ssh_from": ("203.0.113.7/24",)}, r"ssh_from\[0\]: '203.0.113.7/24'"),
        ({"ssh_to": ("nodes",)}, r"ssh_to\[0\]: 'nodes' can't be opened to SSH; use head or login"),
        ({"services_range": "ten"}, r"services_range: 'ten' is not a valid address range"),
    ],
)
def test_wrong_arguments_are_named(change, message):
    with pytest.raises(ValueError, match=rf"^FirewallRulesArgs\.{message}"):
        FirewallRulesArgs(**{**ARGS, **change})
