"""Models of the software that users find: modules, and containers of jobs."""

from collections.abc import Mapping

from hpc_components.catalog.eessi import eessi_versions
from hpc_components.spec.model import Flag, Model
from hpc_components.spec.values import Duration, Size

BUILDER = "hpc-software"
"""Name of the user who owns what EasyBuild builds, and of this user's account in Slurm."""

PLUGSTACK = "/opt/hpc/plugstack.conf"
"""File by which Slurm finds Pyxis. Each node writes its own: nodes that were launched before the cluster had Pyxis
have no such file, and run other jobs as before."""


class Eessi(Model):
    """EESSI, which has thousands of packages for all common CPUs. Nodes read it over the network, as `/cvmfs`."""

    version: str | None = None
    """Version that `module load EESSI` loads, e.g. `2025.06`. Default: the newest one in production."""
    cache: Size = Size.gib(10)
    """Size of each node's cache, and of the one that the head node keeps for all nodes. A queue's nodes keep theirs
    on the queue's `local_scratch` if it has one, else on the root disk."""

    @property
    def loaded(self) -> str:
        """The version that is loaded."""
        return self.version or eessi_versions()[-1].name


class EasyBuild(Model):
    """Software that a job builds once into a shared file system, with EasyBuild."""

    install: tuple[str, ...]
    """Easyconfigs to install, each by its file name, e.g. `zlib-1.3.1.eb`: those of EasyBuild's pinned release, and
    your own under `easyconfigs`. What they depend on is installed too."""
    easyconfigs: str | None = None
    """Folder of your repository with easyconfigs of your own, patches and small sources, relative to the directory
    that contains `Pulumi.yaml`."""
    files: Mapping[str, str] = {}
    """Text of further easyconfigs and of files that they use, keyed by file name."""
    directory: str | None = None
    """Directory in a shared file system, which the cluster creates. Default: `hpc-software` in the first one that is
    neither Lustre nor mounted at `/home`, else in the first one that is not Lustre."""
    queue: str | None = None
    """Queue whose machines build the software. Default: the first one."""
    account: str | None = None
    """Account that the build job uses. Default: if the cluster has accounts, a separate one named `hpc-software`."""
    time: Duration | None = None
    """Time limit of the build job. Default: that of the queue."""


class Software(Model):
    """The software that users find by `module load`, and containers of jobs."""

    eessi: Eessi | None = None
    """EESSI, e.g. `{}` for its newest version. Default: none."""
    pyxis: Flag = False
    """Whether jobs can run in containers by `srun --container-image`. Nodes get Enroot, and Slurm its plugin
    Pyxis."""
    easybuild: EasyBuild | None = None
    """Software that a job builds once. Default: none."""
    modules: tuple[str, ...] = ()
    """Directories with module files of your own, in shared file systems."""


def build_directory(built: EasyBuild, mounts: Mapping[str, str]) -> str | None:
    """Return the directory into which the software is built, or None if no file system can hold it.

    `mounts` maps the mount directories of the shared file systems to their types.
    """
    if built.directory is not None:
        return built.directory
    apart = [mount for mount, type in mounts.items() if type != "lustre"]
    chosen = next((mount for mount in (*(one for one in apart if one != "/home"), *apart, *mounts)), None)
    return f"{chosen}/{BUILDER}" if chosen is not None else None
