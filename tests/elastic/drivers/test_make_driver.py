import subprocess
import sys

import pytest

from hpc_components.elastic.config import Config, ConfigError
from hpc_components.elastic.drivers import make_driver
from hpc_components.elastic.drivers.aws import AwsDriver
from hpc_components.elastic.drivers.local.driver import LocalDriver


def test_the_driver_is_that_of_the_clusters_cloud(credentials):
    aws = Config(cluster="cfd", cloud="aws", region="us-east-2", config="cfd-config", queues=())
    assert isinstance(make_driver(aws), AwsDriver)
    local = Config(cluster="cfd", cloud="local", socket="/run/cloud", queues=())
    assert isinstance(make_driver(local), LocalDriver)


def test_without_its_bucket_no_machine_is_taken_for_the_clusters():
    with pytest.raises(ConfigError, match="config: missing; cloud 'aws' needs the cluster's config bucket"):
        make_driver(Config(cluster="cfd", cloud="aws", region="us-east-2", queues=()))


def test_a_cluster_without_aws_needs_no_sdk():
    program = (
        "import sys; sys.modules.update(boto3=None, botocore=None)\n"
        "from hpc_components.elastic.config import Config\n"
        "from hpc_components.elastic.drivers import make_driver\n"
        "make_driver(Config(cluster='cfd', cloud='local', socket='/run/cloud', queues=()))\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
