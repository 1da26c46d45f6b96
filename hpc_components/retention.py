"""How resources that hold data, and what these need, are kept from being deleted by accident."""

import pulumi

__all__ = ["data_options", "ground_options"]


def data_options(
    parent: pulumi.Resource, opts: pulumi.ResourceOptions | None, *, retain: bool
) -> pulumi.ResourceOptions:
    """Options for a child of `parent` that holds data.

    With `retain` it is protected, and stays in the cloud when it leaves the program. What the user says in the
    component's own `opts` goes first. Without `retain` nothing is said: a component that stands below a protected one
    of the user's is protected by that.
    """
    said = opts or pulumi.ResourceOptions()
    return pulumi.ResourceOptions(
        parent=parent,
        protect=(retain or None) if said.protect is None else said.protect,
        retain_on_delete=(retain or None) if said.retain_on_delete is None else said.retain_on_delete,
    )


def ground_options(parent: pulumi.Resource, *, retain: bool) -> pulumi.ResourceOptions:
    """Options for a child of `parent` that data needs, such as the network that clients reach it by.

    With `retain` it stays in the cloud when it leaves the program. Without, nothing is said, as in `data_options`.
    """
    return pulumi.ResourceOptions(parent=parent, retain_on_delete=retain or None)
