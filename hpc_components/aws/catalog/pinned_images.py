"""Images that never change, because their SSM parameter contains a serial number."""

from hpc_components.aws.catalog.images import driver_for, image_parameter, image_parameters
from hpc_components.catalog.machine_type import Machine
from hpc_components.catalog.pinned_image import PinnedImage, day_in, newest_record


def pinned_image(os: str, machine: Machine, image: str | None, lustre: bool) -> PinnedImage | None:
    """Return the machine's default image, or None if `image` is given or the default image's parameter has no serial
    number.
    """
    found = None if image else image_parameter(os, machine.arch, driver_for(machine))
    made = day_in(found.serial) if found and found.serial else None
    if found is None or found.serial is None or made is None:
        return None
    current = found.parameter.replace(f"/{found.serial}/", "/current/")
    return PinnedImage(
        name=found.parameter,
        made=made,
        known=newest_record(each.as_of for each in image_parameters()),
        newer=f"set image to the output of: aws ssm get-parameter --region {{region}} --name {current} --query "
        "Parameter.Value --output text",
    )
