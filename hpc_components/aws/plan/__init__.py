"""What a plan reads off AWS's resources: see `ModuleReader`, whose answers these are."""

import re
from collections.abc import Mapping

from hpc_components.preview.module_reader import ModuleReader

__all__ = ["READER"]


class AwsPlanReader(ModuleReader):
    """Knows the form of ARNs besides, and of keys."""

    secrets: Mapping[str, re.Pattern[str]] = {
        "an AWS access key": re.compile(r"A[KS]IA[A-Z2-7]{16}\b"),
        "an AWS secret key": re.compile(r"(?i)aws_?secret_?(?:access_?)?key\W{1,5}[A-Za-z0-9/+]{40}\b"),
    }

    def standin_text(self, id: str, output: str) -> str | None:
        return f"arn:aws:standin:us-east-1:123456789012:{id}/{output}" if output.lower().endswith("arn") else None


READER = AwsPlanReader(__name__)
