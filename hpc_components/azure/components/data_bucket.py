"""Exports of `hpc_components.azure.buckets.component`, under the name that `hpc_components.azure` uses."""

from hpc_components.azure.buckets.component import DataBucket as DataBucket
from hpc_components.azure.buckets.component import DataBucketArgs as DataBucketArgs
