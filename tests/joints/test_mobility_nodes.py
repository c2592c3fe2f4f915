"""Mobility of models with dependent, prescribed and fixed nodes and with first-order states, with known values."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import symlie as sl
from symlie.models.pendulum_chain import build as pendulum_chain
from tests.joints.test_located_bodies import LONG, chain
from tests.joints.test_mobility import BRICARD, FLAT_FOUR_BAR, loop, mobility
from tests.runtime.test_nodes_with_references import markers

Form = Callable[[sl.Model], sl.Model]


def same(model: sl.Model) -> sl.Model:
    return model


def counted(found: sl.Mobility) -> tuple[int, int, int]:
    return found.bodies, found.velocities - found.velocity_rank, found.position_degrees_of_freedom


@pytest.mark.parametrize("count", [3, LONG])
@pytest.mark.parametrize("form", [same, sl.minimal_coordinates])
def test_mobility_of_chain_is_number_of_hinges(count: int, form: Form) -> None:
    """Three hinges have nodes with velocities as minimal coordinates; many have first-order states."""
    found = mobility(form(chain(count)))
    assert counted(found) == (count, count, count) and found.is_complete
    assert not found.redundant and not found.singular
    assert found.motions is not None and len(found.motions) == count
    assert found.velocity_rows == (5 * count if form is same else 0)


@pytest.mark.parametrize("form", [same, sl.minimal_coordinates])
def test_mobility_of_closed_chain_counts_redundant_constraints(form: Form) -> None:
    """The end of a straight chain moves in two directions; of six equations of two ball joints, four are redundant."""
    model = chain(LONG)
    for name in ("tip", "again"):
        sl.SphericalJoint(model, name, model.nodes[-1], model.ground, at=[0.2 * LONG, 0, 0])
    found = mobility(form(model))
    assert counted(found) == (LONG, LONG - 2, LONG - 2)
    assert found.velocity_rows - found.velocity_rank == sum(r.rows for r in found.redundant) == 4


@pytest.mark.parametrize("form", [same, sl.minimal_coordinates])
def test_mobility_of_four_bar_is_one(form: Form) -> None:
    found = mobility(form(loop(FLAT_FOUR_BAR)))
    assert counted(found) == (3, 1, 1) and not found.redundant


@pytest.mark.slow
@pytest.mark.parametrize("form", [same, sl.minimal_coordinates])
def test_mobility_of_bricard_mechanism_has_one_redundant_constraint(form: Form) -> None:
    found = mobility(form(loop(BRICARD, [[0, 1, 0], [0, 0, 1], [1, 0, 0]] * 2)))
    assert counted(found) == (5, 1, 1) and sum(r.rows for r in found.redundant) == 1


def test_mobility_counts_prescribed_and_free_bodies() -> None:
    """A driven carrier and a fixed point have no degrees of freedom; the pendulum on the carrier has three."""
    model = sl.Model("driven")
    sl.RigidBody(model, "free", 1.0, [0.1, 0.2, 0.3])
    assert counted(mobility(model)) == (1, 6, 6)
    carrier = sl.RigidBody(model, "carrier", 1.0, [0.1, 0.2, 0.3])
    model.prescribe(carrier.node, R=sl.eye(3), x=[sl.sin(model.t), 0, 0])
    model.node_array("anchors", "R3", 1).fix(0)
    bob = sl.RigidBody(model, "bob", 1.0, [0.1, 0.2, 0.3], position=[0, 0, -1])
    sl.SphericalJoint(model, "pivot", carrier, bob, at=[0, 0, 0])
    found = mobility(model)
    assert counted(found) == (3, 9, 9) and (found.velocities, found.velocity_rank) == (12, 3)


def test_mobility_excludes_markers() -> None:
    """Markers depend on points and add no degrees of freedom."""
    assert counted(mobility(markers(4))) == (8, 12, 12)


@pytest.mark.parametrize(("formulation", "nodes"), [("lagrangian", 4), ("hamiltonian", 8)])
def test_mobility_of_dependent_points_is_two_per_rod(formulation: str, nodes: int) -> None:
    """Directions and rates are first-order states; with momenta, the masses below the rods are dependent nodes too."""
    assert counted(mobility(pendulum_chain(4, formulation))) == (nodes, 8, 8)


def test_mobility_of_run_time_topology() -> None:
    """Kernels of a rod serve any number of rods."""
    system = pendulum_chain(40).derive().compile(backend="numpy")
    assert not system.layout.is_fixed and counted(system.mobility()) == (40, 80, 80)


def test_mobility_of_clamped_rod_excludes_fixed_node() -> None:
    """Four of five nodes move and rotate in space."""
    model = sl.Model("rod")
    rod = sl.CosseratRod(
        model, "rod", segments=4, length=1.0, stiffness=[1, 1, 1, 10, 10, 10], inertia=[1, 1, 1, 1, 1, 1],
        position=lambda s: (s, 0, 0), orientation=(0.5**0.5, 0, 0.5**0.5, 0),
    )  # fmt: skip
    rod.clamp("start")
    assert counted(mobility(model)) == (4, 24, 24)


def test_mobility_of_first_order_states_is_zero() -> None:
    model = sl.Model("filter")
    y = model.state("y", 2)
    model.vector_field(y, -y.x)
    assert counted(mobility(model)) == (0, 0, 0)
