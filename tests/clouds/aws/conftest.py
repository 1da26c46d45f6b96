"""Imports the SDK as previews do: the `__init__` of `pulumi_aws.s3` warns of its own deprecated classes."""

from hpc_components.preview.recorder.sdk import sdk_on_demand

with sdk_on_demand():
    pass
