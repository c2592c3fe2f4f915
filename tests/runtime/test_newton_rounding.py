"""Newton's method of implicit steps: rounding is not divergence, and strong damping between nodes is no obstacle."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

import symlie as sl
from symlie.runtime.implicit.iteration_matrix import IterationMatrix, MatrixParts, Point, Slopes
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.bdf.orders import chosen
from symlie.runtime.methods.controllers import StepControl
from symlie.runtime.system.system import System
from tests import tolerances

LENGTH, EI, MASS = 1.0, 50.0, 0.05
DAMPING = 0.3 * EI / (1.8751040687**2 * np.sqrt(EI / MASS) / LENGTH**2)
"""D of a damping ratio of 0.3 of the first bending mode."""
FORCE = 1e-3
DEFLECTION = 6.6625e-6
"""Of the end under the force, static, for 20 segments; Bernoulli's beam has 6.6667e-6."""


def damped_rod(segments: int, stretch: float, constraint: str = "kirchhoff") -> sl.Model:
    """A thin cantilever with a force at its end; `stretch` scales the damping of shear and extension."""
    model = sl.Model("damped_rod")
    rod = sl.CosseratRod(
        model, "rod", segments=segments, length=LENGTH, stiffness=[EI, EI, EI, 1e7, 1e7, 1e7],
        inertia=[1e-6, 1e-6, 2e-6, MASS, MASS, MASS], damping=[*[DAMPING] * 3, *[stretch * 1e7 * DAMPING / EI] * 3],
        constraint=constraint, position=lambda s: (s, 0, 0), orientation=(0.5**0.5, 0, 0.5**0.5, 0),
    )  # fmt: skip
    rod.clamp("start")
    rod.end_load("end", force=[0, 0, FORCE])
    return model


def dampers_on_hinges(damping: float) -> sl.Model:
    """Three bodies on hinges out of the plane of gravity, with a damper between the first and the last."""
    model = sl.Model("dampers_on_hinges")
    bodies: list[sl.RigidBody] = []
    for k in range(3):
        body = sl.RigidBody(model, f"link{k}", 1.0, [0.02, 0.03, 0.01], position=[0.4 * k + 0.2, 0, 0])
        before = bodies[-1] if bodies else model.ground
        sl.RevoluteJoint(model, f"pin{k}", before, body, at=[0.4 * k, 0, 0], axis=[0.3, 1, 0.2])
        bodies.append(body)
    sl.Damper(model, "damper", bodies[0], bodies[2], at=[[0.1, 0, 0.2], [1.1, 0.1, 0]], damping=damping)
    model.gravity([0, 0, -9.81])
    return model


@functools.cache
def system_of(name: str, backend: str = "numpy") -> System:
    models = {
        "rod": lambda: damped_rod(4, 1.0),
        "inextensible": lambda: damped_rod(3, 0.0, "inextensible"),
        "hinges": lambda: dampers_on_hinges(5.0),
        "strong": lambda: dampers_on_hinges(1e7),
    }
    return models[name]().derive().compile(backend=backend)


@functools.cache
def rod_system(segments: int, stretch: float, constraint: str = "kirchhoff", backend: str = "c") -> System:
    return damped_rod(segments, stretch, constraint).derive().compile(backend=backend)


