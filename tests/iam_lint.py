"""IAM documents under a linter."""

import json
import warnings
from typing import Any

SPOT_REQUESTS = ["arn:aws:ec2:*:*:spot-instances-request/*"]
"""RunInstances has had this resource since 2020; the linter's list is older, so it never sees a statement of it."""

SESSION = ["s3express:CreateSession"]
"""The linter takes no slash in the ARN of anything that is called a bucket; directory buckets have one."""


def policy_findings(document: Any) -> list[str]:
    """What the policy linter says of a document; a warning is a finding too."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it leaves its own data files open
        import parliament

    read = json.loads(document) if isinstance(document, str) else document
    seen = [each for each in read["Statement"] if each["Resource"] != SPOT_REQUESTS and each["Action"] != SESSION]
    text = json.dumps({**read, "Statement": seen})
    return [str(finding) for finding in parliament.analyze_policy_string(text).findings]
