"""Instructions of implicit steps and of carried arrays in C and in NumPy, against functions of the system."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import symlie as sl
from symlie.errors import ModelError
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.family import Method
from symlie.runtime.methods.implicit import ImplicitTableau
from symlie.runtime.methods.programs.implicit_program import ImplicitProgram
from symlie.runtime.steps.recorder import StepRecorder
from symlie.runtime.system.system import System
from symlie.steps import Acceleration, Algebra, Expression, Scalar, Velocity
from tests.runtime.test_explicit_methods import shaken
from tests.runtime.test_first_order_states import steered
from tests.steps.probes import Probe, Write, probe
from tests.systems import heavy_top_system, large_system, spaghetti_system
from tests.tolerances import BACKENDS_OF_SPACES

H = 2.0**-9

SYSTEMS: dict[str, Callable[[str], System]] = {
    "free": lambda backend: heavy_top_system("S3", backend),
    "constrained": lambda backend: heavy_top_system("SE3", backend),
    "large": large_system,
    "rod": spaghetti_system,
    "prescribed": shaken,
    "fields": steered,
}


@dataclass(frozen=True, repr=False)
class ImplicitProbe(ImplicitProgram, Probe):
    """Implicit method with a given step."""

    family: ClassVar[str] = "implicit_probe"


def implicit_probe(write: Write, index: int) -> Method:
    """A method with a given implicit step."""
    tableau = ImplicitTableau(name="implicit_probe", order=1, order_hat=None, c=(), source="", index=index)
    return ImplicitProbe(tableau, write=write, newton_rtol=0.0, newton_atol=0.0)


def implicit_euler(s: StepRecorder) -> None:
    """v = w/h, v' = (v - v_n)/h; the rate of first-order states is w/h."""
    w = s.unknown_increment()
    v = s.with_states(w / s.h, Expression())
    v_dot = s.with_states((v - s.v) / s.h, w / s.h)
    start = s.evaluated(Acceleration, Expression())
    s.end_implicit(s.implicit_end(w, v, v_dot, s.h * s.v, start))


@pytest.mark.parametrize("index", [2, 3])
@pytest.mark.parametrize("backend", ["c", "numpy"])
@pytest.mark.parametrize("name", SYSTEMS)
def test_implicit_ends_satisfy_the_equations(name: str, backend: str, index: int) -> None:
    """M v' + g + Bᵀλ = 0, Φ = 0 and the rates of first-order states hold at the end, and B v + b = 0 with index 2."""
    solution = sl.solve(SYSTEMS[name](backend), H, method=implicit_probe(implicit_euler, index), h=H)
    system = SYSTEMS[name]("numpy")
    m, layout = system.mechanics, system.layout
    (q_n, q), (v_n, v), multipliers = solution.q, solution.v, solution.multipliers[-1]
    acceleration = np.where(layout.has_velocity, (v - v_n) / H, 0.0)
    residual = m.inverse_dynamics(H, q, v, acceleration)
    size = max(1.0, float(np.abs(residual).max()))
    if layout.rows:
        B = m.jacobian(H, q, v)
        residual = residual + m.algebra.pull(B, multipliers)
        assert np.abs(m.constraint(H, q)).max() < BACKENDS_OF_SPACES
        hidden = float(np.abs(m.hidden_residual(H, q, v, B)).max())
        assert index == 3 or hidden < BACKENDS_OF_SPACES * max(1.0, np.abs(v).max())
    # Errors of q of one rounding unit have the size of β' = 1/h² in v'.
    assert np.abs(residual[layout.sought & layout.has_velocity]).max() < BACKENDS_OF_SPACES / H * size
    theta = m.kernels.difference(q_n, q)
    if index == 3 or not layout.rows:
        assert np.abs(theta - H * v)[layout.sought & layout.has_velocity].max() < BACKENDS_OF_SPACES
    if layout.has_fields:
        rate = m.field(H, q, v, acceleration, multipliers)
        state, place = ~layout.has_velocity, layout.node("filtered").storage
        assert np.abs(q[place] - q_n[place] - H * rate[state]).max() < BACKENDS_OF_SPACES


def counted(s: StepRecorder) -> None:
    """v of the first step grows by 1 %, and that of later ones by the carried increase."""
    known, increase = s.carried("known", Scalar), s.carried("increase", Velocity)
    stage = s.stage(0, s.q, s.v)
    v = s.evaluated(Velocity, s.v + s.where(known, 0.0, 0.01) * s.v + s.where(known, 2 / known, 0.0) * increase)
    s.end(*s.at(1, s.advance(s.q, s.increment([1], [s.slope(stage)])), v), s.increment([1], [s.slope(stage)]))
    s.carry("known", known + 1)
    s.carry("increase", s.evaluated(Velocity, v - s.v))


