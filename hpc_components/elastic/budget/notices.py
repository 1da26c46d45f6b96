from dataclasses import dataclass

from hpc_components.elastic import months
from hpc_components.elastic.budget.look import Look
from hpc_components.elastic.budget.record import Month
from hpc_components.elastic.config import BudgetConfig
from hpc_components.elastic.money import told

FORECAST, STOPPED = "forecast", "stopped"


@dataclass(frozen=True, kw_only=True)
class Notice:
    settles: tuple[str, ...]
    """What the notice tells, as remembered in `Month.told`: percentages, `forecast` or `stopped`. Lower percentages
    that were passed at the same time are settled too."""
    text: str


def due(cluster: str, config: BudgetConfig, look: Look, month: Month) -> Notice | None:
    """Return the most serious notice that this month has not had yet, or None."""
    passed = tuple(str(percent) for percent in config.alert_at if look.percent >= percent)
    if look.stopped and STOPPED not in month.told:
        text = f"Cluster {cluster} launches nothing now: {look.why}. Running jobs finish, all others wait."
        return Notice(settles=(*passed, FORECAST, STOPPED), text=text)
    most = max(config.alert_at, default=100)
    is_foreseen = look.forecast is not None and look.forecast * 100 > look.limit * most
    foreseen = (FORECAST,) if is_foreseen else ()
    if set(passed) - set(month.told):
        return Notice(settles=(*passed, *foreseen), text=_text(cluster, look))
    if foreseen and not {FORECAST, str(most)} & set(month.told):
        return Notice(settles=foreseen, text=_text(cluster, look))
    return None


def _text(cluster: str, look: Look) -> str:
    text = (
        f"Cluster {cluster} has spent {look.percent:.0f} % of its budget for {months.name_of(look.at)}: "
        f"{told(look.spent)} of {told(look.limit)}, and now spends {told(look.rate)} an hour."
    )
    if look.forecast is not None and look.forecast > look.limit:
        text += f" If the month goes on as it has so far, it will cost {told(look.forecast)}."
    return text
