import asyncio
import os
import sys
import textwrap
import threading
from importlib.metadata import version
from pathlib import Path

import pulumi
import pulumi_aws as aws
import pulumi_azure_native as azure_native
import pytest
from pulumi.runtime.settings import SETTINGS

from hpc_components.preview.record import SECRET, UNKNOWN, ProgramError, RecordingLookupError, record


class Network(pulumi.ComponentResource):
    def __init__(self, name, opts=None):
        super().__init__("test:index:Network", name, {"cidr": "10.0.0.0/16"}, opts)
        self.vpc = aws.ec2.Vpc(f"{name}-vpc", cidr_block="10.0.0.0/16", opts=pulumi.ResourceOptions(parent=self))
        self.subnet = aws.ec2.Subnet(
            f"{name}-subnet",
            vpc_id=self.vpc.id,
            cidr_block=self.vpc.cidr_block,
            availability_zone_id="use2-az2",
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.register_outputs({})


def urn(qualified_type, name):
    return f"urn:pulumi:test::hpc::{qualified_type}::{name}"


NETWORK = urn("test:index:Network", "n")
VPC = urn("test:index:Network$aws:ec2/vpc:Vpc", "n-vpc")


class TestGraph:
    def test_inputs_have_wire_names_and_unknown_values_a_mark(self):
        recording = record(lambda: Network("n"))

        subnet = recording.one("Subnet")
        assert subnet.inputs == {"vpcId": UNKNOWN, "cidrBlock": "10.0.0.0/16", "availabilityZoneId": "use2-az2"}
        assert subnet.parent == NETWORK
        assert subnet.depends_on == (VPC,)
        assert subnet.property_dependencies == {"vpcId": (VPC,), "cidrBlock": (VPC,)}

    def test_a_provider_says_which_release_of_it_is_asked_for(self):
        recording = record(lambda: aws.Provider("p", region="us-east-2"))

        (provider,) = recording.resources
        assert (provider.inputs["region"], provider.inputs["version"]) == ("us-east-2", version("pulumi_aws"))

    def test_resources_are_in_order_and_the_stack_is_not_among_them(self):
        recording = record(lambda: Network("n"))

        assert [each.name for each in recording.resources] == ["n-subnet", "n-vpc", "n"]
        assert recording.one("Network").inputs == {"cidr": "10.0.0.0/16"}
        assert recording.one("Network").parent is None
        assert not recording.one("Network").custom

    def test_in_an_update_ids_are_known_and_always_the_same(self):
        first, second = (record(lambda: Network("n"), preview=False) for _ in range(2))

        assert first == second
        assert first.one("Subnet").inputs["vpcId"].startswith("standin-n-vpc-")

    def test_in_an_update_every_output_has_the_type_that_its_class_declares(self):
        seen = {}

        def program():
            fs = aws.fsx.LustreFileSystem("fs", subnet_ids="subnet-1", storage_capacity=1200)
            fs.network_interface_ids.apply(lambda ids: seen.update(ids=ids[0]))
            lb = aws.lb.LoadBalancer("lb", subnets=["subnet-1"])
            lb.arn.apply(lambda arn: seen.update(arn=arn))
            eni = aws.ec2.NetworkInterface("eni", subnet_id="subnet-1")
            eni.private_ip.apply(lambda ip: seen.update(ip=ip))

        record(program, preview=False)

        assert seen["ids"].startswith("standin-fs-")
        assert seen["arn"].startswith("arn:aws:")
        assert seen["ip"].startswith("10.")

    @pytest.mark.parametrize("preview", [True, False])
    def test_a_list_that_the_cloud_answers_with_a_mapping_is_one(self, preview):
        """Azure's provider takes ids of identities, and answers with what it knows of each."""
        seen = {}

        def program():
            kind = azure_native.managedidentity.UserAssignedIdentity("who", resource_group_name="site")
            identity = azure_native.storage.IdentityArgs(
                type="UserAssigned", user_assigned_identities=["/subscriptions/1/who", kind.id]
            )
            account = azure_native.storage.StorageAccount(
                "data",
                resource_group_name="site",
                kind="StorageV2",
                sku=azure_native.storage.SkuArgs(name="Standard_LRS"),
                identity=identity,
            )
            account.identity.apply(lambda it: seen.update(identities=list(it.user_assigned_identities)))
            pulumi.export("name", account.name)

        recording = record(program, preview=preview)

        assert len(recording.one("StorageAccount").inputs["identity"]["userAssignedIdentities"]) == 2
        assert recording.outputs["name"]
        if not preview:
            assert seen["identities"][0] == "/subscriptions/1/who"

    def test_a_dependency_on_a_component_stands_for_its_children(self):
        def program():
            network = Network("n")
            aws.ec2.PlacementGroup("pg", strategy="cluster", opts=pulumi.ResourceOptions(depends_on=[network]))

        pg = record(program).one("PlacementGroup")

        assert set(pg.depends_on) >= {VPC, urn("test:index:Network$aws:ec2/subnet:Subnet", "n-subnet")}

    def test_protection_and_retention_go_down_to_children(self):
        def program():
            Network("n", pulumi.ResourceOptions(protect=True, retain_on_delete=True))
            aws.ec2.Vpc("own", cidr_block="10.1.0.0/16", opts=pulumi.ResourceOptions(retain_on_delete=True))

        recording = record(program)

        assert [(each.name, each.protect, each.retain) for each in recording.resources] == [
            ("own", False, True),
            ("n-subnet", True, True),
            ("n-vpc", True, True),
            ("n", True, True),
        ]

    def test_a_child_may_refuse_what_its_parent_gives(self):
        def program():
            parent = pulumi.ComponentResource(
                "test:index:Parent", "parent", {}, pulumi.ResourceOptions(protect=True, retain_on_delete=True)
            )
            opts = pulumi.ResourceOptions(parent=parent, protect=False, retain_on_delete=False)
            aws.ec2.Vpc("vpc", cidr_block="10.0.0.0/16", opts=opts)

        vpc = record(program).one("Vpc")

        assert not vpc.protect
        assert not vpc.retain

    def test_former_urns_follow_from_own_aliases_and_those_of_the_parent(self):
        recording = record(lambda: Network("n", pulumi.ResourceOptions(aliases=[pulumi.Alias(name="old")])))

        assert recording.one("Network").aliases == (urn("test:index:Network", "old"),)
        assert recording.one("Vpc").aliases == (urn("test:index:Network$aws:ec2/vpc:Vpc", "old-vpc"),)

    @pytest.mark.parametrize(
        ("other", "former"),
        [
            (urn("test:index:Net", "old"), urn("test:index:Net", "old")),
            (pulumi.Alias(name="old"), urn("test:index:Network", "old")),
            (pulumi.Alias(name="old", type_="test:index:Net"), urn("test:index:Net", "old")),
            (pulumi.Alias(type_="test:v1:Net"), urn("test:v1:Net", "n")),
        ],
    )
    def test_former_types_are_former_urns_beside_any_other(self, other, former):
        aliases = [pulumi.Alias(type_="test:v2:Net"), other]
        network = record(lambda: Network("n", pulumi.ResourceOptions(aliases=aliases))).one("Network")
        assert network.aliases == (urn("test:v2:Net", "n"), former)

    def test_an_alias_without_parent_is_a_former_top_level_resource(self):
        def program():
            parent = pulumi.ComponentResource("test:index:Parent", "parent")
            alias = pulumi.Alias(parent=pulumi.ROOT_STACK_RESOURCE)
            opts = pulumi.ResourceOptions(parent=parent, aliases=[alias])
            aws.ec2.Vpc("vpc", cidr_block="10.0.0.0/16", opts=opts)

        assert record(program).one("Vpc").aliases == (urn("aws:ec2/vpc:Vpc", "vpc"),)

    def test_an_explicit_provider_is_a_resource_and_reaches_the_children(self):
        def program():
            provider = aws.Provider("ohio", region="us-east-2")
            Network("n", pulumi.ResourceOptions(providers=[provider]))

        recording = record(program)

        provider = recording.one("pulumi:providers:aws")
        assert provider.inputs["region"] == "us-east-2"
        assert recording.one("Vpc").provider.startswith(provider.urn)

    def test_two_resources_with_one_urn_are_refused(self):
        class Pair(pulumi.ComponentResource):
            def __init__(self, name):
                super().__init__("test:index:Pair", name)
                aws.ec2.Vpc("vpc", cidr_block="10.0.0.0/16", opts=pulumi.ResourceOptions(parent=self))

        def program():
            Pair("left")
            Pair("right")

        with pytest.raises(ProgramError, match=r"'vpc' below 'left'.*'vpc' below 'right'") as caught:
            record(program)
        assert caught.value.place.startswith("tests/preview/test_record.py:")

    def test_a_resource_made_in_apply_is_only_there_in_an_update(self):
        def program():
            vpc = aws.ec2.Vpc("vpc", cidr_block="10.0.0.0/16")
            vpc.id.apply(lambda id: aws.ec2.Subnet("hidden", vpc_id=id, cidr_block="10.0.0.0/24"))

        assert len(record(program).resources) == 1
        assert len(record(program, preview=False).resources) == 2

    def test_options_that_decide_about_replacement_are_kept(self):
        def program():
            vpc = aws.ec2.Vpc("vpc", cidr_block="10.0.0.0/16")
            opts = pulumi.ResourceOptions(
                ignore_changes=["cidr_block"],
                replace_on_changes=["vpc_id"],
                delete_before_replace=True,
                deleted_with=vpc,
                import_="subnet-1",
            )
            aws.ec2.Subnet("subnet", vpc_id=vpc.id, cidr_block="10.0.0.0/24", opts=opts)

        subnet = record(program).one("Subnet")

        assert subnet.ignore_changes == ("cidrBlock",)
        assert subnet.replace_on_changes == ("vpcId",)
        assert subnet.delete_before_replace
        assert subnet.deleted_with == urn("aws:ec2/vpc:Vpc", "vpc")
        assert subnet.import_id == "subnet-1"


class TestValues:
    def test_only_what_is_secret_is_hidden(self):
        def program():
            tags = {"Name": "vpc", "Key": pulumi.Output.secret("hunter22")}
            vpc = aws.ec2.Vpc("vpc", cidr_block="10.0.0.0/16", tags=tags)
            pulumi.export("again", vpc.tags)
            pulumi.export("list", [pulumi.Output.secret({"deep": ["hunter22"]}), "plain"])
            pulumi.log.info("the key is hunter22")
            aws.s3.BucketObjectv2(
                "o", bucket="b", content=pulumi.Output.concat("x", pulumi.Output.secret("hunter22"))
            )

        for preview in (True, False):
            recording = record(program, preview=preview)
            assert recording.one("Vpc").inputs["tags"] == {"Name": "vpc", "Key": SECRET}
            assert recording.outputs["list"] == [SECRET, "plain"]
            assert recording.logs[0].text == f"the key is {SECRET}"
            assert "hunter22" not in repr(recording)

    def test_secret_outputs_of_the_sdk_stay_secret(self):
        def program():
            key = aws.iam.AccessKey("key", user="user")
            pulumi.export("secret", key.secret)
            pulumi.export("id", key.id)

        assert record(program).outputs == {"id": UNKNOWN, "secret": SECRET}
        assert record(program, preview=False).outputs["secret"] == SECRET

    def test_a_text_asset_keeps_its_text(self):
        recording = record(
            lambda: aws.s3.BucketObjectv2("o", bucket="b", key="k", source=pulumi.StringAsset("hello"))
        )

        asset = recording.one("BucketObjectv2").inputs["source"]["asset"]
        assert asset["text"] == "hello"
        assert asset["sha256"].startswith("2cf24dba")

    def test_a_file_has_no_machine_path(self):
        def program():
            here = Path(__file__)
            aws.s3.BucketObjectv2("file", bucket="b", key="f", source=pulumi.FileAsset(str(here)))
            aws.lambda_.Function("f", role="r", code=pulumi.FileArchive(str(here.parent)))
            aws.lambda_.Function("g", role="r", code=pulumi.AssetArchive({"a.py": pulumi.StringAsset("x")}))
            aws.s3.BucketObjectv2("lib", bucket="b", key="l", source=pulumi.FileAsset(pulumi.__file__))

        recording = record(program)

        assert (
            recording.one("BucketObjectv2", "file").inputs["source"]["asset"]["path"]
            == "tests/preview/test_record.py"
        )
        assert recording.one("Function", "f").inputs["code"]["archive"]["path"] == "tests/preview"
        assert recording.one("Function", "g").inputs["code"]["archive"]["assets"]["a.py"]["asset"]["text"] == "x"
        assert recording.one("BucketObjectv2", "lib").inputs["source"]["asset"]["path"] == "pulumi/__init__.py"

    def test_a_missing_file_is_an_error(self):
        with pytest.raises(ProgramError, match=r"the file 'nowhere\.txt'"):
            record(lambda: aws.s3.BucketObjectv2("o", bucket="b", key="k", source=pulumi.FileAsset("nowhere.txt")))

    def test_a_resource_as_input_is_its_urn(self):
        def program():
            vpc = aws.ec2.Vpc("vpc", cidr_block="10.0.0.0/16")
            pulumi.ComponentResource("test:index:Parent", "parent", {"network": vpc})

        assert record(program).one("Parent").inputs == {"network": urn("aws:ec2/vpc:Vpc", "vpc")}

    def test_a_resource_comes_back_from_its_urn(self):
        class Holder(pulumi.CustomResource):
            def __init__(self, name, props):
                super().__init__("test:index:Holder", name, props)

        def program():
            holder = Holder("holder", {"network": aws.ec2.Vpc("vpc", cidr_block="10.0.0.0/16")})
            pulumi.export("cidr", holder.network.cidr_block)

        assert record(program).outputs == {"cidr": "10.0.0.0/16"}


class TestConfiguration:
    def test_any_json_comes_back_as_it_went_in(self):
        def program():
            config = pulumi.Config()
            pulumi.export("cluster", config.require_object("cluster"))
            pulumi.export("count", config.require_int("count"))
            pulumi.export("flag", config.require_bool("flag"))
            pulumi.export("region", pulumi.Config("aws").require("region"))

        config = {"hpc:cluster": {"queues": [{"max": 4}]}, "count": 3, "flag": True, "aws:region": "us-east-2"}

        assert record(program, config=config).outputs == {
            "cluster": {"queues": [{"max": 4}]},
            "count": 3,
            "flag": True,
            "region": "us-east-2",
        }

    @pytest.mark.parametrize("read", ["require_secret", "get_secret_int", "require_secret_object", "get_secret_bool"])
    def test_an_encrypted_value_is_an_unknown_secret(self, read):
        def program():
            value = getattr(pulumi.Config(), read)("key")
            aws.ssm.Parameter("p", type="SecureString", value=value.apply(lambda _: pytest.fail("it is unknown")))

        assert record(program, secret_config=["key"]).one("Parameter").inputs["value"] == SECRET

    def test_another_value_of_the_program_is_not_touched(self):
        record(lambda: pulumi.Config().require_secret("key"), secret_config=["key"])
        with pytest.raises(ProgramError, match="Missing required configuration variable 'hpc:key'"):
            record(lambda: pulumi.Config().require("key"))


class TestTheCloudIsAsked:
    def test_a_call_is_refused_with_its_name(self):
        message = (
            "test_record\\.py:\\d+: a plan made without a cloud can't call "
            "aws:ec2/getAmi:getAmi; pass the value as config"
        )
        with pytest.raises(ProgramError, match=message):
            record(lambda: aws.ec2.get_ami(most_recent=True))
        with pytest.raises(ProgramError, match="getAmi"):
            record(lambda: aws.ec2.get_ami_output(most_recent=True))

    def test_a_call_is_answered_from_what_was_given(self):
        def program():
            pulumi.export("image", aws.ec2.get_ami(name_regex="ubuntu").image_id)
            pulumi.export("zone", aws.get_availability_zone_output(name="us-east-2a").zone_id)

        invokes = {
            "aws:ec2/getAmi:getAmi": lambda args: {"imageId": f"ami-{args['nameRegex']}"},
            "aws:index/getAvailabilityZone:getAvailabilityZone": {"zoneId": "use2-az1"},
        }
        assert record(program, invokes=invokes).outputs == {"image": "ami-ubuntu", "zone": "use2-az1"}

    @pytest.mark.parametrize("preview", [True, False])
    def test_outputs_of_another_stack_are_unknown(self, preview):
        def program():
            other = pulumi.StackReference("acme/network/prod")
            pulumi.export("vpc", other.require_output("vpc"))
            aws.ec2.Subnet("s", vpc_id=other.require_output("vpc"), cidr_block="10.0.0.0/24")

        recording = record(program, preview=preview)

        assert recording.one("Subnet").inputs.get("vpcId") == UNKNOWN
        assert recording.reads[0].type == "pulumi:pulumi:StackReference"

    def test_an_existing_resource_is_read_and_not_made(self):
        def program():
            vpc = aws.ec2.Vpc.get("existing", "vpc-123")
            aws.ec2.Subnet("s", vpc_id=vpc.id, cidr_block=vpc.cidr_block)

        recording = record(program)

        assert recording.one("Subnet").inputs == {"vpcId": "vpc-123", "cidrBlock": UNKNOWN}
        assert [(each.name, each.import_id) for each in recording.reads] == [("existing", "vpc-123")]
        assert len(recording.resources) == 1

    def test_what_is_read_by_an_unknown_id_is_unknown(self):
        def program():
            vpc = aws.ec2.Vpc("vpc", cidr_block="10.0.0.0/16")
            table = aws.ec2.RouteTable.get("main", vpc.main_route_table_id)
            aws.ec2.Route("route", route_table_id=table.id, destination_cidr_block="10.1.0.0/16")

        recording = record(program)

        assert recording.one("Route").inputs["routeTableId"] == UNKNOWN
        assert recording.reads[0].import_id == UNKNOWN

    def test_transforms_are_refused_rather_than_forgotten(self):
        with pytest.raises(ProgramError, match="transforms run in the Pulumi engine"):
            record(lambda: pulumi.runtime.register_resource_transform(lambda args: None))


class TestErrors:
    def test_the_place_is_the_users_line(self):
        def program():
            {}["missing"]

        with pytest.raises(ProgramError, match=r"^tests/preview/test_record.py:\d+: KeyError: 'missing'$") as caught:
            record(program)
        assert isinstance(caught.value.__cause__, KeyError)

    def test_an_error_in_an_apply_is_one_too(self):
        def program():
            aws.ec2.Vpc("vpc", cidr_block="10.0.0.0/16").cidr_block.apply(lambda cidr: int(cidr))

        with pytest.raises(ProgramError, match=r"test_record\.py:\d+: ValueError: invalid literal"):
            record(program)

    def test_an_output_made_text_is_an_error(self):
        def program():
            aws.ec2.Vpc("vpc", cidr_block=f"{aws.ec2.Vpc('other').cidr_block}")

        with pytest.raises(ProgramError, match="__str__"):
            record(program)

    def test_an_output_of_another_time_is_an_error(self):
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        try:
            cidr = pulumi.Output.secret("10.0.0.0/16")
            with pytest.raises(ProgramError, match="an Output was created before the program started;"):
                record(lambda: aws.ec2.Vpc("vpc", cidr_block=cidr))
            loop.run_until_complete(cidr.future())
        finally:
            asyncio.set_event_loop(None)
            loop.close()

    def test_look_ups_name_what_there_is(self):
        recording = record(lambda: Network("n"))

        assert recording.one("aws:ec2/vpc:Vpc", "n-vpc") == recording.of(VPC)
        assert recording.children(recording.of(NETWORK)) == (recording.one("Subnet"), recording.of(VPC))
        assert recording.all("Vpc", under=recording.of(NETWORK)) == (recording.of(VPC),)
        assert recording.all("Vpc", under=recording.of(VPC)) == ()
        with pytest.raises(RecordingLookupError, match="there is no Vpc 'x'; the recording contains n-vpc"):
            recording.one("Vpc", "x")
        with pytest.raises(
            RecordingLookupError, match="there is no Fleet; the recording contains aws:ec2/subnet:Subnet, aws:ec2/vpc"
        ):
            recording.one("Fleet")


@pytest.fixture
def program_directory(tmp_path):
    (tmp_path / "Pulumi.yaml").write_text("name: hpc\nruntime: python\nmain: stacks\n")
    stacks = tmp_path / "stacks"
    stacks.mkdir()
    (stacks / "naming.py").write_text("import pulumi\nNAME = pulumi.Config().require('name')\n")
    (stacks / "__main__.py").write_text(
        textwrap.dedent("""
        import os
        import pulumi
        import pulumi_aws as aws
        import naming
        aws.ec2.Vpc(naming.NAME, cidr_block="10.0.0.0/16")
        aws.s3.BucketObjectv2("o", bucket="b", key="k", source=pulumi.FileAsset("naming.py"))
        pulumi.export("where", os.path.basename(os.getcwd()))
        pulumi.export("root", pulumi.runtime.get_root_directory() == os.path.dirname(os.getcwd()))
        pulumi.export("stack", pulumi.get_stack())
        pulumi.export("organization", pulumi.get_organization())
        pulumi.export("dry", pulumi.runtime.is_dry_run())
        """)
    )
    return stacks


class TestProgramDirectory:
    def test_it_runs_where_pulumi_runs_it(self, program_directory):
        recording = record(
            program_directory, stack="aws-cfd", config={"name": "vpc"}, organization="acme", preview=False
        )

        assert recording.outputs == {
            "where": "stacks",
            "root": True,
            "stack": "aws-cfd",
            "organization": "acme",
            "dry": False,
        }
        assert recording.one("BucketObjectv2").inputs["source"]["asset"]["path"] == "stacks/naming.py"

    def test_its_modules_run_again(self, program_directory):
        names = [record(program_directory, config={"name": name}).one("Vpc").name for name in ("first", "second")]

        assert names == ["first", "second"]

    def test_the_main_file_is_its_directory(self, program_directory):
        config = {"name": "vpc"}

        assert record(program_directory / "__main__.py", config=config) == record(program_directory, config=config)

    def test_a_module_of_the_same_name_comes_back(self, program_directory, monkeypatch):
        monkeypatch.syspath_prepend(program_directory)
        ours = type(sys)("naming")
        ours.__file__ = str(program_directory / "naming.py")
        monkeypatch.setitem(sys.modules, "naming", ours)

        record(program_directory, config={"name": "vpc"})

        assert sys.modules["naming"] is ours

    def test_an_error_has_its_place(self, program_directory):
        with pytest.raises(ProgramError, match=r"^stacks/naming\.py:2: .*'hpc:name'"):
            record(program_directory)

    def test_a_syntax_error_has_its_place(self, program_directory):
        (program_directory / "naming.py").write_text("x = 1\nname = (\n")

        with pytest.raises(ProgramError, match=r"^stacks/naming\.py:2: SyntaxError"):
            record(program_directory)

    def test_a_directory_without_a_program_is_refused(self, tmp_path):
        with pytest.raises(ProgramError, match=r"__main__\.py not found in"):
            record(tmp_path)

    def test_leaving_early_without_a_fault_is_allowed(self, program_directory):
        main = program_directory / "__main__.py"
        main.write_text(main.read_text() + "raise SystemExit(0)\n")
        assert len(record(program_directory, config={"name": "vpc"}).resources) == 2

        main.write_text("raise SystemExit('no such cluster')\n")
        with pytest.raises(ProgramError, match="no such cluster"):
            record(program_directory)


class TestNothingIsLeft:
    def test_settings_paths_and_environment_are_as_before(self, program_directory):
        def state():
            names = ("monitor", "engine", "project", "stack", "dry_run", "organization", "root_directory")
            here = tuple(getattr(SETTINGS, name) for name in names)
            elsewhere = []
            thread = threading.Thread(target=lambda: elsewhere.extend(getattr(SETTINGS, name) for name in names))
            thread.start()
            thread.join()
            return here, elsewhere, os.getcwd(), list(sys.path), sorted(os.environ), sys.modules.get("naming")

        before = state()
        record(program_directory, config={"name": "vpc"})
        with pytest.raises(ProgramError):
            record(program_directory)

        assert state() == before

    def test_runs_do_not_see_each_other(self):
        def first():
            Network("n")
            pulumi.export("a", 1)

        assert record(first, config={"a": "b"}).outputs == {"a": 1}
        second = record(lambda: pulumi.export("a", pulumi.Config().get("a")))
        assert second.resources == ()
        assert second.outputs.get("a") is None

    def test_a_caller_may_be_asynchronous(self):
        async def main():
            return record(lambda: Network("n"))

        assert len(asyncio.run(main()).resources) == 3

    def test_a_program_may_be_asynchronous(self):
        async def program():
            await asyncio.sleep(0)
            Network("n")

        assert len(record(program).resources) == 3
