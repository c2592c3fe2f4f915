"""Optimal inputs: closed forms, targets by states and outputs, and mistakes."""

from __future__ import annotations

import functools
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

import symlie as sl
from symlie.runtime.integrate.run_options import RunOptions
from symlie.runtime.study.control.control_tables import guessed_tables
from symlie.runtime.study.control.evaluation import Evaluation
from symlie.runtime.study.control.multiple_shooting import MultipleShooting
from symlie.runtime.study.control.optimisers import ScaledProblem, minimum
from symlie.runtime.study.control.single_shooting import SingleShooting
from symlie.runtime.study.control.target import checked_target
from symlie.runtime.system.system import System
from symlie.utilities import packages
from tests import tolerances

INERTIA, TIME = (1.0, 1.5, 2.0), 5.0


@functools.cache
def satellite() -> System:
    model = sl.Model("satellite")
    body = model.node("body", "SO3")
    torque = model.input("torque", 3, unit="N m")
    model.kinetic_energy(body.Omega.dot(sl.diag(*INERTIA) * body.Omega) / 2)
    model.generalized_force(body, Omega=torque)
    model.initial(body, R=np.eye(3), Omega=[0, 0, 0])
    model.output("spin", body.Omega)
    return model.derive().compile(backend="numpy")


@functools.cache
def cart() -> System:
    """A cart on a rail, with its position as a constraint in one direction."""
    model = sl.Model("cart")
    node = model.node("cart", sl.real_space(2))
    push = model.input("push", 1, unit="N")
    model.kinetic_energy(node.x_dot.dot(node.x_dot))
    model.generalized_force(node, x_dot=[push, 0])
    model.constraint("rail", node.x[1])
    model.output("place", node.x[0], unit="m")
    model.output("speed", node.x_dot[0], unit="m/s")
    return model.derive().compile(backend="numpy")


@functools.cache
def costly_satellite(backend: str = "numpy") -> System:
    """A turning satellite with a filter of its torque and a running and a terminal cost."""
    model = sl.Model("costly_satellite")
    body, lag = model.node("body", "SO3"), model.state("lag", 1)
    torque = model.input("torque", 3, unit="N m")
    model.kinetic_energy(body.Omega.dot(sl.diag(*INERTIA) * body.Omega) / 2)
    model.generalized_force(body, Omega=torque)
    model.vector_field(lag, [torque[0] - lag.x[0]])
    model.output("filter", lag.x[0] + body.Omega[0] ** 2)
    model.cost(running=torque.dot(torque) / 2 + lag.x[0] ** 2, terminal=body.Omega.dot(body.Omega) * body.R[0, 0])
    model.initial(body, rotation=sl.rotation(vector=[0.3, -0.2, 0.1]), Omega=[0.2, 0.5, -0.4])
    return model.derive().compile(backend=backend)


@functools.cache
def slider() -> System:
    """A mass of 2 kg with the cost ∫ u²/2 dt + (s - 1)²/2."""
    model = sl.Model("slider")
    node, push = model.node("cart", "R1", unit="m"), model.input("push", 1, unit="N")
    model.kinetic_energy(node.x_dot[0] ** 2)
    model.generalized_force(node, [push])
    model.cost(running=push**2 / 2, terminal=(node.x_dot[0] - 1) ** 2 / 2)
    return model.derive().compile(backend="numpy")


def half_turn(**options: Any) -> sl.OptimalControl:
    target = satellite().state(body={"R": np.diag([-1.0, -1.0, 1.0])})
    words = {"controls": "torque", "knots": 6, "target": target, "h": 0.25, **options}
    return sl.optimal_control(satellite(), TIME, **words)


def test_turn_about_principal_axis_has_closed_form() -> None:
    found, J = half_turn(), INERTIA[2]
    assert found.cost == pytest.approx(6 * J**2 * np.pi**2 / TIME**3, rel=tolerances.OPTIMAL_COST)
    assert found.violation < tolerances.OPTIMAL_END
    torque = found.values["torque"][:, 2]
    # Turns by π and by -π have the same target and cost.
    expected = np.sign(torque[0]) * 6 * J * np.pi / TIME**2 * (1 - 2 * found.times / TIME)
    np.testing.assert_allclose(torque, expected, rtol=0, atol=tolerances.OPTIMAL_INPUTS * np.abs(expected).max())
    np.testing.assert_allclose(
        found.solution.field("body", "R")[-1], np.diag([-1, -1, 1]), rtol=0, atol=tolerances.OPTIMAL_END
    )


