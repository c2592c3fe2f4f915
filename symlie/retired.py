"""Public names that went, with what is used in their place; `AttributeError` and the changelog say it."""

from __future__ import annotations

from typing import TYPE_CHECKING

SUCCESSORS = {
    "symlie.add_rod": "symlie.CosseratRod",
    "Linearization.basis": "Linearization.first_order.basis",
    "Linearization.projected": "Linearization.first_order",
    "Node.a": "Node.v_dot",
    "System.derivatives": "System.newton_matrices",
    "System.driver_library": "symlie.solve",
    "System.steps": "System.sets",
    "System.tangents": "System.newton_matrices",
}
"""Names of the package, and attributes by the name of their class."""


def hint(name: str) -> str:
    """What a message about a name that is not there ends with.

    Parameters
    ----------
    name
        As in `SUCCESSORS`.

    Returns
    -------
    str
        Empty for a name that never was.
    """
    return f"; use {SUCCESSORS[name]}" if name in SUCCESSORS else ""


class NamesSuccessors:
    """Base of classes some of whose attributes went."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            for kind in type(self).__mro__:
                went = hint(f"{kind.__name__}.{name}")
                if went:
                    raise AttributeError(f"'{kind.__name__}' has no attribute '{name}' any more{went}.")
            return self.__getattribute__(name)  # raises what led here