@pytest.mark.parametrize("backend", ["c", "numpy"])
@pytest.mark.parametrize("name", ["free", "large"])
def test_carried_arrays_reach_the_next_step(name: str, backend: str) -> None:
    """Where the number of known steps is 0, the quotient by it has no effect."""
    solution = sl.solve(SYSTEMS[name](backend), 3 * H, method=probe(counted), h=H)
    v_0 = solution.v[0]
    increases: list[Array] = [0.01 * v_0]
    for known in (1, 2):
        increases.append(2 / known * increases[-1])
    assert np.abs(np.diff(solution.v, axis=0) - increases).max() < BACKENDS_OF_SPACES * np.abs(v_0).max()


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_carried_arrays_have_initial_values(backend: str) -> None:
    def first(s: StepRecorder) -> None:
        s.carry("acceleration", s.stage(0, s.q, s.v).acceleration)

    @sl.method(order=1, first_values=first)
    def delayed(s: StepRecorder) -> None:
        v_dot = s.carried("acceleration", Acceleration)
        stage = s.stage(0, s.q, s.v)
        theta = s.increment([1], [s.slope(stage)])
        s.end(s.advance(s.q, theta), s.velocity(s.v, [1], [v_dot]), theta)
        s.carry("acceleration", stage.acceleration)

    system = heavy_top_system("S3", backend)
    solution, m = sl.solve(system, 2 * H, method=delayed, h=H), heavy_top_system("S3", "numpy").mechanics
    v_dot = m.index1(0.0, solution.q[0], solution.v[0])[0]
    # The second step has v' of the first one, too.
    for k in (0, 1):
        change = solution.v[k + 1] - solution.v[k]
        assert np.abs(change - H * v_dot).max() < BACKENDS_OF_SPACES * max(1.0, np.abs(solution.v).max())


@pytest.mark.filterwarnings("ignore:The energy of 'heavy_top':symlie.warnings.SymlieWarning")
@pytest.mark.parametrize("backend", ["c", "numpy"])
@pytest.mark.parametrize("needed", [True, False])
def test_hidden_violations_are_orthogonal_parts(backend: str, needed: bool) -> None:
    """B (v - d) + b = 0 with d = M⁻¹Bᵀμ; d is zero if it is not needed."""

    def write(s: StepRecorder) -> None:
        stage = s.stage(0, s.q, s.v)
        perturbed = s.v + s.h * stage.acceleration
        d = s.hidden_violation(perturbed, s.h - s.h if not needed else None)
        w, zero = s.unknown_increment(), s.evaluated(Algebra, Expression())
        v_end = w / s.h
        end = s.implicit_end(w, v_end, (v_end - s.v) / s.h, s.h * s.v, stage.acceleration)
        s.end(s.q, s.evaluated(Velocity, perturbed - d), zero, on_group=False)
        s.multipliers([1.0], [end.multiplier])

    system = heavy_top_system("S3xR3", backend)
    solution, m = (
        sl.solve(system, H, method=implicit_probe(write, 2), h=H),
        heavy_top_system("S3xR3", "numpy").mechanics,
    )
    (q, _), (v_n, v) = solution.q, solution.v
    scale = max(1.0, float(np.abs(v).max()))
    residual = np.abs(m.hidden_residual(0.0, q, v)).max()
    assert (residual < BACKENDS_OF_SPACES * scale) == needed
    perturbed = v_n + H * m.index1(0.0, q, v_n)[0]
    if needed:
        B = m.jacobian(0.0, q, perturbed)
        d = m.along_constraints(0.0, q, B, m.hidden_residual(0.0, q, perturbed, B))
        assert np.abs(perturbed - d - v).max() < BACKENDS_OF_SPACES * scale
    else:
        assert np.abs(perturbed - v).max() < BACKENDS_OF_SPACES * scale


def test_stages_of_variational_integrators_belong_to_built_in_methods() -> None:
    with pytest.raises(ModelError, match="contains symplectic_stage, which belongs to built-in methods"):

        @sl.method(order=2)
        def midpoint(s: StepRecorder) -> None:
            u, q = s.symplectic_stage(0.5)
            s.end(q, s.v, u)
