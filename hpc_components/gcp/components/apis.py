"""The APIs of a project that a cluster needs: enabled, and never disabled."""

from dataclasses import dataclass
from typing import Literal, get_args

import pulumi
import pulumi_gcp as gcp

__all__ = ["ProjectServices", "ProjectServicesArgs"]

Use = Literal["lustre", "filestore", "budget", "os_login", "iap"]

ALWAYS = ("compute", "iam", "iamcredentials", "cloudresourcemanager", "secretmanager", "storage", "logging")
"""For machines, accounts and their tokens, bindings on the project, secrets, buckets, logs."""

BY_USE: dict[Use, tuple[str, ...]] = {
    "lustre": ("servicenetworking", "lustre"),
    "filestore": ("servicenetworking", "file"),
    "budget": ("billingbudgets", "monitoring"),
    "os_login": ("oslogin",),
    "iap": ("iap",),
}


@dataclass(frozen=True, kw_only=True)
class ProjectServicesArgs:
    """Arguments of `ProjectServices`."""

    project: str
    """Id of the project."""
    uses: tuple[Use, ...] = ()
    """What the cluster has beside machines: `lustre`, `filestore`, `budget`, `os_login`, `iap`."""

    def __post_init__(self) -> None:
        """Refuse what is not known."""
        for index, use in enumerate(self.uses):
            if use not in get_args(Use):
                raise ValueError(
                    f"ProjectServicesArgs.uses[{index}]: {use!r} is unknown; use {', '.join(get_args(Use))}"
                )

    @property
    def apis(self) -> tuple[str, ...]:
        """The APIs, each once: `compute`, `iam`."""
        return tuple(dict.fromkeys((*ALWAYS, *(api for use in self.uses for api in BY_USE[use]))))


class ProjectServices(pulumi.ComponentResource):
    """The APIs that a cluster needs. Everything else of it is made after them.

    None is ever disabled: something else in the project may use it.
    """

    def __init__(self, name: str, args: ProjectServicesArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("hpc:gcp:ProjectServices", name, {"apis": list(args.apis)}, opts)
        for api in args.apis:
            gcp.projects.Service(
                f"{name}-{api}",
                project=args.project,
                service=f"{api}.googleapis.com",
                disable_on_destroy=False,
                opts=pulumi.ResourceOptions(parent=self),
            )
        self.register_outputs({})
