"""Torques and forces on joint coordinates: springs, friction, actuators, controllers; set-point profiles."""

from __future__ import annotations

from sympy import Expr, sqrt

from symlie.elements.joints.motions import MovingJoint
from symlie.errors import ModelError
from symlie.ir.program import depends_on
from symlie.modeling.expressions import components, select
from symlie.modeling.model import Model
from symlie.utilities.showing import line


class JointLoad:
    """Base of springs, friction, actuators and controllers on a coordinate of a joint."""

    def __init__(self, model: Model, name: str, joint: MovingJoint, coordinate: str | None) -> None:
        if not isinstance(joint, MovingJoint):
            raise ModelError(f"'{name}' acts on a coordinate of a joint, such as a hinge, not on {joint!r}.")
        if joint.model is not model:
            raise ModelError(f"'{name}' acts on joint '{joint.name}', which does not belong to '{model.name}'.")
        self.name: str = name
        self.joint: MovingJoint = joint
        self.coordinate: str = joint.coordinate_names[0] if coordinate is None else coordinate

    def __repr__(self) -> str:
        return line(type(self).__name__, [self.name, f"{self.coordinate} of {self.joint.name}"])

    def _apply(self, effort: Expr) -> None:
        self.joint.load(effort, self.coordinate)
        self.joint.model.output(f"{self.name}_effort", effort, unit=self.joint.effort_unit(self.coordinate))


class TorsionSpring(JointLoad):
    """A spring and a damper on a coordinate of a joint: V = k (c - c₀)²/2, and -d c'.

    All values are parameters of the model: NAME_stiffness, NAME_rest and NAME_damping.

    Parameters
    ----------
    model
        The model.
    name
        Name of the spring.
    joint
        The joint.
    stiffness
        k, in N m/rad, or N/m for a displacement.
    rest
        c₀, in rad or m; by default the value of the coordinate in the initial configuration.
    damping
        d, in N m s/rad or N s/m; zero by default.
    coordinate
        Name of the coordinate; the first of the joint by default.
    """

    def __init__(
        self,
        model: Model,
        name: str,
        joint: MovingJoint,
        *,
        stiffness: float,
        rest: float | None = None,
        damping: float = 0.0,
        coordinate: str | None = None,
    ) -> None:
        super().__init__(model, name, joint, coordinate)
        start = joint.initial_coordinate(self.coordinate) if rest is None else rest
        k = model.parameter(f"{name}_stiffness", stiffness)
        zero = model.parameter(f"{name}_rest", start)
        d = model.parameter(f"{name}_damping", damping)
        model.potential_energy(k * (joint.coordinate(self.coordinate) - zero) ** 2 / 2)
        if damping:
            joint.load(-d * joint.coordinate_rate(self.coordinate), self.coordinate)


class JointFriction(JointLoad):
    """Friction on a coordinate of a joint: -T c'/√(c'² + ε²) - d c', with the output NAME_effort.

    Coulomb's law with a specified torque or force T, regularised below the rate ε: a joint at rest under a load L < T
    creeps at the rate ε L/√(T² - L²). `Model.friction` sticks exactly, and may follow the reaction of the joint. All
    values are parameters of the model: NAME_coulomb, NAME_creep and NAME_viscous. Near rest, friction adds an
    eigenvalue of magnitude T/(J ε), with the inertia J of the moving parts, which may make the equations stiff: see
    `generalized_alpha`.

    Parameters
    ----------
    model
        The model.
    name
        Name of the friction.
    joint
        The joint.
    coulomb
        T, in N m or N. It cannot depend on the reaction of the joint; see `Model.friction`.
    creep
        ε, in rad/s or m/s.
    viscous
        d, in N m s/rad or N s/m; zero by default.
    coordinate
        Name of the coordinate; the first of the joint by default.

    Raises
    ------
    ModelError
        If T or d is negative, or if ε is not positive.
    """

    def __init__(
        self,
        model: Model,
        name: str,
        joint: MovingJoint,
        *,
        coulomb: float,
        creep: float = 1e-3,
        viscous: float = 0.0,
        coordinate: str | None = None,
    ) -> None:
        super().__init__(model, name, joint, coordinate)
        if depends_on(model.program, components(coulomb), model.multipliers):
            raise ModelError(
                f"Friction '{name}' of joint '{joint.name}' depends on a reaction, which is known only after the "
                "equations of motion are solved; use model.friction(joint, coefficient, radius=…)."
            )
        if not (coulomb >= 0 and viscous >= 0 and creep > 0):
            raise ModelError(
                f"Friction '{name}' of joint '{joint.name}' needs coulomb and viscous that are not negative, and a "
                "positive creep."
            )
        stated = {"coulomb": coulomb, "creep": creep, "viscous": viscous}
        T, epsilon, d = (model.parameter(f"{name}_{what}", value) for what, value in stated.items())
        rate = joint.coordinate_rate(self.coordinate)
        self._apply(-T * rate / sqrt(rate**2 + epsilon**2) - d * rate)


