from collections.abc import Callable

import pytest
from moto import mock_aws
from serving import serving

from hpc_components.aws.preflight import PART as AWS_PART
from hpc_components.aws.preflight.account import AwsAccount
from hpc_components.aws.preflight.reader import Reader
from hpc_components.azure.preflight.part import PART as AZURE_PART
from hpc_components.gcp.preflight.part import PART as GCP_PART
from hpc_components.gcp.preflight.part import service_off
from hpc_components.preflight.asked import Asked
from hpc_components.preflight.rest import RestReader
from hpc_components.preflight.run import Preflight, run
from tests.elastic.drivers.rest_server import RestServer

from .asked_about import asked_about
from .aws_account import REGION, AwsDouble
from .rest_account import AZURE_READS_BY_POST, GOOGLE_READS_BY_POST, RestAccount
from .sound_aws import sound_account
from .sound_azure import SUBSCRIPTION, sound_subscription
from .sound_gcp import sound_project


@pytest.fixture(scope="module")
def sound_aws(tmp_path_factory):
    """A sound account with the description that names what is in it, for all tests of a module."""
    with pytest.MonkeyPatch.context() as patch, mock_aws():
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            patch.setenv(name, "test")
        patch.setenv("MOTO_EC2_LOAD_DEFAULT_AMIS", "false")  # thousands, in each region
        aws = AwsDouble()
        text = sound_account(aws)
        yield aws, asked_about(text, tmp_path_factory.mktemp("aws"))


@pytest.fixture
def aws(sound_aws):
    """The sound account; what a test changes in it is undone."""
    double, _ = sound_aws
    answers, double.changes = dict(double.answers), {}
    double.calls.clear()
    double.refused.clear()
    yield double
    double.answers, double.changes = answers, {}


@pytest.fixture
def asked(sound_aws) -> Asked:
    return sound_aws[1]


@pytest.fixture(scope="module")
def sound_gcp(tmp_path_factory):
    """A description of what is in a sound project, with a server that stands in for Google Cloud."""
    text = sound_project(RestAccount())
    with serving(RestServer(RestAccount(GOOGLE_READS_BY_POST))) as server:
        yield server, asked_about(text, tmp_path_factory.mktemp("gcp"))


@pytest.fixture
def gcp(sound_gcp) -> RestAccount:
    """The sound project."""
    server, _ = sound_gcp
    project = RestAccount(GOOGLE_READS_BY_POST)
    sound_project(project)
    server.take(project)
    return project


def ask_gcp(project: RestAccount, asked: Asked, sleep: Callable[[float], None] = lambda seconds: None) -> Preflight:
    reader = RestReader(GCP_PART.calls, lambda: "token", off=service_off, server=project.base, sleep=sleep)
    done = run(asked, GCP_PART.account(asked, reader), GCP_PART)
    assert not project.writes
    assert project.tokens == {"Bearer token"}
    return done


@pytest.fixture(scope="module")
def sound_azure(tmp_path_factory):
    """A description of what is in a sound subscription, with a server that stands in for Azure."""
    text = sound_subscription(RestAccount())
    with serving(RestServer(RestAccount(AZURE_READS_BY_POST))) as server:
        yield server, asked_about(text, tmp_path_factory.mktemp("azure"))


@pytest.fixture
def azure(sound_azure) -> RestAccount:
    """The sound subscription."""
    server, _ = sound_azure
    subscription = RestAccount(AZURE_READS_BY_POST)
    sound_subscription(subscription)
    server.take(subscription)
    return subscription


def ask_azure(azure: RestAccount, asked: Asked) -> Preflight:
    reader = RestReader(AZURE_PART.calls, lambda: "token", server=azure.base, sleep=lambda seconds: None)
    done = run(asked, AZURE_PART.account(asked, reader, SUBSCRIPTION), AZURE_PART)
    assert not azure.writes
    assert azure.tokens == {"Bearer token"}
    return done


def ask_aws(aws: AwsDouble, asked: Asked) -> Preflight:
    done = run(asked, AwsAccount(Reader(aws.client), REGION), AWS_PART)
    assert not aws.refused
    return done
