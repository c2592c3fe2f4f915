"""Pages of the reference: one page for each theme, class, function and module.

The pages are written into `docs/api` before Sphinx reads its sources. Unchanged pages are not written, so that Sphinx
does not read them again.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sphinx.pycode import ModuleAnalyzer

import symlie as sl
from site_build.themes import THEMES, Theme, names_by_theme, public_modules
from symlie import errors

if TYPE_CHECKING:
    from sphinx.application import Sphinx

FOLDER = "api"

HIDDEN_COLON = "\N{INVISIBLE SEPARATOR}"


def headed(title: str, *parts: str) -> str:
    """Return a page in reStructuredText."""
    return "\n\n".join([f"{title}\n{'=' * len(title)}", *parts]) + "\n"


def page_of(name: str) -> str | None:
    """Return the page of a name below the folder, or None for numbers, groups and functions of SymPy.

    Classes and functions have separate folders, because some file systems do not distinguish ``Ensemble`` and
    ``ensemble``.
    """
    thing = getattr(sl, name)
    if inspect.ismodule(thing):
        return f"modules/{name}"
    if not getattr(thing, "__module__", "").startswith("symlie"):
        return None
    if inspect.isclass(thing):
        return f"classes/{name}"
    return f"functions/{name}" if inspect.isroutine(inspect.unwrap(thing)) else None


def summary(name: str) -> str:
    """Return the first sentence of the documentation of a name."""
    text = documentation(name)
    first = re.split(r"(?<=\.)\s|\n\n", text, maxsplit=1)[0]
    return escaped(" ".join(first.split()))


def documentation(name: str) -> str:
    """Return the docstring of a name, or the text after the definition of a number or group."""
    module = public_modules()[name]
    if module == "sympy":
        return f"SymPy's ``{name}``."
    if page_of(name) is not None:
        return inspect.getdoc(getattr(sl, name)) or ""
    return "\n".join(ModuleAnalyzer.for_module(module).find_attr_docs().get(("", name), [])).strip()


def escaped(text: str) -> str:
    """Escape the bars of absolute values in a line of a docstring for reStructuredText."""
    return re.sub(r"``.*?``|(?<!\\)\|", lambda found: "\\|" if found[0] == "|" else found[0], text)


def with_sources(text: str) -> str:
    """Convert the keys of sources in a line of a docstring to links to the bibliography."""
    return re.sub(r"\[([A-Z][A-Za-z]+\d{4}\w?)\]", r":doc:`[\1] </bibliography>`", text)


def read_docstring(app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]) -> None:
    """Hide colons of properties from napoleon, which would interpret the text before a colon as a type."""
    lines[:] = [with_sources(escaped(line)) for line in lines]
    if what in ("attribute", "property") and lines:
        lines[0] = lines[0].replace(":", HIDDEN_COLON)


def finish_docstring(app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]) -> None:
    """Restore colons after napoleon, and add the module of errors."""
    for k, line in enumerate(lines):
        raised = re.fullmatch(r":raises (\w+):(.*)", line)
        is_ours = raised is not None and hasattr(errors, raised[1])
        lines[k] = f":raises ~symlie.errors.{raised[1]}:{raised[2]}" if is_ours else line.replace(HIDDEN_COLON, ":")


def public_classes() -> set[type]:
    """Return all public classes."""
    return {thing for thing in (getattr(sl, name) for name in sl.__all__) if inspect.isclass(thing)}


def read_bases(app: Sphinx, name: str, kind: type, options: object, bases: list[type]) -> None:
    """Remove internal base classes."""
    kept = (base for base in bases if isinstance(base, type))
    bases[:] = [base for base in kept if base in public_classes() or issubclass(base, BaseException)]


def stops(kind: type) -> list[str]:
    """Return the names of bases whose members are documented elsewhere: public classes and other packages."""
    bases = kind.__mro__[1:]
    return [b.__name__ for b in bases if b in public_classes() or not b.__module__.startswith("symlie")]


def name_page(name: str) -> str:
    """Return the page of a class, a function or a module."""
    thing: Any = getattr(sl, name)
    parts = [".. py:currentmodule:: symlie"]
    if inspect.ismodule(thing):
        # Names of the package have separate pages.
        elsewhere = ", ".join(n for n in getattr(thing, "__all__", ()) if getattr(sl, n, None) is getattr(thing, n))
        excluded = f"\n   :exclude-members: {elsewhere}" if elsewhere else ""
        members = f":members:{excluded}\n   :inherited-members: tuple"
        parts.append(f".. automodule:: symlie.{name}\n   {members}\n   :show-inheritance:")
    elif inspect.isclass(thing):
        options = [":members:", f":inherited-members: {', '.join(stops(thing))}", ":special-members: __call__"]
        if internal := getattr(thing, "INTERNAL", None):
            options.append(f":exclude-members: {', '.join(sorted({*internal, 'INTERNAL'}))}")
        if public_classes() & set(thing.__bases__):
            options.append(":show-inheritance:")
        parts.append(f".. autoclass:: {name}\n   " + "\n   ".join(options))
    else:
        parts.append(f".. autofunction:: {name}")
    parts.append(f".. minigallery:: symlie.{name}\n   :add-heading: Examples\n   :heading-level: -")
    return headed(name, *parts)


def theme_page(theme: Theme, names: Iterable[str]) -> str:
    """Return the page of a theme: names with one sentence each."""
    listed, defined, below = [], [], []
    for name in names:
        if page := page_of(name):
            below.append(f"/{FOLDER}/{page}")
            listed.append(f"{link(name)}\n   {summary(name)}")
        elif public_modules()[name] == "sympy":
            listed.append(f"``{name}``\n   {summary(name)}")
        else:
            defined.append(f".. py:data:: {name}\n   :module: symlie\n\n   {summary(name)}")
    parts = [theme.about, ".. py:currentmodule:: symlie", "\n".join(listed), *defined]
    return headed(theme.title, *parts, *([toctree(below)] if below else []))


def link(name: str) -> str:
    """Return a link to the documentation of a name."""
    return f":py:obj:`{name} <symlie.{name}>`"


def toctree(pages: Iterable[str]) -> str:
    """Return the hidden table of contents of subpages."""
    return ".. toctree::\n   :hidden:\n\n   " + "\n   ".join(pages)


def pages() -> dict[str, str]:
    """Return the text of each page by its path below the folder."""
    found, rows = {}, []
    for theme, names in names_by_theme().items():
        entries = [f"``{n}``" if public_modules()[n] == "sympy" else link(n) for n in names]
        rows.append(f":doc:`{theme.title} <{theme.page}>`\n   {theme.about}\n\n   {', '.join(entries)}")
        found[f"{theme.page}.rst"] = theme_page(theme, names)
        found |= {f"{page}.rst": name_page(name) for name in names if (page := page_of(name))}
    found["index.rst"] = headed(
        "Reference",
        "Every public name of ``symlie``, from its docstring.",
        "\n".join(rows),
        toctree(theme.page for theme in THEMES),
    )
    return found


def write(folder: Path) -> None:
    """Write the pages into a folder, and remove pages of deleted names."""
    wanted = {folder / path: text for path, text in pages().items()}
    for path in set(folder.rglob("*.rst")) - wanted.keys():
        path.unlink()
    for path, text in wanted.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


def write_pages(app: Sphinx) -> None:
    """Write the pages before Sphinx searches its sources."""
    write(Path(app.srcdir) / FOLDER)


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.connect("builder-inited", write_pages, priority=400)  # before the examples run, which takes minutes
    app.connect("autodoc-process-docstring", read_docstring, priority=400)
    app.connect("autodoc-process-docstring", finish_docstring, priority=600)
    app.connect("autodoc-process-bases", read_bases)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