class Actuator(JointLoad):
    """A motor or a cylinder: a torque or a force on a coordinate of a joint, with the output NAME_effort.

    Parameters
    ----------
    model
        The model.
    name
        Name of the actuator.
    joint
        The joint.
    effort
        In N m or N: an expression of the time, such as `Model.piecewise_linear`, of inputs, coordinates and rates.
    coordinate
        Name of the coordinate; the first of the joint by default.
    """

    def __init__(
        self, model: Model, name: str, joint: MovingJoint, effort: object, *, coordinate: str | None = None
    ) -> None:
        super().__init__(model, name, joint, coordinate)
        (stated,) = components(effort)
        self._apply(stated)


class JointController(JointLoad):
    """A controller of a coordinate of a joint: P (u - c) + D (u' - c'), with the output NAME_effort.

    Gains are the parameters NAME_P and NAME_D of the model. Angles are unwrapped, so the effort is continuous over full
    turns; c' is the rate of the joint, and u' the derivative of the set point, at the current time.

    Parameters
    ----------
    model
        The model.
    name
        Name of the controller.
    joint
        The joint.
    P, D
        Gains, in N m/rad and N m s/rad, or N/m and N s/m.
    target
        Set point u, in rad or m: an expression of the time and of parameters, such as `two_parabolas` or
        `Model.piecewise_linear`.
    coordinate
        Name of the coordinate; the first of the joint by default.
    """

    def __init__(
        self,
        model: Model,
        name: str,
        joint: MovingJoint,
        *,
        P: float,
        D: float,
        target: object,
        coordinate: str | None = None,
    ) -> None:
        super().__init__(model, name, joint, coordinate)
        (u,) = components(target)
        proportional, derivative = model.parameter(f"{name}_P", P), model.parameter(f"{name}_D", D)
        rate = model.rate(u) if u.free_symbols else 0
        error = u - joint.coordinate(self.coordinate)
        self._apply(proportional * error + derivative * (rate - joint.coordinate_rate(self.coordinate)))


def two_parabolas(model: Model, name: str, start: float, goal: float, *, begin: float = 0.0, end: float = 1.0) -> Expr:
    """Return a function of time from one value to another with constant acceleration, then constant deceleration.

    Start and goal are the parameters NAME_start and NAME_goal; steps end at the times of its switches, NAME_times.

    Parameters
    ----------
    model
        The model.
    name
        Name of the profile.
    start, goal
        Values before ``begin`` and after ``end``.
    begin, end
        Times, in s.

    Returns
    -------
    Expr
        The function.
    """
    if not begin < end:
        raise ModelError(f"Profile '{name}' begins at {begin:g} s and ends at {end:g} s; it needs a duration.")
    first, last = model.parameter(f"{name}_start", start), model.parameter(f"{name}_goal", goal)
    t0, t1, t2 = model.parameter(f"{name}_times", [begin, (begin + end) / 2, end], unit="s")
    model.breakpoints.append(f"{name}_times")
    half = 2 * (last - first) / (t2 - t0) ** 2
    # Choose the derivatives from the right at the start of a run.
    rising = select(t0 - model.t, first, first + half * (model.t - t0) ** 2)
    falling = select(model.t - t2, last, last - half * (t2 - model.t) ** 2)
    found: Expr = select(model.t - t1, falling, rising)
    return found
