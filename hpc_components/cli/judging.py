import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import click

from hpc_components.cli.command import Command, Refused, complete_stack, show, stack_file
from hpc_components.cli.output import say
from hpc_components.cli.terminal import in_colour, terminal_width, wrapped
from hpc_components.wording import did_you_mean

if TYPE_CHECKING:
    from hpc_components.spec.report import Judged
    from hpc_components.spec.rule import RuleText
    from hpc_components.spec.source import UnreadableError
    from hpc_components.spec.validate import Judgement


@click.command(cls=Command)
@click.argument("what", nargs=-1, metavar="[STACK|FILE|-]...", shell_complete=complete_stack)
@click.option("--format", "format_", type=click.Choice(["text", "json", "github"]), default="text", show_default=True)
@click.pass_context
def validate(ctx: click.Context, what: tuple[str, ...], format_: Any) -> None:
    """Validate clusters, specified as stacks of this project or as files. Default: all stacks with a cluster.

    `-` stands for standard input. Exit code 0: no errors (there may be warnings); 1: errors; 2: a file can't be read,
    or no file describes a cluster.

    \b
    Examples:
      hpc validate aws-cfd
      hpc validate my-cluster.yaml --format json
      generate-stack | hpc validate -
      hpc validate --format github      (annotations in a workflow)
    """
    from hpc_components.spec.report import report

    judged, unread = _judged(list(dict.fromkeys(what)) or _all_stacks())
    text = report(judged, format_, unreadable=unread, colour=in_colour(sys.stdout), width=terminal_width(sys.stdout))
    if text and (judged or format_ != "text"):
        show(text)
    ctx.exit(2 if unread else 1 if any(one.judgement.errors for one in judged) else 0)


def _judged(stacks: Sequence[str]) -> "tuple[list[Judged], list[UnreadableError]]":
    """Return the results for all readable stack files, and the errors for unreadable ones. The errors are also
    printed.
    """
    from hpc_components.spec.report import Judged
    from hpc_components.spec.source import UnreadableError
    from hpc_components.spec.validate import judge_stack

    judged, unread = [], []
    for stack in stacks:
        try:
            file = stack_file(stack)
            judged.append(Judged(file.document.file, judge_stack(file)))
        except UnreadableError as error:
            Refused(str(error)).show()
            unread.append(error)
    return judged, unread


def _all_stacks() -> list[str]:
    """Return this project's stacks that describe a cluster or can't be read. Print a message for every other stack.

    Raise UnreadableError if no stack describes a cluster.
    """
    from hpc_components.spec.project import CLUSTER_KEY, displayed, find_project
    from hpc_components.spec.source import UnreadableError

    project = find_project()
    if not project.stacks:
        where = displayed(project.stack_dir)
        raise UnreadableError(f"there are no stack files in {where}; run `hpc init` to create one")
    described = []
    for stack in project.stacks:
        try:
            file = project.open(stack)
        except UnreadableError:
            described.append(stack)
            continue
        if CLUSTER_KEY in file.config:
            described.append(stack)
        else:
            say(f"skipped {file.document.file}, which has no key {CLUSTER_KEY}")
    if not described:
        where = displayed(project.stack_dir)
        raise UnreadableError(
            f"no stack in {where} has the key {CLUSTER_KEY}; run `hpc schema` to see what this key may contain"
        )
    return described


def _complete_rule(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    from hpc_components.spec.rule_list import listed_rules, topics

    wanted = incomplete.upper()
    return [each for each in (*topics(), *listed_rules()) if each.startswith(wanted)]


@click.command(cls=Command)
@click.argument("what", required=False, metavar="[ID|TOPIC]", shell_complete=_complete_rule)
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
def rules(what: str | None, format_: str) -> None:
    """List the rules that `hpc validate` and `hpc preview` apply, list the rules of one topic, or explain one rule.

    A topic is the middle part of an id, e.g. NET, SLM or QTA.

    \b
    Examples:
      hpc rules
      hpc rules NET
      hpc rules HPC-NET-003
      hpc rules --format json
    """
    from hpc_components.spec.rule_list import listed_rules

    known = listed_rules()
    found = _chosen(what, known) if what else list(known.values())
    if format_ == "json":
        import json
        from dataclasses import fields

        from hpc_components.spec.rule import RuleText

        keys = [field.name for field in fields(RuleText)]
        texts = [{key: getattr(rule, key) for key in keys} for rule in found]
        show(json.dumps({"rules": texts}, indent=1, sort_keys=True, ensure_ascii=False))
    elif what and what.upper() in known:
        (rule,) = found
        text = f"{rule.id}  {rule.level}\n{rule.title}.\n\n{rule.explanation}".rstrip()
        show(wrapped(text, sys.stdout))
    else:
        lines = "\n".join(f"{rule.id}  {rule.level:7}  {rule.title}" for rule in found)
        show(wrapped(lines, sys.stdout, indent=len("HPC-NET-003  warning  ")))


def _chosen(what: str, known: "dict[str, RuleText]") -> "list[RuleText]":
    from hpc_components.spec.rule_list import topics

    wanted = what.upper()
    if wanted in known:
        return [known[wanted]]
    topic = wanted.removeprefix("HPC-").removesuffix("-")
    if topic in topics():
        return [rule for id, rule in known.items() if id.startswith(f"HPC-{topic}-")]
    hint = did_you_mean(wanted, [*known, *topics()], f"topics are {', '.join(topics())}")
    raise Refused(f"{what} is not a rule or topic; {hint}")


@click.command(cls=Command)
def schema() -> None:
    """Print the JSON schema of a stack file, for editors that complete YAML.

    \b
    Example:
      hpc schema > .hpc-schema.json
      (first line of a stack file:  # yaml-language-server: $schema=./.hpc-schema.json)
    """
    import json

    from hpc_components.spec.schema import json_schema

    show(json.dumps(json_schema(), indent=2))


def fail_for_errors(ctx: click.Context, file: str, judgement: "Judgement", why: str) -> NoReturn:
    """Print what is wrong with a description, and exit with code 1.

    If the user asked for JSON on standard output, write the JSON document of `hpc validate` there. Otherwise write
    the errors to standard error as text, followed by `why`.
    """
    from hpc_components.spec.report import Judged, report, summary, text_of

    judged = [Judged(file, judgement)]
    if ctx.params.get("format_") == "json" and ctx.params.get("out") is None:
        show(report(judged, "json"))
        click.echo(why, err=True)
    else:
        colour, width = in_colour(sys.stderr), terminal_width(sys.stderr)
        errors = (text_of(each, colour, width) for each in judgement.errors)
        click.echo("\n".join([*errors, summary(judged), why]), err=True)
    ctx.exit(1)
