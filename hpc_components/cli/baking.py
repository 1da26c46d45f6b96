import click

from hpc_components.cli.command import Command, Group, Refused, complete_stack, show, stack_file
from hpc_components.cli.judging import fail_for_errors
from hpc_components.wording import did_you_mean


@click.group(cls=Group)
def image() -> None:
    """Make images from the recipes in `images`.

    \b
    Example:
      hpc image bundle aws-cfd cpu > bundle.sh
    """


@image.command(cls=Command)
@click.argument("stack", metavar="STACK", shell_complete=complete_stack)
@click.argument("recipe")
@click.pass_context
def bundle(ctx: click.Context, stack: str, recipe: str) -> None:
    """Print the shell script that makes an image from RECIPE, for a machine that you start yourself.

    Run it as root: `bash bundle.sh bake` on a machine of the base image installs what nodes need and removes what is
    the machine's own; then make an image of its disk. `bash bundle.sh test`, on a machine that boots from the image,
    checks it. STACK is a stack of this project, a file, or `-` for standard input. Exit code 0: printed; 1: the
    description has errors; 2: STACK has no such recipe, or can't be read.

    \b
    Example:
      hpc image bundle aws-cfd cpu > bundle.sh
    """
    from hpc_components.images.bundle import bundle as bundle_of
    from hpc_components.spec.validate import judge

    described = stack_file(stack)
    judgement = judge(described.cluster)
    cluster = judgement.cluster
    if judgement.errors or cluster is None:
        fail_for_errors(ctx, described.document.file, judgement, "no bundle: fix the errors first")
    if recipe not in cluster.images:
        there = f"it has {', '.join(cluster.images)}" if cluster.images else "describe one in `images`"
        raise Refused(f"{described.stack} has no recipe {recipe!r}; {did_you_mean(recipe, cluster.images, there)}")
    show(bundle_of(cluster, recipe), nl=False)
