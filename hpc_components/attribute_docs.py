"""Reads attribute docstrings from the source on demand, because Python doesn't keep them at run time."""

import ast
import inspect
import textwrap


def attribute_docs(owner: type) -> dict[str, str]:
    """Map each annotated attribute that `owner` itself declares to the attribute's docstring."""
    body = ast.parse(textwrap.dedent(inspect.getsource(owner))).body[0]
    assert isinstance(body, ast.ClassDef)
    docs = {}
    for field, text in zip(body.body, body.body[1:], strict=False):
        if not (isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)):
            continue
        if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant) and isinstance(text.value.value, str):
            docs[field.target.id] = " ".join(text.value.value.split())
    return docs


def plain_doc(owner: type) -> str:
    """Return a class's docstring as written, without the attribute list."""
    doc = vars(owner).get("__doc__") or ""
    return inspect.cleandoc(doc.text if isinstance(doc, DocWithAttributes) else doc)


class DocWithAttributes:
    """A `__doc__` that also lists attributes, for `help()`. Each access reads the attributes from the source."""

    def __init__(self, text: str, **sections: type) -> None:
        """Combine `text` with lists of attributes. `sections` maps each list's title to the class whose attributes
        are listed.
        """
        self.text, self._sections = text, sections

    def __get__(self, instance: object, owner: type | None = None) -> str:
        """Return the text with the attributes, or just the text if the source is not available."""
        parts = [inspect.cleandoc(self.text)]
        for title, described in self._sections.items():
            try:
                docs = attribute_docs(described)
            except OSError:
                continue
            if docs:
                lines = (
                    textwrap.fill(f"{name}: {text}", 100, initial_indent="    ", subsequent_indent="        ")
                    for name, text in docs.items()
                )
                parts.append("\n".join([f"{title}:", *lines]))
        return "\n\n".join(parts)
