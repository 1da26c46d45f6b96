"""Defines what plan rules find, before the rule's id and level are added."""

from dataclasses import dataclass
from typing import Any

from hpc_components.preview.resources import Resource


@dataclass(frozen=True, kw_only=True)
class ResourceFinding:
    """What a plan rule found in a resource. The rule's id and level are added later."""

    resource: Resource
    path: str
    """Path of the input concerned, e.g. `metadataOptions.httpTokens`, or empty if the finding is not about a single
    input."""
    reason: str
    remedy: str
    value: Any = None
    """The offending value, in plain types."""

    @property
    def what(self) -> str:
        """Text with the input, if any, and the reason. The value is left out because it may be a secret, which Pulumi
        passes to policies in plain text.
        """
        return f"{self.path}: {self.reason}" if self.path else self.reason
