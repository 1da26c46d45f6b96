from collections.abc import Iterator

from hpc_components.elastic.drivers.gcp.compute import Compute
from hpc_components.elastic.drivers.gcp.listing import PAGE
from hpc_components.elastic.drivers.gcp.machines import tail
from hpc_components.elastic.model import LoginNode

FIELDS = "items/*/instances(zone,status,machineType,networkInterfaces/networkIP),nextPageToken"


def read_login_nodes(compute: Compute, cluster: str) -> Iterator[LoginNode]:
    """Yield the running machines with the cluster's name and the role `login` as labels. They may raise GceError or
    OSError."""
    chosen = f'(labels.clustername = "{cluster.lower()}") AND (labels.hpc_role = "login")'
    for page in compute.pages("aggregated/instances", filter=chosen, maxResults=PAGE, fields=FIELDS):
        for scope in (page.get("items") or {}).values():
            for raw in scope.get("instances") or ():
                if raw["status"] == "RUNNING":
                    yield LoginNode(
                        address=raw["networkInterfaces"][0]["networkIP"],
                        machine=tail(raw["machineType"]),
                        zone=tail(raw["zone"]),
                    )
