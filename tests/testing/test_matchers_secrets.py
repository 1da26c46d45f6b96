import base64
import shutil
from functools import partial
from pathlib import Path

import pulumi
import pulumi_aws as aws
import pytest

from hpc_components import boot
from hpc_components.testing import assert_no_secret, record

SCRIPTS = Path(boot.__file__).parent / "scripts"

# Put together here, so that no scanner takes this file for a leak.
KEY = "-----BEGIN OPENSSH " + "PRIVATE KEY-----\nAAAA"
ACCESS = "AKIA" + "ABCDEFGHIJKLMNOP"


def content(text):
    return lambda: aws.s3.BucketObjectv2("object", bucket="b", key="k", content=text)


@pytest.mark.parametrize(
    ("text", "look"),
    [
        (KEY, "a private key"),
        (f"export AWS_ACCESS_KEY_ID={ACCESS}", "an AWS access key"),
        ("aws_secret_access_key = " + "a1" * 20, "an AWS secret key"),
        ("ghp_" + "a" * 36, "a GitHub token"),
        ("xoxb-" + "1" * 12, "a Slack token"),
        ("eyJhbGciOiJI" + ".eyJzdWIiOiIx" + ".sig", "a JSON web token"),
        ("StoragePass=slurm1234", "a password"),
        ("user=slurm\npassword = 'correct horse'\n", "a password"),
        ("password:\tcorrect-horse", "a password"),
        (base64.b64encode(f"#!/bin/sh\n{KEY}".encode()).decode(), "a private key"),
    ],
)
def test_what_looks_like_a_key_is_found(text, look):
    with pytest.raises(AssertionError, match=f"BucketObjectv2 'object': content contains {look}"):
        assert_no_secret(record(content(text)))


def test_text_assets_outputs_and_messages_are_read_too():
    def program():
        aws.s3.BucketObjectv2("object", bucket="b", key="k", source=pulumi.StringAsset(KEY))
        pulumi.export("key", {"deep": [ACCESS]})
        pulumi.log.info(f"using {ACCESS}")

    with pytest.raises(AssertionError) as caught:
        assert_no_secret(record(program))
    assert str(caught.value).splitlines() == [
        "secrets in plain text (3):",
        "  - BucketObjectv2 'object': source.asset.text contains a private key",
        "  - stack output key.deep[0] contains an AWS access key",
        "  - a log message contains an AWS access key",
    ]


def folder_of(text: bytes, place: Path) -> Path:
    (place / "deep").mkdir(parents=True)
    (place / "deep" / "id").write_bytes(text)
    (place / "picture").write_bytes(b"\xff\xfe" + text)  # no text
    return place


def in_a_folder(text: bytes, place: Path) -> pulumi.Archive:
    return pulumi.FileArchive(str(folder_of(text, place / "files")))


def in_an_archive(text: bytes, place: Path, kind: str) -> pulumi.Archive:
    return pulumi.FileArchive(shutil.make_archive(str(place / "files"), kind, folder_of(text, place / "src")))


def among_others(text: bytes, place: Path) -> pulumi.Archive:
    return pulumi.AssetArchive({"code": in_a_folder(text, place)})


@pytest.mark.parametrize(
    ("made", "where"),
    [
        (in_a_folder, "code.archive: files/deep/id"),
        (partial(in_an_archive, kind="zip"), "code.archive: files.zip/deep/id"),
        (partial(in_an_archive, kind="gztar"), "code.archive: files.tar.gz/./deep/id"),
        (among_others, "code.archive.assets.code.archive: files/deep/id"),
    ],
)
def test_what_archives_hold_is_read(made, where, tmp_path):
    def program(text: bytes, place: Path):
        aws.lambda_.Function("f", role="r", code=made(text, place))

    with pytest.raises(AssertionError) as caught:
        assert_no_secret(record(partial(program, KEY.encode(), tmp_path / "bad")))
    assert str(caught.value).splitlines()[1:] == [f"  - Function 'f': {where} contains a private key"]
    assert_no_secret(record(partial(program, b"nothing", tmp_path / "good")))


def test_files_of_assets_are_read(tmp_path):
    (tmp_path / "key.pem").write_text(KEY)
    source = pulumi.FileAsset(str(tmp_path / "key.pem"))
    with pytest.raises(AssertionError, match=r"'object': source\.asset: key\.pem contains a private key"):
        assert_no_secret(record(lambda: aws.s3.BucketObjectv2("object", bucket="b", key="k", source=source)))


def test_properties_that_are_always_secret_must_be_marked():
    class Database(pulumi.CustomResource):
        def __init__(self, password):
            super().__init__("test:index:Database", "db", {"masterPassword": password})

    assert_no_secret(record(lambda: Database(pulumi.Output.secret("correct horse"))))
    with pytest.raises(AssertionError, match="masterPassword contains a value that must be kept secret"):
        assert_no_secret(record(lambda: Database("correct horse")))


@pytest.mark.parametrize(
    "text",
    [
        "StoragePass=${PASSWORD}",
        "password: <set at boot>",
        "local password=\ntext=$(<slurmdbd.conf)",
        "keys are in AKIA",
        "ssh-ed25519 AAAAC3NzaC1lZDI1 hpc",
    ],
)
def test_references_and_public_keys_pass(text):
    assert_no_secret(record(content(text)))


@pytest.mark.parametrize("file", [*SCRIPTS.rglob("*.sh")], ids=lambda file: file.name)
def test_the_files_of_nodes_pass_and_what_is_added_to_one_is_found(file):
    def program(text):
        return lambda: aws.s3.BucketObjectv2("object", bucket="b", key="k", source=pulumi.StringAsset(text))

    assert_no_secret(record(program(file.read_text())))
    with pytest.raises(AssertionError, match=r"source\.asset\.text contains a password"):
        assert_no_secret(record(program(f"{file.read_text()}\npassword=correct-horse\n")))


def test_what_is_marked_passes():
    assert_no_secret(record(lambda: content(pulumi.Output.secret(KEY))()))
