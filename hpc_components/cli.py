"""The `hpc` command. Each command imports what it needs, so that none waits for another's libraries."""

import sys
from pathlib import Path
from typing import Any

import click

from hpc_components import __version__

__all__ = ["main"]


class _Command(click.Command):
    """A command whose expected errors are one sentence on stderr and exit code 2."""

    def invoke(self, ctx: click.Context) -> Any:
        from hpc_components.spec.source import UnreadableError

        try:
            return super().invoke(ctx)
        except UnreadableError as error:
            raise _Refused(str(error)) from None
        except ModuleNotFoundError as error:
            if error.name is None or not error.name.startswith("pulumi_"):
                raise
            extra = {"pulumi_azure_native": "azure"}.get(error.name, error.name.removeprefix("pulumi_"))
            raise _Refused(
                f"this stack needs the Python package {error.name}, which is not installed; "
                f"install it with: pip install 'hpc-components[{extra}]'"
            ) from None


class _Group(click.Group):
    command_class = _Command


class _Refused(click.ClickException):
    """One sentence on stderr: what is wrong, where, and the way out."""

    exit_code = 2


def _complete_stack(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    from hpc_components.spec.project import find_project
    from hpc_components.spec.source import UnreadableError

    try:
        return [stack for stack in find_project().stacks if stack.startswith(incomplete)]
    except UnreadableError:
        return []


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", message="hpc %(version)s")
def main() -> None:
    """Plan, judge and rehearse HPC clusters without a cloud.

    \b
    Examples:
      hpc validate                      judge every stack of this project
      hpc preview aws-cfd               what the cluster will be, cost and need
      hpc machines --gpu H100           which machine types have H100 GPUs
      hpc rules HPC-NET-003             explain one rule
    """


@main.command()
@click.argument("what", nargs=-1, metavar="[STACK|FILE]...", shell_complete=_complete_stack)
@click.option("--format", "format_", type=click.Choice(["text", "json", "github"]), default="text", show_default=True)
@click.pass_context
def validate(ctx: click.Context, what: tuple[str, ...], format_: Any) -> None:
    """Judge clusters: stacks of this project by name, or files. All stacks, if none is named.

    Exit code 0: no errors (there may be warnings); 1: errors; 2: something can't be read.

    \b
    Examples:
      hpc validate aws-cfd
      hpc validate my-cluster.yaml --format json
      hpc validate --format github      (annotations in a workflow)
    """
    from hpc_components.spec.judge import judge
    from hpc_components.spec.report import Judged, report

    files = [_stack_file(name) for name in what or _all_stacks()]
    judged = [Judged(file.document.file, judge(file.cluster)) for file in files]
    click.echo(report(judged, format_, colour=format_ == "text" and _colour()))
    ctx.exit(1 if any(one.judgement.errors for one in judged) else 0)


def _stack_file(name: str) -> Any:
    from hpc_components.spec.project import find_project, open_stack_file

    if name.endswith((".yaml", ".yml")) or "/" in name:
        return open_stack_file(Path(name))
    return find_project().open(name)


def _all_stacks() -> tuple[str, ...]:
    from hpc_components.spec.project import find_project

    project = find_project()
    if not project.stacks:
        raise _Refused(f"there are no stack files in {project.stack_dir}; `hpc schema` prints what goes into one")
    return project.stacks


def _colour() -> bool:
    """Colour only on a terminal, and only if nobody asked for none (the NO_COLOR convention)."""
    import os

    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


@main.command()
@click.argument("id", required=False, metavar="[ID]")
def rules(id: str | None) -> None:
    """List the rules that `hpc validate` applies, or explain one.

    \b
    Examples:
      hpc rules
      hpc rules HPC-NET-003
    """
    from hpc_components.spec.form import FORM_RULES
    from hpc_components.spec.rule import all_rules, find_rule

    if id is None:
        click.echo("\n".join(f"{id}  error    {title}" for id, title in FORM_RULES.items()))
        click.echo("\n".join(f"{rule.id}  {rule.level:7}  {rule.title}" for rule in all_rules()))
        return
    if id.upper() in FORM_RULES:
        click.echo(f"{id.upper()}  error\n{FORM_RULES[id.upper()]}.")
        return
    rule = find_rule(id)
    if rule is None:
        from difflib import get_close_matches

        near = get_close_matches(id.upper(), [rule.id for rule in all_rules()], n=1)
        hint = f"did you mean {near[0]}?" if near else "`hpc rules` lists them"
        raise _Refused(f"there is no rule {id}; {hint}")
    click.echo(f"{rule.id}  {rule.level}\n{rule.title}.\n\n{rule.explanation}".rstrip())


@main.command()
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


@main.command()
@click.option("--cloud", type=click.Choice(["aws", "azure", "gcp"]), help="Only this cloud.")
@click.option("--name", metavar="TEXT", help="Only names with this in them.")
@click.option(
    "--gpu", metavar="MODEL", help="Only with this accelerator (H100, A100, Trainium ...), `any` or `none`."
)
@click.option("--fabric", metavar="KIND", help="Only with this fabric (efa, infiniband, rdma ...), `any` or `none`.")
@click.option("--memory", "memory", type=float, default=0, metavar="GIB", help="At least this much memory.")
@click.option("--cores", type=int, default=0, metavar="N", help="At least this many physical cores.")
@click.option("--region", metavar="REGION", help="Only sold in this region; prices of it, where known.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
def machines(format_: str, **wanted: Any) -> None:
    """Browse machine types: cores, memory, accelerators, fabric, list price per core-hour.

    \b
    Examples:
      hpc machines --fabric any --gpu none          CPU machines with a fast fabric, cheapest core first
      hpc machines --gpu H100 --region us-east-2
      hpc machines --cloud azure --memory 700
    """
    from hpc_components.catalog.browse import Filter, find_offers

    memory, cores = wanted.pop("memory"), wanted.pop("cores")
    offers = find_offers(Filter(min_memory_gib=memory, min_cores=cores, **wanted))
    if format_ == "json":
        import json

        document = {"machines": [offer.to_dict() for offer in offers]}
        click.echo(json.dumps(document, indent=1, sort_keys=True))
        return
    if not offers:
        raise _Refused("no machine type in the catalogue has all that; leave out an option")
    from hpc_components.catalog.table import offers_table

    console = _console()
    console.print(offers_table(offers, console.width))
    click.echo("List prices as of the dates given, on demand, Linux; never a quotation.")


def _console() -> Any:
    """A terminal as wide as it is; wide text if this is none."""
    from rich.console import Console

    return Console(no_color=not _colour(), highlight=False, width=None if sys.stdout.isatty() else 140)


@main.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the shell's completion script.

    \b
    Example (bash):
      hpc completion bash > ~/.local/share/bash-completion/completions/hpc
    """
    from click.shell_completion import get_completion_class

    script = get_completion_class(shell)
    assert script is not None
    click.echo(script(main, {}, "hpc", "_HPC_COMPLETE").source())
