"""Exports of `hpc_components.azure.buckets.config`, under the name that `hpc_components.azure` uses."""

from hpc_components.azure.buckets.config import ConfigBucket as ConfigBucket
from hpc_components.azure.buckets.config import ConfigBucketArgs as ConfigBucketArgs
