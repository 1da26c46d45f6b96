"""Names that would be too long for Google with Pulumi's random suffix."""

from clouds.gcp.sample import PROJECT, REGION, TAGS, ZONE, email
from hpc_components.gcp.catalog.limits import service_limit
from hpc_components.gcp.firewall.component import FirewallRules, FirewallRulesArgs
from hpc_components.gcp.network.component import Vpc, VpcArgs
from hpc_components.gcp.network_cards.card_networks import NetworkCards
from hpc_components.preview.record import record

CLUSTER = "c" * 40
"""The longest cluster name that a description may have."""
CARDS = (NetworkCards(nic_type="GVNIC", count=4), NetworkCards(nic_type="IRDMA", profile="vpc-falcon"))


def test_those_of_networks_and_firewalls_fit_and_differ():
    def program() -> None:
        args = VpcArgs(project=PROJECT, region=REGION, cidr="10.20.0.0/16", cards={("q", ZONE): CARDS}, tags=TAGS)
        network = Vpc(CLUSTER, args).network
        nodes = tuple(email(f"cfd-{number}") for number in range(25))
        FirewallRules(
            CLUSTER,
            FirewallRulesArgs(
                project=PROJECT,
                network=network,
                head=email("cfd-head"),
                login=email("cfd-login"),
                nodes=nodes,
                services_range="10.20.64.0/18",
                ssh_from=("203.0.113.0/24",),
                ssh_to=("head", "login"),
            ),
        )

    recording = record(program)
    for kind in ("firewall:Firewall", "network:Network", "subnetwork:Subnetwork"):
        made = recording.all(f"gcp:compute/{kind}")
        names = [each.inputs.get("name") or f"{each.name}-1a2b3c4" for each in made]
        assert len({*names}) == len(names) > 2
        assert max(map(len, names)) <= service_limit("instance.name"), kind
