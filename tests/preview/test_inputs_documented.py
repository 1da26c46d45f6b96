import pytest

from hpc_components.preview.inputs.documented import Range, documented_range, documented_values


@pytest.mark.parametrize(
    ("doc", "values"),
    [
        ("Placement strategy. Can be `cluster`, `partition` or `spread`.", ("cluster", "partition", "spread")),
        ("Valid values are `LZ4` and `NONE`. Default value is `NONE`.", ("LZ4", "NONE")),
        ("Valid values: `default`, `vpc-1`, `ebs-1`. Default value is `default`.", ("default", "vpc-1", "ebs-1")),
        ("Possible values are: `READY`, `CREATING`.", ("READY", "CREATING")),
        ("Can be `stop` or `terminate`. (Default: `stop`).", ("stop", "terminate")),
        ("One of: `SSD`, `HDD`, defaults to `SSD`.", ("SSD", "HDD")),
        ('Can be `"enabled"` or `"disabled"`.', ("enabled", "disabled")),
        ("Valid values are `1` (one) and `2` (two).", ("1", "2")),
        # Open lists, and lists for one case of several.
        ("Valid values are `60` through `600`. Defaults to `300`.", ()),
        ("Valid values are `Default` and `OldestInstance`. Additionally, the ARN of a function.", ()),
        ("For one kind, valid values are `A` and `B`. For another, valid values are `C` and `D`.", ()),
        ("Must be one of `64`, `128` for `SINGLE_AZ_1`. Must be one of `160`, `320` for `SINGLE_AZ_2`.", ()),
        ("Valid values include `a` and `b`.", ()),
        ("Can be a version number, `$Latest`, or `$Default`.", ()),
        ("One of `subnet_id` or `gateway_id` is required.", ()),
        ("Set it only if `mode` is either `A` or `B`.", ()),
        ("No list at all.", ()),
    ],
)
def test_only_closed_lists_count(doc, values):
    assert documented_values(doc) == values


@pytest.mark.parametrize(
    ("doc", "limits"),
    [
        ("Valid between 1 and 900.", Range(1, 900)),
        ("Values must be between `100` and `200`, defaults to `100`.", Range(100, 200)),
        ("The range is 0-3600 seconds.", Range(0, 3600)),
        ("The range is 2–120 seconds.", Range(2, 120)),
        ("Valid value between 128 MB to 32,768 MB (32 GB), in 1 MB increments.", Range(128, 32768)),
        ("Defaults to `1024`. Minimum of `1` and maximum of `512000`.", Range(1, 512000)),
        ("The range is 30-900 seconds or 0 to disable.", Range(30, 900, zero_too=True)),
        ("Must be either equal to 0 or between 86400 and 31536000 seconds.", Range(86400, 31536000, zero_too=True)),
        (
            "Valid values are between 1 and 5 for one and between 2 and 9 for the other.",
            None,
        ),
        ("Between two subnets.", None),
        ("RFC 1918 range (10.0.0.0/8).", None),
    ],
)
def test_a_documented_range_is_read(doc, limits):
    assert documented_range(doc) == limits


def test_a_range_has_both_ends_and_sometimes_zero():
    assert 1 in Range(1, 3)
    assert 3 in Range(1, 3)
    assert 4 not in Range(1, 3)
    assert 0 not in Range(1, 3)
    assert 0 in Range(1, 3, zero_too=True)
    assert str(Range(1, 3, zero_too=True)) == "1 to 3, or 0"
