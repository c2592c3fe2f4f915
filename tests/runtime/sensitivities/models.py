"""Small models whose runs are differentiated, each compiled once, and central differences of their runs."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

import numpy as np

import symlie as sl
from symlie.models import heavy_top
from symlie.runtime.integrate.sensitivities.start import RELATIVE, WEIGHTS, consistent_start
from symlie.runtime.integrate.sensitivities.variables import variables_of
from symlie.runtime.layout.layout import Array

TIGHT = {"newton_rtol": 1e-15, "newton_atol": 1e-14}
"""Newton tolerances with which runs are smooth functions to rounding."""


@functools.cache
def pendulum(backend: str = "c") -> sl.System:
    """A spherical pendulum with its rod as a constraint, damping, and the force of the rod as an output."""
    model = sl.Model("pendulum")
    m, L = model.parameter("mass", 1.3, unit="kg"), model.parameter("length", 1.1, unit="m")
    d = model.parameter("damping", [0.1, 0.2, 0.0], unit="N s/m")
    bob = model.node("bob", "R3")
    model.kinetic_energy(m * bob.x_dot.dot(bob.x_dot) / 2)
    model.potential_energy(9.81 * m * bob.x[2])
    model.force(-sl.diag(d) * bob.x_dot, at=bob.x)
    model.constraint("rod", (bob.x.dot(bob.x) - L**2) / 2)
    model.output("tip", bob.x, unit="m")
    model.output("speed", bob.x_dot.dot(bob.x_dot), unit="m^2/s^2")
    model.initial(bob, x=[0.6 * L, 0, -0.8 * L], x_dot=[0, 1, 0])
    return model.derive().compile(backend=backend)


@functools.cache
def driven_top(backend: str = "c") -> sl.System:
    """A body on SO(3) with a spring to its first attitude, driven by a motor with a lag and a torque from a table."""
    model = sl.Model("driven_top")
    J = model.parameter("inertia", [0.2, 0.3, 0.4], unit="kg m^2")
    k, lag = model.parameter("stiffness", 2.0, unit="N m"), model.parameter("lag", 0.3, unit="s")
    body, motor = model.node("body", sl.SO3), model.state("motor", 1, unit="N m")
    torque = model.input("torque", size=2, unit="N m")
    model.kinetic_energy(body.Omega.dot(sl.diag(J) * body.Omega) / 2)
    model.potential_energy(-k * body.R[2, 2])
    model.vector_field(motor, [(torque[0] - motor.x[0]) / lag])
    model.torque(sl.vector(motor.x[0], torque[1], 0), on=body)
    model.output("axis", body.R[:, 2], unit="1")
    model.output("motor_torque", motor.x[0], unit="N m")
    model.initial(body, rotation=sl.rotation(vector=[0.3, -0.2, 0.1]), Omega=[1.0, 0.5, -2.0])
    model.initial(motor, x=[0.2])
    system = model.derive().compile(backend=backend)
    return system.with_input("torque", [0.0, 0.2, 0.5], [[1.0, 0.3], [-0.5, 0.1], [0.4, 0.2]], "linear")


@functools.cache
def springs() -> sl.System:
    """Two masses, each with an element of one type, that share one parameter and each have a separate one."""
    model = sl.Model("springs")
    k = model.parameter("stiffness", 3.0, unit="N/m")
    element = sl.ElementType("spring", node="R1")
    stiffness = element.parameter("k", 1.0, unit="N/m")
    mass = element.parameter("m", 1.0, unit="kg")
    x = element.node
    element.kinetic_energy(mass * x.x_dot.dot(x.x_dot) / 2)
    element.potential_energy(stiffness * x.x[0] ** 2 / 2 + x.x[0] ** 4 / 4)
    first, second = model.node("first", "R1"), model.node("second", "R1")
    model.add(element, [first], names="one", k=k, m=1.0)
    model.add(element, [second], names="two", k=k, m=2.0)
    model.potential_energy((first.x[0] - second.x[0]) ** 2 / 2)
    model.output("distance", first.x[0] - second.x[0], unit="m")
    model.initial(first, x=[0.5])
    model.initial(second, x=[-0.3])
    return model.derive().compile(backend="c")


@functools.cache
def stirred() -> sl.System:
    """A body without constraints on a spring to a prescribed node of the same type, and a motor that follows it."""
    model = sl.Model("stirred")
    amplitude, frequency = (
        model.parameter("amplitude", 0.4, unit="rad"),
        model.parameter("frequency", 3.0, unit="rad/s"),
    )
    J, lag = model.parameter("inertia", [0.2, 0.3, 0.4], unit="kg m^2"), model.parameter("lag", 0.3, unit="s")
    spoon, body, motor = model.node("spoon", sl.SO3), model.node("body", sl.SO3), model.state("motor", 1, unit="N m")
    angle = amplitude * sl.sin(frequency * model.t)
    model.prescribe(spoon, rotation=sl.rotation(axis=[0, 0, 1], angle=angle))
    model.kinetic_energy(body.Omega.dot(sl.diag(J) * body.Omega) / 2)
    model.potential_energy(-body.R[:, 2].dot(spoon.R[:, 1]))
    model.vector_field(motor, [(spoon.Omega[2] - motor.x[0] + body.Omega[0]) / lag])
    model.torque(sl.vector(motor.x[0], 0, 0.1), on=body)
    model.output("axis", body.R[:, 2], unit="1")
    model.output("spoon", spoon.R[:, 0], unit="1")
    model.output("turning", spoon.Omega, unit="rad/s")
    model.initial(body, Omega=[0, 1, -0.5])
    return model.derive().compile(backend="c")


@functools.cache
def shaken() -> sl.System:
    """A pendulum on a pivot whose motion depends on parameters, with damping and a force from a table."""
    model = sl.Model("shaken")
    m, L = model.parameter("mass", 1.3, unit="kg"), model.parameter("length", 1.1, unit="m")
    amplitude, frequency = model.parameter("amplitude", 0.2, unit="m"), model.parameter("frequency", 3.0, unit="rad/s")
    d, force = model.parameter("damping", 0.1, unit="N s/m"), model.input("force", size=1, unit="N")
    pivot, bob = model.node("pivot", "R3"), model.node("bob", "R3")
    phase = frequency * model.t
    model.prescribe(pivot, x=[amplitude * sl.sin(phase), amplitude * (sl.cos(phase) - 1), 0])
    model.kinetic_energy(m * bob.x_dot.dot(bob.x_dot) / 2)
    model.potential_energy(9.81 * m * bob.x[2])
    model.force(sl.vector(force, 0, 0) - d * (bob.x_dot - pivot.x_dot), at=bob.x)
    model.constraint("rod", ((bob.x - pivot.x).dot(bob.x - pivot.x) - L**2) / 2)
    model.output("tip", bob.x, unit="m")
    model.output("pivot", pivot.x_dot, unit="m/s")
    model.initial(bob, x=[0.6 * L, 0, -0.8 * L], x_dot=[amplitude * frequency, 1, 0])
    system = model.derive().compile(backend="c")
    return system.with_input("force", [0.0, 0.2, 0.5], [1.0, -0.5, 0.4], "linear")


@functools.cache
def hung() -> sl.System:
    """A body on a rod and a spring to a base whose type does not move."""
    model = sl.Model("hung")
    amplitude, frequency = (
        model.parameter("amplitude", 0.4, unit="rad"),
        model.parameter("frequency", 3.0, unit="rad/s"),
    )
    m, J = model.parameter("mass", 1.3, unit="kg"), model.parameter("inertia", [0.2, 0.3, 0.4], unit="kg m^2")
    k = model.parameter("stiffness", 20.0, unit="N/m")
    base, body = model.node("base", "SO3xR3"), model.node("body", sl.SE3)
    rotation = sl.rotation(axis=[0, 0, 1], angle=amplitude * sl.sin(frequency * model.t))
    model.prescribe(base, rotation=rotation, x=[0, amplitude * sl.sin(2 * model.t), amplitude * model.t**2])
    model.kinetic_energy((m * body.U.dot(body.U) + body.Omega.dot(sl.diag(J) * body.Omega)) / 2)
    rod = body.x - base.x - base.R * sl.vector(0.1, 0.2, 0)
    end, slip = rod + body.R[:, 0] / 3, body.R * body.Omega - base.R * base.Omega
    model.potential_energy(9.81 * m * body.x[2] + k * end.dot(end) / 2)
    model.dissipation(slip.dot(slip) / 10)
    model.constraint("rod", (rod.dot(rod) - 0.26) / 2)
    model.output("place", body.x, unit="m")
    model.output("axis", body.R[:, 2], unit="1")
    model.output("base", base.R[:, 0], unit="1")
    rate = amplitude * frequency
    velocity = [-0.2 * rate, 2 * amplitude + 0.1 * rate, 0]
    model.initial(body, x=[0.6, 0.2, 0.1], U=velocity, Omega=[0, 1, -0.5])
    return model.derive().compile(backend="c")


@functools.cache
def crane() -> sl.System:
    """A load whose position depends on an angle and on a prescribed cart."""
    model = sl.Model("crane")
    amplitude, frequency = model.parameter("amplitude", 0.3, unit="m"), model.parameter("frequency", 3.0, unit="rad/s")
    m, L = model.parameter("mass", 1.2, unit="kg"), model.parameter("length", 0.7, unit="m")
    cart, angle, load = model.node("cart", "R1"), model.node("angle", "R1"), model.node("load", "R2")
    model.prescribe(cart, x=[amplitude * sl.sin(frequency * model.t)])
    model.dependent(load, x=[cart.x[0] + L * sl.sin(angle.x[0]), -L * sl.cos(angle.x[0])])
    model.kinetic_energy((m * load.x_dot.dot(load.x_dot) + 0.2 * angle.x_dot[0] ** 2) / 2)
    model.potential_energy(9.81 * m * load.x[1])
    model.output("load", load.x_dot, unit="m/s")
    model.initial(angle, x=[0.5], x_dot=[0.2])
    return model.derive().compile(backend="c")


@functools.cache
def accelerated() -> sl.System:
    """A bead whose acceleration depends on the prescribed acceleration of a base."""
    model = sl.Model("accelerated")
    amplitude, frequency = model.parameter("amplitude", 0.3, unit="m"), model.parameter("frequency", 3.0, unit="rad/s")
    m = model.parameter("mass", 1.2, unit="kg")
    base, bead = model.node("base", "R2"), model.node("bead", "R2")
    model.prescribe(base, x=[amplitude * sl.sin(frequency * model.t), 0])
    model.kinetic_energy(m * bead.x_dot.dot(bead.x_dot) / 2)
    model.potential_energy(9.81 * m * bead.x[1] + (bead.x - base.x).dot(bead.x - base.x))
    model.acceleration_constraint("servo", bead.v_dot[0] - amplitude * base.v_dot[0] - bead.x_dot[1])
    model.output("bead", bead.x, unit="m")
    model.initial(bead, x=[0.1, 0.2], x_dot=[0.3, 0])
    return model.derive().compile(backend="c")


@functools.cache
def top_with_momenta(formulation: str = "TSO3") -> sl.System:
    """A slow heavy top on a cotangent bundle."""
    system = heavy_top.build(formulation=formulation).derive().compile(backend="c")
    system = system.with_parameters(fixed_point_inertia=[1.0, 2.0, 3.0], mgl=2.0)
    return system.with_initial("top", momentum=[1.0, 2.0, -0.5])


@functools.cache
def hinged_rods() -> sl.System:
    """Two rods on hinges in minimal coordinates, with friction, and a sensor with an offset at the second hinge."""
    model = sl.Model("hinged_rods")
    offset = model.parameter("offset", 0.0, unit="rad")
    level = sl.rotation(axis=[0, 1, 0], angle=np.pi / 2)
    bodies = [
        sl.RigidBody(model, name, 0.5, sl.inertia.rod(0.5, 0.3), position=[x, 0, 0], orientation=level)
        for name, x in (("upper", 0.15), ("lower", 0.45))
    ]
    shoulder = sl.RevoluteJoint(model, "shoulder", model.ground, bodies[0], at=[0, 0, 0], axis=[0, 1, 0])
    elbow = sl.RevoluteJoint(model, "elbow", *bodies, at=[0.3, 0, 0], axis=[0, 1, 0])
    for name, joint in (("shoulder_bearing", shoulder), ("elbow_bearing", elbow)):
        sl.TorsionSpring(model, name, joint, stiffness=0.0, damping=1e-3)
    model.output("sensor", [shoulder.angle, elbow.angle + offset], unit="rad")
    model.gravity([0, 0, -9.81])
    constants = [
        f"{joint}_{part}_{side}" for joint in ("shoulder", "elbow") for part in ("point", "axes") for side in "ab"
    ]
    system = sl.minimal_coordinates(model).derive().compile(backend="c", freeze=constants)
    return system.with_initial("shoulder", x=[0.1]).with_initial("elbow", x_dot=[0.5])


@functools.cache
def hinge() -> sl.System:
    """A rod on a hinge, whose pose is constrained."""
    model = sl.Model("hinge")
    rod = sl.RigidBody(model, "rod", 0.5, sl.inertia.rod(0.5, 0.3), position=[0, 0, -0.15])
    sl.RevoluteJoint(model, "pivot", model.ground, rod, at=[0, 0, 0], axis=[0, 1, 0])
    model.gravity([0, 0, -9.81])
    model.output("place", rod.x, unit="m")
    return model.derive().compile(backend="c")


@functools.cache
def redundant() -> sl.System:
    """Two particles that hang from each other, the upper one on two equal constraints in different units."""
    model = sl.Model("redundant")
    m, length = model.parameter("mass", 1.3), model.parameter("length", 1.1)
    upper, lower = model.node("upper", "R3"), model.node("lower", "R3")
    for node in (upper, lower):
        model.kinetic_energy(m * node.x_dot.dot(node.x_dot) / 2)
        model.potential_energy(9.81 * m * node.x[2])
        model.force(-0.1 * node.x_dot, at=node.x)
    model.constraint("rod", (upper.x.dot(upper.x) - length**2) / 2)
    model.constraint("same", 3 * (upper.x.dot(upper.x) - length**2))
    between = upper.x - lower.x
    model.constraint("second", (between.dot(between) - length**2) / 2)
    model.output("tip", lower.x)
    model.initial(upper, x=[0.6 * length, 0, -0.8 * length], x_dot=[0, 1, 0])
    model.initial(lower, x=[0.6 * length, 0, -1.8 * length], x_dot=[0, 1, 0])
    return model.derive().compile(backend="c").with_redundant("minimal_norm")


@functools.cache
def perpendicular() -> sl.System:
    """Two particles with perpendicular velocities, joined by a spring."""
    model = sl.Model("perpendicular_particles")
    k, m = model.parameter("stiffness", 20.0), model.parameter("mass", 2.0)
    a, b = model.node("a", "R2"), model.node("b", "R2")
    between = a.x - b.x
    model.kinetic_energy((a.x_dot.dot(a.x_dot) + m * b.x_dot.dot(b.x_dot)) / 2)
    model.potential_energy(k * between.dot(between) / 2 + 9.81 * (a.x[1] + m * b.x[1]))
    model.nonholonomic_constraint("perpendicular", a.x_dot.dot(b.x_dot))
    model.output("place", a.x)
    model.initial(a, x=[0, 0], x_dot=[1, 0])
    model.initial(b, x=[1, 0], x_dot=[0, 2])
    return model.derive().compile(backend="c")


@functools.cache
def pinned() -> sl.System:
    """Two bodies in the plane on pins, some of which are defined again in other units and combinations, with the
    multipliers of some constraints, and a state that adds them up."""
    model = sl.Model("pinned")
    m, L = model.parameter("mass", 1.3), model.parameter("length", 1.0)
    upper, lower, seen = model.node("upper", sl.SE2), model.node("lower", sl.SE2), model.state("seen", 1)
    for body, inertia in ((upper, 0.4), (lower, 0.3)):
        model.kinetic_energy(m * (body.U.dot(body.U) + inertia * body.Omega[0] ** 2) / 2)
        model.potential_energy(9.81 * m * body.x[1])
    pivot = upper.x + upper.R * sl.vector(-L / 2, 0)
    pin = upper.x + upper.R * sl.vector(L / 2, 0) - lower.x - lower.R * sl.vector(-L / 2, 0)
    at_pivot, at_pin = model.constraint("pivot", pivot), model.constraint("pin", pin)
    model.constraint("pin_again", 3 * pin)
    mixed = model.constraint("mixed", [pivot[0] + pivot[1] * upper.R[0, 0] + pin[0] * (1 + model.t)])
    model.field(seen, [at_pivot[0] * at_pin[1] / 100 + mixed[0]])
    model.output("tip", lower.x)
    model.output("seen", seen.x)
    model.output("reactions", [*at_pivot, *at_pin, *mixed])
    model.initial(upper, x=[0.5 * L, 0], Omega=[1])
    model.initial(lower, x=[1.5 * L, 0], Omega=[-2])
    return model.derive().compile(backend="c").with_redundant("minimal_norm")


@functools.cache
def cable() -> sl.System:
    """Beads on links of constant length, some of which are there twice, with topology as run-time data."""
    model, space = sl.Model("cable"), sl.group_from_name("R3")
    m, L = model.parameter("mass", 1.3), model.parameter("length", 1.0)
    beads = model.node_array("beads", space, 5)
    beads.initial(x=np.outer(np.arange(5), [0.8, 0, -0.6]))
    beads.fix(0)
    link, again = (sl.ElementType(name, left=space, right=space) for name in ("link", "again"))
    link.kinetic_energy(m * link.right.x_dot.dot(link.right.x_dot) / 2)
    link.potential_energy(9.81 * m * link.right.x[2])
    link.output("place", link.right.x)
    for element, factor in ((link, 0.5), (again, 2)):
        apart = element.right.x - element.left.x
        element.constraint("length_" + element.name, factor * (apart.dot(apart) - L**2))
    model.add(link, [(beads[k], beads[k + 1]) for k in range(4)])
    model.add(again, [(beads[k], beads[k + 1]) for k in (1, 3)])
    return model.derive().compile(backend="c").with_redundant("minimal_norm")


def differences(
    run: Callable[[sl.System], Array], system: sl.System, names: Sequence[str], relative: float | None = None
) -> Array:
    """Return the derivatives of the results of runs by all components of variables, as the last axis, from changes
    relative to the sizes of the variables."""
    found = []
    for variable in variables_of(system, names):
        step = (relative or RELATIVE) * variable.size(system)
        moved = [
            [run(consistent_start(variable.moved(system, sign * j * step), 0.0)[0]) for sign in (1, -1)]
            for j in range(1, len(WEIGHTS) + 1)
        ]
        found.append(sum(w * (after - before) for w, (after, before) in zip(WEIGHTS, moved, strict=True)) / step)
    return np.stack(found, axis=-1)
