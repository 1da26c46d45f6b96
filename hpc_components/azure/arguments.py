"""Arguments of Azure's components: of their declared types, and no id of one kind where another is wanted."""

from functools import partial

from hpc_components import declared
from hpc_components.azure.catalog.id_forms import ID_FORMS

__all__ = ["as_declared"]

as_declared = partial(declared.as_declared, id_forms=ID_FORMS)
"""See `declared.as_declared`."""
