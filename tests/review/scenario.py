"""What a scenario is: a pull request on one of this project's stacks, and what its review must say."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from hpc_components.review.change_effects import Effect
from hpc_components.review.document import Operation

CREATE, UPDATE, REPLACE, DELETE, FORGET, UNPROTECT = (
    Operation.CREATE,
    Operation.UPDATE,
    Operation.REPLACE,
    Operation.DELETE,
    Operation.FORGET,
    Operation.UNPROTECT,
)

Edit = tuple[str, str]
"""A text that the stack file has once, and what takes its place."""

Met = tuple[Operation, Effect, str, str]
"""What becomes of a resource, what that means, its kind (`Vpc`), and its name or the end of it."""


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """A change, and the verdict on it.

    The sides are the stack file of the repository with edits, so that each of them can be written to a file and
    planned by anything that plans a stack.
    """

    name: str
    """`aws_queue_added`: the cloud, what changes, and how."""
    stack: str
    before: tuple[Edit, ...] | None = ()
    """None: the stack is new."""
    after: tuple[Edit, ...] | None = ()
    """Beside those of `before`, which hold on both sides; None: the stack is gone."""
    files_before: Mapping[str, str] = field(default_factory=dict)
    """Path in the config bucket -> text: scripts that are there beside those of the package."""
    files_after: Mapping[str, str] = field(default_factory=dict)
    provider: str = ""
    """Version of the cloud's SDK on the newer side, where it is another one."""
    program: str = ""
    """The project's own program on the newer side, where it has one."""
    worst: Effect | None = None
    """None: nothing changes."""
    meets: tuple[Met, ...] = ()
    """The resources that matter to a reviewer."""
    described: tuple[str, ...] = ()
    """Paths in the description of which the review tells a change."""
    new: tuple[str, ...] = ()
    """Ids of the rules with a finding that was not there."""
    holds: str = ""
    """The conditions of `--fail-on` that it does not pass, but for those on costs: `destroy data-loss`."""
    failure: str = ""
    """Part of the reason why there is no review."""
