import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hpc_components.cli.command import Command, Refused, complete_stack
from hpc_components.cli.output import check_writable, say, write_report

if TYPE_CHECKING:
    from hpc_components.review.document import Review
    from hpc_components.review.verdict import Condition

_DASHES = "--"
_AFTER_DASHES = "stacks after --"
_FILE = click.Path(dir_okay=False, path_type=Path)


class _DiffCommand(Command):
    """A command that treats the arguments after `--` as stacks, much as `git diff` treats them as paths."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if _DASHES in args:
            cut = args.index(_DASHES)
            ctx.meta[_AFTER_DASHES] = tuple(args[cut + 1 :])
            args = args[:cut]
        return super().parse_args(ctx, args)


@click.command(cls=_DiffCommand)
@click.argument("words", nargs=-1, metavar="BASE [HEAD] [STACK]...", shell_complete=complete_stack)
@click.option("--pulumi", type=_FILE, metavar="FILE", help="Review a preview or event log written by Pulumi instead.")
@click.option("--state", type=_FILE, metavar="FILE", help="Compare a stack's exported state with its plan.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json", "markdown", "html"]),
    default="text",
    show_default=True,
    help="Output format.",
)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write the output to this file.")
@click.option("--comment", is_flag=True, help="Post the reviews as comments on this GitHub workflow's pull request.")
@click.option("--fail-on", default="", metavar="WORDS", help="Conditions for exit code 1, separated by commas.")
@click.pass_context
def diff(
    ctx: click.Context,
    words: tuple[str, ...],
    pulumi: Path | None,
    state: Path | None,
    format_: str,
    out: Path | None,
    comment: bool,
    fail_on: str,
) -> None:
    """Show how a change affects a cluster's jobs, users, data, cost and findings.

    BASE and HEAD are git refs (branches, tags or commits) or plan files from `hpc preview STACK --format json`.
    Without HEAD, BASE is compared with the working tree. STACK is a stack of this project; by default, all
    stacks whose plans can differ are compared. If a word could be a ref or a stack, put `--` before the stacks. Each
    side runs its own programs, without a cloud.

    --pulumi reviews what Pulumi's own engine is about to do, and runs no program: FILE is the output of `pulumi
    preview --json` (add --show-sames for cost and quotas), a streaming preview, `pulumi up --json` or an --event-log.
    If STACK is given and FILE contains no preview, the review says that the preview failed. --state compares the
    deployed stack, as exported by `pulumi stack export`, with the working tree's plan.

    --comment writes a comment for each stack that has anything to report, and updates the comments of earlier runs,
    even for stacks that no longer differ. If the token does not have permission to write comments, as in workflows
    triggered from forks, the reviews are written only to the job summary.

    The conditions for --fail-on are `destroy` (a resource is deleted or replaced), `data-loss` (data is lost, or is
    left behind where the cluster can't reach it), `access` (addresses, users or jobs gain access), `warning` (a new
    warning or error), `error` (any error, or a refusal by the cloud), and e.g. `cost>20%` or `cost>500` (the monthly
    cost of the idle or full cluster, including resources that stay in the cloud, rises by more than 20 % or USD 500).

    Exit code 0: reviewed; 1: a condition of --fail-on holds; 2: a source can't be read, planned or judged.

    \b
    Examples:
      hpc diff main
      hpc diff main my-branch aws-cfd
      hpc diff v1.0 -- aws-cfd
      hpc diff before.json after.json --format html --out review.html
      hpc diff main --fail-on 'data-loss,access,cost>20%'
      hpc diff origin/main --comment
      pulumi preview --json --show-sames > preview.json; hpc diff --pulumi preview.json aws-cfd --comment
      pulumi stack export > state.json; hpc diff --state state.json
    """
    from hpc_components.review.verdict import conditions

    check_writable(out)
    forbidden = conditions(fail_on)
    reviews, is_of_all = _reviews(words, ctx.meta.get(_AFTER_DASHES), pulumi, state)
    print_coloured = partial(_print, reviews) if format_ == "text" else None
    write_report(out, partial(_rendered, reviews, format_), print_coloured)
    if comment:
        from hpc_components.review.comments import put_comments
        from hpc_components.spec.project import find_project

        project = reviews[0].project if reviews else find_project().name
        say(put_comments(reviews, os.environ, project, only_named=not is_of_all))
    ctx.exit(_exit_code(reviews, forbidden))


def _reviews(
    words: Sequence[str], after_dashes: Sequence[str] | None, pulumi: Path | None, state: Path | None
) -> "tuple[list[Review], bool]":
    """Return the reviews, and whether they cover all stacks that can differ."""
    if pulumi or state:
        return [_of_deployed([*words, *(after_dashes or ())], pulumi, state)], False
    from hpc_components.review.sources import Source, head_and_stacks, reviews_of

    if not words:
        raise Refused("specify what to compare: BASE (a git ref or a plan file), --pulumi FILE or --state FILE")
    before = Source.named(words[0])
    head, stacks = head_and_stacks(words[1:], after_dashes)
    after = Source.named(head) if head else Source.working_tree()
    return reviews_of(before, after, stacks), not (stacks or before.plan or after.plan)


def _of_deployed(words: Sequence[str], pulumi: Path | None, state: Path | None) -> "Review":
    if pulumi and state:
        raise Refused("--pulumi and --state can't be combined; leave out one of them")
    if pulumi:
        if len(words) > 1:
            raise Refused(
                f"--pulumi takes at most one STACK, because the file covers a single stack; leave out {words[1]}"
            )
        from hpc_components.review.engine.preview import preview_review

        return preview_review(pulumi, words[0] if words else None)
    assert state
    if len(words) > 1:
        raise Refused(
            f"--state takes at most one STACK, because the file covers a single stack; leave out {words[1]}"
        )
    from hpc_components.review.engine.drift import drift_review

    return drift_review(state, words[0] if words else None)


def _print(reviews: "Sequence[Review]") -> None:
    from hpc_components.review.render.text import print_reviews

    print_reviews(reviews)


def _rendered(reviews: "Sequence[Review]", format_: str, width: int) -> str:
    if format_ == "json":
        from hpc_components.spec.printable import json_text

        document = {"reviews": [review.to_dict() for review in reviews]}
        return json_text(document) + "\n"
    if format_ == "text":
        from hpc_components.review.render.text import reviews_text

        return reviews_text(reviews, width)
    from datetime import UTC, datetime

    now = datetime.now(UTC)
    if format_ == "markdown":
        from hpc_components.review.render.markdown import render_markdown_review

        return "\n".join(render_markdown_review(review, time=now) for review in reviews)
    from hpc_components.review.render.html import render_html_review

    return render_html_review(reviews, time=now)


def _exit_code(reviews: "Sequence[Review]", forbidden: "Sequence[Condition]") -> int:
    """Return 2 if a stack can't be planned or a condition can't be evaluated, 1 if a condition holds, and 0
    otherwise.

    Conditions that hold or can't be evaluated are reported on standard error.
    """
    unknown = [(review, each, gap) for review in reviews for each in forbidden if (gap := each.gap(review))]
    for review, condition, gap in unknown:
        say(f"{review.stack}: the --fail-on condition `{condition.word}` can't be evaluated, because {gap.reason}")
    held = [(review, each) for review in reviews for each in forbidden if each.holds(review)]
    for review, condition in held:
        say(f"{review.stack}: the --fail-on condition `{condition.word}` holds")
    if unknown or any(review.failure for review in reviews):
        return 2
    return 1 if held else 0
