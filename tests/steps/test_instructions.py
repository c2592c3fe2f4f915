"""Each instruction in C and in NumPy, against functions of the system."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
import pytest

import symlie as sl
from symlie.errors import OutsideChartError
from symlie.models import heavy_top
from symlie.runtime.layout.layout import Array
from symlie.runtime.steps.expressions import Expression, Scalar
from symlie.runtime.steps.instructions import Where
from symlie.runtime.steps.recorder import StepRecorder
from symlie.runtime.steps.values import START_Q, START_V, Algebra, Velocity
from symlie.runtime.system.mechanics import Mechanics
from symlie.runtime.system.system import System
from tests.runtime.test_explicit_methods import shaken
from tests.runtime.test_first_order_states import steered
from tests.runtime.test_minimal_norm import plane
from tests.runtime.test_nonlinear_velocities import perpendicular
from tests.runtime.test_types_that_do_not_move import BEFORE, pulled
from tests.steps.probes import Write, probe
from tests.systems import heavy_top_system, large_system, spaghetti_system
from tests.tolerances import BACKENDS_OF_SPACES

H = 2.0**-9

Expected = Callable[[System, Array, Array], tuple[Array, Array]]
"""State at the end of the step, from the state at its start."""


@functools.cache
def turning_angles(backend: str) -> System:
    """A top in Euler angles with the angular velocity as unknown."""
    model = heavy_top.build(coordinates="euler_angles", form="angular_velocity")
    return model.derive().compile(backend=backend)


SYSTEMS: dict[str, Callable[[str], System]] = {
    "top": lambda backend: heavy_top_system("S3", backend),
    "constrained": lambda backend: heavy_top_system("SE3", backend),
    "large": large_system,
    "prescribed": shaken,
    "fields": steered,
    "rates": turning_angles,
    "resting": lambda backend: pulled(BEFORE[0])[backend == "numpy"],
}


CONSTRAINED: dict[str, Callable[[str], System]] = {
    "top": lambda backend: heavy_top_system("SE3", backend),
    "rod": spaghetti_system,
    "nonlinear": perpendicular,
    "redundant": plane,
}


def acceleration(m: Mechanics, t: float, q: Array, v: Array) -> tuple[Array, Array]:
    """v' and λ."""
    return m.index1(t, q, v)


def stages(s: StepRecorder) -> None:
    first = s.stage(0.0, s.q, s.v)
    theta, v = s.increment([0.5], [s.slope(first)]), s.velocity(s.v, [0.5], [first.acceleration])
    second = s.stage(0.5, *s.at(0.5, s.advance(s.q, theta), v))
    theta = s.increment([0.25, -1.5], [s.slope(first), s.slope(second)])
    v = s.velocity(s.v, [0.25, 0.75], [first.acceleration, second.acceleration])
    end = s.at(1.0, s.advance(s.q, theta), v)
    s.end(*end, theta)
    s.end_multipliers(*end)


def after_stages(system: System, q: Array, v: Array) -> tuple[Array, Array]:
    m = system.mechanics
    a = acceleration(m, 0.0, q, v)
    k = np.where(system.layout.moves, m.rate(0.0, q, v, *a), 0)
    Q, V = m.kernels.advance(q, H * 0.5 * k), v + H * 0.5 * a[0]
    m.prescribe(0.5 * H, Q, V)
    b = acceleration(m, 0.5 * H, Q, V)
    other = np.where(system.layout.moves, m.rate(0.5 * H, Q, V, *b), 0)
    end_q, end_v = m.kernels.advance(q, H * (0.25 * k - 1.5 * other)), v + H * (0.25 * a[0] + 0.75 * b[0])
    m.prescribe(H, end_q, end_v)
    return m.kernels.normalize(end_q), end_v


def operators(s: StepRecorder) -> None:
    """T⁻¹, its series, [·, ·], sums with powers of h, and log."""
    first = s.stage(0.0, s.q, s.v)
    slope = s.slope(first)
    theta = s.increment([0.5], [s.inverse_tangent(None, slope)])
    exact, series = s.inverse_tangent(theta, slope), s.inverse_tangent(theta, slope, [0.5, 1 / 12])
    total = s.add(s.increment([0.75, 0.25], [exact, series]), 0.1, s.bracket(theta, exact), power=2)
    middle = s.advance(s.q, total)
    total = s.add(total, -0.5, s.difference(s.q, s.advance(middle, theta)))
    s.end(s.advance(s.q, total), s.v, total)


def after_operators(system: System, q: Array, v: Array) -> tuple[Array, Array]:
    k = system.kernels
    theta = H * 0.5 * v
    exact, once = k.inverse_tangent_operator(theta, v), k.bracket(theta, v)
    series = v + 0.5 * once + k.bracket(theta, once) / 12
    total = H * (0.75 * exact + 0.25 * series) + 0.1 * H**2 * k.bracket(theta, exact)
    total = total - 0.5 * k.difference(q, k.advance(k.advance(q, total), theta))
    return k.normalize(k.advance(q, total)), v


