"""Pull requests on the stacks of this project, with the verdict that a reviewer must get."""

from tests.review.aws_scenarios import AWS
from tests.review.azure_scenarios import AZURE
from tests.review.gcp_scenarios import GCP
from tests.review.scenario import Scenario

SCENARIOS: tuple[Scenario, ...] = (*AWS, *AZURE, *GCP)