def test_target_of_outputs_with_constraints_has_closed_form() -> None:
    """Rest to rest over a distance d in the time T: ∫ u²/2 dt = 6 m² d²/T³."""
    found = sl.optimal_control(
        cart(), 2.0, controls="push", knots=5, outputs={"place": 1.0, "speed": 0.0}, h=0.25, method="half_explicit_3"
    )
    assert found.cost == pytest.approx(6 * 2.0**2 / 2.0**3, rel=tolerances.OPTIMAL_COST)
    np.testing.assert_allclose(found.system.inputs["push"].values, found.values["push"])


@pytest.mark.parametrize("optimizer", ["SLSQP", "trust-constr"])
def test_several_intervals_have_the_same_minimum(optimizer: Any) -> None:
    found = half_turn(intervals=3, optimizer=optimizer, tolerance=1e-10)
    assert found.cost == pytest.approx(6 * INERTIA[2] ** 2 * np.pi**2 / TIME**3, rel=tolerances.OPTIMAL_COST)
    assert found.violation < tolerances.OPTIMAL_END and found.has_converged


def test_derivatives_of_several_intervals_equal_differences() -> None:
    """On SO(3) with first-order states, and with a running cost, from states that do not fit."""
    system = costly_satellite()
    problem = MultipleShooting(
        guessed_tables(system, ["torque"], (0.0, 2.0), 5, "linear", {}),
        (0.0, 2.0),
        RunOptions(h=0.25),
        checked_target(system, system.state(body={"R": np.diag([-1.0, -1.0, 1.0])}), {"filter": [0.5]}),
        "cost",
        3,
    )
    random = np.random.default_rng(1)
    x, step = problem.start + random.normal(0, 0.3, len(problem.start)), 1e-5
    found = problem.evaluation(x)
    for k, unit in enumerate(np.eye(len(x))):
        ends = [problem.evaluation(x + sign * step * unit) for sign in (1, -1)]
        of_defects = (ends[0].defects - ends[1].defects) / (2 * step)
        of_loss = (ends[0].loss - ends[1].loss) / (2 * step)
        largest = max(1.0, np.abs(found.by_defects).max(), np.abs(found.by_loss).max())
        assert np.abs(of_defects - found.by_defects[:, k]).max() <= tolerances.OPTIMAL_JACOBIAN * largest
        assert abs(of_loss - found.by_loss[k]) <= tolerances.OPTIMAL_JACOBIAN * largest


def test_adjoint_and_forward_derivatives_are_equal() -> None:
    found = []
    for backend in ("c", "numpy"):
        system = costly_satellite(backend)
        tables = guessed_tables(system, ["torque"], (0.0, 2.0), 30, "linear", {"torque": np.full((30, 3), 0.3)})
        target = checked_target(system, system.state(body={"R": np.diag([-1.0, -1.0, 1.0])}), {"filter": [0.5]})
        problem = SingleShooting(tables, (0.0, 2.0), RunOptions(h=0.25), target, "cost")
        problem._in_reverse = backend == "c"
        found.append(problem.evaluation(problem.start))
        assert problem._in_reverse == (backend == "c")
    for name in ("loss", "by_loss", "defects", "by_defects"):
        one, other = (np.asarray(getattr(x, name)) for x in found)
        assert np.abs(one - other).max() <= tolerances.FORWARD_AND_REVERSE * np.abs(other).max()