@pytest.mark.parametrize(
    ("name", "write", "expected"),
    [
        *((name, stages, after_stages) for name in SYSTEMS),
        ("top", operators, after_operators),
        ("large", operators, after_operators),
    ],
)
@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_instructions(name: str, backend: str, write: Write, expected: Expected) -> None:
    system = SYSTEMS[name](backend)
    solution = sl.solve(system, H, method=probe(write), h=H)
    reference = SYSTEMS[name]("numpy")
    for found, value in zip(
        (solution.q[-1], solution.v[-1]), expected(reference, *solution_start(solution)), strict=True
    ):
        assert np.abs(found - value).max() < BACKENDS_OF_SPACES * max(1.0, np.abs(value).max())


def solution_start(solution: sl.Solution) -> tuple[Array, Array]:
    """State at the start of a run."""
    return solution.q[0], solution.v[0]


@pytest.mark.parametrize("chosen", [0.0, 1.0])
@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_group_elements(backend: str, chosen: float) -> None:
    """exp(-x)∘exp(y) has the logarithm of log(exp(x)⁻¹∘exp(y)), and choices depend on a comparison."""

    def write(s: StepRecorder) -> None:
        s.stage(0.0, s.q, s.v)
        x = s.evaluated(Algebra, s.h * s.v)
        y = s.evaluated(Algebra, -0.5 * s.h * s.v)
        first, second = s.exponential(x), s.exponential(y)
        theta = s.relative(first, second)
        product = s.compose(s.inverse(first), second)
        one = s.exponential(s.evaluated(Algebra, Expression()))
        again = s.relative(one, product)
        s.rotation(theta, 2)
        is_chosen = s.at_most(s.h, H if chosen else H / 2)
        s.end(s.advance(s.q, s.where(is_chosen, theta, s.evaluated(Algebra, 2.0 * again))), s.v, theta)

    system = heavy_top_system("S3", backend)
    solution = sl.solve(system, H, method=probe(write, kernels="increments"), h=H)
    theta = -1.5 * H * solution.v[0] * (1 if chosen else 2)
    expected = system.kernels.advance(solution.q[0], theta)
    assert np.abs(solution.q[-1] - expected).max() < BACKENDS_OF_SPACES


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_rotation_outside_the_domain_of_log_is_an_error(backend: str) -> None:
    def write(s: StepRecorder) -> None:
        s.stage(0.0, s.q, s.v)
        theta = s.evaluated(Algebra, s.h * s.v)
        s.rotation(theta, 10**6)
        s.end(s.advance(s.q, theta), s.v, theta)

    with pytest.raises(OutsideChartError):
        sl.solve(heavy_top_system("S3", backend), H, method=probe(write), h=H)


def test_choices_have_values_of_one_kind() -> None:
    choice = Where(Velocity, Scalar(3, _no_operation), START_V, START_Q)
    assert list(choice.mistakes()) == ["both values must be of the kind velocity, but one is configuration"]


def _no_operation(operator: str, x: Scalar | float, y: Scalar | float) -> Scalar:
    raise NotImplementedError


@pytest.mark.parametrize("coordinates", ["cayley", "second_kind"])
@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_local_coordinates(coordinates: str, backend: str) -> None:
    def write(s: StepRecorder) -> None:
        slope = s.slope(s.stage(0.0, s.q, s.v))
        theta = s.increment([0.5], [slope])
        theta = s.increment([1.0], [s.inverse_tangent(theta, slope)])
        s.end(s.advance(s.q, theta), s.v, theta)

    system = heavy_top_system("S3", backend)
    solution = sl.solve(system, H, method=probe(write, coordinates), h=H)
    nodes = heavy_top_system("S3", "numpy").sets.nodes(coordinates)
    q, v = solution_start(solution)
    expected = system.kernels.normalize(nodes.advance(q, H * nodes.inverse_tangent_operator(H * 0.5 * v, v)))
    assert np.abs(solution.q[-1] - expected).max() < BACKENDS_OF_SPACES


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_multipliers_and_residuals_of_the_end(backend: str) -> None:
    system = heavy_top_system("S3xR3", backend)
    solution = sl.solve(system, H, method=probe(stages), h=H)
    m, q, v = system.mechanics, solution.q[-1], solution.v[-1]
    expected = acceleration(m, H, q, v)[1]
    assert np.abs(solution.multipliers[-1] - expected).max() < BACKENDS_OF_SPACES * np.abs(expected).max()
    residual = np.abs(m.hidden_residual(H, q, v)).max()
    # Rounding errors of velocities, about 1e-14, limit the digits of a residual of 1e-6 or more.
    assert residual > 1e-6 and solution.statistics.max_velocity_residual == pytest.approx(residual, rel=1e-6)
    assert solution.statistics.rhs_evaluations == 3


