"""`hpc machines`, and completion."""

from typing import Any

import click

from hpc_components.cli.command import Command, Refused, console

__all__ = ["completion", "machines"]


@click.command(cls=Command)
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
        raise Refused("no machine type in the catalogue has all that; leave out an option")
    from hpc_components.catalog.table import offers_table

    terminal = console()
    terminal.print(offers_table(offers, terminal.width))
    click.echo("List prices as of the dates given, on demand, Linux; never a quotation.")


@click.command(cls=Command)
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
    click.echo(script(click.Group("hpc"), {}, "hpc", "_HPC_COMPLETE").source())
