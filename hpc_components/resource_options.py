"""Options of resources that components and programs share."""

from pulumi import Resource, ResourceOptions

__all__ = ["depends_on"]


def depends_on(opts: ResourceOptions, *resources: Resource) -> ResourceOptions:
    """Return `opts` for a resource that is made after `resources` and destroyed before them."""
    return ResourceOptions.merge(opts, ResourceOptions(depends_on=list(resources)))
