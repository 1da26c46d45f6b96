"""What a plan reads off Google Cloud's resources: see `ModuleReader`, whose answers these are."""

import re
from collections.abc import Mapping

from hpc_components.preview.module_reader import ModuleReader

__all__ = ["READER"]


class GcpPlanReader(ModuleReader):
    """Knows the form of keys besides."""

    secrets: Mapping[str, re.Pattern[str]] = {
        "a key of a service account": re.compile(r"-----BEGIN (?:RSA )?PRIVATE KEY-----"),
        "an API key": re.compile(r"AIza[0-9A-Za-z_-]{35}\b"),
        "an OAuth token": re.compile(r"ya29\.[0-9A-Za-z_-]{20,}"),
        "an OAuth client's secret": re.compile(r"GOCSPX-[0-9A-Za-z_-]{28}\b"),
    }


READER = GcpPlanReader(__name__)