@pytest.mark.parametrize("intervals", [1, 3])
def test_second_derivatives_equal_differences_of_first_ones(intervals: int) -> None:
    """On SO(3) with first-order states, a running and a terminal cost, and weights of all equations."""
    system = costly_satellite("c")
    tables = guessed_tables(system, ["torque"], (0.0, 2.0), 5, "linear", {})
    target = checked_target(system, system.state(body={"R": np.diag([-1.0, -1.0, 1.0])}), {"filter": [0.5]})
    parts = tables, (0.0, 2.0), RunOptions(h=0.25), target, "cost"
    problem = SingleShooting(*parts) if intervals == 1 else MultipleShooting(*parts, intervals)
    random = np.random.default_rng(1)
    x, step = problem.start + random.normal(0, 0.3, len(problem.start)), 1e-5
    multipliers = random.normal(0, 1, len(problem.evaluation(x).defects))

    def gradient(x: NDArray[np.float64]) -> NDArray[np.float64]:
        found = problem.evaluation(x)
        return 0.7 * found.by_loss + multipliers @ found.by_defects

    units = step * np.eye(len(x))
    expected = [(gradient(x + unit) - gradient(x - unit)) / (2 * step) for unit in units]
    hessian = problem.hessian(x, multipliers, 0.7)
    np.testing.assert_allclose(hessian, expected, rtol=0, atol=tolerances.OPTIMAL_JACOBIAN * np.abs(hessian).max())


@functools.cache
def spherical_pendulum(cost: bool = False) -> System:
    """A slender pendulum on a ball joint with torques, which hangs at rest."""
    model = sl.Model("spherical_pendulum")
    rod, torque = model.node("rod", "SO3"), model.input("torque", 3, unit="N m")
    model.kinetic_energy(rod.Omega.dot(sl.diag(1.02, 1.02, 0.02) * rod.Omega) / 2)
    model.potential_energy(-9.81 * rod.R[2, 2])
    model.generalized_force(rod, Omega=torque)
    if cost:
        model.cost(running=torque.dot(torque) / 2)
    return model.derive().compile(backend="c")


def swing_up(system: System, **options: Any) -> sl.OptimalControl:
    upright = system.state(rod={"R": np.diag([1.0, -1.0, -1.0])})
    return sl.optimal_control(system, 3.0, controls="torque", target=upright, knots=21, h=0.05, intervals=6, **options)


def test_second_derivatives_lead_to_the_swing_up_in_few_iterations() -> None:
    """The effort as a cost has the same minimum; quasi-Newton methods need twice as many iterations."""
    plain, costly = swing_up(spherical_pendulum()), swing_up(spherical_pendulum(cost=True))
    for found in (plain, costly):
        assert found.has_converged and found.iterations <= 25 and found.violation < tolerances.OPTIMAL_END
    assert costly.cost == pytest.approx(plain.cost, rel=tolerances.OPTIMAL_COST)


@pytest.mark.slow
def test_swing_up_with_bounds_and_from_the_side() -> None:
    weak = swing_up(spherical_pendulum(), bounds={"torque": (-4, 4)})
    assert weak.has_converged and np.abs(weak.values["torque"]).max() <= 4 and weak.cost > 18.6
    tilted = spherical_pendulum().with_initial("rod", R=sl.rotation(axis=[0, 1, 0], angle=1.2))
    aside = swing_up(tilted)
    assert aside.has_converged and aside.cost < weak.cost


@pytest.mark.parametrize("intervals", [1, 2])
def test_cost_of_a_model_has_closed_form(intervals: int) -> None:
    """A mass m, for ∫ u²/2 dt and (s - 1)²/2 with the speed s at the end, which is m s²/T and (s - 1)² at u = m s/T."""
    found = sl.optimal_control(slider(), 2.0, controls="push", knots=3, intervals=intervals, h=0.5, tolerance=1e-14)
    speed = 1 / (1 + 4 / 2)
    np.testing.assert_allclose(found.values["push"], 2 * speed / 2, rtol=tolerances.OPTIMAL_LOSS)
    assert found.cost == pytest.approx((2 * speed**2 + (speed - 1) ** 2) / 2, rel=tolerances.OPTIMAL_COST)
    assert found.solution.outputs["cost"][-1] == pytest.approx(found.cost, rel=tolerances.OPTIMAL_COST)


def test_result_does_not_depend_on_the_size_of_inputs() -> None:
    """Torques of some 1e-6 N m, whose effort is far below the tolerance of the optimiser."""
    model = sl.Model("small")
    node, push = model.node("x", "R1"), model.input("push", 1)
    model.kinetic_energy(1e-6 * node.x_dot[0] ** 2 / 2)
    model.generalized_force(node, [push])
    system = model.derive().compile(backend="numpy")
    found = sl.optimal_control(system, 1.0, controls="push", knots=5, target=system.state(x={"x": [1.0]}), h=0.25)
    assert found.cost == pytest.approx(6e-12, rel=tolerances.OPTIMAL_COST)


