import math
import sys
from textwrap import fill
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from hpc_components.cli.command import Command, Refused, show
from hpc_components.cli.terminal import in_colour, terminal_width
from hpc_components.cloud import CLOUDS
from hpc_components.wording import closest_word

if TYPE_CHECKING:
    from hpc_components.catalog.browse import Filter, Offer
    from hpc_components.catalog.similar_machines import Likeness

_LISTED_VALUES = 20


def _complete_value(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from hpc_components.catalog.browse import known_values

    assert param.name == "gpu" or param.name == "fabric" or param.name == "region"
    values = [*known_values(param.name), *([] if param.name == "region" else ["any", "none"])]
    return [CompletionItem(value) for value in values if value.lower().startswith(incomplete.lower())]


def _number(ctx: click.Context, param: click.Parameter, value: float) -> float:
    """Reject `nan`, which Python parses as a number."""
    if math.isnan(value):
        raise click.BadParameter(f"{value} is not an amount of memory; specify the number of GiB", ctx, param)
    return value


@click.command(cls=Command)
@click.option("--cloud", type=click.Choice(list(CLOUDS)), help="Only this cloud.")
@click.option(
    "--name",
    metavar="TEXT",
    help="Only types whose names contain this text. Also searches types that are not listed by default.",
)
@click.option(
    "--like",
    metavar="TYPE",
    help="Show the five types most similar to this one, on any cloud, and why they are similar.",
)
@click.option(
    "--gpu",
    metavar="MODEL",
    shell_complete=_complete_value,
    help="Only types with this accelerator (H100, A100, Trainium ...), or `any` or `none`.",
)
@click.option(
    "--fabric",
    metavar="KIND",
    shell_complete=_complete_value,
    help="Only types with this fabric (efa, infiniband, rdma ...), or `any` or `none`.",
)
@click.option(
    "--memory",
    type=click.FloatRange(min=0),
    callback=_number,
    default=0,
    metavar="GIB",
    help="Minimum memory in GiB.",
)
@click.option("--cores", type=click.IntRange(min=0), default=0, metavar="N", help="Minimum number of physical cores.")
@click.option(
    "--region",
    metavar="REGION",
    shell_complete=_complete_value,
    help="Only types sold in this region, with the region's prices where known.",
)
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
def machines(format_: str, like: str | None, **wanted: Any) -> None:
    """Browse machine types: cores, memory, accelerators, fabric, list price per core-hour.

    \b
    Examples:
      hpc machines --fabric any --gpu none          CPU machines with a fast fabric, cheapest core first
      hpc machines --gpu H100 --region us-east-2
      hpc machines --cloud azure --memory 700       types with at least 700 GiB
      hpc machines --like hpc6a.48xlarge --cloud azure
    """
    from hpc_components.catalog.browse import Filter, find_offers

    _refuse_unknown(wanted)
    memory, cores = wanted.pop("memory"), wanted.pop("cores")
    among = Filter(min_memory_gib=memory, min_cores=cores, **wanted)
    alike = _like(like, among) if like is not None else []
    offers = [each.offer for each in alike] if like is not None else find_offers(among)
    if not offers:
        raise Refused("no machine type in the catalogue matches all options; remove one of the options")
    if format_ == "json":
        import json

        document = {"machines": [each.to_dict() for each in alike or offers]}
        show(json.dumps(document, indent=1, sort_keys=True))
    else:
        _print_table(offers, [f"{each.offer.machine.name}: {'; '.join(each.why)}." for each in alike])


def _like(name: str, among: "Filter") -> "list[Likeness]":
    from hpc_components.catalog import close_names
    from hpc_components.catalog.similar_machines import find_like, machine_called

    wanted = machine_called(name)
    if wanted is None:
        near = [known for cloud in CLOUDS for known in close_names(cloud, name)]
        hint = f"did you mean {near[0]}?" if near else "to search for part of a name, use `hpc machines --name`"
        raise Refused(f"the catalogue has no facts about machine type {name!r}; {hint}")
    return find_like(wanted, among)


def _refuse_unknown(wanted: dict[str, Any]) -> None:
    """Reject unknown values with a suggestion, rather than reporting that no machine matches."""
    from hpc_components.catalog import region_of_zone
    from hpc_components.catalog.browse import Filter, find_offers, known_values

    for option, what in (("gpu", "accelerator"), ("fabric", "fabric"), ("region", "region")):
        value = wanted[option]
        if value is None or find_offers(Filter(**{option: value})):
            continue
        known = known_values(option)
        zones = (region_of_zone(cloud, value) for cloud in CLOUDS)
        near = next(filter(None, zones), closest_word(value, known))
        some = known[:_LISTED_VALUES] + ["..."] * (len(known) > _LISTED_VALUES)
        hint = f"did you mean {near}?" if near else f"known: {', '.join(some)}"
        raise Refused(f"{value!r} is not a known {what}; {hint}")


def _print_table(offers: "list[Offer]", notes: list[str]) -> None:
    from hpc_components.catalog.table import offers_footer, offers_table

    width = terminal_width(sys.stdout)
    heading, *rows = offers_table(offers, width)
    footer = [*notes, *offers_footer(offers)]
    folded = [fill(line, width, break_on_hyphens=False) if width else line for line in footer]
    show("\n".join([click.style(heading, bold=True) if in_colour(sys.stdout) else heading, *rows, *folded]))


@click.command(cls=Command)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script for a shell.

    \b
    Example (bash):
      mkdir -p ~/.local/share/bash-completion/completions
      hpc completion bash > ~/.local/share/bash-completion/completions/hpc
    """
    from click.shell_completion import get_completion_class

    script = get_completion_class(shell)
    assert script is not None
    show(script(click.Group("hpc"), {}, "hpc", "_HPC_COMPLETE").source())