def dense_matrix(system: System, at: Point, slopes: Slopes, start: Array) -> Array:
    """The matrix with η as its formula says, where T is one."""
    m, layout = system.mechanics, system.layout
    K, C, H = (
        part.toarray() for part in system.newton_matrices(m.p, at.t, at.q, at.v, at.acceleration, at.multipliers)
    )
    M, i, j = np.zeros((layout.dimension,) * 2), m.algebra.mass_rows, m.algebra.mass_columns
    np.add.at(M, (i, j), m.mass(at.t, at.q))
    M = np.where(np.eye(len(M)) > 0, M, M + M.T)
    B, B_n = np.zeros((2, layout.rows, layout.dimension))
    for found, values in ((B, m.jacobian(at.t, at.q, at.v)), (B_n, start)):
        np.add.at(found, (m.algebra.jacobian_rows, m.algebra.jacobian_columns), values)
        found *= layout.free
    rates = (slopes.acceleration * M + slopes.velocity * C) * layout.free[:, None] * layout.free
    first = rates + K * layout.free[:, None] * layout.free + np.diag(~layout.free * 1.0)
    zero = np.zeros((layout.rows,) * 2)
    return np.block(
        [
            [first, B.T, rates @ B_n.T],
            [B, zero, zero],
            [slopes.velocity * B + H * layout.free, zero, slopes.velocity * B @ B_n.T],
        ]
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["rod", "inextensible", "hinges", "strong"])
def test_newton_matrix_with_eta_is_exact(name: str) -> None:
    """Also where M or C couples nodes: products of the dense matrix are solved for what they were made of."""
    system = system_of(name)
    m, layout, random = system.mechanics, system.layout, np.random.default_rng(7)
    q_n, _ = system.own_initial()
    move = layout.free * random.uniform(-0.02, 0.02, layout.dimension)
    q = system.kernels.advance(q_n, move)
    v, a = layout.free * random.uniform(-1, 1, (2, layout.dimension))
    zero = np.zeros(layout.dimension)
    at = Point(0.3, q, v, a, random.uniform(-2, 2, layout.rows), zero, zero, zero)
    slopes, start = Slopes(50.0, 2500.0, 50.0), m.jacobian(0.0, q_n, v)
    matrix = IterationMatrix(system, True, MatrixParts(is_scaled=False))
    taken = matrix.taken(at, slopes, start)
    dense = dense_matrix(system, at, slopes, start)
    right = random.uniform(-1, 1, len(dense))
    right[: layout.dimension] *= layout.free
    solution = taken.solve(right, layout.dimension, layout.rows)
    terms = np.abs(dense) @ np.abs(solution) + np.abs(right)
    assert np.all(np.abs(dense @ solution - right) <= tolerances.DENSE_SOLVE * terms)
    assert np.abs(dense[: layout.dimension, -layout.rows :]).max() > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stretch", "rtol"), [(1.0, 1e-6), (100.0, 1e-6), (1e4, 1e-6), (0.0, 1e-6), (0.0, 8e-7), (0.0, 3e-6)]
)
def test_bdf_integrates_stiff_damped_rods(stretch: float, rtol: float) -> None:
    """With extension that is not damped, whose waves limit steps where orders above two amplify them."""
    run = sl.solve(rod_system(20, stretch), 0.3, method="bdf", rtol=rtol, atol=1e-3 * rtol, max_steps=500)
    assert run.field("rod", "x")[-1, -1, 2] == pytest.approx(DEFLECTION, rel=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize(("newton", "most"), [("full", 4), ("modified", 8)])
def test_stabilised_steps_take_few_iterations_with_strong_damping(newton: str, most: int) -> None:
    for name in ("c", "numpy"):
        system = system_of("strong", name)
        options = {"newton": newton}
        index_2 = sl.solve(system, 0.05, h=1e-3, method="generalized_alpha_index2", method_options=options)
        assert index_2.statistics.newton_iterations <= most * index_2.statistics.steps
        bdf = sl.solve(system, 0.05, rtol=1e-5, atol=1e-7, method="bdf", method_options=options)
        assert bdf.statistics.newton_iterations <= most * bdf.statistics.steps
        assert np.abs(index_2.q[-1] - bdf.q[-1]).max() < tolerances.STRONG_DAMPING


@pytest.mark.slow
def test_damping_of_constrained_strains_has_no_effect() -> None:
    runs = [
        sl.solve(rod_system(4, stretch, "inextensible", "numpy"), 2e-3, h=1e-4, method="generalized_alpha")
        for stretch in (0.0, 1e6)
    ]
    assert np.array_equal(runs[0].q, runs[1].q)


@functools.cache
def linear_group(backend: str) -> System:
    """A free motion on SL(2), whose matrices are stored in full: increments have the rounding of the identity."""
    group = sl.matrix_group("SL2", [[[1, 0], [0, -1]], [[0, 1], [0, 0]], [[0, 0], [1, 0]]])
    field = group.velocity_fields[0].name
    model = sl.Model("free_motion")
    q = model.node("q", group)
    v = getattr(q, field)
    model.kinetic_energy((2 * v[0] ** 2 + v[1] ** 2 + 1.5 * v[2] ** 2) / 2)
    model.initial(q, **{field: [0.5, -0.4, 0.3]})
    return model.derive().compile(backend=backend)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bdf2", "bdf3", "bdf5", "bdf5_index2"])
@pytest.mark.parametrize("newton", ["full", "modified"])
def test_bdf_takes_short_steps_on_matrix_groups(name: str, newton: str) -> None:
    h = 0.25 / 1024
    runs = {
        backend: sl.solve(linear_group(backend), 32 * h, h=h, method=name, method_options={"newton": newton})
        for backend in ("c", "numpy")
    }
    reference = sl.solve(linear_group("c"), 32 * h, method="rkmk_dopri5", rtol=1e-12, atol=1e-12)
    error = 3e-2 * h**2 if name == "bdf2" else tolerances.NOISE_OF_SHORT_STEPS
    for run in runs.values():
        assert np.abs(run.v[-1] - reference.v[-1]).max() < error


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_divergence_is_an_error(backend: str) -> None:
    """Corrections lead where forces are so large that their rounding exceeds the residual before."""
    model = sl.Model("no_solution")
    x = model.node("x", "R1")
    model.kinetic_energy(x.x_dot[0] ** 2 / 2)
    model.generalized_force(x, [1e8 * (1 + x.x[0] ** 2) ** 2])
    system = model.derive().compile(backend=backend)
    with pytest.raises(sl.errors.NotConvergedError):
        sl.solve(system, 1.0, h=0.1, method="bdf1")


def control() -> StepControl:
    one = np.ones(1)
    return StepControl(True, True, one, one, one, safety=0.9, fac_min=0.2, fac_max=10.0, hold=1.2)


def differences_of(phase: float, order: int, error: float) -> dict[int, float]:
    """Divided differences, over steps of one, of an oscillation whose error with this order has this size."""
    own = error / (order * math.factorial(order))
    below = own * (order + 1) / phase
    return {order - 2: below * order / phase, order - 1: below, order: own, order + 1: own * phase / (order + 2)}


@pytest.mark.parametrize("order", [3, 4, 5])
def test_order_two_damps_oscillations_that_are_not_resolved(order: int) -> None:
    points = [float(k) for k in range(7)]
    unresolved, resolved = (differences_of(phase, order, 0.7) for phase in (0.8, 0.2))
    found, factor = chosen(control(), points, order, unresolved, order, is_known=True)
    assert found == 2
    assert factor <= 1
    assert chosen(control(), points, order, unresolved, order - 1, is_known=True) == (order, 1.0)
    assert chosen(control(), points, order, resolved, order, is_known=True)[0] > 2
    assert chosen(control(), points, 2, differences_of(0.8, 2, 0.7), 2, is_known=True)[0] <= 2


@pytest.mark.parametrize("order", [4, 5])
def test_large_differences_after_a_restart_preserve_the_order(order: int) -> None:
    """Differences are large after a kink, too; the order falls by one at most."""
    points = [float(k) for k in range(7)]
    assert chosen(control(), points, order, differences_of(0.8, order, 0.7), order, is_known=False)[0] >= order - 1


@pytest.mark.slow
def test_waves_below_the_tolerance_do_not_limit_steps() -> None:
    """A spring of 10⁷ N/m that hardly oscillates; with order five at most it took 6,498 steps."""
    model = sl.Model("spring_pendulum")
    bob = model.node("bob", "R3")
    model.kinetic_energy(bob.x_dot.dot(bob.x_dot) / 2)
    model.potential_energy(9.81 * bob.x[2] + 1e7 * (sl.sqrt(bob.x.dot(bob.x)) - 1) ** 2 / 2)
    model.initial(bob, x=[0.6, 0, -0.8])
    equations = model.derive()
    ends = []
    for backend in ("c", "numpy"):
        run = sl.solve(equations.compile(backend=backend), 1, method="bdf", rtol=1e-3, max_steps=500)
        ends.append(run.q[-1])
    assert np.abs(ends[0] - ends[1]).max() < tolerances.UNRESOLVED_WAVES
