import pytest
from moto import mock_aws

from hpc_components.aws.preflight import PART as AWS_PART
from hpc_components.aws.preflight.account import AwsAccount
from hpc_components.aws.preflight.reader import Reader
from hpc_components.preflight.asked import Asked
from hpc_components.preflight.run import Preflight, run

from .asked_about import asked_about
from .aws_account import REGION, AwsDouble
from .sound_aws import sound_account


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


def ask_aws(aws: AwsDouble, asked: Asked) -> Preflight:
    done = run(asked, AwsAccount(Reader(aws.client), REGION), AWS_PART)
    assert not aws.refused
    return done
