"""Which driver a cluster gets, and what each asks of the configuration."""

import subprocess
import sys

import pytest

from hpc_components.cloud import CLOUDS, cloud_named
from hpc_components.elastic import drivers
from hpc_components.elastic.config import Config, ConfigError, QueueConfig
from hpc_components.elastic.drivers import clouds, connect, notice_source
from hpc_components.elastic.drivers.aws.driver import AwsDriver
from hpc_components.elastic.drivers.aws.limits import LIMITS as AWS_LIMITS
from hpc_components.elastic.drivers.azure.limits import LIMITS as AZURE_LIMITS
from hpc_components.elastic.drivers.gcp.limits import LIMITS as GCP_LIMITS
from hpc_components.elastic.drivers.local.driver import LocalDriver
from hpc_components.elastic.model import Pool

AWS = {"cloud": "aws", "region": "us-east-2", "config": "cfd-config"}


def config(**more) -> Config:
    return Config(cluster="cfd", queues=(), **more)


def test_the_driver_is_that_of_the_clusters_cloud(credentials):
    assert isinstance(connect(config(**AWS)), AwsDriver)
    assert isinstance(connect(config(cloud="local", socket="/run/cloud")), LocalDriver)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"cloud": "azur"}, "cloud: 'azur' is not one of aws, azure, gcp, local"),
        ({**AWS, "region": ""}, "region: missing; cloud 'aws' requires a region"),
        ({**AWS, "config": ""}, "config: missing; cloud 'aws' requires the cluster's config bucket (tag hpc:config)"),
        ({"cloud": "local"}, "socket: missing; required for cloud 'local'"),
    ],
)
def test_what_a_driver_misses_is_named_with_its_place(more, words):
    with pytest.raises(ConfigError) as caught:
        connect(config(**more))
    assert str(caught.value).startswith(words)


@pytest.mark.parametrize(
    ("cloud", "purchase", "words"),
    [
        ("aws", "cheap", "on_demand, spot, reservation, capacity_block"),
        ("aws", "flex_start", "on_demand, spot, reservation, capacity_block"),
        ("azure", "capacity_block", "on_demand, spot, reservation"),
        ("gcp", "capacity_block", "on_demand, spot, flex_start, reservation"),
    ],
)
def test_how_a_machine_may_be_bought_is_the_clouds_to_say(cloud, purchase, words):
    queues = tuple(
        QueueConfig(name=name, max=1, pools=(Pool(queue=name, machine="m", zone="z", purchase=how),))
        for name, how in (("a", "spot"), ("b", purchase))
    )
    with pytest.raises(ConfigError) as caught:
        connect(Config(cluster="cfd", cloud=cloud, queues=queues))
    assert str(caught.value) == f"queues[1].pools[0].purchase: {purchase!r} is not one of {words}"


def test_a_rehearsal_has_machines_however_they_are_bought():
    pool = Pool(queue="a", machine="m", zone="z", purchase="flex_start")
    queues = (QueueConfig(name="a", max=1, pools=(pool,)),)
    assert connect(Config(cluster="cfd", cloud="local", socket="/run/cloud", queues=queues))


def test_a_driver_is_found_by_its_name_alone(tmp_path, monkeypatch):
    monkeypatch.setattr("hpc_components.elastic.drivers.__path__", [*_paths(), str(tmp_path)])
    package = tmp_path / "nimbus"
    package.mkdir()
    (package / "__init__.py").touch()
    limits = "list_lag_seconds=60, launch_size=1, tag_length=99, spot_notice_seconds=30"
    imports = "from hpc_components.elastic.drivers.limits import Limits"
    (package / "limits.py").write_text(f"{imports}\nLIMITS = Limits({limits})\n")
    (package / "driver.py").write_text("def connect(config):\n    return f'machines of {config.cluster}'\n")
    (package / "notices.py").write_text("def notice_source():\n    return 'notices of nimbus'\n")
    assert clouds() == ["aws", "azure", "gcp", "local", "nimbus"]
    assert connect(config(cloud="nimbus")) == "machines of cfd"
    assert notice_source("nimbus") == "notices of nimbus"
    with pytest.raises(ValueError, match=r"the cloud is ambiguous; pass one of aws, azure, gcp, nimbus"):
        notice_source()


def test_a_machine_whose_cloud_tells_it_nothing_says_so():
    with pytest.raises(
        ValueError, match=r"local: machines in this cloud receive no notices; pass one of aws, azure, gcp"
    ):
        notice_source("local")


@pytest.mark.parametrize("cloud", ["aws", "azure", "gcp"])
def test_the_watcher_need_not_be_told_the_only_cloud_that_there_is(cloud, monkeypatch):
    monkeypatch.delenv("IMDS", raising=False)
    monkeypatch.setattr(drivers, "clouds", lambda: [cloud, "local"])
    assert notice_source().address == "http://169.254.169.254"


def test_every_cloud_has_a_driver_and_all_tell_the_same_numbers():
    assert set(CLOUDS) <= set(clouds())
    for name, limits in (("aws", AWS_LIMITS), ("azure", AZURE_LIMITS), ("gcp", GCP_LIMITS)):
        cloud = cloud_named(name)
        assert (cloud.spot_notice_seconds, cloud.list_lag_seconds, cloud.launch_size) == (
            limits.spot_notice_seconds,
            limits.list_lag_seconds,
            limits.launch_size,
        )


@pytest.mark.parametrize(
    "statement",
    [
        "from hpc_components.elastic.drivers.aws.limits import LIMITS",
        "from hpc_components.elastic.drivers import notice_source; notice_source('aws'); notice_source('azure')",
        "import hpc_components.elastic.drivers.azure.driver",
        "import hpc_components.elastic.drivers.gcp.driver, hpc_components.elastic.drivers.gcp.reap",
        "from hpc_components.elastic.drivers import connect\n"
        "from hpc_components.elastic.config import Config\n"
        "connect(Config(cluster='cfd', cloud='local', socket='/run/cloud', queues=()))",
    ],
)
def test_what_reaches_no_aws_needs_no_sdk(statement):
    program = f"import sys; sys.modules.update(boto3=None, botocore=None)\n{statement}\n"
    subprocess.run([sys.executable, "-c", program], check=True)


def _paths() -> list[str]:
    return list(drivers.__path__)
