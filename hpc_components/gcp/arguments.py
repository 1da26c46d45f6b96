"""Checks of the arguments of Google Cloud's components: declared types, and ids of the right kind."""

from functools import partial

from hpc_components import typed_args
from hpc_components.gcp.catalog.id_forms import ID_FORMS

checked_args = partial(typed_args.checked_args, id_forms=ID_FORMS)
"""See `typed_args.checked_args`."""
