from hpc_components.gcp.home.args import existing_home
from hpc_components.gcp.home.model import Nfs
from hpc_components.gcp.lustre.args import existing_lustre
from hpc_components.gcp.lustre.model import Lustre
from hpc_components.ports import FileSystemMount


def existing_mount(name: str, storage: Lustre | Nfs) -> FileSystemMount:
    if isinstance(storage, Nfs):
        return existing_home(name, storage)
    return existing_lustre(name, storage)
