"""Links of pages: pages at the root become pages of the site, and public names link to the reference."""

from __future__ import annotations

import inspect
import re
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from docutils import nodes
from docutils.utils import new_document
from myst_parser.parsers.sphinx_ import MystParser
from sphinx import addnodes
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective, SphinxRole

from site_build.moved import moved
from site_build.themes import public_modules
from symlie import errors

if TYPE_CHECKING:
    from sphinx.application import Sphinx

NAME = re.compile(r"(?:sl|symlie)\.([A-Za-z_]\w*(?:\.\w+)*)(?:\(.*)?")
"""A public name in the text of a page, optionally with call arguments."""

ROOT = Path(__file__).parents[2]

PUBLIC = {name for name, module in public_modules().items() if module != "sympy"}
"""Names of the reference; SymPy documents its functions."""


ERRORS = {name for name, thing in vars(errors).items() if inspect.isclass(thing) and issubclass(thing, Exception)}
"""Error classes, which pages and docstrings mention without a module."""


def read_source(app: Sphinx, name: str, source: list[str]) -> None:
    """Convert the links of a page of `docs`."""
    if str(app.env.doc2path(name)).endswith(".md"):
        source[0] = moved(source[0], str(PurePosixPath("docs") / PurePosixPath(name).parent))


class RootPage(SphinxDirective):
    """``.. root-page:: README.md`` includes a page at the root of the repository."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Read the page with the links of the site."""
        path = ROOT / self.arguments[0]
        self.env.note_dependency(str(path))
        page = new_document(str(path), self.state.document.settings)
        MystParser().parse(moved(path.read_text(encoding="utf-8"), ""), page)
        return page.children


def target_of(text: str) -> str | None:
    """Return the target of code in the text, such as ``symlie.Solution.plot``, or None without a public name."""
    if text in ERRORS:
        return f"symlie.errors.{text}"
    match = NAME.fullmatch(text)
    return f"symlie.{match[1]}" if match and match[1].partition(".")[0] in PUBLIC else None


def reference(target: str, literal: nodes.literal, page: str) -> addnodes.pending_xref:
    """Return a link to the reference with a code literal."""
    return addnodes.pending_xref(
        "", literal, refdomain="py", reftype="obj", reftarget=target, refdoc=page, refwarn=True
    )


class NameInDocstring(SphinxRole):
    """Text between single backticks in docstrings: code, and a link if it is a public name."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return the node."""
        literal = nodes.literal(self.rawtext, self.text, classes=["py"])
        target = target_of(self.text) or target_of(f"symlie.{self.text}")
        return [literal if target is None else reference(target, literal, self.env.docname)], []


class NamesToReference(SphinxTransform):
    """Link code literals that are public names, such as ``sl.solve``, to the reference."""

    default_priority = 400

    def apply(self) -> None:
        """Wrap literals of the page."""
        for literal in list(self.document.findall(nodes.literal)):
            target = target_of(literal.astext())
            if target and not isinstance(literal.parent, nodes.reference | addnodes.pending_xref):
                literal.replace_self(reference(target, literal.deepcopy(), self.env.docname))


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.connect("source-read", read_source)
    app.add_directive("root-page", RootPage)
    app.add_role("name", NameInDocstring())
    app.add_transform(NamesToReference)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
