from hpc_components.gcp.apis.component import ProjectServicesArgs, Use
from hpc_components.gcp.lustre.model import Lustre
from hpc_components.gcp.spec.cluster import GcpClusterSpec


def apis_args(cluster: GcpClusterSpec) -> ProjectServicesArgs:
    new = [storage for storage in cluster.storage.values() if storage.existing is None]
    uses: dict[Use, bool] = {
        "lustre": any(isinstance(storage, Lustre) for storage in new),
        "filestore": any(not isinstance(storage, Lustre) for storage in new),
        "budget": cluster.budget is not None,
        "os_login": cluster.os_login,
        "iap": cluster.network.iap,
        "lent_identity": bool(cluster.buckets),
    }
    return ProjectServicesArgs(project=cluster.project, uses=tuple(use for use, is_used in uses.items() if is_used))
