import pulumi
import pulumi_aws as aws
import pytest

from hpc_components.testing import (
    assert_named_after_parents,
    assert_no_input_faults,
    assert_parented,
    assert_protected,
    assert_same_graph,
    assert_tagged,
    record,
)

CIDR = "10.0.0.0/16"
TAGS = {"ClusterName": "cfd"}


class Network(pulumi.ComponentResource):
    def __init__(self, name, child=None, tags=TAGS, opts=None):
        super().__init__("test:index:Network", name, {}, opts)
        own = pulumi.ResourceOptions(parent=self)
        self.vpc = aws.ec2.Vpc(child or f"{name}-vpc", cidr_block=CIDR, tags=tags, opts=own)


def failure_of(check, *args, **kwargs):
    with pytest.raises(AssertionError) as caught:
        check(*args, **kwargs)
    return str(caught.value)


class TestSameGraph:
    def test_a_plain_program_has_one_graph_and_comes_back_recorded(self):
        recording = assert_same_graph(lambda: Network("n"), stack="aws-cfd")

        assert recording.one("Vpc").inputs["cidrBlock"] == CIDR
        assert recording.stack == "aws-cfd"

    def test_a_resource_made_in_apply_is_named(self):
        def program():
            vpc = Network("n").vpc
            vpc.id.apply(lambda id: aws.ec2.Subnet("hidden", vpc_id=id, cidr_block=CIDR))

        assert "Subnet 'hidden' is registered only in an update:" in failure_of(assert_same_graph, program)

    def test_a_resource_of_the_preview_alone_is_named(self):
        def program():
            if pulumi.runtime.is_dry_run():
                Network("n")

        message = failure_of(assert_same_graph, program)

        assert message.startswith("the preview and the update differ (2):")
        assert "Network 'n' is registered only in a preview: create it in updates as well" in message

    def test_other_traits_must_agree(self):
        def program():
            opts = pulumi.ResourceOptions(protect=pulumi.runtime.is_dry_run())
            aws.ec2.Vpc("vpc", cidr_block=CIDR, opts=opts)

        assert "differs in protection: True in the preview, False" in failure_of(assert_same_graph, program)


class TestInputs:
    def test_faults_are_all_listed(self):
        def program():
            aws.ec2.PlacementGroup("a", strategy="clusterz")
            aws.ec2.Vpc("b", cidr_block="10.0.0.0")

        message = failure_of(assert_no_input_faults, record(program))

        assert message.startswith("inputs that the cloud would refuse (2):\n  - PlacementGroup 'a': strategy")
        assert "\n  - Vpc 'b': cidrBlock" in message

    def test_right_inputs_pass_the_matcher(self):
        assert_no_input_faults(record(lambda: Network("n")))


class TestTags:
    def test_all_that_can_be_tagged_must_be(self):
        def program():
            Network("tagged")
            Network("bare", tags=None)
            aws.ec2.RouteTableAssociation("association", route_table_id="rtb-1", subnet_id="subnet-1")

        message = failure_of(assert_tagged, record(program))

        assert message == "resources without the tag ClusterName (1):\n  - Vpc 'bare-vpc' of 'bare'"

    def test_the_value_counts_where_it_is_given(self):
        recording = record(lambda: Network("n"))

        assert_tagged(recording, "ClusterName", "cfd")
        assert "ClusterName=other" in failure_of(assert_tagged, recording, "ClusterName", "other")

    def test_groups_have_their_tags_in_a_list(self):
        def program():
            tag = {"key": "ClusterName", "value": "cfd", "propagate_at_launch": True}
            aws.autoscaling.Group("tagged", min_size=0, max_size=1, tags=[tag])
            aws.autoscaling.Group("bare", min_size=0, max_size=1)

        assert failure_of(assert_tagged, record(program)).splitlines()[1:] == ["  - Group 'bare'"]

    def test_tags_that_nobody_knows_pass(self):
        secret = record(lambda: aws.ec2.Vpc("vpc", cidr_block=CIDR, tags=pulumi.Output.secret(TAGS)))

        assert_tagged(secret, "Other")


class TestTree:
    def test_a_resource_without_component_is_named_and_providers_may_stand_alone(self):
        def program():
            provider = aws.Provider("ohio", region="us-east-2")
            Network("n", opts=pulumi.ResourceOptions(providers=[provider]))

        assert_parented(record(program))
        message = failure_of(assert_parented, record(lambda: aws.ec2.Vpc("loose", cidr_block=CIDR)))
        assert message.endswith("(1):\n  - Vpc 'loose'")

    def test_a_resource_below_a_resource_is_loose_too(self):
        def program():
            vpc = Network("n").vpc
            opts = pulumi.ResourceOptions(parent=vpc)
            aws.ec2.Subnet("n-vpc-a", vpc_id=vpc.id, cidr_block=CIDR, opts=opts)

        assert "Subnet 'n-vpc-a' of 'n-vpc'" in failure_of(assert_parented, record(program))

    @pytest.mark.parametrize("child", ["n", "n-vpc", "n/vpc"])
    def test_children_are_named_after_their_parents(self, child):
        assert_named_after_parents(record(lambda: Network("n", child=child)))

    @pytest.mark.parametrize("child", ["vpc", "network"])
    def test_other_children_are_strangers(self, child):
        message = failure_of(assert_named_after_parents, record(lambda: Network("n", child=child)))

        assert f"Vpc '{child}' of 'n': begin the name with `n-`" in message


class TestProtection:
    def test_what_is_bare_is_named_with_what_it_lacks(self):
        def program():
            aws.ec2.Vpc("bare", cidr_block=CIDR)
            aws.ec2.Vpc("half", cidr_block=CIDR, opts=pulumi.ResourceOptions(protect=True))
            both = pulumi.ResourceOptions(protect=True, retain_on_delete=True)
            Network("n", opts=both)

        assert failure_of(assert_protected, record(program), "Vpc", "Network").splitlines()[1:] == [
            "  - Vpc 'bare' is not protected and not retained",
            "  - Vpc 'half' is not retained",
        ]
