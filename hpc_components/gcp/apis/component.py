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
    """Optional cluster features that need additional APIs: `lent_identity` (jobs use buckets), `lustre`, `filestore`,
    `kms`, `budget`, `database`, `os_login`, `iap`."""

    def __post_init__(self) -> None:
        for index, use in enumerate(self.uses):
            if use not in get_args(Use):
                raise ValueError(
                    f"ProjectServicesArgs.uses[{index}]: {use!r} is not a known feature; use any of "
                    f"{', '.join(get_args(Use))}"
                )

    @property
    def apis(self) -> tuple[str, ...]:
        """Host names of the APIs, e.g. `compute.googleapis.com`, without duplicates."""
        return needed_apis(self.uses)


class ProjectServices(Component[ProjectServicesArgs]):
    """Enables the APIs that a cluster needs. All other resources of the cluster depend on this component.

    The APIs are never disabled, because something else in the project may use them.
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
