"""Discretisation of densities: between two nodes the configuration is q_k∘exp(ξ θ) with θ = log(q_k⁻¹∘q_{k+1}).

    w = θ/Δs,   U, P and Ψ by a rule on the segment,   T and F by the trapezoidal rule,   Φ = Δs Ψ

Source: [Hante2022], equation 5 and section 4.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sympy import Add, Expr, Integer, Rational, Symbol

from symlie.elements.continua.cross_section import GRID
from symlie.elements.continua.densities import Densities, Load
from symlie.elements.continua.grid import Rule
from symlie.elements.continua.joined import Frame, frame
from symlie.groups.rotation import rotation_size
from symlie.ir.program import Vector, at_values, depends_on
from symlie.modeling.element_type import ElementType
from symlie.modeling.node import GroupElement, column, interpolate
from symlie.modeling.symbolic import SymbolicMatrix
from symlie.modeling.terms import Output
from symlie.modeling.units import Certainty
from symlie.utilities.unit_names import UNITS, Unit

LENGTH, WEIGHT, PLACE = GRID

MIDDLE = Rational(1, 2)
"""Position ξ of internal constraints on a segment."""

ALL_OVER: Rule = ((MIDDLE, Integer(1)),)
"""Quadrature of densities that are constant on a segment."""

Ends = tuple[str, ...]
"""Ends, ``"start"`` or ``"end"``, that a node or a segment belongs to and that have an angle to their nodes."""


class Restated:
    """Densities in the symbols of an element type, in which the parameters that they depend on are declared."""

    def __init__(self, densities: Densities, element: ElementType, expressions: Sequence[Expr]) -> None:
        self._densities, self._element, self._expressions = densities, element, expressions
        self._values: dict[Symbol, Expr] = {}
        for p in densities.stated.parameters:
            if self._uses(p.symbols):
                element.parameter(p.name, np.reshape(p.default, p.shape), p.unit)
                self._values |= dict(zip(p.symbols, element.parameters[-1].symbols, strict=True))
        self.place = _of_grid(element, PLACE) if self._uses([densities.s]) else None
        """Coordinate s of the node, or of the first node of a segment."""
        self.has_configuration = self._uses(densities.q.value.components)

    def _uses(self, symbols: Sequence[Expr]) -> bool:
        return depends_on(
            self._densities.stated.program, self._expressions, [s for s in symbols if isinstance(s, Symbol)]
        )

    def at(
        self,
        q: GroupElement | None = None,
        v: Vector = (),
        w: Vector = (),
        w_dot: Vector = (),
        s: Expr | None = None,
        multipliers: Vector = (),
    ) -> dict[Symbol, Expr]:
        """Return the substitutions for the symbols of the densities."""
        d = self._densities
        own = tuple(m for c in d.constraints for m in c.multipliers)
        pairs = [
            (d.q.value.components, q.storage if q is not None else ()),
            (d.q.velocity.components, v),
            (tuple(d.w), w),
            (tuple(d.w_dot), w_dot),
            (own, multipliers),
            ((d.s,), () if s is None else (s,)),
        ]
        return self._values | {a: b for mine, given in pairs for a, b in zip(mine, given, strict=False)}

    def __call__(self, expressions: Sequence[Expr], values: dict[Symbol, Expr]) -> Vector:
        """Return expressions in the program of the element type."""
        return at_values(self._densities.stated.program, expressions, values, self._element.program)


def _of_grid(element: ElementType, name: str) -> Expr:
    """Declare a parameter of the grid, in m, whose unit is treated like the unit of a field in checks."""
    symbol = element.parameter(name, 1.0, unit="m")
    element.units.declare([symbol], [Unit(UNITS["m"])], Certainty.FIELD)
    return symbol


def section_type(
    name: str, densities: Densities, loads: Sequence[Load], *, loads_alone: bool = False, end: str = ""
) -> ElementType:
    """Return the element type of a cross section lumped at a node, with energies and loads, or with loads alone."""
    section = ElementType(name, node=densities.space)
    weight = _of_grid(section, WEIGHT)
    kinetic = [] if loads_alone else densities.kinetic
    potential = [] if loads_alone else [u for u in densities.potential if not densities.depends_on_strain([u])]
    restated = Restated(densities, section, [*kinetic, *potential, *(e for load in loads for e in load.expressions)])
    here = frame(section, section.node, end)
    values = restated.at(here.q, here.v, s=restated.place)
    for density in restated(kinetic, values):
        section.kinetic_energy(spread(weight, density))
    for density in restated(potential, values):
        section.potential_energy(weight * density)
    for load in loads:
        act(section, here, load, restated, values, weight)
    if not loads_alone:
        densities.report(section, here)
    return section


def act(
    element: ElementType, here: Frame, load: Load, restated: Restated, values: dict[Symbol, Expr], factor: Expr
) -> None:
    """Apply a load times a factor to a cross section."""
    if load.generalized:
        force = here.force_on_node(element, restated(load.generalized, values))
        element.generalized_force(here.node, factor * column(force))
    if load.force:
        element.force(factor * column(restated(load.force, values)), at=here.node.x)
    if load.moment:
        moment = factor * column(restated(load.moment, values))
        element.torque(moment, on=here.node)


def spread(factor: Expr, density: Expr) -> Expr:
    """Return a factor times each term of a sum, so that entries of M are products and lengths cancel in Δs w."""
    return Add(*[factor * term for term in Add.make_args(density)])


def gathered(factor: Expr, density: Expr) -> Expr:
    """Return a factor times a sum, with the common numerical factor of its terms extracted."""
    number, rest = density.primitive() if density.is_Add else (Integer(1), density)
    return factor * number * rest


def segment_type(name: str, densities: Densities, rule: Rule, ends: Ends = ()) -> ElementType:
    """Return the element type of a segment between two nodes, with elastic energy, dissipation and internal
    constraints."""
    d = densities
    segment = ElementType(name, left=d.space, right=d.space)
    left, right = (
        frame(segment, node, end if end in ends else "").q
        for node, end in ((segment.left, "start"), (segment.right, "end"))
    )
    length = _of_grid(segment, LENGTH)
    elastic = [u for u in d.potential if d.depends_on_strain([u])]
    viscous = d.viscous_force if d.dissipated else ()
    rows = [row for c in d.constraints for row in c.rows]
    fields = _fields_over_s(d)
    own = [e for o in fields for e in o.components]
    rates = [r for r in d.rates if depends_on(d.stated.program, [*d.dissipated, *own], r.value.components)]
    of_rates = [e for r in rates for e in (*r.of, *d.derivative(Add(*d.dissipated), r.value))]
    restated = Restated(d, segment, [*elastic, *viscous, *rows, *own, *of_rates])
    start = restated.place
    theta = (left.inverse() * right).log()
    w = theta / length
    w_dot = segment.rate(theta) / length if viscous or d.depends_on_rate(own) else SymbolicMatrix(0, 1, [])

    def at(xi: Expr) -> dict[Symbol, Expr]:
        q = interpolate(left, right, xi) if restated.has_configuration else None
        values = restated.at(q, (), tuple(w), tuple(w_dot), None if start is None else start + xi * length)
        for rate in rates:
            strain = column(restated(rate.of, values))
            values |= dict(zip(rate.value.components, segment.rate(strain), strict=True))
        return values

    varies = start is not None or restated.has_configuration
    for xi, weight in rule if varies else ALL_OVER:
        values = at(xi)
        for density in restated(elastic, values):
            segment.potential_energy(gathered(weight * length, density))
        if any(f != 0 for f in viscous):
            segment.force(-weight * length * column(restated(viscous, values)), at=w)
        for rate in rates:
            force = column(restated(d.derivative(Add(*d.dissipated), rate.value), values))
            segment.force(-weight * length * force, at=column(restated(rate.of, values)))
    values = at(MIDDLE)
    for c in d.constraints:
        found = segment.constraint("_".join((c.name, *ends)), [spread(length, row) for row in restated(c.rows, values)])
        values |= dict(zip(c.multipliers, found, strict=True))
    for output in fields:
        segment.local_output(output.name, column(restated(output.components, values)), output.unit)
    return segment


def _fields_over_s(d: Densities) -> list[Output]:
    """Return the local outputs of segments: strains and section forces in axes of the cross section, multipliers, and
    user-defined ones.
    """
    in_space = [f.size for f in d.group.velocity_fields] == [3, 3]
    strain, force = ("1/m, 1", "N m, N") if in_space else ("", "")
    multipliers = tuple(m for c in d.constraints for m in c.multipliers)
    found = [
        Output("strain", _in_axes(d, d.strain.components), strain),
        Output("section_force", _in_axes(d, d.section_force), force),
    ]
    found += [Output("multipliers", multipliers, "")] if multipliers else []
    own = {o.name for o in d.local_outputs}
    return [*(o for o in found if o.name not in own), *d.local_outputs]


def _in_axes(d: Densities, vector: Vector) -> Vector:
    """Return a vector in the order of w with its part in inertial axes rotated to axes of the cross section."""
    velocities = d.group.velocity_fields
    if d.group.rotation is None or [f.name for f in velocities] != ["Omega", "x_dot"]:
        return vector
    moving = velocities[1]
    if moving.size != rotation_size(d.group):
        return vector
    return (*vector[: moving.offset], *(d.q.R.T * column(vector[moving.offset :])))
