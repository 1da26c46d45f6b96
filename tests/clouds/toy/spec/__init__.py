"""What a cluster on the toy cloud is: its own words, built on the models that hold on every cloud."""

from clouds.toy.spec.cluster import ToyClusterSpec
from clouds.toy.spec.queues import Lease, ToyQueue
from clouds.toy.spec.storage import Bucket, ToyLustre, ToyNfs

__all__ = ["Bucket", "Lease", "ToyClusterSpec", "ToyLustre", "ToyNfs", "ToyQueue"]
