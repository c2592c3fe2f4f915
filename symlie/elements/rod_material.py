"""Material of rods: stiffness, damping, inertia, gravity and constrained strains, as given, shared or from a
section."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from symlie.elements.continua.grid import Grid
from symlie.elements.rod_values import Array, checked_stiffness, is_symbolic, rows_along, six_components
from symlie.errors import ModelError
from symlie.modeling.model import Model
from symlie.section import Section

CONSTRAINTS = {"none": (), "kirchhoff": (3, 4), "inextensible": (3, 4, 5)}
"""Strain components of [K1, K2, K3, Γ1, Γ2, Γ3] that are constrained to their reference values."""

DEFAULTS: Mapping[str, object] = {"damping": 0.0, "gravity": (0.0, 0.0, 0.0)}
"""Default material data."""


@dataclass(frozen=True, eq=False)
class MaterialRows:
    """Numerical material data, one row for each segment or node, or a single row for all."""

    stiffness: Array
    damping: Array
    inertia: Array
    gravity: Array


def material_of(
    name: str,
    given: Mapping[str, object],
    section: Section | Callable[[float], Section] | None,
    shared: tuple[str, Mapping[str, object]] | None,
) -> dict[str, object]:
    """Return stiffness, inertia, damping and gravity as given, completed from a cross section, another rod or
    defaults."""
    if section is not None:
        if given["stiffness"] is not None or given["inertia"] is not None:
            raise ModelError(f"Rod '{name}' takes its stiffness and inertia from its section; do not give them again.")
        given = {**given, **_of_section(name, section)}
    stated = {label: value for label, value in given.items() if value is not None}
    if shared is None:
        stated = {**DEFAULTS, **stated}
        missing = [label for label in given if label not in stated]
        if missing:
            raise ModelError(f"Rod '{name}' needs a value of '{missing[0]}', or 'like' with a rod that has one.")
        return stated
    other, known = shared
    for label, value in stated.items():
        if is_symbolic(value) or is_symbolic(known[label]):
            raise ModelError(
                f"The {label} of rod '{other}' or '{name}' is an expression of parameters and part of the element "
                f"type that they share; do not give it for '{name}'."
            )
    return {**known, **stated}


def material_rows(model: Model, name: str, material: Mapping[str, object], grid: Grid) -> MaterialRows:
    """Return the checked material along the grid of a rod."""
    elastic = checked_stiffness(name, rows_along(model, material["stiffness"], grid.middle))
    viscous = six_components(name, "damping", rows_along(model, material["damping"], grid.middle), one_for_all=True)
    inertia = six_components(name, "inertia", rows_along(model, material["inertia"], grid.arc))
    if not np.all(inertia > 0):
        raise ModelError(f"The inertia of rod '{name}' must be positive.")
    return MaterialRows(elastic, viscous, inertia, np.asarray(material["gravity"], dtype=float)[None])


def held_components(name: str, constraint: str | Sequence[int]) -> tuple[int, ...]:
    """Return the strain components that a constraint removes."""
    if isinstance(constraint, str):
        if constraint not in CONSTRAINTS:
            raise ModelError(
                f"Rod '{name}': unknown constraint '{constraint}'; use {', '.join(CONSTRAINTS)} or strain components."
            )
        return CONSTRAINTS[constraint]
    held = tuple(sorted(set(constraint)))
    if not all(0 <= k < 6 for k in held):
        raise ModelError(f"Rod '{name}': strain components are numbered 0 … 5, not {list(constraint)}.")
    return held


def _of_section(name: str, section: Section | Callable[[float], Section]) -> dict[str, object]:
    """Return stiffness and inertia of a cross section, or of a cross section that is a function of s."""
    if callable(section):
        return {"stiffness": lambda s: section(s).stiffness, "inertia": lambda s: section(s).inertia}
    if not isinstance(section, Section):
        raise ModelError(f"The section of rod '{name}' must be one of sl.section, or a function of s, not {section!r}.")
    return {"stiffness": section.stiffness, "inertia": section.inertia}
