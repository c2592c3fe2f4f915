"""Derivatives of runs with events: closed forms, differences of runs, and refusals by name."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import mpmath
import numpy as np
import pytest

import symlie as sl
from symlie.compile.compiler import compiles_cpp
from symlie.errors import ModelError, UnsupportedMethodError
from symlie.options import Backend
from symlie.runtime.integrate.sensitivities import tangent_run
from symlie.runtime.layout.layout import Array
from symlie.warnings import SymlieWarning
from tests import tolerances
from tests.runtime.sensitivities import models
from tests.runtime.sensitivities.models import TIGHT, differences

pytestmark = pytest.mark.skipif(not compiles_cpp(), reason="the C compiler does not compile C++")

mp = mpmath.MPContext()
mp.dps = 40


def derivatives(function: Callable[..., Any], point: Sequence[float]) -> Array:
    """Derivatives of a closed form by its arguments."""
    at, count = tuple(mp.mpf(x) for x in point), len(point)
    return np.array([float(mp.diff(function, at, tuple(int(i == k) for i in range(count)))) for k in range(count)])


BALL = {"gravity": 9.81, "restitution": 0.8, "height": 1.0, "speed": 0.1}


@functools.cache
def ball(kind: str, backend: Backend = "c") -> sl.System:
    """A ball that falls on the floor, where it bounces by a reset or a contact, or the run ends."""
    model = sl.Model(f"{kind}_ball")
    g, e, h, u = (model.parameter(name, value) for name, value in BALL.items())
    b = model.node("ball", "R1")
    model.kinetic_energy(b.x_dot[0] ** 2 / 2)
    model.potential_energy(g * b.x[0])
    if kind == "contact":
        model.contact("floor", b.x[0], restitution=e)
    else:
        model.event("impact", b.x[0], direction="falling", terminal=kind == "landing")
        model.event("apex", b.x_dot[0], direction="falling", terminal=False)
    if kind == "bouncing":
        model.reset("impact", b, x_dot=-e * b.x_dot)
    model.output("place", b.x[0], unit="m")
    model.output("clock", model.t + 0 * b.x[0], unit="s")
    model.initial(b, x=[h], x_dot=[u])
    return model.derive().compile(backend=backend)


def flight(g: Any, e: Any, h: Any, u: Any) -> Any:
    """Time of the first impact."""
    return (u + mp.sqrt(u * u + 2 * g * h)) / g


def bounced(g: Any, e: Any, h: Any, u: Any) -> Any:
    """Height at t = 1.3, after two impacts."""
    v = e * mp.sqrt(u * u + 2 * g * h)
    second, rest = flight(g, e, h, u) + 2 * v / g, e * v
    return rest * (mp.mpf(1.3) - second) - g * (mp.mpf(1.3) - second) ** 2 / 2


@pytest.mark.parametrize("kind", ["bouncing", "contact"])
def test_bounces_have_the_derivatives_of_the_closed_form(kind: str) -> None:
    found = sl.sensitivity(ball(kind), 1.3, wrt=list(BALL), of="place", h=0.1)
    expected = derivatives(bounced, list(BALL.values()))
    np.testing.assert_allclose(found["place"][-1, 0], expected, rtol=tolerances.EVENT_TANGENTS)
    impact = next(e for e in found.events if e.event.name in ("impact", "floor_touch"))
    time = derivatives(flight, list(BALL.values()))
    np.testing.assert_allclose(impact.time, time, rtol=tolerances.EVENT_TANGENTS, atol=0)
    # The ball is on the floor regardless of the values of the variables.
    assert np.abs(impact["place"]).max() <= tolerances.EVENT_TANGENTS


def test_run_that_an_event_ends_has_the_derivatives_of_its_time_of_flight() -> None:
    found = sl.sensitivity(ball("landing"), 5.0, wrt=list(BALL), h=0.1)
    expected = derivatives(flight, list(BALL.values()))
    assert found.solution.status == "event"
    np.testing.assert_allclose(found.time[-1], expected, rtol=tolerances.EVENT_TANGENTS, atol=0)
    np.testing.assert_allclose(found["clock"][-1, 0], expected, rtol=tolerances.EVENT_TANGENTS, atol=0)
    assert not found.time[:-1].any()


def test_gradient_of_a_time_of_flight() -> None:
    names = [*BALL, "ball.x_dot"]

    def loss(solution: sl.Solution) -> tuple[float, dict[str, Array]]:
        weights = np.zeros_like(solution.outputs["clock"])
        weights[-1] = 1.0
        return float(solution.t[-1]), {"clock": weights}

    found = sl.gradient(ball("landing"), 5.0, loss, wrt=names, h=0.1)
    time = sl.sensitivity(ball("landing"), 5.0, wrt=names, h=0.1).time[-1]
    np.testing.assert_allclose(found.array, time, rtol=tolerances.EVENT_TANGENTS)
    bounded = sl.gradient(ball("landing"), 5.0, loss, wrt=names, h=0.01, memory=1e6)
    np.testing.assert_allclose(bounded.array, time, rtol=tolerances.EVENT_TANGENTS)


STOP = {"gravity": 9.81, "length": 0.8, "restitution": 0.6, "stop": 0.3, "angle": 0.7}


@functools.cache
def stopped(backend: Backend = "c") -> sl.System:
    """A pendulum that is released at rest and hits a stop."""
    model = sl.Model("stopped_pendulum")
    g, L, e, s, a = (model.parameter(name, value) for name, value in STOP.items())
    p = model.node("pendulum", "R1")
    model.kinetic_energy(L**2 * p.x_dot[0] ** 2 / 2)
    model.potential_energy(-g * L * sl.cos(p.x[0]))
    model.event("stop", p.x[0] + s, direction="falling", terminal=False)
    model.reset("stop", p, x_dot=-e * p.x_dot)
    model.output("angle", p.x[0])
    model.initial(p, x=[a])
    return model.derive().compile(backend=backend)


END = 1.25


def stopping_time(g: Any, L: Any, e: Any, s: Any, a: Any) -> Any:
    """Time of the impact: sin(x/2) = k sn(K - ω t)."""
    k = mp.sin(a / 2)
    return (mp.ellipk(k * k) + mp.ellipf(mp.asin(mp.sin(s / 2) / k), k * k)) / mp.sqrt(g / L)


def angle_after_stop(g: Any, L: Any, e: Any, s: Any, a: Any) -> Any:
    """Angle at the end, after the impact: sin(x/2) = k sn(u₀ + ω (t - t₁)) with another k."""
    omega, low = mp.sqrt(g / L), mp.sin(s / 2)
    rate = 2 * omega * mp.sqrt(mp.sin(a / 2) ** 2 - low**2)
    k = mp.sqrt(low**2 + (e * rate / (2 * omega)) ** 2)
    u = omega * (mp.mpf(END) - stopping_time(g, L, e, s, a)) - mp.ellipf(mp.asin(low / k), k * k)
    return 2 * mp.asin(k * mp.ellipfun("sn", u, m=k * k))


@pytest.mark.parametrize("options", [{"h": 1 / 1024}, {"rtol": 1e-11, "atol": 1e-13}])
def test_pendulum_with_a_stop_has_the_derivatives_of_elliptic_functions(options: dict[str, Any]) -> None:
    found = sl.sensitivity(stopped(), END, wrt=list(STOP), of="angle", t_eval=[END], **options)
    values = list(STOP.values())
    expected, time = derivatives(angle_after_stop, values), derivatives(stopping_time, values)
    np.testing.assert_allclose(found["angle"][-1, 0], expected, rtol=tolerances.EVENT_TANGENTS)
    scale = np.abs(time).max()
    np.testing.assert_allclose(found.events[0].time, time, rtol=0, atol=tolerances.EVENT_TANGENTS * scale)


@functools.cache
def sling() -> sl.System:
    """A ball on a rod that is released at a distance from a plane."""
    model = sl.Model("sling")
    m, L, side = (model.parameter(n, x) for n, x in (("mass", 1.3), ("length", 1.1), ("side", 0.3)))
    bob = model.node("bob", "R3")
    model.kinetic_energy(m * bob.x_dot.dot(bob.x_dot) / 2)
    model.potential_energy(9.81 * m * bob.x[2])
    model.constraint("rod", (bob.x.dot(bob.x) - L**2) / 2)
    model.event("opens", bob.x[1] - side, terminal=False)
    model.release("rod", at="opens")
    model.output("place", bob.x)
    model.initial(bob, x=[0.6 * L, 0, -0.8 * L], x_dot=[0, 2, 0])
    return model.derive().compile(backend="c")


@functools.cache
def carts() -> sl.System:
    """Two carts, one of them on a spring, that are coupled when they meet."""
    model = sl.Model("carts")
    m, n, gap, k = (model.parameter(x, y) for x, y in (("m", 1.5), ("n", 2.5), ("gap", 0.3), ("k", 3.0)))
    a, b = model.node("a", "R1"), model.node("b", "R1")
    model.kinetic_energy((m * a.x_dot[0] ** 2 + n * b.x_dot[0] ** 2) / 2)
    model.potential_energy(k * b.x[0] ** 2 / 2)
    model.constraint("latch", b.x[0] - a.x[0] - 1)
    model.release("latch")
    model.event("touch", b.x[0] - a.x[0] - 1, direction="falling", terminal=False)
    model.engage("latch", at="touch")
    model.output("place", sl.vector(a.x[0], b.x[0]))
    model.initial(a, x=[-1 - gap], x_dot=[1.0])
    model.initial(b, x_dot=[0.1])
    return model.derive().compile(backend="c")


@functools.cache
def table() -> sl.System:
    """A block on a table that oscillates, from which it lifts and on which it falls again."""
    model = sl.Model("table")
    A, w, g = (model.parameter(n, x) for n, x in (("A", 0.1), ("w", 12.0), ("g", 9.81)))
    block = model.node("block", "R1")
    model.kinetic_energy(block.x_dot[0] ** 2)
    model.potential_energy(2 * g * block.x[0])
    model.contact("table", block.x[0] + A * sl.cos(w * model.t))
    model.output("place", block.x[0])
    model.initial(block, x=[-A])
    return model.derive().compile(backend="c")


@functools.cache
def block() -> sl.System:
    """A block on a spring that slides on a floor until it sticks."""
    model = sl.Model("sliding_block")
    mu, u, k = (model.parameter(n, x) for n, x in (("mu", 0.3), ("speed", 1.0), ("k", 2.0)))
    b = model.node("b", "R2")
    model.kinetic_energy(b.x_dot.dot(b.x_dot) / 2)
    model.potential_energy(9.81 * b.x[1] + k * b.x[0] ** 2 / 2)
    model.contact("floor", b.x[1], slip=b.x_dot[:1], friction=mu)
    model.output("place", b.x)
    model.initial(b, x_dot=[u, 0])
    return model.derive().compile(backend="c")


RUNS: dict[str, tuple[Callable[[], sl.System], str, list[str], float, dict[str, Any]]] = {
    "generalized-α": (stopped, "angle", list(STOP), END, {"method": "generalized_alpha"}),
    "BDF of order four": (stopped, "angle", list(STOP), END, {"method": "bdf4"}),
    "midpoint rule": (stopped, "angle", list(STOP), END, {"method": "variational_midpoint"}),
    "Adams–Bashforth": (stopped, "angle", list(STOP), END, {"method": "abmk3"}),
    "release": (sling, "place", ["mass", "length", "side"], 0.75, {}),
    "release with RATTLie": (sling, "place", ["length", "side"], 0.75, {"method": "rattlie"}),
    "engagement": (carts, "place", ["m", "n", "gap", "k", "a.x_dot"], 0.75, {}),
    "lift": (table, "place", ["A", "w", "g"], 0.6, {}),
    "stick": (block, "place", ["mu", "speed", "k"], 0.6, {}),
}


@pytest.mark.parametrize("run", RUNS)
def test_runs_with_events_have_the_derivatives_of_differences(run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    build, of, names, end, options = RUNS[run]
    arguments: dict[str, Any] = {"h": 1 / 64, "t_eval": [end], **options}
    if "method" in options and options["method"] != "abmk3":
        arguments["method_options"] = TIGHT
    # Events must not move to another step.
    monkeypatch.setattr(models, "RELATIVE", 2.0**-15)
    found = sl.sensitivity(build(), end, wrt=names, of=of, **arguments)
    expected = differences(lambda s: sl.solve(s, end, **arguments).outputs[of], build(), names)
    expected = expected.reshape(found[of].shape)
    assert found.events
    assert abs(found[of] - expected).max() <= tolerances.DIFFERENCES_BETWEEN_EVENTS * abs(expected).max()
    plain = sl.solve(build(), end, **arguments)
    assert all(np.array_equal(getattr(found.solution, x), getattr(plain, x)) for x in ("t", "q", "v", "multipliers"))
    assert [e.t for e in found.solution.events] == [e.t for e in plain.events]


@functools.cache
def rocket(backend: Backend = "c") -> sl.System:
    """A mass with drag under a force that jumps, and a recorded event."""
    model = sl.Model("rocket")
    m, force = model.parameter("m", 2.0), model.input("force")
    x = model.node("x", "R1")
    model.kinetic_energy(m * x.x_dot[0] ** 2 / 2)
    model.force(sl.vector(force - 0.3 * x.x_dot[0]), at=x.x)
    model.event("low", x.x[0] - 0.2, terminal=False)
    model.output("place", x.x[0])
    model.initial(x, x=[0.5])
    return model.derive().compile(backend=backend).with_input("force", [0, 0.31, 0.77], [1.0, -2.0, 0.5], "hold")


@pytest.mark.parametrize("options", [{}, {"method": "bdf3", "method_options": TIGHT}])
def test_times_of_jumps_have_the_derivatives_of_differences(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "RELATIVE", 2.0**-15)  # the number of steps between jumps must not change
    arguments: dict[str, Any] = {"h": 1 / 64, "t_eval": [1.0], **options}
    found = sl.sensitivity(rocket(), 1.0, wrt=["force.times", "m"], of="place", **arguments)
    expected = differences(lambda s: sl.solve(s, 1.0, **arguments).outputs["place"], rocket(), ["force.times", "m"])
    assert found.variables == ("force.times[1]", "force.times[2]", "m")
    assert abs(found["place"][-1] - expected[-1]).max() <= tolerances.DIFFERENCES_BETWEEN_EVENTS * abs(expected).max()

    def loss(solution: sl.Solution) -> tuple[float, dict[str, Array]]:
        return 0.0, {"place": np.ones_like(solution.outputs["place"])}

    names = ["force.times", "force", "m"]
    gradient = sl.gradient(rocket(), 1.0, loss, wrt=names, **arguments)
    np.testing.assert_allclose(gradient.array[:2], found["place"][-1, 0, :2], rtol=tolerances.EVENT_TANGENTS)


def test_times_without_jumps_are_refused() -> None:
    with pytest.raises(ModelError, match="The times of input 'force' of 'rocket' have derivatives only if it jumps"):
        system = rocket().with_input("force", [0, 0.31, 0.77], [1.0, -2.0, 0.5], "linear")
        sl.sensitivity(system, 1.0, wrt="force.times", h=1 / 64)
    with pytest.raises(
        ModelError, match=r"Times of jumps such as 'force\.times' have derivatives in compiled code only"
    ):
        sl.sensitivity(rocket("numpy"), 1.0, wrt="force.times", h=1 / 64)


@pytest.mark.parametrize("jumps", [False, True])
def test_changes_of_branches_are_reported(jumps: bool) -> None:
    model = sl.Model("branches")
    k = model.parameter("k", 1.0)
    x = model.node("x", "R1")
    model.kinetic_energy(x.x_dot[0] ** 2 / 2)
    model.force(sl.vector(k * sl.select(x.x[0], -1, 1 if jumps else -1 - 30 * x.x[0])), at=x.x)
    model.initial(x, x=[0.5])
    # The motion x = (1 - t²)/2 reaches the change at t = 1.
    backends: tuple[Backend, ...] = ("c", "numpy")
    for backend in backends:
        system = model.derive().compile(backend=backend)
        changes = sl.sensitivity(system, 1.2, wrt="k", h=1 / 32).branch_changes
        assert [c.jumps for c in changes] == [jumps]
        assert abs(changes[0].t - 1.0) <= 1 / 32
    assert sl.sensitivity(stopped(), 0.1, wrt="stop", h=1 / 64).branch_changes == ()


def test_variables_beyond_one_register_have_the_same_tangents_at_events(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tangent_run, "AT_ONCE", 4)
    names = [*STOP, "pendulum.x_dot"]
    together = sl.sensitivity(stopped(), END, wrt=names, of="angle", h=1 / 64)
    alone = [sl.sensitivity(stopped(), END, wrt=name, of="angle", h=1 / 64) for name in names[:2]]
    for k, run in enumerate(alone):
        np.testing.assert_allclose(together["angle"][..., k : k + 1], run["angle"], rtol=tolerances.EVENT_TANGENTS)


def test_recorded_events_have_derivatives_unless_their_functions_are_zero_at_the_start() -> None:
    system = ball("bouncing").with_initial("ball", x_dot=[0.0])
    found = sl.sensitivity(system, 0.6, wrt="gravity", h=0.1)
    names = [e.event.name for e in found.events]
    assert names == [e.name for e in found.solution.events] and "impact" in names
    assert all(np.isfinite(e.time).all() == (e.event.t > 0) for e in found.events)
    assert repr(found.events[-1]).startswith("EventSensitivity('impact'; t = 0.45")
    assert dict(found.events[-1]).keys() == {"place", "clock"}


def test_events_without_derivatives_are_refused_by_name() -> None:
    at_start = ball("bouncing").with_initial("ball", x=[0.0], x_dot=[-1.0])
    with pytest.raises(ModelError, match="Event 'impact' at t = 0 has no derivatives, since its function is zero"):
        sl.sensitivity(at_start, 0.1, wrt="gravity", h=0.05)
    model = sl.Model("grazing")
    node, c = model.node("node", "R1"), model.parameter("c", 1.0)
    model.kinetic_energy(node.x_dot[0] ** 2 / 2)
    model.potential_energy(-c * node.x[0])
    model.event("touch", node.x[0])
    model.initial(node, x=[0.5], x_dot=[-1.0])
    with pytest.raises(ModelError, match=r"Event 'touch' at t = \S+ has no derivatives"):
        sl.sensitivity(model.derive().compile(), 2.0, wrt="c", h=0.3)
    with pytest.raises(UnsupportedMethodError, match="no sensitivities in NumPy: events change the state"):
        sl.sensitivity(stopped("numpy"), END, wrt="gravity", h=0.1)


def test_simultaneous_events_that_separate_are_refused() -> None:
    model = sl.Model("two_balls")
    h = model.parameter("h", 1.0)
    for name, height in (("left", h), ("right", 1.0)):
        b = model.node(name, "R1")
        model.kinetic_energy(b.x_dot[0] ** 2 / 2)
        model.potential_energy(9.81 * b.x[0])
        model.event(f"{name}_impact", b.x[0], direction="falling", terminal=False)
        model.reset(f"{name}_impact", b, x_dot=-0.5 * b.x_dot)
        model.initial(b, x=[height])
    with pytest.raises(ModelError, match="Events 'left_impact' and 'right_impact' are both at t = "):
        sl.sensitivity(model.derive().compile(), 0.6, wrt="h", h=0.1)


def test_contacts_that_change_at_the_start_are_refused() -> None:
    with pytest.raises(
        ModelError, match=r"Contacts of 'sliding_block' change their modes at the start with 'b\.x\[1\]'"
    ):
        sl.sensitivity(block(), 0.1, wrt="b.x", h=1 / 64)
    closing = ball("contact").with_initial("ball", x=[0.0], x_dot=[-1.0])
    with (
        pytest.warns(SymlieWarning, match="closes at the start"),
        pytest.raises(ModelError, match="Contacts of 'contact_ball' close with an impact at the start t = 0"),
    ):
        sl.sensitivity(closing, 0.1, wrt="gravity", h=1 / 64)
    with pytest.raises(UnsupportedMethodError, match="its steps contain impacts"):
        sl.sensitivity(block(), 0.1, wrt="mu", h=1 / 64, method="rattlie")
