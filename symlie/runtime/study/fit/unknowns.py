"""Unknowns of a fit: components of parameters and initial values, with their names, units and start values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symlie.errors import ModelError, UnknownNameError
from symlie.runtime.integrate.sensitivities.variables import (
    InitialVariable,
    InputVariable,
    ParameterVariable,
    Variable,
    variables_of,
)
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.parameters import parameter_values
from symlie.runtime.system.system import System

COMPONENT = re.compile(r"(.+)\[(\d+)\]")
"""Name of one component of a parameter or initial value."""

SYMMETRIC = np.array([0, 1, 2, 1, 3, 4, 2, 4, 5])
"""Number of the upper entry for each entry of a symmetric 3 × 3 matrix."""


@dataclass(frozen=True, eq=False)
class Group:
    """Unknowns that belong to one name.

    Attributes
    ----------
    name
        Name of the parameter or initial value.
    variables
        Its components.
    base
        Values of all components, shape (components,).
    sources
        For each component the number of its unknown within the group, or -1, shape (components,).
    unit
        Its unit, empty if unknown.
    is_whole
        True if all components are unknowns.
    """

    name: str
    variables: Sequence[Variable]
    base: Array
    sources: NDArray[np.intp]
    unit: str
    is_whole: bool

    @property
    def count(self) -> int:
        """Number of unknowns."""
        return int(self.sources.max()) + 1

    @property
    def firsts(self) -> NDArray[np.intp]:
        """First component of each unknown."""
        return np.array([int(np.flatnonzero(self.sources == k)[0]) for k in range(self.count)])

    @property
    def is_inertia(self) -> bool:
        """True for inertias of rigid bodies by their name."""
        return self._ends_in("inertia") and len(self.base) in (1, 3, 9)

    @property
    def is_mass(self) -> bool:
        """True for masses by their name."""
        return self._ends_in("mass") and len(self.base) == 1

    def _ends_in(self, word: str) -> bool:
        is_parameter = isinstance(self.variables[0], ParameterVariable)
        return is_parameter and re.fullmatch(rf"(.*[._])?{word}", self.name) is not None

    def moved(self, system: System, x: Array) -> System:
        """Return a system with values of the unknowns, shape (count,)."""
        value, chosen = self.base.copy(), self.sources >= 0
        value[chosen] = x[self.sources[chosen]]
        first = self.variables[0]
        if isinstance(first, InitialVariable):
            return first.replaced(system, value)
        return system.with_parameters(**{self.name: value})


class Unknowns:
    """All unknowns of a fit, in the order of their names."""

    def __init__(self, system: System, names: Sequence[str]) -> None:
        self.groups = [_group(system, name, components) for name, components in _stated(names).items()]
        ends = np.cumsum([0, *(g.count for g in self.groups)])
        self.slices = {g.name: slice(int(a), int(b)) for g, a, b in zip(self.groups, ends, ends[1:], strict=False)}
        self.labels = tuple(g.variables[k].label for g in self.groups for k in g.firsts)
        self.units = tuple(g.unit for g in self.groups for _ in range(g.count))
        self.start = np.concatenate([g.base[g.firsts] for g in self.groups])

    @property
    def count(self) -> int:
        """Number of unknowns."""
        return len(self.labels)

    @property
    def names(self) -> list[str]:
        """Names of the variables whose derivatives are needed."""
        return [g.name for g in self.groups]

    def moved(self, system: System, x: Array) -> System:
        """Return a system with values of all unknowns, shape (count,)."""
        for group in self.groups:
            system = group.moved(system, x[self.slices[group.name]])
        return system

    def consistent(self, system: System, x: Array) -> Array:
        """Return values of the unknowns with the initial values of nodes of a system, which may be assembled."""
        found = x.copy()
        for group in self.groups:
            first = group.variables[0]
            if isinstance(first, InitialVariable) and first.node not in system.layout.joints:
                found[self.slices[group.name]] = _values(system, variables_of(system, group.name)[0], "")[0][
                    group.firsts
                ]
        return found

    def derivative(self, by_components: Array) -> Array:
        """Return derivatives by the unknowns, shape (..., count), from those by all components of all names."""
        found, first = [], 0
        for group in self.groups:
            part = by_components[..., first : first + len(group.base)]
            found += [part[..., group.sources == k].sum(axis=-1) for k in range(group.count)]
            first += len(group.base)
        return np.stack(found, axis=-1)

    def places(self, name: str, what: str) -> NDArray[np.intp]:
        """Return the numbers of the unknowns with a name or a label; raise UnknownNameError."""
        if name in self.slices:
            part = self.slices[name]
            return np.arange(part.start, part.stop)
        if name in self.labels:
            return np.array([self.labels.index(name)])
        raise UnknownNameError(
            f"{what} of '{name}' belong to no fitted parameter; fitted are: {', '.join(self.labels)}."
        )


def _stated(names: Sequence[str]) -> dict[str, list[int]]:
    """Return the components of each name that are unknowns; none for all of them."""
    found: dict[str, list[int]] = {}
    if not names:
        raise ModelError("A fit needs parameters or initial values to be fitted.")
    for stated in names:
        match = COMPONENT.fullmatch(stated)
        name, components = (match[1], [int(match[2])]) if match else (stated, [])
        known = found.get(name)
        if known is not None and not (known and components and components[0] not in known):
            raise ModelError(f"'{stated}' is named twice; name it once.")
        found[name] = (known or []) + components
    return found


def _group(system: System, name: str, components: list[int]) -> Group:
    variables = variables_of(system, name)
    first = variables[0]
    if isinstance(first, InputVariable):
        raise ModelError(f"'{name}' is an input, which cannot be fitted; name parameters or initial values.")
    base, unit = _values(system, first, name)
    count = len(base)
    wrong = next((c for c in components if c >= count), None)
    if wrong is not None:
        raise UnknownNameError(f"'{name}' has {count} components, so that '{name}[{wrong}]' does not exist.")
    sources = np.full(count, -1)
    if components:
        sources[components] = np.arange(len(components))
    else:
        sources = np.arange(count)
    group = Group(name, variables, base, sources, unit, not components)
    if group.is_inertia and count == 9 and not components:
        return Group(name, variables, base, SYMMETRIC, unit, is_whole=True)
    return group


def _values(system: System, variable: Variable, name: str) -> tuple[Array, str]:
    """Return the values of all components and their unit."""
    layout = system.layout
    if isinstance(variable, InitialVariable):
        output = layout.outputs.get(f"{variable.node}_{variable.field}")
        return np.array(variable.value), "" if output is None else output[1]
    values, unit = parameter_values(layout, system.parameters, system.element_parameters, name)
    if values.ndim > 1:
        raise ModelError(
            f"Parameter '{name}' has different values in {len(values)} elements, which cannot be fitted together; name "
            "one element as ELEMENT.NAME."
        )
    return values, unit
