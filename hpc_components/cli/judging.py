"""`hpc validate`, `hpc rules`, `hpc schema`."""

from typing import TYPE_CHECKING, Any

import click

from hpc_components.cli.command import Command, Refused, complete_stack, in_colour, stack_file

if TYPE_CHECKING:
    from hpc_components.spec.project import StackFile

__all__ = ["rules", "schema", "validate"]


@click.command(cls=Command)
@click.argument("what", nargs=-1, metavar="[STACK|FILE]...", shell_complete=complete_stack)
@click.option("--format", "format_", type=click.Choice(["text", "json", "github"]), default="text", show_default=True)
@click.pass_context
def validate(ctx: click.Context, what: tuple[str, ...], format_: Any) -> None:
    """Judge clusters: stacks of this project by name, or files. All stacks that describe one, if none is named.

    Exit code 0: no errors (there may be warnings); 1: errors; 2: something can't be read.

    \b
    Examples:
      hpc validate aws-cfd
      hpc validate my-cluster.yaml --format json
      hpc validate --format github      (annotations in a workflow)
    """
    from hpc_components.spec.judge import judge_stack
    from hpc_components.spec.report import Judged, report

    clusters, unread = ([stack_file(name) for name in what], 0) if what else _all_clusters()
    judged = [Judged(cluster.document.file, judge_stack(cluster)) for cluster in clusters]
    click.echo(report(judged, format_, colour=format_ == "text" and in_colour()))
    ctx.exit(2 if unread else 1 if any(one.judgement.errors for one in judged) else 0)


def _all_clusters() -> "tuple[list[StackFile], int]":
    """What the stacks of this project describe, and how many of their files can't be read; this and more is told."""
    from hpc_components.spec.project import CLUSTER_KEY, find_project
    from hpc_components.spec.source import UnreadableError

    project = find_project()
    if not project.stacks:
        raise Refused(f"there are no stack files in {project.stack_dir}; `hpc schema` prints what goes into one")
    clusters, unread = [], 0
    for stack in project.stacks:
        try:
            file = project.open(stack)
        except UnreadableError as error:
            Refused(str(error)).show()
            unread += 1
            continue
        if CLUSTER_KEY in file.config:
            clusters.append(file)
        else:
            click.echo(f"{file.document.file} is skipped: it has no {CLUSTER_KEY}", err=True)
    return clusters, unread


def _complete_rule(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    from hpc_components.spec.rule_list import listed_rules

    return [id for id in listed_rules() if id.startswith(incomplete.upper())]


@click.command(cls=Command)
@click.argument("id", required=False, metavar="[ID]", shell_complete=_complete_rule)
def rules(id: str | None) -> None:
    """List the rules that `hpc validate` and `hpc preview` apply, or explain one.

    \b
    Examples:
      hpc rules
      hpc rules HPC-NET-003
    """
    from hpc_components.spec.rule_list import listed_rules

    known = listed_rules()
    if id is None:
        click.echo("\n".join(f"{rule.id}  {rule.level:7}  {rule.title}" for rule in known.values()))
        return
    rule = known.get(id.upper())
    if rule is None:
        from difflib import get_close_matches

        near = get_close_matches(id.upper(), known, n=1)
        hint = f"did you mean {near[0]}?" if near else "`hpc rules` lists them"
        raise Refused(f"there is no rule {id}; {hint}")
    click.echo(f"{rule.id}  {rule.level}\n{rule.title}.\n\n{rule.explanation}".rstrip())


@click.command(cls=Command)
def schema() -> None:
    """Print the JSON schema of a stack file, for editors that complete YAML.

    \b
    Example:
      hpc schema > .hpc-schema.json
      (first line of a stack file:  # yaml-language-server: $schema=../../.hpc-schema.json)
    """
    import json

    from hpc_components.spec.schema import json_schema

    click.echo(json.dumps(json_schema(), indent=2))
