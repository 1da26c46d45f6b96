from functools import partial

from hpc_components import typed_args
from hpc_components.aws.catalog.id_forms import ID_FORMS

checked_args = partial(typed_args.checked_args, id_forms=ID_FORMS)
