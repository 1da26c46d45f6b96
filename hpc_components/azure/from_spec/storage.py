from hpc_components.azure.home.args import existing_home
from hpc_components.azure.home.model import Nfs
from hpc_components.azure.lustre.args import existing_lustre
from hpc_components.azure.lustre.model import Lustre
from hpc_components.ports import FileSystemMount


def existing_mount(name: str, storage: Lustre | Nfs) -> FileSystemMount:
    return existing_home(name, storage) if isinstance(storage, Nfs) else existing_lustre(name, storage)
