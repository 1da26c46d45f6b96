"""Reads files written by the Pulumi CLI, detecting their kind from the content."""

from pathlib import Path
from typing import Any

from hpc_components.document_shape import WrongShapeError, check_shape
from hpc_components.review.engine.digest import is_digest, run_of_digest
from hpc_components.review.engine.events import is_event, run_of_events
from hpc_components.review.engine.run import Run
from hpc_components.review.engine.shapes import DEPLOYMENT, DIGEST, EVENTS
from hpc_components.review.repository import SourceError
from hpc_components.strict_json import InvalidJsonError, parse_json
from hpc_components.user_files import MAX_DOCUMENT_BYTES, read_user_text

_REMEDY = "write one with `pulumi preview --json --show-sames > FILE`"
_STATE_REMEDY = "write one with `pulumi stack export > FILE`"


def read_run(file: Path) -> Run:
    """Read the preview or update in `file`. Raise SourceError if the file does not contain one or does not specify
    the stack.
    """
    text = _text(file, _REMEDY)
    try:
        document = _document(text)
        run = _run(document)
    except InvalidJsonError as error:
        raise SourceError(f"{file}, {error}; {_REMEDY}") from None
    except WrongShapeError as error:
        raise SourceError(f"{file} is not a valid Pulumi preview: {error}; {_REMEDY}") from None
    if run is None:
        raise SourceError(f"{file} does not contain a Pulumi preview; {_hint(document)}")
    if not run.steps:
        said = f": {run.failure}" if run.failure else ""
        raise SourceError(
            f"{file} does not specify its stack, because the run ended before the first step{said}; {_REMEDY}"
        )
    return run


def read_state(file: Path) -> dict[str, Any]:
    """Return the deployment in `file`. Raise SourceError if the file does not contain one."""
    text = _text(file, _STATE_REMEDY)
    try:
        document = parse_json(text)
    except InvalidJsonError as error:
        raise SourceError(f"{file}, {error}; {_STATE_REMEDY}") from None
    deployment = document.get("deployment") if isinstance(document, dict) else None
    if not isinstance(deployment, dict):
        raise SourceError(f"{file} does not contain a stack state; {_STATE_REMEDY}")
    try:
        check_shape(DEPLOYMENT, deployment)
    except WrongShapeError as error:
        raise SourceError(
            f"{file} does not contain a valid stack state: deployment.{error}; {_STATE_REMEDY}"
        ) from None
    return deployment


def _text(file: Path, remedy: str) -> str:
    try:
        text = read_user_text(file, MAX_DOCUMENT_BYTES)
    except OSError as error:
        raise SourceError(f"{file} can't be read: {error.strerror}; {remedy}") from None
    except UnicodeDecodeError:
        raise SourceError(f"{file} is not UTF-8 text; {remedy}") from None
    if not text.strip():
        raise SourceError(
            f"{file} is empty: Pulumi failed before writing any output; see the error on standard error"
        )
    return text


def _document(text: str) -> Any:
    """Return the JSON value in `text` or, for an event log, the list of JSON objects, one from each line.

    Other lines in an event log are ignored, including a last line that was truncated when the run was killed.
    """
    lines = text.split("\n")
    if '"sequence"' not in next((line for line in lines if line.startswith("{")), ""):
        return parse_json(text)
    found = []
    for number, line in enumerate(lines, start=1):
        if line.startswith("{"):
            try:
                found.append(parse_json(line, first_line=number))
            except InvalidJsonError:
                if number < len(lines):
                    raise
    return found


def _run(document: Any) -> Run | None:
    if isinstance(document, dict) and is_digest(document):
        check_shape(DIGEST, document)
        return run_of_digest(document)
    events = document if isinstance(document, list) else [document]
    if not events or not all(isinstance(each, dict) and is_event(each) for each in events):
        return None
    check_shape(EVENTS, events)
    return run_of_events(events)


def _hint(document: Any) -> str:
    keys = document.keys() if isinstance(document, dict) else ()
    if "deployment" in keys:
        return "the file is a state, so pass it with --state"
    if "plan" in keys:
        return "the file is a plan from `hpc preview`, so pass it as BASE, without --pulumi"
    return _REMEDY
