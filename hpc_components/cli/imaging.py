import sys

import click

from hpc_components.cli.command import Command, Refused, complete_stack, show, stack_file
from hpc_components.cli.judging import fail_for_errors
from hpc_components.cli.terminal import in_colour, terminal_width
from hpc_components.cloud import CLOUDS


@click.command(cls=Command)
@click.argument("stack", required=False, metavar="[STACK]", shell_complete=complete_stack)
@click.option("--cloud", type=click.Choice(list(CLOUDS)), help="Only public images of this cloud.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.pass_context
def images(ctx: click.Context, stack: str | None, cloud: str | None, format_: str) -> None:
    """Show what public images contain, or which images the nodes of STACK boot from and what these lack.

    Lists kernels, drivers, Lustre clients and the Slurm release of the packages, as far as public sources state them.
    STACK is a stack of this project, a file, or `-` for standard input. Exit code 0: every image has what its nodes
    need, as far as is known; 1: an image lacks something, or the description is malformed; 2: a file can't be read.

    \b
    Examples:
      hpc images --cloud azure          public images of Azure
      hpc images aws-ultracluster       images of a stack's nodes
      hpc images aws-ultracluster --format json | jq '.nodes[] | select(.lacks != [])'
    """
    if stack is None:
        _show_public(cloud, format_)
    elif cloud is not None:
        raise Refused("a stack has its own cloud; leave out --cloud, or leave out the stack")
    else:
        _show_nodes(ctx, stack, format_)


def _show_public(cloud: str | None, format_: str) -> None:
    from hpc_components.images.matrix import listed_images
    from hpc_components.images.show import images_document, images_tables

    found = [image for name in CLOUDS if cloud in (None, name) for image in listed_images(name)]
    _print(images_document(found) if format_ == "json" else images_tables(found))


def _show_nodes(ctx: click.Context, stack: str, format_: str) -> None:
    from hpc_components.images.nodes import node_images
    from hpc_components.images.show import nodes_document, nodes_tables
    from hpc_components.spec.validate import judge_stack

    file = stack_file(stack)
    judgement = judge_stack(file)
    cluster = judgement.cluster
    if cluster is None:
        fail_for_errors(ctx, file.document.file, judgement, "can't choose images: fix the errors first")
    nodes = list(node_images(cluster))
    document = nodes_document if format_ == "json" else nodes_tables
    _print(document(file.stack, cluster, nodes))
    ctx.exit(1 if any(each.lacks for each in nodes) else 0)


def _print(report: object) -> None:
    if isinstance(report, dict):
        import json

        show(json.dumps(report, indent=1, sort_keys=True, ensure_ascii=False))
        return
    from rich.console import Group

    from hpc_components.report.text import plain_text, print_report

    assert isinstance(report, Group)
    if in_colour(sys.stdout):
        print_report(report)
    else:
        show(plain_text(report, terminal_width(sys.stdout) or 140), nl=False)
