"""Two clusters of one cloud, one of them under a component with a provider of its own, and parts from keywords."""

from typing import Any

import pulumi

from hpc_components.cloud import cloud_named

config = pulumi.Config()
cloud = cloud_named(config.require("cloud"))
description: dict[str, Any] = config.require_object("description")
Cluster = cloud.parts.cluster


class Site(pulumi.ComponentResource):
    """A component with a cluster in it."""

    def __init__(self, name: str, opts: pulumi.ResourceOptions) -> None:
        super().__init__("site:index:Site", name, {}, opts)
        second = {**description, "network": {"cidr": "10.30.0.0/16"}}
        self.cluster = Cluster("two", second, pulumi.ResourceOptions(parent=self))


one = Cluster("one", description)
site = Site("site", pulumi.ResourceOptions(provider=one.provider))
pulumi.export("one", dict(one.outputs))
pulumi.export("two", dict(site.cluster.outputs))
if cloud.name == "aws":
    from hpc_components.aws import PlacementGroup, Vpc

    with_provider = pulumi.ResourceOptions(provider=one.provider)
    by_keywords = Vpc("keywords", opts=with_provider, cidr="10.40.0.0/16", zones=["use2-az2"], nat="none")
    by_dict = PlacementGroup("dict", {"strategy": "cluster", "tags": {"ClusterName": "one"}}, with_provider)
    pulumi.export("subnets", by_keywords.private_subnet_ids)
    pulumi.export("group", by_dict.group_name)
