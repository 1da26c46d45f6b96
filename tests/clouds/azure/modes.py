"""A program recorded as an update and as a preview; generated names of storage accounts are normalized."""

from collections.abc import Callable

import both_modes

from hpc_components.azure.components.storage_account import account_stem
from hpc_components.preview.record import Recording


def checked_preview(program: Callable[[], object]) -> Recording:
    """See `both_modes`."""
    return both_modes.checked_preview(program, account_stem)
