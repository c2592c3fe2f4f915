"""Forces between bodies and on joints: accelerations compared with formulas, and rejected inputs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import symlie as sl
from symlie.errors import ModelError

J = [0.1, 0.1, 0.1]
STEP = 1e-6
"""A single step, in s: velocities after it are accelerations times h, up to h over time constants of the system."""


def bodies() -> sl.Model:
    """Independent bodies, each with one force, in a state where it acts."""
    model = sl.Model("forces")
    rest = {"velocity": [0, 0, 0], "angular_velocity": [0, 0, 0]}
    ground = model.ground

    hung = sl.RigidBody(model, "hung", 2.0, J, "SE3", position=[1, 0, 0], **rest)
    sl.Spring(model, "spring", ground, hung, stiffness=100.0, at=[[1, 0, 2], [1, 0, 0.5]], length=1.2)

    damped = sl.RigidBody(model, "damped", 2.0, J, position=[3, 0, 0], velocity=[1, 0, 0.5], angular_velocity=[0, 0, 0])
    sl.Damper(model, "damper", ground, damped, damping=8.0, at=[[3, 0, 2], [3, 0, 0]])

    turn = sl.rotation(axis=[0, 0, 1], angle=0.1)
    mounted = sl.RigidBody(model, "mounted", 2.0, J, "S3sR3", position=[5.01, 0, 0], orientation=turn, **rest)
    sides = sl.Marker(ground, [5, 0, 0]), sl.Marker(mounted, [0, 0, 0])
    sl.Bushing(model, "mount", *sides, stiffness=[1000, 2000, 3000, 10, 20, 30])

    ball = sl.RigidBody(model, "ball", 2.0, J, position=[7, 0, 0.09], velocity=[1, 0, 0], angular_velocity=[0, 0, 0])
    sl.SphereOnPlane(model, "floor", ground, ball, radius=0.1, stiffness=1e3, friction=0.5, creep=1e-9)

    wheels = {}
    for k, name in enumerate(("coil", "servo", "motor")):
        wheel = sl.RigidBody(model, f"{name}_wheel", 1.0, J, position=[0, 2.0 * k, 0], **rest)
        wheels[name] = sl.RevoluteJoint(model, f"{name}_axle", ground, wheel, at=[0, 2.0 * k, 0], axis=[0, 0, 1])
    sl.TorsionSpring(model, "coil", wheels["coil"], stiffness=5.0, rest=0.3)
    sl.JointController(model, "servo", wheels["servo"], P=4.0, D=2.0, target=0.5 + 0.25 * model.t)
    sl.Actuator(model, "motor", wheels["motor"], effort=0.7)
    return model


@pytest.mark.slow
def test_forces_match_their_formulas() -> None:
    system = bodies().derive().compile(backend="numpy")
    solution = sl.solve(system, STEP, h=STEP, method="half_explicit_5")
    change = {name: (solution.velocity(name)[1] - solution.velocity(name)[0]) / STEP for name in
              ("hung", "damped", "mounted", "ball", "coil_wheel", "servo_wheel", "motor_wheel")}  # fmt: skip
    expected = {
        "hung": [0, 0, 0, 0, 0, 100 * 0.3 / 2],
        "damped": [0, 0, 0, 0, 0, -8 * 0.5 / 2],
        "mounted": [0, 0, -30 * np.sin(0.1) * np.cos(0.1) / 0.1, -10 * np.cos(0.1) / 2, 10 * np.sin(0.1) / 2, 0],
        "ball": [0, 0.09 * 0.5 * 10 / 0.1, 0, -0.5 * 10 / 2, 0, 10 / 2],
        "coil_wheel": [0, 0, 1.5 / 0.1, 0, 0, 0],
        "servo_wheel": [0, 0, (4 * 0.5 + 2 * 0.25) / 0.1, 0, 0, 0],
        "motor_wheel": [0, 0, 7.0, 0, 0, 0],
    }
    for name, value in expected.items():
        np.testing.assert_allclose(change[name], value, rtol=1e-3, atol=1e-3, err_msg=name)
    outputs = {
        name: solution.outputs[name][0] for name in ("spring_force", "damper_force", "floor_gap", "servo_effort")
    }
    assert outputs == pytest.approx(
        {"spring_force": 30.0, "damper_force": -4.0, "floor_gap": -0.01, "servo_effort": 2.5}, rel=1e-12
    )
    np.testing.assert_allclose(solution.outputs["floor_force"][0], [-5, 0, 10], atol=1e-6)


@pytest.mark.slow
def test_joint_friction_matches_closed_forms() -> None:
    """A wheel stops at the angle ∫ J c' √(c'² + ε²)/(T c') dc' of Coulomb's law; a viscous one decays."""
    model = sl.Model("brake")
    T, epsilon, d, rate = 0.5, 0.02, 0.4, 1.0
    for name, place in (("dry", 0.0), ("wet", 1.0)):
        wheel = sl.RigidBody(model, name, 1.0, J, position=[place, 0, 0])
        hinge = sl.RevoluteJoint(model, f"{name}_axle", model.ground, wheel, at=[place, 0, 0], axis=[0, 0, 1])
        law = {"coulomb": T, "creep": epsilon} if name == "dry" else {"coulomb": 0.0, "viscous": d}
        sl.JointFriction(model, name, hinge, **law)
        model.initial(hinge, angle=0.0, rate=rate)
    solution = sl.solve(model.derive().compile(backend="numpy"), 0.5, rtol=1e-8)
    turned = J[2] / T * (rate * np.hypot(rate, epsilon) + epsilon**2 * np.arcsinh(rate / epsilon)) / 2
    outputs = solution.outputs
    assert outputs["dry_axle_angle"][-1] == pytest.approx(turned, abs=1e-7)
    assert outputs["wet_axle_rate"][-1] == pytest.approx(rate * np.exp(-0.5 * d / J[2]), abs=1e-7)
    assert outputs["dry_effort"][0] == pytest.approx(-T / np.hypot(1, epsilon), rel=1e-12)


@pytest.mark.slow
def test_two_parabolas_profile_has_correct_values_and_kinks() -> None:
    """Value, rate and kinks of the profile, through a joint that is driven along it."""
    model = sl.Model("profile")
    wheel = sl.RigidBody(model, "wheel", 1.0, J)
    hinge = sl.RevoluteJoint(model, "hinge", model.ground, wheel, at=[0, 0, 0], axis=[0, 0, 1])
    hinge.drive(sl.two_parabolas(model, "turn", 0.0, 2.0, begin=0.5, end=1.5))
    solution = sl.solve(model.derive().compile(backend="numpy"), 2.0, h=0.125, method="half_explicit_5")
    s = np.clip(solution.t - 0.5, 0, 1)
    exact = np.where(s < 0.5, 4 * s**2, 2 - 4 * (1 - s) ** 2)
    np.testing.assert_allclose(solution.outputs["hinge_angle"], exact, atol=1e-12)
    assert {0.5, 1.0, 1.5} <= set(solution.t)
    effort = solution.outputs["hinge_drive_effort"]
    np.testing.assert_allclose(effort[(solution.t > 0.5) & (solution.t < 1)], 0.1 * 8, atol=1e-9)


def refused() -> dict[str, Callable[[], object]]:
    model = sl.Model("m")
    body = sl.RigidBody(model, "body", 1.0, J)
    hinge = sl.RevoluteJoint(model, "hinge", model.ground, body, at=[0, 0, 0], axis=[0, 0, 1])
    ball = sl.SphericalJoint(model, "ball", sl.Marker(model.ground, [0, 0, 0]), body)
    other = sl.Model("other")
    same = np.zeros((2, 3))
    driven = sl.RevoluteJoint(model, "driven", model.ground, body, at=[0, 0, 0], axis=[1, 0, 0])
    effort = driven.drive(model.t).effort
    return {
        "Friction 'f' of joint 'hinge' depends on a reaction, which is known only after": lambda: sl.JointFriction(
            model, "f", hinge, coulomb=0.1 * effort
        ),
        "Friction 'f' of joint 'hinge' needs coulomb and viscous that are not negative": lambda: sl.JointFriction(
            model, "f", hinge, coulomb=-1
        ),
        "The points of spring 's' coincide": lambda: sl.Spring(model, "s", model.ground, body, stiffness=1, at=same),
        "The points of damper 'd' coincide": lambda: sl.Damper(model, "d", model.ground, body, damping=1, at=same),
        "Spring 's' joins 'body' with itself": lambda: sl.Spring(model, "s", body, body, stiffness=1, at=same),
        "The stiffness of bushing 'b' needs six numbers": lambda: sl.Bushing(
            model, "b", model.ground, body, at=[0, 0, 0], stiffness=[1, 2]
        ),
        "The damping of bushing 'b' must be symmetric": lambda: sl.Bushing(
            model, "b", model.ground, body, at=[0, 0, 0], stiffness=np.ones(6), damping=np.triu(np.ones((6, 6)))
        ),
        "Contact 'c' needs a positive radius": lambda: sl.SphereOnPlane(
            model, "c", model.ground, body, radius=0, stiffness=1
        ),
        "acts on a coordinate of a joint, such as a hinge, not on SphericalJoint": lambda: sl.Actuator(
            model, "a", ball, 1.0
        ),
        "acts on joint 'hinge', which does not belong to 'other'": lambda: sl.TorsionSpring(
            other, "t", hinge, stiffness=1
        ),
        "Profile 'p' begins at 1 s and ends at 1 s": lambda: sl.two_parabolas(model, "p", 0, 1, begin=1, end=1),
    }


REFUSED = refused()


@pytest.mark.parametrize("sentence", REFUSED)
def test_invalid_forces_are_rejected(sentence: str) -> None:
    with pytest.raises(ModelError, match=sentence):
        REFUSED[sentence]()
