import re
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Any

from hpc_components.aws.convert.entry import Entry
from hpc_components.aws.convert.ledger import Ledger, flag, made
from hpc_components.aws.convert.place import Place
from hpc_components.spec.address_ranges import free_range

_SUBNET = re.compile(r"subnet-([0-9a-f]{8}|[0-9a-f]{17})")
"""Matches a subnet id. Source: EC2 user guide, "Resource IDs"."""


@dataclass(frozen=True)
class Access:
    public_head: bool
    public_login: bool
    ssh_from: tuple[str, ...]


def access_of(root: Entry, ledger: Ledger) -> Access:
    """Derive access from Elastic IPs, subnets and `AllowedIps`, and add notes on the Elastic IPs and `AllowedIps`.

    The file does not specify which subnets are public. The head node's subnet is assumed to be public if no queue
    uses it.
    """
    inner = {str(each.value) for queue in root.items("Scheduling.SlurmQueues") for each in _subnets(queue)}
    head = root.get("HeadNode.Networking")
    own = head.plain("SubnetId") if head else None
    elastic = head.get("ElasticIp") if head else None
    public = (own is not None and str(own) not in inner) or (elastic is not None and flag(elastic.value, True))
    if elastic is not None:
        keeps = str(elastic.value).startswith("eipalloc")
        told = made("head_node.public", public)
        if keeps:
            ledger.corrected(
                elastic, told, "the head node will have a new address", "tell users to connect to the new address"
            )
        else:
            ledger.taken(elastic, told)
    pools = root.items("LoginNodes.Pools")
    outer = {str(each.value) for pool in pools for each in _subnets(pool)}
    return Access(public, bool(outer - inner), tuple(_ssh_from(root, ledger, public or bool(outer - inner))))


def network_of(root: Entry, ledger: Ledger, access: Access, name: str, place: Place) -> dict[str, Any]:
    """Return the settings of a new network, and add notes on the file's subnets.

    A new network is needed, because the file doesn't fully describe the existing one.
    """
    near = [IPv4Network(each) for each in access.ssh_from]
    cidr = free_range(name, near)
    entry = root.get("HeadNode.Networking.SubnetId")
    told = f"network.cidr: {cidr}, " + made("head_node.public", access.public_head)
    named = [each for each in _all_subnets(root) if _SUBNET.fullmatch(str(each.value))]
    if entry is not None and not named:
        ledger.corrected(entry, told, f"{entry.value} is not a subnet id, so a new network will be created")
    elif entry is not None:
        ids = " ".join(dict.fromkeys(str(each.value) for each in named))
        ledger.decide(
            entry,
            "the file does not specify the network, address range and zone of its subnets, so a new network "
f"{cidr} will be created, and the head node will be "
f"{'public' if access.public_head else 'private'}",
            "keep the new network, or fill in network.existing (see `hpc docs network.existing`) from the "
f"output of: aws ec2 describe-subnets --region {place.left or place.region} --subnet-ids {ids}",
            ("network",), told,
        )  # fmt: skip
    for each in _all_subnets(root):
        if entry is None or each.path != entry.path:
            ledger.dropped(each, "nodes run in the private subnets of the new network")
    return {"cidr": cidr} | ({"ssh_from": list(access.ssh_from)} if access.ssh_from else {})


def _ssh_from(root: Entry, ledger: Ledger, public: bool) -> list[str]:
    ranges: list[str] = []
    nodes = [node for node in (root.get("HeadNode"), *root.items("LoginNodes.Pools")) if node]
    given = [found for node in nodes if (found := node.get("Ssh.AllowedIps"))]
    for entry in given:
        try:
            cidr = str(IPv4Network(str(entry.value), strict=False))
        except ValueError:
            ledger.decide(
                entry, f"{entry.value} is not an IPv4 address range; prefix lists are not supported",
                "list the address ranges in network.ssh_from", ("network",),
            )  # fmt: skip
            continue
        ledger.taken(entry, f"network.ssh_from: [{cidr}]")
        ranges += [cidr] if cidr not in ranges else []
    head = root.get("HeadNode.Ssh") or root.get("HeadNode.Networking")
    if public and not given and head is not None:
        ledger.decide(
            Entry(("HeadNode", "Ssh", "AllowedIps"), head.at, None),
            "AllowedIps is missing: ParallelCluster would allow access from the whole internet, but this "
"cluster allows none",
            "list your site's address ranges in network.ssh_from, or use Session Manager", ("network",),
        )  # fmt: skip
    return ranges


def _all_subnets(root: Entry) -> list[Entry]:
    head = root.get("HeadNode.Networking.SubnetId")
    others = [*root.items("Scheduling.SlurmQueues"), *root.items("LoginNodes.Pools")]
    return [*([head] if head else []), *(each for node in others for each in _subnets(node))]


def _subnets(node: Entry) -> list[Entry]:
    return node.items("Networking.SubnetIds")
