"""Taylor series of elements over a topology: instances in the order of nodes or in another one, several at a node."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
import pytest
import sympy

import symlie as sl
from symlie.modeling.model import Model
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.system import System
from tests import tolerances
from tests.runtime.test_taylor import TIGHT, taylor

POINTS = 11
"""More than a register has numbers, and no multiple of it."""


def flow(model: Model, name: str, strength: float) -> sl.ElementType:
    """z' = strength (z₁ z₂ - w, w - z₁², z₂ sin z₁) of a point, driven by its neighbour."""
    element = sl.ElementType(name, point=STATE, beside=STATE)
    z, w = element.point.x, element.beside.x
    turned = sl.vector(z[0] * z[1] - w[2], w[0] - z[0] ** 2, z[1] * sl.sin(z[0]) - w[1] / 2)
    element.field(element.point, turned * strength)
    return element


STATE = sl.translation_space(sl.real_space(3))


def flows(order: Sequence[int], parts: Sequence[float] = (1.0,), split: int = POINTS) -> Model:
    """Points that are driven by their neighbours, with instances in an order, by several element types that add up."""
    model = sl.Model("flows")
    points = model.node_array("points", STATE, POINTS)
    points.initial(x=lambda i: [0.3 + 0.05 * i, 0.5 - 0.1 * i, 0.02 * i**2])
    for number, part in enumerate(parts):
        element = flow(model, f"flow{number}", part)
        pairs = [(points[k], points[(k + 1) % POINTS]) for k in order]
        model.add(element, pairs[:split])
        if pairs[split:]:
            model.add(flow(model, f"rest{number}", part), pairs[split:])
    return model


FORWARDS, BACKWARDS = tuple(range(POINTS)), tuple(reversed(range(POINTS)))
MIXED = tuple((5 * k) % POINTS for k in range(POINTS))
WAYS = {
    "in order": (FORWARDS,),
    "backwards": (BACKWARDS,),
    "mixed": (MIXED,),
    "in two parts": (FORWARDS, (1.0,), 4),
    "that add up": (FORWARDS, (0.25, 0.75)),
    "that add up in two parts": (MIXED, (0.25, 0.75), 7),
}


@functools.cache
def expected() -> Array:
    """Positions of the points at the end."""
    return sl.solve(flows(FORWARDS).derive().compile(), 0.5, **TIGHT).q[-1]


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_node_fields_are_supported(way: str) -> None:
    """Rates are put where they belong, or added up where several elements or instances in another order move nodes."""
    systems = [flows(*WAYS[way]).derive().compile(backend=b) for b in ("c", "numpy")]
    first, second = (taylor(s, 0.5, rtol=1e-11, atol=1e-12) for s in systems)
    assert np.abs(first.q[-1] - expected()).max() <= tolerances.SERIES_OF_MODELS
    assert np.abs(first.q[-1] - second.q[-1]).max() <= tolerances.BACKENDS
    assert first.statistics.steps == second.statistics.steps


def check_ends(first: sl.Solution, second: sl.Solution, by_method: sl.Solution) -> None:
    """Both backends end alike, and as another method does."""
    for name in ("q", "v", "multipliers"):
        a, b, c = (getattr(s, name)[-1] for s in (first, second, by_method))
        size = max(1.0, float(np.abs(c).max()))
        assert np.abs(a - c).max() <= tolerances.SERIES_OF_MODELS * size
        assert np.abs(a - b).max() <= tolerances.BACKENDS * size


def beads(backend: str, order: Sequence[int], in_pieces: bool) -> System:
    """Beads on parabolas, each with a follower whose acceleration is given: rows of both kinds in one element."""
    model = sl.Model("beads")
    size = sympy.Abs if in_pieces else lambda x: x
    element = sl.ElementType("bead", bead="R2", cart="R1")
    bead, cart = element.bead, element.cart
    element.kinetic_energy((bead.x_dot.dot(bead.x_dot) + 2 * cart.x_dot.dot(cart.x_dot)) / 2)
    element.potential_energy(9.81 * bead.x[1] + 3 * cart.x[0] ** 2)
    element.constraint("parabola", bead.x[1] - bead.x[0] * size(bead.x[0]))
    apart = cart.v_dot[0] - bead.x[0] * bead.v_dot[0]
    element.acceleration_constraint("apart", apart - bead.x_dot[0] ** 2 - size(bead.x[0]) - sl.sin(2 * model.t))
    positions, carts = model.node_array("beads", "R2", POINTS), model.node_array("carts", "R1", POINTS)
    positions.initial(x=lambda i: [0.5 + 0.1 * i, (0.5 + 0.1 * i) ** 2], x_dot=lambda i: [0.1, 0.1 + 0.02 * i])
    model.add(element, [(positions[k], carts[k]) for k in order])
    return model.derive().compile(backend=backend)


@pytest.mark.slow
@pytest.mark.parametrize("in_pieces", [False, True])
@pytest.mark.parametrize("order", [FORWARDS, MIXED])
def test_both_constraint_types_in_one_element_are_supported(order: tuple[int, ...], in_pieces: bool) -> None:
    """Hidden constraints are added to what rows of accelerations say; those in pieces are found one by one."""
    first, second = (taylor(beads(b, order, in_pieces), 0.5, rtol=1e-11, atol=1e-12) for b in ("c", "numpy"))
    by_method = sl.solve(beads("c", order, in_pieces), 0.5, method="index1_dopri5", **TIGHT)
    check_ends(first, second, by_method)


def hanging(backend: str, order: Sequence[int], pivot: int) -> System:
    """Masses on rods on both sides of a pivot that moves."""
    model = sl.Model("hanging")
    points = model.node_array("points", "R3", POINTS + 1)
    moved = sl.vector(sl.sin(3 * model.t) / 10, model.t**2 / 5, 0)
    model.prescribe(points[pivot], x=sl.vector(0.6 * pivot, 0, -0.8 * pivot) + moved)
    mass = sl.ElementType("mass", point="R3")
    mass.kinetic_energy(mass.point.x_dot.dot(mass.point.x_dot) / 2)
    mass.potential_energy(9.81 * mass.point.x[2])
    model.add(mass, [points[k] for k in range(POINTS + 1) if k != pivot])
    rod = sl.ElementType("rod", above="R3", below="R3")
    apart = rod.below.x - rod.above.x
    rod.constraint("length", (apart.dot(apart) - 1) / 2)
    points.initial(x=lambda i: [0.6 * i, 0, -0.8 * i], x_dot=lambda i: [0.3, 0, 0])
    model.add(rod, [(points[k], points[k + 1]) for k in order])
    return model.derive().compile(backend=backend)


@pytest.mark.parametrize(("order", "pivot"), [(FORWARDS, 0), (MIXED, 4)])
def test_chains_at_prescribed_nodes_are_supported(order: tuple[int, ...], pivot: int) -> None:
    first, second = (taylor(hanging(b, order, pivot), 0.5, rtol=1e-11, atol=1e-12) for b in ("c", "numpy"))
    by_method = sl.solve(hanging("c", order, pivot), 0.5, method="half_explicit_5", **TIGHT)
    check_ends(first, second, by_method)
