import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hpc_components import __version__
from hpc_components.cloud import cloud_named
from hpc_components.spec.project import Project

_PROGRAM = '''\
"""Makes the cluster that the stack file describes."""

from hpc_components.program import run

run()
'''

_OWN_PROGRAM = '''\
"""Makes the cluster that the stack file describes, and what else the stack needs."""

import pulumi

from {package} import Cluster

cluster = Cluster("{name}")  # reads hpc:cluster in the stack file

# Resources of your own go here. cluster.network, cluster.head_node, cluster.login and cluster.buckets have the ids
# that they may need.

for name, value in cluster.outputs.items():
    pulumi.export(name, value)
'''

_PROJECT = """\
name: {name}
description: HPC clusters, one stack file each
runtime:
  name: python
  options:
    toolchain: pip
    virtualenv: {environment}   # `pulumi install` sets it up from requirements.txt
"""

_IGNORED = "{environment}/\n__pycache__/\n"


@dataclass(frozen=True)
class NewFile:
    path: Path
    text: str
    must_be_new: bool = False
    """Whether it is an error if the file exists. If False, an existing file is kept."""


def new_files(
    project: Project | None, folder: Path, stack: str, description: str, *, cloud: str, own_program: bool
) -> Iterator[NewFile]:
    """Yield the files for a new cluster: a stack file and, if `project` is None, a new project in `folder`.

    If `own_program` is set, the program creates a `Cluster` instead of calling `run`, so that users can add their own
    resources.
    """
    own = _OWN_PROGRAM.format(package=cloud_named(cloud).package, name=stack)
    program = own if own_program else _PROGRAM
    if project is None:
        environment = _environment(folder)
        yield NewFile(folder / "Pulumi.yaml", _PROJECT.format(name=_project_name(folder), environment=environment))
        yield NewFile(folder / "requirements.txt", f"hpc-components[{cloud}]=={__version__}\n")
        yield NewFile(folder / ".gitignore", _IGNORED.format(environment=environment))
        yield NewFile(folder / "__main__.py", program, must_be_new=own_program)
    elif own_program or not project.has_program:
        main = project.main if project.main.suffix == ".py" else project.main / "__main__.py"
        yield NewFile(main, program, must_be_new=own_program)
    stack_dir = project.stack_dir if project else folder
    yield NewFile(stack_dir / f"Pulumi.{stack}.yaml", description, must_be_new=True)


def _project_name(folder: Path) -> str:
    """Return the folder's name without characters that Pulumi does not allow."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", folder.resolve().name).strip("-.") or "hpc"


def _environment(folder: Path) -> str:
    """Return this process's virtual environment if it is inside the folder, or otherwise the one that Pulumi will
    create.
    """
    own = Path(sys.prefix).resolve()
    is_inside = sys.prefix != sys.base_prefix and own.is_relative_to(folder.resolve())
    return own.relative_to(folder.resolve()).as_posix() if is_inside else ".venv"
