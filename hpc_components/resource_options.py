"""Builds resource options for components and programs."""

from pulumi import Resource, ResourceOptions

__all__ = ["depends_on"]


def depends_on(opts: ResourceOptions, *resources: Resource) -> ResourceOptions:
    """Return `opts` for a resource that must be created after `resources` and destroyed before them."""
    return ResourceOptions.merge(opts, ResourceOptions(depends_on=list(resources)))


def protected_options(parent: Resource, opts: ResourceOptions | None, *, retain: bool) -> ResourceOptions:
    """Return options for a child of `parent` that holds data.

    With `retain`, the child is protected, and stays in the cloud when it is removed from the program. `protect` and
    `retain_on_delete` in the component's own `opts` take precedence. Without `retain`, both stay unset rather than
    False, so that children of a protected component inherit its protection.
    """
    given = opts or ResourceOptions()
    return ResourceOptions(
        parent=parent,
        protect=(retain or None) if given.protect is None else given.protect,
        retain_on_delete=(retain or None) if given.retain_on_delete is None else given.retain_on_delete,
    )


def retained_options(parent: Resource, *, retain: bool) -> ResourceOptions:
    """Return options for a child of `parent` that is needed to access data, such as a network.

    With `retain`, the child stays in the cloud when it is removed from the program. Without it, the option stays
    unset, as in `protected_options`.
    """
    return ResourceOptions(parent=parent, retain_on_delete=retain or None)
