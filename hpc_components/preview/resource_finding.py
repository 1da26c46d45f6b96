"""A finding of a rule of the plan, before the rule's id and level are added."""

from dataclasses import dataclass
from typing import Any

from hpc_components.preview.resources import Resource


@dataclass(frozen=True, kw_only=True)
class ResourceFinding:
    """What a rule of the plan found in a resource. The rule's id and level are added later."""

    resource: Resource
    path: str
    """The input concerned, `metadataOptions.httpTokens`; empty if there is no single one."""
    reason: str
    remedy: str
    value: Any = None
    """The value found, plain."""

    @property
    def what(self) -> str:
        """The input, if any, and the reason. The value is left out, because Pulumi passes secrets to policies in
        plain text.
        """
        return f"{self.path}: {self.reason}" if self.path else self.reason
