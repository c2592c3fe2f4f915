"""Dependent nodes are evaluated in the stages of a method only if a stage reads them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.emit.c.dependents import stages_read_dependents
from symlie.models import pendulum_chain
from symlie.runtime.kernels.c_tables import problem_tables
from tests.tolerances import BACKENDS_OF_SPACES


def chain(stated: str = "", links: int = 20) -> Any:
    """A chain of bobs on TS², with the chosen force on the points."""
    model = sl.Model("chain")
    rods = model.node_array("rods", sl.TS2, links)
    points = model.node_array("points", "R3", links + 1)
    points.fix(0)
    rods.initial(q=[0.6, 0, 0.8], omega=[0, 1, 0])
    body = sl.ElementType("body", point="R3")
    body.kinetic_energy(body.point.x_dot.dot(body.point.x_dot) / 2)
    if stated == "spring":
        body.potential_energy(body.point.x.dot(body.point.x))
    if stated == "damper":
        body.generalized_force(body.point, -0.1 * body.point.x_dot)
    model.add(body, [points[k] for k in range(1, links + 1)])
    rod = sl.ElementType("rod", above="R3", below="R3", link=sl.TS2)
    q, omega = rod.link.q, rod.link.omega
    apart = rod.below.v_dot - rod.above.v_dot
    rod.acceleration_constraint("tension", q.dot(apart) + omega.dot(omega))
    rod.field(rod.link, Omega=omega, U=q.cross(q.cross(apart)))
    rod.dependent(rod.below, x=rod.above.x + q)
    model.add(rod, [(points[k], points[k + 1], rods[k]) for k in range(links)])
    return model.derive()


@pytest.mark.slow
@pytest.mark.parametrize(("stated", "expected"), [("", False), ("spring", True), ("damper", True)])
def test_stages_evaluate_dependent_nodes(stated: str, expected: bool) -> None:
    derived = chain(stated)
    assert stages_read_dependents(derived.emitted.types) == expected
    ends = [
        sl.solve(derived.compile(backend=backend), 0.3, method="rkmk_rk44", h=0.01).outputs["energy"][-1]
        for backend in ("c", "numpy")
    ]
    assert np.allclose(*ends, rtol=BACKENDS_OF_SPACES)


def test_hamiltonian_chain_reads_dependent_nodes_in_stages() -> None:
    """Momenta include the mass at a rod, a dependent node."""
    assert not stages_read_dependents(pendulum_chain.build().derive().emitted.types)
    assert stages_read_dependents(pendulum_chain.build(formulation="hamiltonian").derive().emitted.types)


def test_integration_tables_exclude_dependent_nodes() -> None:
    layout = pendulum_chain.build(links=9).derive().compile(backend="numpy").layout
    tables = problem_tables(layout, integrates=True)
    assert list(tables.moving_counts) == [9, 0] and tables.moving == slice(0, 54)
    every = problem_tables(layout)
    assert list(every.moving_counts) == list(every.node_counts) and every.moving == slice(0, layout.dimension)
