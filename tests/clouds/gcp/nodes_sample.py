"""Arguments of nodes with ids of existing resources, as a user of single components writes them."""

from clouds.gcp.sample import PROJECT, REGION, email
from hpc_components.gcp.disks.component import RootDisk
from hpc_components.gcp.ports import CardSubnet, Identities, Identity

IMAGE = "projects/ubuntu-os-cloud/global/images/family/ubuntu-2404-lts-amd64"
OWN_IMAGE = f"projects/{PROJECT}/global/images/hpc-2026"
ROOT = RootDisk(size_gib=64)
WHO = Identities(own=Identity(email=email("cfd-node")))
WHO_LENDS = Identities(own=Identity(email=email("cfd-node")), lent=Identity(email=email("cfd-data")))


def card(name: str, nic_type: str) -> CardSubnet:
    """Return the subnet of an additional network card."""
    subnet = f"projects/{PROJECT}/regions/{REGION}/subnetworks/{name}"
    return CardSubnet(network=f"projects/{PROJECT}/global/networks/{name}", subnet=subnet, nic_type=nic_type)
