"""Rooms of the package and the imports between them.

python -m tests.rooms
"""

from __future__ import annotations

import ast
import functools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from symlie.utilities.paths import PACKAGE

ROOMS = (
    "cli",
    "papers",
    "importing",
    "models",
    "api",
    "export",
    "publish",
    "certify",
    "certify.checker",
    "typeset",
    "derive",
    "joints",
    "steps",
    "elements",
    "modeling",
    "groups",
    "emit",
    "emit.operators",
    "emit.c",
    "emit.numpy",
    "emit.printing",
    "ir",
    "ensembles",
    "view",
    "runtime.plot",
    "runtime.study",
    "runtime.statics",
    "runtime.integrate",
    "runtime.solution",
    "runtime.methods",
    "runtime.steps",
    "runtime.tableaux",
    "runtime.implicit",
    "runtime.system",
    "runtime.kernels",
    "runtime.linear",
    "runtime.layout",
    "compile",
    "contract",
)
"""From top to bottom; a room imports from rooms below it."""

COMMON = "common ground"
"""Top-level modules and ``utilities``: all packages may import them, and they import no package."""


@dataclass(frozen=True)
class Import:
    """One name that a module imports from another module of the package.

    Attributes
    ----------
    importer, imported
        Modules, as ``runtime.system.loading``.
    name
        Name of the imported object.
    line
        Line of the import.
    is_lazy
        True inside of a function, or for type checkers only.
    """

    importer: str
    imported: str
    name: str
    line: int
    is_lazy: bool

    @property
    def rooms(self) -> tuple[str, str]:
        """The rooms of both modules."""
        return room_of(self.importer), room_of(self.imported)

    @property
    def points_upward(self) -> bool:
        """True if a package imports from a higher one, or a common module from any package."""
        importer, imported = self.rooms
        if imported in (COMMON, importer):
            return False
        return importer == COMMON or ROOMS.index(imported) < ROOMS.index(importer)


def room_of(module: str) -> str:
    """The room of a module, the smallest package or module that is one."""
    parts = module.split(".")
    names = [".".join(parts[:n]) for n in range(len(parts), 0, -1)]
    return next((name for name in names if name in ROOMS), COMMON)


def is_type_checking(node: ast.AST) -> bool:
    """Return True for the statement ``if TYPE_CHECKING:``."""
    return isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def module_name(path: Path) -> str:
    """A file of the package as a module, without the package's name."""
    return path.relative_to(PACKAGE).as_posix().removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def imported_from(module: str, name: str) -> str:
    """The module that a name comes from: a module itself, or one that defines it."""
    place = PACKAGE.joinpath(*module.split("."), name)
    return f"{module}.{name}".strip(".") if place.is_dir() or place.with_suffix(".py").is_file() else module


def imports_of(module: str, text: str) -> Iterator[Import]:
    """Return all imports of a module from the package."""

    def visit(node: ast.AST, lazy: bool) -> Iterator[Import]:
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "symlie":
            source = str(node.module).partition(".")[2]
            for alias in node.names:
                yield Import(module, imported_from(source, alias.name), alias.name, node.lineno, lazy)
        inside = lazy or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) or is_type_checking(node)
        for child in ast.iter_child_nodes(node):
            yield from visit(child, inside)

    yield from visit(ast.parse(text), False)


@functools.cache
def modules() -> dict[str, Path]:
    """All modules of the package but its front door, ``__init__.py`` and ``__main__.py``."""
    return {module_name(p): p for p in sorted(PACKAGE.rglob("*.py")) if p.parent != PACKAGE or p.stem[:2] != "__"}


@functools.cache
def imports() -> tuple[Import, ...]:
    """All imports from module to module."""
    return tuple(i for name, path in modules().items() for i in imports_of(name, path.read_text(encoding="utf-8")))


def arrows(*, lazy: bool = True) -> Counter[tuple[str, str]]:
    """Return the number of names that each package imports from each other package."""
    pairs = (i.rooms for i in imports() if lazy or not i.is_lazy)
    return Counter(pair for pair in pairs if pair[0] != pair[1] and COMMON not in pair)


def rings() -> list[set[str]]:
    """Sets of rooms that import each other when they are loaded, each of more than one."""
    below: dict[str, set[str]] = {room: {b for a, b in arrows(lazy=False) if a == room} for room in ROOMS}

    def reached(start: str) -> set[str]:
        found, todo = set[str](), [start]
        while todo:
            new = below[todo.pop()] - found
            found |= new
            todo += new
        return found

    behind = {room: reached(room) for room in ROOMS}
    return [{a, b} for a in ROOMS for b in behind[a] if a in behind[b] and a < b]


def main() -> None:
    """Print the rooms with their size, and what each imports from."""
    sizes = Counter(room_of(name) for name in modules())
    found = arrows()
    for room in ROOMS:
        below = [(other, found[room, other]) for other in ROOMS if (room, other) in found]
        targets = ", ".join(f"{other} ({names})" for other, names in below)
        print(f"{room:18} {sizes[room]:3}  {'-> ' + targets if targets else ''}".rstrip())
    upward = [i for i in imports() if i.points_upward]
    inside = sum(a.startswith("runtime") and b.startswith("runtime") for a, b in found)
    print(f"\n{len(found)} arrows between {len(ROOMS)} rooms, {inside} of them between the rooms of runtime")
    print(f"upward: {len(upward)}, of these when modules are loaded: {sum(not i.is_lazy for i in upward)}")
    for i in upward:
        print(f"  {i.importer}:{i.line} -> {i.imported} ({i.name})")


if __name__ == "__main__":
    main()
