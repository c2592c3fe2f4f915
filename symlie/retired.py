"""Removed public names and old values with their replacements, for messages and the changelog."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from symlie.warnings import warn

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
    "System.write_standalone": "System.export",
}
"""Replacements of names of the package, and of attributes by class name."""

VALUES: Mapping[str, Mapping[object, str]] = {"form": {1: "angular_velocity", 2: "parameter_rates"}}
"""Replacements of values by argument; the old values stay valid."""


def current_value(argument: str, value: str | None) -> str | None:
    """Return the current spelling of the value of an argument; warn about an old one."""
    current = VALUES[argument].get(value)
    if current is None:
        return value
    warn(f"{argument}={value!r} is an old name of {argument}={current!r}; use the new one.")
    return current


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
