"""How a spot machine is taken away on AWS for `hpc accept --spot`: by the user.

Only Fault Injection Service sends a machine its notice (`aws:ec2:send-spot-instance-interruptions`), by an experiment
template that has a separate role; a cluster has neither. The EC2 console and `ec2-spot-interrupter` create both.
Sources: EC2 user guide, "Initiate a Spot Instance interruption"; aws/amazon-ec2-spot-interrupter, README.
"""

from collections.abc import Mapping
from typing import Any

from hpc_components.accept.interruption import Interruption, SpotMachine

NOTICE_WITHIN_SECONDS = 15 * 60
"""Time for the user; the notice itself follows within seconds."""


def interruption(access: Mapping[str, Any], head: Mapping[str, Any], machine: SpotMachine) -> Interruption:
    """See `CloudSpot`. cloud-init's id is the instance's."""
    command = f"ec2-spot-interrupter --region {access['region']} --instance-ids {machine.id}"
    console = f"in the EC2 console, Spot Requests, the request of {machine.id}, Actions, Initiate interruption"
    return Interruption(
        order=None, by_hand=f"{command} (https://github.com/aws/amazon-ec2-spot-interrupter); or {console}"
    )
