"""The APIs of a project that a cluster needs: enabled, and never disabled."""

from dataclasses import dataclass
from typing import get_args

import pulumi
import pulumi_gcp as gcp

from hpc_components.component import Component
from hpc_components.gcp.arguments import checked_args
from hpc_components.gcp.catalog.apis import ApiUse as Use
from hpc_components.gcp.catalog.apis import needed_apis


@dataclass(frozen=True, kw_only=True)
@checked_args
class ProjectServicesArgs:
    """Arguments of `ProjectServices`."""

    project: str
    """Id of the project."""
    uses: tuple[Use, ...] = ()
    """What the cluster has beside what all have: `lent_identity` (jobs use buckets), `lustre`, `filestore`, `kms`,
    `budget`, `database`, `os_login`, `iap`."""

    def __post_init__(self) -> None:
        """Refuse what is not known."""
        for index, use in enumerate(self.uses):
            if use not in get_args(Use):
                raise ValueError(
                    f"ProjectServicesArgs.uses[{index}]: {use!r} is unknown; use {', '.join(get_args(Use))}"
                )

    @property
    def apis(self) -> tuple[str, ...]:
        """The APIs, each once, as in `compute.googleapis.com`."""
        return needed_apis(self.uses)


class ProjectServices(Component[ProjectServicesArgs]):
    """The APIs that a cluster needs. Everything else of it is made after them.

    None is ever disabled: something else in the project may use it.
    """

    def _make(self, name: str, args: ProjectServicesArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:gcp:ProjectServices", name, {"apis": list(args.apis)}, opts)
        for api in args.apis:
            gcp.projects.Service(
                f"{name}-{api.partition('.')[0]}",
                project=args.project,
                service=api,
                disable_on_destroy=False,
                opts=pulumi.ResourceOptions(parent=self),
            )
        self.register_outputs({})
