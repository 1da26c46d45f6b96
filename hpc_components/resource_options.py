from pulumi import Resource, ResourceOptions

__all__ = ["depends_on"]


def depends_on(opts: ResourceOptions, *resources: Resource) -> ResourceOptions:
    """Return `opts` for a resource that must be created after `resources` and destroyed before them."""
    return ResourceOptions.merge(opts, ResourceOptions(depends_on=list(resources)))


def protected_options(parent: Resource, opts: ResourceOptions | None, *, retain: bool) -> ResourceOptions:
    """Return options for a child of `parent` that stores data.

    If `retain` is set, the child is protected, and stays in the cloud when it is removed from the program. `protect`
    and `retain_on_delete` in `opts` take precedence. If `retain` is not set, both options stay unset rather than
    False, so that children of a protected component inherit the protection.
    """
    given = opts or ResourceOptions()
    return ResourceOptions(
        parent=parent,
        protect=(retain or None) if given.protect is None else given.protect,
        retain_on_delete=(retain or None) if given.retain_on_delete is None else given.retain_on_delete,
    )


def retained_options(parent: Resource, *, retain: bool) -> ResourceOptions:
    """Return options for a child of `parent` that is needed to access data, such as a network.

    If `retain` is set, the child stays in the cloud when it is removed from the program. Otherwise, the option stays
    unset, as in `protected_options`.
    """
    return ResourceOptions(parent=parent, retain_on_delete=retain or None)
