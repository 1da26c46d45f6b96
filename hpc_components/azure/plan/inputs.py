"""Where Azure's SDK lags behind Azure."""

from hpc_components.preview.inputs.facts import InputFacts

__all__ = ["FACTS"]

FACTS = InputFacts(
    # the SDK's list of machine sizes is years old, and streams of custom tables are not in that of streams
    dated_enums=frozenset({"vmSize", "streams"})
)
