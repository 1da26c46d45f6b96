"""The base class of all components. Arguments can be passed as an object, a dict or keywords."""

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from difflib import get_close_matches
from types import UnionType
from typing import Any, ClassVar, Generic, TypeVar, Union, get_args, get_origin

from pulumi import ComponentResource, Inputs, ResourceOptions

from hpc_components.attribute_docs import DocWithAttributes
from hpc_components.typed_args import check_type

Args = TypeVar("Args")


class Component(ComponentResource, Generic[Args]):
    """A component with arguments of class `Args`.

    Subclasses specify this class as a type parameter, as in `class Vpc(Component[VpcArgs])`, and create their
    resources in `_make`.
    """

    _args_class: ClassVar[type]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Determine the arguments class from the type parameter, and make `help()` list arguments and outputs."""
        super().__init_subclass__(**kwargs)
        for base in cls.__dict__.get("__orig_bases__", ()):
            if get_origin(base) is Component and isinstance(get_args(base)[0], type):
                cls._args_class = get_args(base)[0]
                text = cls.__doc__ or ""
                setattr(cls, "__doc__", DocWithAttributes(text, Arguments=cls._args_class, Outputs=cls))  # noqa: B010

    def __init__(
        self,
        name: str,
        args: Args | Mapping[str, Any] | None = None,
        opts: ResourceOptions | None = None,
        **arguments: Any,
    ) -> None:
        """Create the component and its resources.

        Arguments can be given as an object, a dict or keywords: `Vpc("net", VpcArgs(cidr=...))`, `Vpc("net", {"cidr":
        ...})` and `Vpc("net", cidr=...)` are equivalent. Nested arguments may also be dicts.

        Raise ValueError, before anything is registered, if an argument is missing, unknown, of the wrong type, or
        invalid for the cloud.
        """
        self._make(name, args_object(type(self).__name__, self._args_class, args, arguments), opts)

    def _make(self, name: str, args: Args, opts: ResourceOptions | None) -> None:
        """Call `_register`, then create the resources and set the outputs."""
        raise NotImplementedError

    def _register(self, token: str, name: str, inputs: Inputs, opts: ResourceOptions | None) -> None:
        """Register the component itself. Call this before creating its resources."""
        super().__init__(token, name, inputs, opts)


def args_object(component: str, wanted: type, args: Any, arguments: Mapping[str, Any]) -> Any:
    """Convert a component's arguments to an instance of `wanted`. Raise ValueError if they are invalid."""
    if args is not None and arguments:
        raise ValueError(
            f"{component}: pass either args or keyword arguments, not both; args was passed with "
            f"{', '.join(arguments)}"
        )
    if args is None or isinstance(args, Mapping):
        return _made(wanted, wanted.__name__, arguments if args is None else args)
    check_type(f"{component} args", wanted, args)
    return args


def _made(wanted: Any, path: str, values: Mapping[str, Any]) -> Any:
    """Create an instance of `wanted`, converting nested dicts as well."""
    known = {field.name: field for field in fields(wanted) if field.init}
    for name in values:
        if name not in known:
            near = get_close_matches(str(name), known, n=1)
            remedy = f"did you mean {near[0]}?" if near else f"give {', '.join(known)}"
            raise ValueError(f"{path}.{name}: unknown argument; {remedy}")
    required = {n for n, f in known.items() if f.default is MISSING and f.default_factory is MISSING}
    if missing := [name for name in known if name in required and name not in values]:
        raise ValueError(f"{path}: {', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing")
    types = {name: known[name].type for name in values}
    return wanted(**{name: _part(types[name], f"{path}.{name}", value) for name, value in values.items()})


def _part(declared: Any, path: str, value: Any) -> Any:
    """Return `value` with dicts converted to objects wherever the type `declared` contains a dataclass."""
    for choice in get_args(declared) if get_origin(declared) in (UnionType, Union) else (declared,):
        if isinstance(value, Mapping) and isinstance(choice, type) and is_dataclass(choice):
            from_plain = getattr(choice, "from_plain", None)
            return from_plain(value) if from_plain else _made(choice, path, value)
        inner = get_args(choice)
        if get_origin(choice) is tuple and isinstance(value, Sequence) and not isinstance(value, str):
            return tuple(_part(inner[0], f"{path}[{index}]", each) for index, each in enumerate(value))
        if get_origin(choice) is Mapping and isinstance(value, Mapping):
            return {key: _part(inner[1], f"{path}[{key!r}]", each) for key, each in value.items()}
    return value
