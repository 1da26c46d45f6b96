"""Where Azure's SDK lags behind Azure."""

from hpc_components.preview.inputs.facts import InputFacts

__all__ = ["FACTS"]

FACTS = InputFacts(dated_enums=frozenset({"vmSize"}))  # the SDK's list of machine sizes is years old
