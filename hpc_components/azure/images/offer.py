from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hpc_components.azure.catalog.images import Image, image_of, image_reference, images, public_image
from hpc_components.catalog._load import Record
from hpc_components.catalog.by_kind import RecordsByKind
from hpc_components.catalog.level import Level
from hpc_components.catalog.machine_type import Machine
from hpc_components.catalog.offer import Limit, Refusal

_PLAN = Limit(
    id="HPC-OSI-010",
    title="An image that is sold with a purchase plan must be specified with its plan",
    why="Otherwise, Azure refuses to create machines from the image.",
    source='Azure documentation, "Supply Azure Marketplace purchase plan information"; the catalogue\'s offers',
)
_SYSTEM = Limit(
    id="HPC-OSI-011",
    title="An image must match its machine's processor architecture and the description's operating system",
    why="A node that boots another operating system than the described one shuts down.",
    source="the catalogue's images; docs/boot.md",
)
_DRIVERS = Limit(
    id="HPC-OSI-012",
    title="An image must include the InfiniBand and GPU drivers that its machine needs",
    why="At first boot, nodes with InfiniBand check for the driver and MPI, and shut down if either is missing. "
    "Azure's HPC images, which exist for Ubuntu and AlmaLinux, include both, as well as GPU drivers.",
    source="azhpc-images, contents of the images",
)
_GENERATION = Limit(
    id="HPC-OSI-013",
    title="Machines of newer HPC and GPU types must use a generation 2 image",
    source='Azure documentation, "Support for Generation 2 VMs on Azure"',
)
_PLAN_OF_IMAGE = Limit(
    id="HPC-OSI-022",
    title="A purchase plan must be complete and belong to the specified image",
    why="An image id, unlike a URN, doesn't include the publisher and offer, so the plan must specify them. "
    "Azure also refuses a plan for an image that is sold without one.",
    source='Azure documentation, "Supply Azure Marketplace purchase plan information"; "Common error codes for Azure'
    ' virtual machines", VMMarketplaceInvalidInput',
)

LIMITS = (_PLAN, _SYSTEM, _DRIVERS, _GENERATION, _PLAN_OF_IMAGE)

_of_kind = RecordsByKind.in_files(Path(__file__).with_name("facts.json")).records


@dataclass(frozen=True, slots=True, kw_only=True)
class PurchasePlan:
    """A complete purchase plan, in the form that Azure Resource Manager requires."""

    publisher: str
    product: str
    """Usually the image's offer."""
    name: str
    """Usually the image's sku."""

    @property
    def terms_command(self) -> str:
        return f"az vm image terms accept --publisher {self.publisher} --offer {self.product} --plan {self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedPlan:
    """A purchase plan as specified with an image. Parts that are None are taken from the image's URN."""

    name: str | None = None
    product: str | None = None
    publisher: str | None = None

    def of_image(self, image: str | None) -> PurchasePlan | None:
        """Return the complete plan, with missing parts taken from the image's URN, or None if it remains incomplete.

        Source: Microsoft.Compute, Plan: "product ... is the same value as Offer under the imageReference element";
        Azure's documentation page for HBv4, where the AlmaLinux-HPC plan has the same name as the sku.
        """
        reference = (image_reference(image) if image else None) or {}
        publisher, product = self.publisher or reference.get("publisher"), self.product or reference.get("offer")
        name = self.name or reference.get("sku")
        if publisher is None or product is None or name is None:
            return None
        return PurchasePlan(publisher=publisher, product=product, name=name)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageOrder:
    """An image for nodes of one machine type."""

    image: str | None = None
    """Image, as `publisher:offer:sku:version` or as an id; None for the default image of `os`."""
    plan: NamedPlan | None = None
    os: str | None = None
    """Operating system requested in the description; None if any is accepted."""
    machine: Machine | None = None
    """Machine type; None if unknown."""
    fabric: bool = False
    """Whether the nodes use InfiniBand."""


def refusals(order: ImageOrder) -> Iterator[Refusal]:
    """Yield the reasons why nodes would not start with this image, as far as its name reveals them.

    If nodes can't boot the image's operating system, no other refusals are reported. Images that are not in the
    catalogue are accepted.
    """
    if order.image is None:
        yield from _default(order)
    elif order.os and (system := other_system(order.image, order.os)):
        yield _wrong_system(order, order.image, f"{system}, but the cluster uses {order.os}")
    else:
        yield from _plan(order, order.image)
        yield from _generation(order, order.image)
        yield from _system(order, order.image)
        yield from _drivers(order, order.image)


def _default(order: ImageOrder) -> Iterator[Refusal]:
    """Yield the refusals of an order that specifies no image."""
    if order.plan is not None:
        reason = "a purchase plan requires an image, but none is specified"
        yield _PLAN_OF_IMAGE.refuse("plan", reason=reason, changes={"plan": None}, advice="or write {image}")
    default = _default_image(order)
    if default is not None and order.fabric and not default.fabric:
        yield _without_fabric(order, default.id)


