"""Machines on EC2."""

from hpc_components.elastic.drivers.aws.api import connect
from hpc_components.elastic.drivers.aws.driver import AwsDriver

__all__ = ["AwsDriver", "connect"]
