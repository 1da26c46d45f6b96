"""Reads the bundle of a recipe."""

import base64
import io
import tarfile

_FRAME_END = "\nexit # files follow\n"
FRAME = "bundle.sh"
"""Name for the lines above the files, which unpack and run them."""


def bundle_files(text: str) -> dict[str, str]:
    """Return the files of a bundle, and its first lines as `FRAME`. Raise ValueError if it is not a bundle."""
    frame, end, packed = text.partition(_FRAME_END)
    if not end:
        raise ValueError("this is not a bundle: no files follow")
    try:
        with tarfile.open(fileobj=io.BytesIO(base64.decodebytes(packed.encode()))) as archive:
            found = {entry.name.removeprefix("files/"): archive.extractfile(entry) for entry in archive}
            return {FRAME: frame, **{path: file.read().decode() for path, file in found.items() if file}}
    except tarfile.TarError as error:
        raise ValueError(f"this is not a bundle: {error}") from None
