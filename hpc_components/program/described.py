"""Defines the base class of every cloud's `Cluster` component."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar, cast

import pulumi

from hpc_components.cloud import cloud_named
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.load import SpecError, check, load_cluster
from hpc_components.spec.source import UnreadableError

Spec = TypeVar("Spec", bound=ClusterSpec)


class DescribedCluster(pulumi.ComponentResource, Generic[Spec]):
    """A whole cluster as one component, with all cluster resources as its children.

    The provider is taken from `opts` or the parent. If neither has one, the cluster creates a provider for the region
    in the description.
    """

    description: Spec
    """The description, including all defaults."""
    provider: pulumi.ProviderResource
    """The provider of the cluster's resources. You can also use it for your own resources."""
    outputs: Mapping[str, Any]
    """Ids and addresses to pass to `pulumi.export`: `access`, by which `hpc ssh` finds the cluster, `head_node`,
    `network` and, if the cluster has them, `login`, `buckets`, `metrics` and `session_manager`."""

    _model: ClassVar[type[ClusterSpec]]
    _cloud: ClassVar[str]

    def __init__(
        self,
        name: str,
        description: Spec | Mapping[str, Any] | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Create the cluster.

        `description` is the value of `hpc:cluster` in a stack file, as a model or a dict. A dict may omit `cloud` and
        `name`; the cluster is then named after the argument `name`. If `description` is None, the description in the
        stack file is used.

        Raise SpecError, which lists all errors, if the description is invalid. In that case, nothing is registered.
        """
        model = cast(type[Spec], self._model)
        self.description = (
            described_cluster(model) if description is None else _checked(model, self._cloud, name, description)
        )
        super().__init__(f"hpc:{self._cloud}:Cluster", name, {"cluster": self.description.name}, opts)
        self.outputs = self._make(self.description)
        self.register_outputs(dict(self.outputs))

    def _make(self, cluster: Spec) -> Mapping[str, Any]:
        """Create the resources and return the cluster's outputs."""
        raise NotImplementedError

    def _child_options(
        self, make_provider: Callable[[str, pulumi.ResourceOptions], pulumi.ProviderResource]
    ) -> pulumi.ResourceOptions:
        """Return the options for all children. Create a provider if neither `opts` nor a parent has one."""
        package = cloud_named(self._cloud).pulumi_package
        given = self.get_provider(f"{package}:index:Provider")
        self._has_own_provider = given is None
        own = pulumi.ResourceOptions(parent=self)
        self.provider = given or make_provider(f"{self.description.name}-{self._cloud}", own)
        return pulumi.ResourceOptions(parent=self, provider=self.provider)


def described_cluster(model: type[Spec]) -> Spec:
    """Return the cluster described in the stack file. `model` is a cloud's model, or `ClusterSpec` for any cloud.

    Raise pulumi.RunError if the rules find errors, if the file describes no cluster, or if the cluster is on a
    different cloud.
    """
    try:
        cluster = load_cluster(description_of_stack(), _project_root())
    except (SpecError, UnreadableError) as error:
        raise pulumi.RunError(str(error)) from None
    if not isinstance(cluster, model):
        raise pulumi.RunError(
            f"hpc:cluster describes a cluster on cloud {cluster.cloud}, but the program is for a different cloud"
        )
    return cluster


def description_of_stack() -> Any:
    """Return the value of `hpc:cluster` in the stack file. Raise pulumi.RunError if it is missing."""
    described = pulumi.Config("hpc").get_object("cluster")
    if described is None:
        raise pulumi.RunError(
            f"Pulumi.{pulumi.get_stack()}.yaml doesn't describe a cluster: hpc:cluster is missing under "
            "config; `hpc schema` prints the keys for it"
        )
    return described


def _checked(model: type[Spec], cloud: str, name: str, description: Spec | Mapping[str, Any]) -> Spec:
    if isinstance(description, ClusterSpec):
        cluster: ClusterSpec = check(description, _project_root())
    else:
        cluster = load_cluster({"cloud": cloud, "name": name, **description}, _project_root())
    if not isinstance(cluster, model):
        raise ValueError(
            f"Cluster {name}: the description is for cloud {cluster.cloud}, but this Cluster is for cloud {cloud}"
        )
    return cluster


def _project_root() -> Path | None:
    """Return the directory that contains `Pulumi.yaml`, or None without an engine.

    The current directory is the program's, which may be elsewhere.
    """
    root = pulumi.get_root_directory()
    return Path(root) if root else None
