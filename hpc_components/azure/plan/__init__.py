"""What a plan reads off Azure's resources: see `ModuleReader`, whose answers these are."""

import re
from collections.abc import Mapping

from hpc_components.preview.module_reader import ModuleReader

__all__ = ["READER"]


class AzurePlanReader(ModuleReader):
    """Knows how the provider calls the region besides, and the form of keys."""

    region_input = "location"
    secrets: Mapping[str, re.Pattern[str]] = {
        "a key of a storage account": re.compile(r"(?i)account_?key\W{1,5}[A-Za-z0-9/+]{86}=="),
        "a shared access signature": re.compile(r"[?&]sig=[A-Za-z0-9%/+]{40,}"),
        # `Q~` is a version mark that Microsoft's scanners look for
        "a secret of an application": re.compile(r"Q~[A-Za-z0-9_~.-]{31,34}\b"),
    }


READER = AzurePlanReader(__name__)
