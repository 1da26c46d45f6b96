"""What components of the toy cloud hand to one another."""

from dataclasses import dataclass

from pulumi import Input


@dataclass(frozen=True, kw_only=True)
class Subnet:
    """The subnet of all nodes."""

    id: Input[str]
    """Its own id."""
