"""Model of a description's own scripts."""

from collections.abc import Mapping
from typing import Literal

from hpc_components.spec.model import Model
from hpc_components.spec.values import Duration


class Script(Model):
    """A script of your own, which nodes run as root. Exactly one of `file`, `text` and `address` says what to run."""

    at: Literal["boot", "prolog", "epilog", "image"]
    """When it runs: at the first boot of a node, on each node of a job before the job starts or after it ends, or
    where an image is made from a recipe."""
    file: str | None = None
    """File of the repository. Paths are relative to the directory that contains `Pulumi.yaml`."""
    text: str | None = None
    """The script itself. It begins with `#!`."""
    address: str | None = None
    """`https` address from which nodes fetch the script. Scripts of jobs can't have one."""
    sha256: str | None = None
    """SHA-256 of the script at `address`, in hexadecimal digits. Nodes run nothing else."""
    on: tuple[str, ...] = ()
    """Nodes that run it: `head`, `login` or names of queues. Default: all nodes, or those of all queues if it belongs
    to jobs. With `at: image`, recipes; default: all."""
    time_limit: Duration = Duration.parse("5m")
    """Time after which it is ended and counts as failed."""

    def runs_on(self, group: str) -> bool:
        """Return whether it runs on the nodes of a group (`head`, `login` or a queue's name), or in a recipe."""
        return not self.on or group in self.on


def at_boot(scripts: Mapping[str, Script], group: str) -> dict[str, Script]:
    """Return the scripts that nodes of a group (`head`, `login` or a queue's name) run at boot, keyed by name."""
    return {name: one for name, one in scripts.items() if one.at == "boot" and one.runs_on(group)}


def in_image(scripts: Mapping[str, Script], recipe: str) -> dict[str, Script]:
    """Return the scripts that run where the image of a recipe is made, keyed by name."""
    return {name: one for name, one in scripts.items() if one.at == "image" and one.runs_on(recipe)}


def of_jobs(scripts: Mapping[str, Script]) -> dict[str, Script]:
    """Return the scripts that run before or after jobs, keyed by name."""
    return {name: one for name, one in scripts.items() if one.at in ("prolog", "epilog")}
