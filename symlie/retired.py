"""Removed public names and their replacements, for `AttributeError` messages and the changelog."""

from __future__ import annotations

from typing import TYPE_CHECKING

SUCCESSORS = {
    "symlie.add_rod": "symlie.CosseratRod",
    "symlie.Notice": "symlie.SymlieWarning",
    "Linearization.basis": "Linearization.first_order.basis",
    "Linearization.projected": "Linearization.first_order",
    "ElementType.place": "ElementType.dependent",
    "Model.locate": "Model.dependent",
    "Model.place": "Model.dependent",
    "Node.a": "Node.v_dot",
    "Solution.notices": "Solution.warnings",
    "System.derivatives": "System.newton_matrices",
    "System.driver_library": "symlie.solve",
    "System.steps": "System.sets",
    "System.tangents": "System.newton_matrices",
}
"""Replacements of names of the package, and of attributes by class name."""


def hint(name: str) -> str:
    """Return the end of the message about a missing name, empty if the name never existed."""
    return f"; use {SUCCESSORS[name]}" if name in SUCCESSORS else ""


class NamesSuccessors:
    """Base of classes with removed attributes."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            for kind in type(self).__mro__:
                went = hint(f"{kind.__name__}.{name}")
                if went:
                    raise AttributeError(f"'{kind.__name__}' has no attribute '{name}' any more{went}.")
            return self.__getattribute__(name)  # raises what led here
