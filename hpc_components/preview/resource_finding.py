"""What a rule of the plan finds."""

from dataclasses import dataclass
from typing import Any

from hpc_components.preview.resources import Resource

__all__ = ["ResourceFinding"]


@dataclass(frozen=True, kw_only=True)
class ResourceFinding:
    """A resource with the fault that a rule of the plan found in it. The rule's id and level are added later."""

    resource: Resource
    path: str
    """The input at fault, `metadataOptions.httpTokens`; empty where no single one is."""
    reason: str
    remedy: str
    value: Any = None
    """The offending value, plain."""

    @property
    def what(self) -> str:
        """The input, where there is one, and the reason. Without the value: Pulumi hands secrets to policies in plain
        text."""
        return f"{self.path}: {self.reason}" if self.path else self.reason
