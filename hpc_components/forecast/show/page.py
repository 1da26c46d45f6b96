from collections.abc import Iterator, Mapping
from typing import Any

from hpc_components.forecast.show.plots import HEIGHT, WIDTH, plots
from hpc_components.forecast.show.tables import about, accounts, overview, queues, remarks
from hpc_components.forecast.show.wording import duration, usd
from hpc_components.report.page import render_page
from hpc_components.report.parts import Figure, Page, Section

_PACKAGE = "hpc_components.forecast.show"

_LOOKS = 6
"""Number of styles that tell stacks apart."""


def forecast_page(document: Mapping[str, Any]) -> str:
    """Render a forecast as a self-contained HTML page."""
    drawn = plots(document)
    page = Page(
        title=f"Forecast for {', '.join(stack['stack'] for stack in document['stacks'])}",
        heading="Forecast",
        where=about(document),
        figures=tuple(_figures(document)),
        skip_to="comparison",
        sections=(
            Section("compared", "Side by side"),
            *(Section(plot.anchor, plot.title) for plot in drawn),
            Section("queues", "Queues"),
            Section("accounts", "Accounts"),
        ),
        footer="Forecast by hpc with a model of Slurm's schedulers and of the elastic daemon. Not a quotation. "
        "No cloud was involved.",
    )
    return render_page(
        _PACKAGE,
        "page.html.j2",
        page,
        ("plots",),
        overview=overview(document),
        plots=drawn,
        names=[stack["stack"] for stack in document["stacks"]],
        queues=[queues(stack) for stack in document["stacks"]],
        accounts=accounts(document),
        remarks=list(remarks(document)),
        looks=_LOOKS,
        width=WIDTH,
        height=HEIGHT,
    )


def _figures(document: Mapping[str, Any]) -> Iterator[Figure]:
    for stack in document["stacks"]:
        waits = stack["waits"]
        waited = f"median wait {duration(waits['median'])}" if waits else "no job ran"
        yield Figure(stack["stack"], f"{usd(stack['cost'])} USD", f"in {stack['days']:,.1f} days, {waited}")
