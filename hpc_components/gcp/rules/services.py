from collections.abc import Iterator

from hpc_components.gcp.home.model import Nfs
from hpc_components.gcp.home.offer import services_prefix
from hpc_components.gcp.lustre import offer as lustre_offer
from hpc_components.gcp.lustre.model import Lustre
from hpc_components.gcp.network.addresses import plan_subnets
from hpc_components.gcp.rules._stores import made
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.stores import systems


@rule("HPC-NET-047", Level.ERROR)
def connection_for_services(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """An existing network must have a private services access connection if the cluster creates a file system.

    The connection leads to Google's own networks, where Managed Lustre and Filestore run. You have to create the
    connection yourself, because the cluster adds nothing but firewall rules to an existing network. Source: VPC
    documentation, "Configure private services access".
    """
    existing = cluster.network.existing
    stores = [str(path[1]) for path, _ in made(cluster)]
    if existing is not None and stores and not existing.services:
        given = existing.given("services")
        name = existing.network.rpartition("/")[2]
        yield Problem(
            path=("network", "existing", "services") if given else ("network", "existing"),
            value=False if given else None,
            reason=f"storage {', '.join(stores)} needs a private services access connection, but the description "
            "doesn't confirm, with services: true, that the network has one",
            remedy="add services: true after you run: gcloud services vpc-peerings connect --service "
            f"servicenetworking.googleapis.com --network {name} --ranges <range>",
        )


@rule("HPC-NET-048", Level.WARNING)
def room_for_services(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """The address range for Google's services must have room for a block per file system.

    A quarter of the network's addresses are set aside for these services. A Lustre file system takes a /23, as far as
    we know, and a Filestore instance takes a /26 or /24. Source: Managed Lustre documentation, "Configure a VPC
    network"; Filestore documentation, "Create an instance".
    """
    cidr = cluster.network.cidr
    if cidr is None or not 16 <= cidr.prefixlen <= 20:
        return
    needs = {str(path[1]): _block(lustre_offer.services_prefix()) for path, _ in systems(cluster, Lustre)}
    for path, nfs in systems(cluster, Nfs):
        needs[str(path[1])] = _block(services_prefix(nfs.size.in_gib if nfs.size else 0))
    needed, room = sum(needs.values()), plan_subnets(cidr).services.num_addresses
    if needed > room:
        wider = (cidr.supernet(new_prefix=prefix) for prefix in range(cidr.prefixlen - 1, 15, -1))
        fits = next((larger for larger in wider if plan_subnets(larger).services.num_addresses >= needed), None)
        yield Problem(
            path=("network", "cidr"),
            value=str(cidr),
            reason=f"Google's services get {room:,} of the addresses in {cidr}, but need about {needed:,}: "
            + " + ".join(f"{name} {count}" for name, count in needs.items()),
            remedy=f"use a /{fits.prefixlen}: {fits}" if fits else "use fewer file systems",
        )


def _block(prefix: int) -> int:
    return 2 ** (32 - prefix)
