"""Removes secrets from logs before they leave the cluster's administrators: exports are attached to tickets."""

import re
from collections.abc import Callable

LEFT_OUT = "[left-out]"

_BEGINS = re.compile(r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----")
_ENDS = re.compile(r"-----END [A-Z0-9 ]*PRIVATE KEY-----")

_NAMED = re.compile(
    r"""(?ix)
    ( [\w.-]* (?:passwor[dt] | passwd | passphrase | storagepass | secret(?!s?\b[ ]) | token | api_?key | access_?key
      | account_?key | credential) [\w.-]* ["']? \s* [=:] \s* ["']? )
    ( (?:bearer[ ])? [^\s"',;&]+ )
    """
)
_SCHEMES = re.compile(r"(?i)\b(bearer|basic) +[A-Za-z0-9+/=._~-]{8,}")
_ADDRESS = re.compile(r"(?<=://)[^\s/@:]+:[^\s/@]+(?=@)")
_SIGNED = re.compile(r"(?i)\b(sig|x-[a-z]+-signature|x-[a-z]+-security-token)=[^&\s\"']+")
_SHAPES = re.compile(
    r"\beyJ[\w-]+\.[\w-]+\.[\w-]*"  # JSON Web Tokens, RFC 7519
    r"|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bya29\.[\w-]+"  # ids of access keys and access tokens of two clouds
)


def line_filter() -> Callable[[str], str]:
    """Return a function that takes the lines of a log in order, and returns them without secrets.

    It recognizes values by their names (`password=...`), and keys and tokens by their shapes. A secret with neither
    remains.
    """
    in_key = False

    def without_secrets(line: str) -> str:
        nonlocal in_key
        if in_key:
            in_key = not _ENDS.search(line)
            return LEFT_OUT
        if _BEGINS.search(line):
            in_key = not _ENDS.search(line)
            return LEFT_OUT
        line = _SHAPES.sub(LEFT_OUT, _ADDRESS.sub(LEFT_OUT, line))
        line = _SCHEMES.sub(rf"\1 {LEFT_OUT}", _SIGNED.sub(rf"\1={LEFT_OUT}", line))
        return _NAMED.sub(rf"\1{LEFT_OUT}", line)

    return without_secrets
