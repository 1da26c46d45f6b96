import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hpc_components.cli.command import Command, Refused, complete_stack, show, stack_file
from hpc_components.cli.judging import fail_for_errors
from hpc_components.cli.output import make_folder, say, write_text
from hpc_components.wording import did_you_mean

if TYPE_CHECKING:
    from hpc_components.spec.source import Document
    from hpc_components.spec.validate import Judgement

_RELEASES = ("22.05", "23.11", "24.11", "25.11")
"""Duplicates `hpc_components.slurm.RELEASES`, so that `--help` doesn't have to import the models."""


def _complete_file(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    from hpc_components.slurm import slurm_files
    from hpc_components.spec.source import UnreadableError
    from hpc_components.spec.validate import judge

    try:
        with ctx.scope():
            cluster = judge(stack_file(ctx.params["stack"]).cluster).cluster
    except UnreadableError:
        return []
    return [name for name in sorted(slurm_files(cluster)) if name.startswith(incomplete)] if cluster else []


@click.command(cls=Command)
@click.argument("stack", metavar="STACK", shell_complete=complete_stack)
@click.argument("file", required=False, shell_complete=_complete_file)
@click.option(
    "--slurm",
    "version",
    type=click.Choice(_RELEASES),
    help="Slurm release. [default: the release in the description]",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write the files to this folder.",
)
@click.pass_context
def render(ctx: click.Context, stack: str, file: str | None, version: str | None, out: Path | None) -> None:
    """Print STACK's configuration files for Slurm and the elastic daemon, or only FILE.

    STACK is a stack of this project, a file, or `-` for standard input. DIR is created if its parent exists. Exit
    code 0: rendered; 1: the description has errors, or settings that the release does not support; 2: a file can't be
    read or written.

    \b
    Examples:
      hpc render aws-cfd                     all files
      hpc render aws-cfd slurm.conf
      hpc render aws-university --slurm 24.11 --out slurm
    """
    from hpc_components.slurm import slurm_files
    from hpc_components.spec.validate import judge

    described = stack_file(stack)
    judgement, why = judge(described.cluster), "fix the errors first"
    if version is not None and judgement.cluster is not None and not judgement.errors:
        why = (
            f"the description is for Slurm {judgement.cluster.slurm.version} and has settings that Slurm "
            f"{version} doesn't support"
        )
        judgement = _judge_settings(described.cluster, version)
    if judgement.errors or judgement.cluster is None:
        fail_for_errors(ctx, described.document.file, judgement, f"no files: {why}")
    files = slurm_files(judgement.cluster, version=version)
    if file is not None:
        files = {file: _chosen(files, file)}
    if out is not None:
        _write(files, out)
    elif file is not None:
        show(files[file], nl=False)
    else:
        show("\n".join(f"==> {name} <==\n{text}" for name, text in sorted(files.items())), nl=False)


def _judge_settings(document: "Document", version: str) -> "Judgement":
    """Return the errors that the Slurm settings cause with another release. Other keys are not checked."""
    from dataclasses import replace

    from hpc_components.spec.validate import judge

    slurm = (document.data.get("slurm") or {}) | {"version": version}
    judgement = judge(replace(document, data=document.data | {"slurm": slurm}))
    own = re.compile(r"(slurm\.settings|queues\[\d+\]\.slurm)\.")
    return replace(judgement, findings=tuple(error for error in judgement.errors if own.match(error.path)))


def _chosen(files: dict[str, str], name: str) -> str:
    if name not in files:
        hint = did_you_mean(name, files, f"there are {', '.join(sorted(files))}")
        raise Refused(f"this cluster has no file {name}; {hint}")
    return files[name]


def _write(files: dict[str, str], directory: Path) -> None:
    make_folder(directory)
    for name, text in files.items():
        write_text(directory / name, text)
        say(f"wrote {directory / name}")