@pytest.mark.parametrize("name", ["top", "large", "constrained"])
def test_estimates_control_steps_in_both_backends(name: str) -> None:
    """The stage at the end is the first one of the next step, also after rejections."""

    def write(s: StepRecorder) -> None:
        first = s.stage(0.0, s.q, s.v)
        theta, v = s.increment([1.0], [s.slope(first)]), s.velocity(s.v, [1.0], [first.acceleration])
        q = s.advance(s.q, theta)
        s.end(q, v, theta)
        s.end_multipliers(q, v)
        s.only_for_estimate()
        last = s.stage(1.0, q, v)
        s.next_stage(last)
        slopes = [s.slope(first), s.inverse_tangent(theta, s.slope(last))]
        v_hat = s.velocity(s.v, [0.5, 0.5], [first.acceleration, last.acceleration])
        s.estimate(theta, s.increment([0.5, 0.5], slopes), v, v_hat)

    compiled, plain = (
        sl.solve(SYSTEMS[name](b), 2.0**-8, method=probe(write, has_estimate=True), rtol=1e-5, h0=2.0**-8)
        for b in ("c", "numpy")
    )
    assert compiled.statistics.rejected == plain.statistics.rejected > 0
    assert compiled.statistics.rhs_evaluations == plain.statistics.rhs_evaluations
    assert np.abs(compiled.t - plain.t).max() < BACKENDS_OF_SPACES
    assert compiled.statistics.rhs_evaluations <= compiled.statistics.steps + 2 * compiled.statistics.rejected + 30


def between(s: StepRecorder) -> None:
    """One stage whose v' satisfies the hidden constraints at the end of the step."""
    jacobian = s.first_jacobian()
    slope = s.inverse_tangent(None, s.rate(s.q, s.v))
    theta = s.increment([1.0], [slope])
    end, _ = s.at(1.0, s.advance(s.q, theta), s.v)
    stage = s.stage_between((0.0, s.q, s.v, jacobian), (1.0, end), [1.0], [])
    theta = s.increment([1.0], [s.inverse_tangent(None, s.slope(stage, jacobian))])
    q, v = s.at(1.0, s.advance(s.q, theta), s.velocity(s.v, [1.0], [stage.acceleration]))
    s.end(q, v, theta)
    s.residuals(q, v, s.jacobian(1.0, end, v))
    s.multipliers([1.0], [stage.multiplier])


@pytest.mark.filterwarnings("ignore::symlie.warnings.SymlieWarning")
@pytest.mark.parametrize("backend", ["c", "numpy"])
@pytest.mark.parametrize("name", CONSTRAINED)
def test_stages_satisfy_hidden_constraints_at_the_next_point(name: str, backend: str) -> None:
    """M v' + g + Bᵀλ = 0 holds at the stage, and the hidden constraints at the end."""
    redundant = {"redundant": "minimal_norm"} if name == "redundant" else {}
    solution = sl.solve(CONSTRAINED[name](backend), H, method=probe(between), h=H, **redundant)
    m = CONSTRAINED[name]("numpy").mechanics
    (q, end_q), (v, end_v), multipliers = solution.q, solution.v, solution.multipliers[-1]
    residual = m.hidden_residual(H, end_q, end_v)
    assert np.abs(residual).max() < BACKENDS_OF_SPACES * max(1.0, np.abs(end_v).max())
    assert solution.statistics.max_velocity_residual < BACKENDS_OF_SPACES * max(1.0, np.abs(end_v).max())
    inertia = m.inverse_dynamics(0.0, q, v, (end_v - v) / H)
    reaction = m.algebra.pull(m.jacobian(0.0, q, v), multipliers)
    assert np.abs(reaction).max() > 0
    assert np.abs(inertia + reaction).max() < BACKENDS_OF_SPACES / H * max(1.0, np.abs(inertia).max())


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_first_stages_take_given_multipliers(backend: str) -> None:
    def write(s: StepRecorder) -> None:
        stage = s.first_stage(s.first_jacobian())
        theta = s.increment([1.0], [s.slope(stage)])
        s.end(s.advance(s.q, theta), s.velocity(s.v, [1.0], [stage.acceleration]), theta)
        s.multipliers([0.75], [stage.multiplier])

    solution = sl.solve(heavy_top_system("S3xR3", backend), H, method=probe(write), h=H)
    m, (q, _), (v, end_v) = heavy_top_system("S3xR3", "numpy").mechanics, solution.q, solution.v
    assert (solution.multipliers[-1] == 0.75 * solution.multipliers[0]).all()
    inertia = m.inverse_dynamics(0.0, q, v, (end_v - v) / H)
    reaction = m.algebra.pull(m.jacobian(0.0, q, v), solution.multipliers[0])
    assert np.abs(inertia + reaction).max() < BACKENDS_OF_SPACES / H * np.abs(inertia).max()
