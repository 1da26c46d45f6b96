"""One cluster, as the stack's configuration describes it."""

from typing import Any

import pulumi

from hpc_components.cloud import cloud_named

config = pulumi.Config()
description: dict[str, Any] = config.require_object("description")
made = cloud_named(config.require("cloud")).parts.cluster("cfd", description)
pulumi.export("cluster", dict(made.outputs))
