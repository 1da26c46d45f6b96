from typing import TYPE_CHECKING, Any

import click

from hpc_components.cli.command import Command, Group, Refused, show
from hpc_components.cli.output import say
from hpc_components.cloud import CLOUDS, cloud_named
from hpc_components.errors import HpcError

if TYPE_CHECKING:
    from hpc_components.catalog.online.refresh import Refreshed


@click.group(cls=Group)
def catalog() -> None:
    """Manage the facts about machines and prices that all commands use.

    \b
    Example:
      hpc catalog refresh
    """


def _complete_region(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    from hpc_components.catalog import regions

    clouds = [ctx.params["cloud"]] if ctx.params.get("cloud") else list(CLOUDS)
    return [region for cloud in clouds for region in sorted(regions(cloud)) if region.startswith(incomplete)]


@catalog.command(cls=Command)
@click.option(
    "--cloud", type=click.Choice(list(CLOUDS)), help="Only this cloud. [default: the clouds of this project's stacks]"
)
@click.option("--region", multiple=True, metavar="NAME", shell_complete=_complete_region,
              help="A region of the cloud. Repeatable. [default: the regions of this project's stacks]")  # fmt: skip
@click.pass_context
def refresh(ctx: click.Context, cloud: str | None, region: tuple[str, ...]) -> None:
    """Fetch the clouds' current list prices, and store them in this project.

    The prices are written to hpc-prices/CLOUD.json beside Pulumi.yaml, and are then used by all commands and programs
    of the project. Commit that file. AWS and Azure publish prices openly; Google Cloud requires an API key in
    GOOGLE_API_KEY.

    Exit code 2: a price list can't be read, for example because there is no network; that cloud's prices remain
    unchanged.

    \b
    Examples:
      hpc catalog refresh
      hpc catalog refresh --cloud aws
      hpc catalog refresh --cloud azure --region westeurope --region swedencentral
    """
    from hpc_components.catalog.online.refresh import refresh as refreshed
    from hpc_components.spec.project import find_project

    if region and not cloud:
        raise Refused("--region requires --cloud; add --cloud with the cloud that the region belongs to")
    project = find_project()
    failed = False
    for name, regions, machines in _wanted(cloud, region):
        say(f"fetching {cloud_named(name).title} prices for {', '.join(regions)} ...")
        try:
            _report(refreshed(name, regions, machines, project.root))
        except HpcError as error:
            Refused(str(error)).show()
            failed = True
    ctx.exit(2 if failed else 0)


def _report(done: "Refreshed") -> None:
    from hpc_components.spec.project import displayed
    from hpc_components.wording import plural

    show(f"{displayed(done.file)}: {plural(done.found, 'price')}, {done.changed} of them new or changed")
    for each in done.missing:
        say(f"no price found for {each}; the built-in price remains in use")


def _wanted(cloud: str | None, regions: tuple[str, ...]) -> list[tuple[str, list[str], set[str]]]:
    """Return each cloud with its regions and with all strings in the descriptions of its stacks. The strings include
    the machine types.
    """
    found: dict[str, tuple[dict[str, None], set[str]]] = {}
    for described in _clusters():
        name, region = described.get("cloud"), described.get("region")
        if name in CLOUDS and isinstance(region, str) and cloud in (None, name):
            places, texts = found.setdefault(name, ({}, set()))
            places[region] = None
            texts.update(_texts(described))
    if cloud and regions:
        return [(cloud, list(dict.fromkeys(regions)), found.get(cloud, ({}, set()))[1])]
    if not found:
        where = f"on {cloud_named(cloud).title}" if cloud else "that describes a cluster"
        raise Refused(f"this project has no stack {where}; specify a cloud and a region with --cloud and --region")
    return [(name, list(places), texts) for name, (places, texts) in found.items()]


def _clusters() -> list[dict[str, Any]]:
    from hpc_components.spec.project import find_project
    from hpc_components.spec.source import UnreadableError

    project, found = find_project(), []
    for stack in project.stacks:
        try:
            data = project.open(stack).cluster.data
        except UnreadableError:
            continue
        found += [data] if isinstance(data, dict) else []
    return found


def _texts(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set().union(*map(_texts, value.values()))
    if isinstance(value, list):
        return set().union(*map(_texts, value))
    return {value} if isinstance(value, str) else set()