class Fold:
    """The equation atan x = 0, whose first step from x = 1.5 leads to -1.69; runs fail below -0.5."""

    start = np.array([1.5])
    groups: ClassVar[list[list[NDArray[np.intp]]]] = [[np.array([0])]]

    def __init__(self) -> None:
        self.failures = 0

    def evaluation(self, unknowns: NDArray[np.float64]) -> Evaluation:
        (x,) = unknowns
        if x < -0.5:
            self.failures += 1
            raise sl.errors.NotFiniteError("The run fails")
        return Evaluation(0.0, np.zeros(1), np.array([np.arctan(x)]), np.array([[1 / (1 + x**2)]]))

    def hessian(
        self, unknowns: NDArray[np.float64], multipliers: NDArray[np.float64], of_loss: float
    ) -> NDArray[np.float64]:
        (x,) = unknowns
        return np.array([[-2 * x / (1 + x**2) ** 2 * multipliers[0]]])


@pytest.mark.parametrize("optimizer", ["SLSQP", "trust-constr"])
def test_optimiser_retreats_from_runs_that_fail(optimizer: Any) -> None:
    fold, weights = Fold(), np.array([[1e-6]])
    found = minimum(ScaledProblem(fold, weights, np.array([-np.inf]), np.array([np.inf])), optimizer, 1e-10, 100)
    assert fold.failures and abs(found.unknowns[0]) < tolerances.OPTIMAL_END


def test_run_with_the_guess_that_fails_is_an_error() -> None:
    fold = Fold()
    fold.start = np.array([-2.0])
    with pytest.raises(sl.errors.NotFiniteError, match="The run fails"):
        ScaledProblem(fold, np.zeros((1, 1)), np.array([-np.inf]), np.array([np.inf]))


def test_optimiser_that_stops_early_warns() -> None:
    with pytest.warns(sl.SymlieWarning, match="stopped before a minimum"):
        found = half_turn(target=None, loss=off_target, effort=0.1, max_iterations=1)
    assert not found.has_converged


def off_target(solution: sl.Solution) -> tuple[float, dict[str, np.ndarray]]:
    """Square of the distance of the spin at the end from (1, 1, 1)."""
    spin = np.asarray(solution.outputs["spin"])
    weights = np.zeros_like(spin)
    weights[-1] = spin[-1] - 1
    return float((weights**2).sum() / 2), {"spin": weights}


def test_ipopt_without_its_package_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "is_present", lambda module: module != "cyipopt")
    with pytest.raises(
        sl.errors.MissingDependencyError, match=r"optimizer=.ipopt. needs cyipopt; .*symlie\[optimize\]"
    ):
        half_turn(optimizer="ipopt")


@pytest.mark.skipif(not packages.is_present("cyipopt"), reason="cyipopt is not installed")
def test_ipopt_has_the_same_minimum_and_retreats() -> None:
    found = half_turn(optimizer="ipopt", intervals=3, tolerance=1e-10)
    assert found.cost == pytest.approx(6 * INERTIA[2] ** 2 * np.pi**2 / TIME**3, rel=tolerances.OPTIMAL_COST)
    fold, free = Fold(), np.array([np.inf])
    unknowns = minimum(ScaledProblem(fold, np.array([[1e-6]]), -free, free), "ipopt", 1e-10, 100).unknowns
    assert fold.failures and abs(unknowns[0]) < tolerances.OPTIMAL_END


def test_bounds_limit_inputs() -> None:
    found = half_turn(bounds={"torque": (-1.2, 1.2)}, knots=11)
    assert np.abs(found.values["torque"]).max() <= 1.2
    assert found.cost > 6 * INERTIA[2] ** 2 * np.pi**2 / TIME**3


