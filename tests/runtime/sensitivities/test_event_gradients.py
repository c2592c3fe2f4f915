"""Gradients in reverse of runs with events, against forward derivatives and a closed form."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.compile.compiler import compiles_cpp
from symlie.errors import ModelError
from symlie.runtime.integrate.run_options import RunOptions
from symlie.runtime.integrate.sensitivities.adjoint_run import AdjointRun
from symlie.runtime.integrate.sensitivities.passages.movement import Movement, Passage
from symlie.runtime.integrate.sensitivities.trail import Start, Trail, trail_of_run
from symlie.runtime.integrate.sensitivities.variables import variables_of
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.programs.method import ProgrammedMethod
from tests import tolerances
from tests.runtime.sensitivities.models import TIGHT
from tests.runtime.sensitivities.test_adjoint import forward_gradient, run_in_reverse, weighted
from tests.runtime.sensitivities.test_event_tangents import (
    BALL,
    END,
    STOP,
    ball,
    block,
    bounced,
    carts,
    derivatives,
    sling,
    stopped,
    table,
)

pytestmark = pytest.mark.skipif(not compiles_cpp(), reason="the C compiler does not compile C++")


@functools.cache
def disc() -> sl.System:
    """A disc that is thrown on a floor with friction, slides after its impact, and rolls."""
    model = sl.Model("thrown_disc")
    m, J, r = (model.parameter(n, x) for n, x in (("mass", 1.3), ("inertia", 0.4), ("radius", 0.5)))
    mu, e = model.parameter("mu", 0.2), model.parameter("restitution", 0.0)
    b = model.node("b", "SE2")
    model.kinetic_energy((m * b.U.dot(b.U) + J * b.Omega[0] ** 2) / 2)
    model.potential_energy(9.81 * m * b.x[1])
    slip = (b.R * b.U)[0] + r * b.Omega[0]
    model.contact("floor", b.x[1] - r, slip=[slip], friction=mu, restitution=e)
    model.output("place", b.x)
    model.output("axis", b.R[:, 0])
    model.initial(b, x=[0, 1.0], U=[2.0, 0.5], Omega=[3.0])
    return model.derive().compile(backend="c")


@functools.cache
def switched() -> sl.System:
    """A mass with drag under a force from a table, whose sign an event changes."""
    model = sl.Model("switched")
    m, u, at, force = *(model.parameter(n, x) for n, x in (("m", 1.3), ("u", 2.0), ("at", 0.4))), model.input("force")
    x, mode = model.node("x", "R1"), model.state("mode", 1)
    model.vector_field(mode, [0 * x.x[0]])
    model.kinetic_energy(m * x.x_dot[0] ** 2 / 2)
    model.force(sl.vector(force * mode.x[0] - 0.3 * x.x_dot[0]), at=x.x)
    model.event("low", x.x[0] - at, terminal=False)
    model.reset("low", mode, x=[-u])
    model.output("place", x.x[0])
    model.initial(x, x_dot=[1.0])
    model.initial(mode, x=[1.0])
    return model.derive().compile(backend="c").with_input("force", [0, 0.31, 0.77], [1.0, -2.0, 0.5], "hold")


@functools.cache
def pendulum() -> sl.System:
    """A body on a pivot that slides on a spring, and is struck at an angle."""
    model = sl.Model("struck_pendulum")
    m, L, e = (model.parameter(n, x) for n, x in (("mass", 1.3), ("length", 0.5), ("restitution", 0.7)))
    J = model.parameter("inertia", [0.1, 0.11, 0.12])
    b, s = model.node("b", sl.SE3), model.node("s", "R1")
    model.kinetic_energy((m * b.U.dot(b.U) + b.Omega.dot(sl.diag(J) * b.Omega) + s.x_dot[0] ** 2) / 2)
    model.potential_energy(9.81 * m * b.x[2] + 20 * s.x[0] ** 2)
    model.constraint("pivot", b.x + b.R * sl.vector(0, 0, L) - sl.vector(s.x[0], 0, 0))
    model.event("strike", s.x[0] + 0.03, direction="falling", terminal=False)
    model.reset("strike", b, U=-e * b.U, Omega=-e * b.Omega)
    model.reset("strike", s, x_dot=-e * s.x_dot)
    model.output("place", b.x)
    model.output("axis", b.R[:, 0])
    model.initial(b, x=[0, 0, -L], U=[-2 * L, L, 0], Omega=[1.0, 2, 2])
    model.initial(s, x_dot=[0.0])
    return model.derive().compile(backend="c")


@functools.cache
def redundant_pendulum() -> sl.System:
    """A mass on a circle in a plane with redundant constraints, which is struck."""
    model = sl.Model("redundant_pendulum")
    m, L, e = (model.parameter(n, x) for n, x in (("mass", 1.3), ("length", 0.5), ("restitution", 0.7)))
    b = model.node("b", "R3")
    model.kinetic_energy(m * b.x_dot.dot(b.x_dot) / 2)
    model.potential_energy(9.81 * m * b.x[2] + 3 * b.x[0] ** 2)
    model.constraint("rod", (b.x.dot(b.x) - L**2) / 2)
    model.constraint("plane", sl.vector(b.x[1], 2 * b.x[1]))
    model.event("strike", b.x[0], direction="falling", terminal=False)
    model.reset("strike", b, x_dot=-e * b.x_dot)
    model.output("place", b.x)
    model.initial(b, x=[L, 0, 0])
    return model.derive().compile(backend="c").with_redundant("minimal_norm")


OF_DISC = ["mass", "inertia", "radius", "mu", "restitution", "b.U"]
OF_PENDULUM = ["mass", "length", "restitution", "inertia"]
OF_BALL = [*BALL, "ball.x_dot"]

Case = tuple[Callable[[], sl.System], float, list[str], dict[str, Any]]

CASES: dict[str, Case] = {
    "impact with friction": (disc, 1.0, OF_DISC, {"h": 1 / 64}),
    "impact with friction, adaptive": (disc, 1.0, OF_DISC, {"rtol": 1e-6}),
    "reset": (lambda: ball("bouncing"), 1.3, OF_BALL, {"h": 0.1}),
    "reset, adaptive": (lambda: ball("bouncing"), 1.3, OF_BALL, {"rtol": 1e-6}),
    "reset between outputs": (lambda: ball("bouncing"), 1.3, OF_BALL, {"h": 0.1, "t_eval": [0.4, 0.5, 1.3]}),
    "every third state": (lambda: ball("bouncing"), 1.3, OF_BALL, {"h": 0.05, "record_every": 3}),
    "rest after a sequence of impacts": (lambda: ball("contact"), 6.0, OF_BALL, {"h": 1 / 16}),
    "end at an event": (lambda: ball("landing"), 5.0, OF_BALL, {"h": 0.1}),
    "BDF of order four": (stopped, END, list(STOP), {"h": 1 / 64, "method": "bdf4"}),
    "release": (sling, 0.75, ["mass", "length", "side"], {"h": 1 / 64}),
    "release with RATTLie": (sling, 0.75, ["mass", "length", "side"], {"h": 1 / 64, "method": "rattlie"}),
    "engagement": (carts, 0.75, ["m", "n", "gap", "k", "a.x_dot"], {"h": 1 / 64, "method": "generalized_alpha"}),
    "switch of a force": (switched, 1.2, ["m", "u", "at", "force"], {"h": 1 / 64}),
    "lift": (table, 0.6, ["A", "w", "g"], {"h": 1 / 64}),
    "stick": (block, 0.6, ["mu", "speed", "k"], {"h": 1 / 64}),
    "constraints": (pendulum, 0.5, OF_PENDULUM, {"h": 1 / 64, "method": "generalized_alpha_index2"}),
    "projected steps": (pendulum, 0.5, OF_PENDULUM, {"h": 1 / 64, "stabilize": "projection+velocity"}),
    "redundant constraints": (redundant_pendulum, 0.8, ["mass", "length", "restitution"], {"h": 1 / 64}),
    "BDF with constraints": (pendulum, 0.5, OF_PENDULUM, {"h": 1 / 64, "method": "bdf2"}),
}


def loss(solution: sl.Solution) -> tuple[float, dict[str, Array]]:
    """Sum of weighted outputs."""
    weights, outputs = weighted(solution), solution.system.layout.outputs
    return 0.0, {name: weights[:, part].reshape(solution.outputs[name].shape) for name, (part, _) in outputs.items()}


@pytest.mark.filterwarnings("ignore:The 3 constraint equations")  # redundant constraints
@pytest.mark.parametrize("case", CASES)
def test_gradients_in_reverse_are_those_of_forward_derivatives(case: str) -> None:
    build, end, names, options = CASES[case]
    if not {"method_options", "rtol"} & set(options) and options.get("method", "half_explicit_5") != "half_explicit_5":
        options = {**options, "method_options": TIGHT}
    system = build()
    run, plain = run_in_reverse(system, end, options), sl.solve(system, end, **options)
    assert run.solution.events
    assert all(np.array_equal(getattr(run.solution, x), getattr(plain, x)) for x in ("t", "q", "v", "multipliers"))
    variables, weights = variables_of(system, names), weighted(run.solution)
    found, expected = run.gradient(variables, weights), forward_gradient(system, end, names, options)
    assert abs(found - expected).max() <= tolerances.FORWARD_AND_REVERSE * abs(expected).max()
    # Blocks of few steps begin before events, between an event and the end of its passage, and after it.
    for memory in (5_000, 12_000):
        bounded = AdjointRun.of(system, end, RunOptions.of(dict(options)), memory=memory)
        assert bounded is not None
        np.testing.assert_array_equal(bounded.gradient(variables, weights), found)


@pytest.mark.parametrize("kind", ["bouncing", "contact"])
def test_gradient_of_a_bouncing_ball_is_that_of_the_closed_form(kind: str) -> None:
    run = run_in_reverse(ball(kind), 1.3, {"h": 0.1})
    weights = np.zeros_like(weighted(run.solution))
    weights[-1, ball(kind).layout.outputs["place"][0]] = 1.0
    found = run.gradient(variables_of(ball(kind), list(BALL)), weights)
    np.testing.assert_allclose(found, derivatives(bounced, list(BALL.values())), rtol=tolerances.EVENT_TANGENTS)


def test_events_without_derivatives_are_refused_in_reverse() -> None:
    at_start = ball("bouncing").with_initial("ball", x=[0.0], x_dot=[-1.0])
    with pytest.raises(ModelError, match="Event 'impact' at t = 0 has no derivatives, since its function is zero"):
        sl.gradient(at_start, 0.25, "place", wrt=OF_BALL, h=1e-3)
    closing = ball("contact").with_initial("ball", x=[0.0], x_dot=[-1.0])
    with (
        pytest.warns(sl.SymlieWarning, match="closes at the start"),
        pytest.raises(ModelError, match="Contacts of 'contact_ball' close with an impact at the start t = 0"),
    ):
        sl.gradient(closing, 0.25, "place", wrt=OF_BALL, h=1e-3)


def two_balls(slips: int = 0) -> sl.System:
    """Two balls that reach a floor at the same time, on which they may slide."""
    model = sl.Model("two_balls")
    h, g, e = model.parameter("h", 1.0), model.parameter("g", 9.81), model.parameter("e", 0.5)
    for name in ("left", "right"):
        b = model.node(name, "R3")
        model.kinetic_energy(b.x_dot.dot(b.x_dot) / 2)
        model.potential_energy(g * b.x[2])
        friction: dict[str, Any] = {"slip": b.x_dot[:slips], "friction": 0.1} if slips else {}
        model.contact(f"{name}_floor", b.x[2], restitution=e, **friction)
        model.output(f"{name}_place", b.x[2])
        model.initial(b, x=[0, 0, h if name == "left" or not slips else 2.0], x_dot=[1.0, 0.2, 0])
    return model.derive().compile(backend="c")


@pytest.mark.parametrize("slips", [0, 2])
def test_simultaneous_events_and_slip_in_two_directions_are_differentiated_forward(slips: int) -> None:
    system, names = two_balls(slips), ["h", "g", "e"]
    options: dict[str, Any] = {"h": 1 / 64, "record_every": 0}
    assert AdjointRun.of(system, 0.6, RunOptions.of(dict(options))) is None
    found = sl.gradient(system, 0.6, loss, wrt=names, **options)
    expected = forward_gradient(system, 0.6, names, options)
    assert abs(found.array - expected).max() <= tolerances.FORWARD_AND_REVERSE * abs(expected).max()


def test_frequent_events_are_differentiated_forward() -> None:
    options: dict[str, Any] = {"rtol": 1e-6}
    run = run_in_reverse(ball("contact"), 6.0, options)
    assert not run.is_worthwhile(5) and run_in_reverse(ball("contact"), 6.0, {"h": 1e-3}).is_worthwhile(5)
    found = sl.gradient(ball("contact"), 6.0, loss, wrt=OF_BALL, **options).array
    expected = run.gradient(variables_of(ball("contact"), OF_BALL), weighted(run.solution))
    assert abs(found - expected).max() <= tolerances.FORWARD_AND_REVERSE * abs(expected).max()


def passages(
    t: Sequence[float], number: Sequence[int], lengths: int, *, is_adaptive: bool, settled: int | None = None
) -> list[Passage]:
    """Passages of a trail of the ball, with other times of states and numbers of steps."""
    run = run_in_reverse(ball("bouncing"), 1.3, {"h": 0.1})
    method = run.run.method
    assert isinstance(method, ProgrammedMethod)
    movement = Movement(run.solution, lengths, is_adaptive=is_adaptive)
    known = trail_of_run(run.run, Start.of(method, run.run), records_start=True).trail
    states = {"t": np.array(t), "number": np.array(number)}
    return movement.passages(Trail(**{**vars(known.part(0, len(t) - 1)), **states}), settled)


def test_passages_end_at_constant_times() -> None:
    first, second = (
        e.t for e in run_in_reverse(ball("bouncing"), 1.3, {"h": 0.1}).solution.events if e.name == "impact"
    )
    fixed = [0.0, 0.1, first, first, 0.5, 0.6, second, second, 1.3], [0, 1, 2, 2, 2, 3, 4, 4, 4]
    assert passages(*fixed, 0, is_adaptive=False) == [(1, 4, False, False), (5, 8, False, False)]
    # The step after an event is the next one, and lengths in the method history move in further ones.
    adaptive = fixed[0], [0, 1, 2, 2, 3, 4, 5, 5, 6]
    assert passages(*adaptive, 0, is_adaptive=True) == [(1, 4, False, False), (5, 8, False, False)]
    assert passages(*adaptive, 1, is_adaptive=True) == [(1, 5, False, False), (5, 8, True, False)]
    assert passages(*adaptive, 2, is_adaptive=True) == [(1, 8, True, False)]
    # An event may end the run, or precede the trail.
    assert passages(fixed[0][:4], fixed[1][:4], 0, is_adaptive=False) == [(1, 3, True, False)]
    assert passages(fixed[0][4:], fixed[1][4:], 2, is_adaptive=False, settled=2) == [(0, 4, True, True)]
