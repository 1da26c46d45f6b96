import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hpc_components.cli.command import INTERRUPTED, Command, Group, Refused, complete_stack, show, stack_file
from hpc_components.cli.judging import fail_for_errors
from hpc_components.cli.planning import planned_stack
from hpc_components.cli.terminal import terminal_width
from hpc_components.wording import did_you_mean

if TYPE_CHECKING:
    from hpc_components.images.container import Verb
    from hpc_components.spec.cluster import ClusterSpec


@click.group(cls=Group)
def image() -> None:
    """Make images from the recipes in `images`.

    \b
    Examples:
      hpc image list aws-cfd
      hpc image diff aws-cfd --against main
      hpc image build aws-cfd cpu --root debian-13
      hpc image bundle aws-cfd cpu > bundle.sh
    """


@image.command("list", cls=Command)
@click.argument("stack", metavar="STACK", shell_complete=complete_stack)
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.pass_context
def list_images(ctx: click.Context, stack: str, format_: str) -> None:
    """List the images that STACK makes: version, base, and the nodes that boot from them.

    A version is the hash of everything that goes into the image, so a new version means a new image. Runs the stack's
    own program without a cloud, as `hpc preview` does. STACK is a stack of this project, a file, or `-` for standard
    input. Exit code 0: listed; 1: the description has errors; 2: a file can't be read, or the program fails.

    \b
    Examples:
      hpc image list aws-cfd
      hpc image list aws-cfd --format json | jq -r '.images[].version'
    """
    plan = planned_stack(ctx, stack)
    if format_ == "json":
        document = {"made_images": 1, "stack": plan.stack, "images": [each.to_dict() for each in plan.images]}
        show(json.dumps(document, indent=1, sort_keys=True))
        return
    from hpc_components.preview.render.tables import images_made
    from hpc_components.report.text import TextTable, literal, plain_text

    nothing = literal("The stack makes no images; describe a recipe in `images`, and name it as a queue's image.")
    found = TextTable(images_made(plan.images)) if plan.images else nothing
    show(plain_text(found, terminal_width(sys.stdout) or 140), nl=False)


@image.command("diff", cls=Command)
@click.argument("stack", metavar="STACK", shell_complete=complete_stack)
@click.option("--against", default="HEAD", show_default=True, metavar="REF", help="A git ref or a plan file.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
def diff_images(stack: str, against: str, format_: str) -> None:
    """Show which images of STACK change, by what, and what it means for nodes.

    Compares the working tree with REF: a branch, tag or commit, or a plan file of `hpc preview STACK --format json`.
    Each side runs its own program, without a cloud, as in `hpc diff`, which shows everything else. Exit code 0:
    compared; 2: a source can't be read or planned.

    \b
    Examples:
      hpc image diff aws-cfd
      hpc image diff aws-cfd --against main
      hpc image diff aws-cfd --against v1.0 --format json
    """
    from hpc_components.review.images import image_changes
    from hpc_components.review.planning import Failure
    from hpc_components.review.sources import Source, failure_of, planned_pairs

    before, after = Source.named(against), Source.working_tree()
    (pair,) = planned_pairs(before, after, [stack])
    if failure := failure_of(pair, (before.side, after.side)):
        raise Refused(failure)
    assert not isinstance(pair.before, Failure)
    assert not isinstance(pair.after, Failure)
    changes = image_changes(pair.before, pair.after)
    sides = (before.side.source, after.side.source)
    if format_ == "json":
        document = {"image_changes": 1, "stack": stack, "before": sides[0], "after": sides[1]}
        document["images"] = [each.to_dict() for each in changes]
        show(json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False))
        return
    from hpc_components.review.render.images import images_text

    show(images_text(stack, changes, sides, terminal_width(sys.stdout) or 140), nl=False)


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

    cluster, name = _recipe(ctx, stack, recipe, "no bundle")
    show(bundle_of(cluster, name), nl=False)


def _recipe(ctx: click.Context, stack: str, recipe: str | None, otherwise: str) -> "tuple[ClusterSpec, str]":
    """Return the cluster, and the recipe that is meant: without a name, the only one."""
    from hpc_components.spec.validate import judge

    described = stack_file(stack)
    judgement = judge(described.cluster)
    cluster = judgement.cluster
    if judgement.errors or cluster is None:
        fail_for_errors(ctx, described.document.file, judgement, f"{otherwise}: fix the errors first")
    if recipe is None and len(cluster.images) == 1:
        return cluster, next(iter(cluster.images))
    there = f"it has {', '.join(cluster.images)}" if cluster.images else "describe one in `images`"
    if recipe is None:
        raise Refused(f"{described.stack} has {len(cluster.images)} recipes; specify RECIPE: {there}")
    if recipe not in cluster.images:
        raise Refused(f"{described.stack} has no recipe {recipe!r}; {did_you_mean(recipe, cluster.images, there)}")
    return cluster, recipe


