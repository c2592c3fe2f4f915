"""Densities of energies, forces and constraints along a material coordinate s, defined on one cross section.

Source: [Hante2022], section 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sympy import Add, Expr, Integer, Symbol

from symlie.elements.continua.cross_section import PER_METRE, CrossSection
from symlie.errors import ModelError
from symlie.groups.group import LieGroup
from symlie.ir.differentiate import gradient
from symlie.ir.program import Value, Vector, depends_on, needed_statements
from symlie.modeling.expressions import components
from symlie.modeling.names import new_name
from symlie.modeling.node import column
from symlie.modeling.terms import Constraint, Output
from symlie.utilities.unit_names import NUMBER, UNITS, Dimension, times

if TYPE_CHECKING:
    from symlie.elements.continua.joined import Frame
    from symlie.modeling.element_type import ElementType


@dataclass(frozen=True, eq=False)
class Load:
    """Force density: generalised, in the order of v, or a force at the position and a moment, both in inertial axes."""

    generalized: Vector = ()
    force: Vector = ()
    moment: Vector = ()

    @property
    def expressions(self) -> Vector:
        """All components."""
        return self.generalized + self.force + self.moment


class Densities(CrossSection):
    """Densities of energies, forces and constraints of a continuum."""

    def __init__(self, name: str, group: LieGroup | str, unit: str = "", coordinates: str | None = None) -> None:
        super().__init__(name, group, unit, coordinates)
        self.kinetic: list[Expr] = []
        self.potential: list[Expr] = []
        self.dissipated: list[Expr] = []
        self.constraints: list[Constraint] = []
        self.loads: list[Load] = []
        self.local_outputs: list[Output] = []

    def report(self, section: ElementType, here: Frame) -> None:
        """Add outputs to the element type of cross sections; subclasses override it.

        Parameters
        ----------
        section
            Element type of the cross sections; each kind of end has a separate type.
        here
            Pose and velocities of a cross section as expressions of the element type.
        """

    def kinetic_density(self, density: object) -> None:
        """Add a density of kinetic energy T(s, v), of degree two in v, in J/m.

        Parameters
        ----------
        density
            Scalar expression of s, v and parameters.
        """
        found = self._density("kinetic density", density, without=("q", "w", "w_dot"))
        self.stated.units.check("The kinetic density", found, UNITS["N"])
        self.kinetic.append(found)

    def potential_density(self, density: object) -> None:
        """Add a density of potential energy U(s, w, q), in J/m.

        A density that depends on w, such as elastic energy, belongs to segments; any other, such as weight, to cross
        sections.

        Parameters
        ----------
        density
            Scalar expression of s, w, q, t and parameters.
        """
        found = self._density("potential density", density, without=("v", "w_dot"))
        self.stated.units.check("The potential density", found, UNITS["N"])
        self.potential.append(found)

    def dissipation_density(self, density: object) -> None:
        """Add a density of dissipated power, such as ẇᵀ D ẇ, in W/m; its derivative by ẇ, 2 D ẇ, is a section force.

        Source: [Hante2022], equation 11.

        Parameters
        ----------
        density
            Scalar expression of ``w_dot`` or of a `rate`, of s, w, q and parameters.
        """
        found = self._density("dissipation density", density, without=("v",))
        if not self.depends_on_rate([found]):
            raise ModelError(
                f"The dissipation density of {self._lower} does not depend on w_dot; it must be a power such as "
                "w_dot.dot(D * w_dot)."
            )
        self.stated.units.check("The dissipation density", found, times(UNITS["W"], PER_METRE))
        self.dissipated.append(found)

    def constraint_density(self, name: str, density: object) -> None:
        """Add internal constraints Ψ(w) = 0, whose multipliers λ are section forces.

        Parameters
        ----------
        name
            Identifier of the multipliers of all segments in results.
        density
            Scalar or vector expression of w, s, q and parameters.
        """
        new_name("Constraint", name, {c.name for c in self.constraints}, self.name)
        self._check_open()
        rows = components(density)
        self._check_symbols("constraint density", rows, ("v", "w_dot"))
        for number, row in enumerate(rows):
            if not depends_on(self.stated.program, [row], self.strain.components):
                raise ModelError(
                    f"Equation {number + 1} of the constraint density '{name}' of {self._lower} does not depend on w; "
                    "define constraints of single nodes in the model."
                )
        symbols = tuple(Symbol(f"{self.name}.lambda[{name},{k}]", real=True) for k in range(len(rows)))
        self.constraints.append(Constraint(name, rows, symbols, 0))

    def local_output(self, name: str, expression: object, unit: str = "") -> None:
        """Add a field over s that solutions compute on demand, in addition to ``strain`` and ``section_force``.

        Parameters
        ----------
        name
            Identifier; see `Solution.field`.
        expression
            Scalar or vector expression of s, w, ẇ, q, t and parameters, with one value for each segment.
        unit
            Its SI unit, as in `ElementType.local_output`.
        """
        self._check_open()
        new_name("Local output", name, {o.name for o in self.local_outputs}, self.name)
        parts = components(expression)
        self._check_symbols("local output", parts, ("v",))
        self.local_outputs.append(Output(name, parts, unit))

    def force_density(self, vector: object | None = None, **fields: object) -> None:
        """Add a density F(s, t, q, v) of generalised forces with the power density F·v; see also `load`.

        Source: [Hante2022], equation 10.

        Parameters
        ----------
        vector
            All components, in the order of ``v``; or instead
        **fields
            Parts by velocity field, such as ``U=…`` in N/m, ``Omega=…`` in N.
        """
        self._add_load(self._generalized_load("force density", vector, fields, PER_METRE))

    def load(self, *, force: object | None = None, moment: object | None = None, following: bool = False) -> None:
        """Add a distributed load: densities of a force and of a moment, functions of (s, t, q, v).

        Parameters
        ----------
        force
            In N/m, in inertial axes, as many components as ``q.x``.
        moment
            In N, in inertial axes: 3 components, or 1 in the plane.
        following
            If true, both are in axes of the cross section and rotate with it.

        Raises
        ------
        ModelError
            If the group has no position or no rotation, or if the number of components is wrong.
        """
        self._add_load(self._spatial_load("load", force, moment, following=following))

    def _spatial_load(self, what: str, force: object | None, moment: object | None, *, following: bool) -> Load:
        """Return a force and a moment in inertial axes; the arguments are in axes of the cross section if
        ``following``.
        """
        given = {"force": force, "moment": moment}
        if all(value is None for value in given.values()):
            raise ModelError(f"A {what} of {self._lower} needs a force or a moment.")
        sizes = {f.name: f.size for f in self.group.storage_fields}
        turning = next((f.size for f in self.group.velocity_fields if f.name == "Omega"), 0)
        found: dict[str, Vector] = {}
        for name, size in (("force", sizes.get("x", 0)), ("moment", turning)):
            if given[name] is None:
                continue
            vector = components(given[name])
            if not size:
                raise ModelError(f"{self._what} is on {self.group}, which defines no {name}; use force_density.")
            if len(vector) != size:
                raise ModelError(f"The {name} of a {what} of {self._lower} needs {size} components, not {len(vector)}.")
            self._check_symbols("force density", vector, ("w", "w_dot"))
            turned = following and size > 1 and self.group.rotation is not None
            found[name] = components(self.q.R * column(vector)) if turned else vector
        return Load(**found)

    def _add_load(self, load: Load) -> None:
        self.loads.append(load)

    def _generalized_load(
        self, what: str, vector: object | None, fields: dict[str, object], per: Dimension = NUMBER
    ) -> Load:
        """Return a checked generalised force, whose power with v is in W, or in W/m."""
        parts = self._joined_force(vector, fields)
        self._check_symbols("force density", parts, ("w", "w_dot"))
        for part, velocity in zip(parts, self.q.velocity.components, strict=True):
            self.stated.units.check_product(f"The {what}", part, velocity, times(UNITS["W"], per))
        return Load(generalized=parts)

    def _joined_force(self, vector: object | None, fields: dict[str, object]) -> Vector:
        """Return all components of a generalised force from a vector or from parts by name."""
        known = {f.name: f for f in self.group.velocity_fields}
        if (vector is None) == (not fields):
            raise ModelError(f"A force on {self._lower} needs all components, or parts by name: {', '.join(known)}.")
        if vector is not None:
            parts = components(vector)
            if len(parts) != self.group.dimension:
                raise ModelError(
                    f"A force on {self._lower} needs {self.group.dimension} components, one for each component of v, "
                    f"not {len(parts)}."
                )
            return parts
        found: list[Expr] = [Integer(0)] * self.group.dimension
        for name, value in fields.items():
            if name not in known:
                raise ModelError(f"{self._what} on {self.group} has no velocity '{name}'; it has: {', '.join(known)}.")
            part = components(value)
            if len(part) != known[name].size:
                raise ModelError(
                    f"The force on {name} of {self._lower} needs {known[name].size} components, not {len(part)}."
                )
            found[known[name].offset : known[name].offset + known[name].size] = part
        return tuple(found)

    def depends_on_rate(self, expressions: Sequence[Expr]) -> bool:
        """Return whether expressions depend on ẇ or on another rate of strains.

        Parameters
        ----------
        expressions
            Expressions of densities or local outputs.
        """
        symbols = [s for value in (self.strain_rate, *(r.value for r in self.rates)) for s in value.components]
        return depends_on(self.stated.program, expressions, symbols)

    @property
    def elastic(self) -> Expr:
        """Sum of the potential densities that depend on w."""
        return Add(*[u for u in self.potential if self.depends_on_strain([u])])

    @property
    def section_force(self) -> Vector:
        """Section force G = ∂U/∂w + ∂P/∂ẇ + DΨᵀ λ, in the order of w."""
        found = [self.elastic_force, self.viscous_force]
        found += [tuple(f * e for e in self.derivative(strain, self.strain)) for f, strain in self.strain_forces]
        return tuple(Add(*parts) for parts in zip(*found, strict=True))

    @property
    def strain_forces(self) -> list[tuple[Expr, Expr]]:
        """Pairs of forces and their conjugate strains: λ and Ψ, and ∂P/∂ė and e for each `rate`."""
        pairs = [p for c in self.constraints for p in zip(c.multipliers, c.rows, strict=True)]
        dissipated = Add(*self.dissipated)
        return pairs + [p for r in self.rates for p in zip(self.derivative(dissipated, r.value), r.of, strict=True)]

    @property
    def elastic_force(self) -> Vector:
        """Elastic section force ∂U/∂w."""
        return self.derivative(self.elastic, self.strain)

    @property
    def viscous_force(self) -> Vector:
        """Viscous section force ∂P/∂ẇ of the dissipated power P."""
        return self.derivative(Add(*self.dissipated), self.strain_rate)

    def derivative(self, density: Expr, by: Value) -> Vector:
        """Return partial derivatives of a density, as plain expressions if possible, to cancel factors of the segment
        length.

        Parameters
        ----------
        density
            The density.
        by
            ``strain``, ``strain_rate`` or the velocity.
        """
        if any(s.read & set(by.components) for s in needed_statements(self.stated.program, [density])):
            return gradient(self.stated.program, density, by)
        partials = dict(self.stated.program.partials(density))
        return tuple(partials.get(s, Integer(0)) for s in by.components)