def _plan(order: ImageOrder, image: str) -> Iterator[Refusal]:
    usual = usual_plan(image)
    if order.plan is None:
        if usual is not None:
            yield _PLAN.refuse(
                "image",
                reason=f"Azure refuses to create machines from {image} without its purchase plan",
                changes={"plan": usual},
                advice=f"accept the plan's terms once: {usual.terms_command}",
                conflicts_with="plan",
            )
    elif usual is None and public_image(image) is not None:
        reason = f"{image} is sold without a purchase plan, so Azure refuses machines that specify one"
        yield _PLAN_OF_IMAGE.refuse("plan", reason=reason, changes={"plan": None}, conflicts_with="image")
    elif image_reference(image) is not None and order.plan.of_image(image) is None:
        missing = [key for key in ("publisher", "product") if getattr(order.plan, key) is None]
        yield _PLAN_OF_IMAGE.refuse(
            "plan",
            reason=f"an image id does not include the plan's {' and '.join(missing)}",
            advice=f"add {', '.join(f'{key}: ...' for key in missing)}; to look up the plan, run `az sig "
            "image-definition show`",
        )


def _generation(order: ImageOrder, image: str) -> Iterator[Refusal]:
    machine, default = order.machine, _default_image(order)
    if machine is None or not any(offer_records("generation_1", image)):
        return
    families = {family for record in _of_kind("generation_2_only") for family in record["families"]}
    if machine.family in families or machine.arch == "arm64":
        yield _GENERATION.refuse(
            "image",
            reason=f"{image} is a generation 1 image, but {machine.name} supports only generation 2",
            changes={"image": default.id} if default else None,
            advice="" if default else "use an image whose sku ends with gen2",
            conflicts_with="machine",
        )


def _system(order: ImageOrder, image: str) -> Iterator[Refusal]:
    found, machine = public_image(image), order.machine
    if found is not None and machine is not None and found.arch != machine.arch:
        yield _wrong_system(order, image, f"the architecture {found.arch}, but {machine.name} is {machine.arch}")
    if found is not None and order.os is not None and found.os != order.os:
        yield _wrong_system(order, image, f"the operating system {found.os}, but the cluster uses {order.os}")


def _wrong_system(order: ImageOrder, image: str, has: str) -> Refusal:
    default = _default_image(order)
    return _SYSTEM.refuse(
        "image",
        reason=f"{image} has {has}",
        changes={"image": None} | ({} if order.plan is None else {"plan": None}),
        advice=f"the default image is {default.id}" if default else "or specify another image",
    )


def _drivers(order: ImageOrder, image: str) -> Iterator[Refusal]:
    found, machine = public_image(image), order.machine
    if found is None or machine is None:
        return
    model = machine.accelerator.model if machine.accelerator else None
    if model is not None and not found.drives(machine):
        able = _with_gpu_driver(order, model)
        yield _DRIVERS.refuse(
            "image",
            reason=f"{image} has no driver for the {model} in {machine.name}",
            changes={"image": able[0]} if able else None,
            alternative={"image": able[1]} if able[1:] else None,
            advice="" if able else "use a custom image that includes the driver",
            conflicts_with="machine",
            level=Level.WARNING if "models" in found.unsure else None,
        )
    if order.fabric and not found.fabric:
        yield _without_fabric(order, image)


def _without_fabric(order: ImageOrder, image: str) -> Refusal:
    machine, default = order.machine, _default_image(order)
    equipped = default is not None and default.fabric
    return _DRIVERS.refuse(
        "image",
        reason=f"{image} has no InfiniBand drivers, without which {machine.name if machine else 'this machine'} "
        "would shut down at boot",
        changes={"image": default.id} if default and equipped else {"fabric": False},
        alternative={"fabric": False} if equipped else None,
        advice=""
        if equipped
        else "or use an operating system whose HPC image has InfiniBand drivers, such as ubuntu-24.04",
        conflicts_with="machine",
    )


def _default_image(order: ImageOrder) -> Image | None:
    return image_of(order.os, order.machine) if order.os and order.machine else None


def _with_gpu_driver(order: ImageOrder, model: str) -> Sequence[str]:
    return tuple(image.id for image in images() if image.os == order.os and model in image.models)


def usual_plan(image: str) -> PurchasePlan | None:
    """Return the purchase plan of an image that is known to be sold with one; otherwise None."""
    return NamedPlan().of_image(image) if any(offer_records("plan", image)) else None


def other_system(image: str, os: str) -> str | None:
    """Return the image's operating system if it is known to be another one than `os`; otherwise None."""
    found = (record for record in offer_records("system", image) if not os.startswith(record["names"]))
    return next((record["os"] for record in found), None)


def offer_records(kind: str, image: str) -> Iterator[Record]:
    """Yield the records of one kind whose publisher, offer and sku match the image's URN.

    A key that is missing from a record matches any value. Like Azure, we ignore case.
    """
    reference = image_reference(image) or {}
    for record in _of_kind(kind) if "publisher" in reference else ():
        keys = [key for key in ("publisher", "offer", "sku") if key in record]
        if all(record[key].lower() == reference[key].lower() for key in keys):
            yield record