_ROOT = click.option(
    "--root", required=True, type=click.Path(path_type=Path), metavar="DIR", help="Root file system to begin with."
)
_FORMAT = click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)


@image.command(cls=Command)
@click.argument("stack", metavar="STACK", shell_complete=complete_stack)
@click.argument("recipe", required=False)
@_ROOT
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Keep the result as this new directory.")
@_FORMAT
@click.pass_context
def build(ctx: click.Context, stack: str, recipe: str | None, root: Path, out: Path | None, format_: str) -> None:
    """Run the steps of RECIPE on this machine, in a container, to see whether they succeed before `pulumi up`.

    The container begins with the root file system DIR of the nodes' operating system, which stays as it is, and uses
    this machine's network. What needs the kernel of a machine in the cloud, such as the Lustre client, is left out
    and named. It needs Linux, root and systemd-nspawn, and memory for what the steps install. Exit code 0: all steps
    succeeded; 1: a step failed, or the description has errors; 2: it can't run here; 130: Ctrl-C.

    \b
    Examples:
      hpc image build aws-cfd cpu --root debian-13
      hpc image build aws-cfd cpu --root debian-13 --out cpu && hpc image test aws-cfd cpu --root cpu
    """
    if out is not None and out.exists():
        raise Refused(f"{out} exists already; specify a new directory with --out")
    _run_here(ctx, "bake", (stack, recipe), root, out, format_)


@image.command("test", cls=Command)
@click.argument("stack", metavar="STACK", shell_complete=complete_stack)
@click.argument("recipe", required=False)
@_ROOT
@_FORMAT
@click.pass_context
def test_image(ctx: click.Context, stack: str, recipe: str | None, root: Path, format_: str) -> None:
    """Run the test of RECIPE's image on this machine, in a container that reaches no network.

    DIR is the result of `hpc image build --out DIR`, and stays as it is. The test runs the steps again where nothing
    can be fetched, and starts Slurm if it is in the image. Exit code 0: the test succeeded; 1: it failed, or the
    description has errors; 2: it can't run here; 130: Ctrl-C.

    \b
    Example:
      hpc image test aws-cfd cpu --root cpu
    """
    _run_here(ctx, "test", (stack, recipe), root, None, format_)


def _run_here(
    ctx: click.Context, verb: "Verb", chosen: tuple[str, str | None], root: Path, out: Path | None, format_: str
) -> None:
    from hpc_components.images.bundle import bundle as bundle_of
    from hpc_components.images.bundle import needs_kernel
    from hpc_components.images.container import StepRun, lacking, run_bundle

    cluster, recipe = _recipe(ctx, *chosen, "can't run this recipe")
    if reasons := list(lacking(root, cluster.os)):
        raise Refused("can't run this recipe here: " + "\n  and: ".join(reasons))
    try:
        text = bundle_of(cluster, recipe, in_container=True)
    except ValueError as error:
        raise Refused(str(error)) from None

    def show_step(step: StepRun) -> None:
        show(f"{step.step:<16}{step.seconds:9.1f} s")

    quiet = {} if format_ == "json" else {"on_step": show_step}
    try:
        done = run_bundle(verb, text, [root], result=out, **quiet)
    except KeyboardInterrupt:
        click.echo("interrupted; nothing is left behind", err=True)
        ctx.exit(INTERRUPTED)
    left_out, word = needs_kernel(cluster, recipe), "build" if verb == "bake" else "test"
    if format_ == "json":
        document = {"image_run": 1, "stack": chosen[0], "recipe": recipe, "verb": word, "left_out": list(left_out)}
        show(json.dumps(document | done.to_dict(), indent=1, sort_keys=True, ensure_ascii=False))
    else:
        if left_out:
            show(f"left out, because it needs the kernel of a machine in the cloud: {', '.join(left_out)}")
        show(f"{word} of {recipe} {f'FAILED: {done.failure}' if done.failure else 'succeeded'}")
    ctx.exit(1 if done.failure else 0)
