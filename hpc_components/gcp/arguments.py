"""Checks the arguments of Google Cloud components: whether they have the declared types, and whether each id refers
to the right kind of resource.
"""

from functools import partial

from hpc_components import typed_args
from hpc_components.gcp.catalog.id_forms import ID_FORMS

checked_args = partial(typed_args.checked_args, id_forms=ID_FORMS)
"""See `typed_args.checked_args`."""
