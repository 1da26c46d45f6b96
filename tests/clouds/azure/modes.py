"""A program recorded as an update and as a preview, where storage accounts have names of their own kind."""

from collections.abc import Callable

import both_modes

from hpc_components.azure.components.storage_account import account_stem
from hpc_components.preview.record import Recording


def checked_preview(program: Callable[[], object]) -> Recording:
    """As `both_modes` says."""
    return both_modes.checked_preview(program, account_stem)
