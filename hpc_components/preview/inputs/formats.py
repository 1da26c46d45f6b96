"""Checks text formats that are the same on every cloud and that providers don't check."""

import base64
import binascii
import ipaddress
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

Format = Callable[[Any], tuple[str, str] | None]
"""Returns (reason, remedy) if a value has the wrong format, otherwise None."""

_SSH_KEY = re.compile(r"(ssh-rsa|ssh-ed25519|ecdsa-sha2-nistp\d+) [A-Za-z0-9+/]+={0,3}( .*)?")
_PROTOCOLS = ("tcp", "udp", "icmp", "icmpv6", "all", "-1")


def _ipv4(value: Any) -> tuple[str, str] | None:
    try:
        ipaddress.IPv4Address(value)
    except ValueError as error:
        return f"is not an IPv4 address ({error})", "write four numbers from 0 to 255, `10.0.0.4`"
    return None


def _cidr(network: Callable[[str], Any], example: str) -> Format:
    def check(value: Any) -> tuple[str, str] | None:
        remedy = f"write the first address and the prefix length, e.g. `{example}`"
        if "/" not in str(value):
            return "is not a CIDR block: the prefix length is missing", remedy
        try:
            network(value)
        except ValueError as error:
            return f"is not a CIDR block ({error})", remedy
        return None

    return check


def pattern(form: re.Pattern[str], reason: str, remedy: str) -> Format:
    return lambda value: None if form.fullmatch(str(value)) else (reason, remedy)


def _base64(value: Any) -> tuple[str, str] | None:
    try:
        base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError, TypeError):
        return "is not base64", "encode it: `base64.b64encode(text.encode()).decode()`"
    return None


def json_text(value: Any) -> tuple[str, str] | None:
    """Return (reason, remedy) if a string is not valid JSON, otherwise None. Values of other types are accepted,
    because the SDK converts them to JSON.
    """
    if not isinstance(value, str):
        return None
    try:
        json.loads(value)
    except json.JSONDecodeError as error:
        return (
            f"is not valid JSON (line {error.lineno}, column {error.colno}: {error.msg})",
            "generate the text with `json.dumps`",
        )
    except RecursionError:
        return "is nested too deeply to be parsed", "generate the text with `json.dumps`"
    return None


def _protocol(value: Any) -> tuple[str, str] | None:
    text = str(value).lower()
    if text in _PROTOCOLS or (text.isdecimal() and int(text) <= 255):
        return None
    return "is not an IP protocol", "write `tcp`, `udp`, `icmp`, `icmpv6`, `-1` for all, or a number from 0 to 255"


FORMATS: Mapping[str, Format] = {
    "base64": _base64,
    "ipv4": _ipv4,
    "ipv4_cidr": _cidr(ipaddress.IPv4Network, "10.0.0.0/16"),
    "ipv6_cidr": _cidr(ipaddress.IPv6Network, "2001:db8::/56"),
    "json": json_text,
    "protocol": _protocol,
    "ssh_public_key": pattern(
        _SSH_KEY, "is not an OpenSSH public key", "use the content of your public key file, e.g. `id_ed25519.pub`"
    ),
}
