from dataclasses import dataclass
from typing import Any

from hpc_components.preview.resources import Resource


@dataclass(frozen=True, kw_only=True)
class ResourceFinding:
    """A problem that a plan rule found in a resource. The rule's id and level are added later."""

    resource: Resource
    path: str
    """Path of the offending input, e.g. `metadataOptions.httpTokens`, or empty if the problem doesn't concern a
    single input."""
    reason: str
    remedy: str
    value: Any = None

    @property
    def what(self) -> str:
        """Input path, if any, and reason. The value is omitted because Pulumi passes secrets to policies in plain
        text.
        """
        return f"{self.path}: {self.reason}" if self.path else self.reason