def test_loss_replaces_a_target() -> None:
    """The final speed s of a mass m for the loss (s - 1)²/2 and the effort w T u²/2 of a constant force u."""

    def loss(solution: sl.Solution) -> tuple[float, dict[str, np.ndarray]]:
        speed = np.asarray(solution.outputs["speed"])
        weights = np.zeros_like(speed)
        weights[-1] = speed[-1] - 1
        return float((speed[-1] - 1) ** 2 / 2), {"speed": weights}

    found = sl.optimal_control(
        cart(),
        2.0,
        controls="push",
        knots=3,
        loss=loss,
        effort={"push": 0.5},
        h=0.5,
        method="half_explicit_3",
        tolerance=1e-14,
    )
    # With s = u T/m, the minimum of (s - 1)²/2 + w m² s²/(2 T) is at s = 1/(1 + w m²/T).
    assert np.asarray(found.solution.outputs["speed"])[-1] == pytest.approx(
        1 / (1 + 0.5 * 4 / 2), rel=tolerances.OPTIMAL_LOSS
    )


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"controls": "push"}, sl.errors.UnknownNameError, "no input 'push'; it has: torque"),
        ({"controls": []}, sl.errors.ModelError, "name at least one"),
        ({"knots": 1}, sl.errors.ModelError, "at least two"),
        ({"guess": {"torque": np.zeros(5)}}, sl.errors.ModelError, "needs 6 × 3 values, not 5"),
        ({"effort": -1.0}, sl.errors.ModelError, "must not be negative"),
        ({"bounds": {"spin": (0, 1)}}, sl.errors.UnknownNameError, "none of the controls torque"),
        ({"bounds": {"torque": (1, 2)}}, sl.errors.ModelError, "exclude its guess"),
        ({"bounds": {"torque": (1, -1)}}, sl.errors.ModelError, "exchange them"),
        ({"target": None, "outputs": {"spin": 1.0}}, sl.errors.ModelError, "needs 3 finite numbers"),
        ({"target": None, "outputs": {"tip": 1.0}}, sl.errors.UnknownNameError, "no output 'tip'"),
        ({"bounds": {"torque": (-0.1, 0.1)}}, sl.errors.NotConvergedError, "use more knots, a longer time"),
        ({"target": None}, sl.errors.ModelError, "Nothing is to be reached: give a target, outputs at the end, or"),
        ({"controls": [1]}, sl.errors.ModelError, r"controls must be a name or a list of names, such as \["),
        ({"target": None, "loss": 3.0}, sl.errors.ModelError, "or a function of the solution that returns"),
        ({"target": None, "loss": "spin"}, sl.errors.ModelError, "a scalar, but output 'spin' has 3 components"),
        ({"target": None, "loss": "cost"}, sl.errors.ModelError, "has no cost; state one by model.cost"),
        ({"interpolation": "cubic"}, sl.errors.ModelError, "'linear' or 'hold', not 'cubic'"),
        ({"guess": {"spin": 1.0}}, sl.errors.UnknownNameError, "no input 'spin'"),
        ({"optimizer": "newton"}, sl.errors.UnknownNameError, "Unknown optimizer 'newton'; choose one of SLSQP"),
        ({"intervals": 0}, sl.errors.ModelError, "intervals must be a positive whole number"),
        ({"intervals": 2, "loss": lambda run: (0.0, {})}, sl.errors.ModelError, "must be the name of an output"),
        ({"method": "taylor"}, sl.errors.UnsupportedMethodError, "its steps are no step program"),
    ],
)
def test_mistake_is_named(options: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        half_turn(**options)


def test_several_intervals_with_constraints_are_refused() -> None:
    with pytest.raises(sl.errors.ModelError, match="it has constraints; use minimal coordinates"):
        sl.optimal_control(cart(), 1.0, controls="push", outputs={"place": 1.0}, intervals=2)


def test_target_state_on_a_manifold_is_refused() -> None:
    model = sl.Model("point")
    push, point = model.input("push", 3), model.node("point", sl.S2)
    model.field(point, push)
    system = model.derive().compile(backend="numpy")
    with pytest.raises(sl.errors.ModelError, match="are on manifolds"):
        sl.optimal_control(system, 1.0, controls="push", target=system.state())


def test_target_state_with_constraints_is_refused() -> None:
    with pytest.raises(sl.errors.ModelError, match="depend on each other"):
        sl.optimal_control(cart(), 1.0, controls="push", target=cart().state())
