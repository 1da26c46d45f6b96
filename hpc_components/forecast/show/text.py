from collections.abc import Mapping
from typing import Any

from rich.console import Group, RenderableType

from hpc_components.forecast.show.tables import about, accounts, overview, queues, remarks
from hpc_components.report.text import TextTable, heading, literal

_ACCOUNTS = 12
"""Maximum number of accounts in the text. The other formats have all of them."""


def forecast_text(document: Mapping[str, Any]) -> Group:
    parts: list[RenderableType] = [literal(about(document)), TextTable(overview(document))]
    for stack in document["stacks"]:
        parts += [heading(f"Queues of {stack['stack']}"), TextTable(queues(stack))]
    parts += [heading("Costs by account, USD"), TextTable(accounts(document, _ACCOUNTS))]
    parts += [literal(sentence) for sentence in remarks(document)]
    parts.append(literal("docs/forecast.md says what the model leaves out.", "dim"))
    return Group(*parts)
