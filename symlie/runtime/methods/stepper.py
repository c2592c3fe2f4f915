"""Steps of methods in NumPy: what all families use, and the projection. The fallback and the oracle of
compiled loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from symlie.contract.constants import CHART_LIMIT, PROJECTION_STEPS, RANK_LIMIT, VELOCITY_STEPS
from symlie.errors import (
    ConstraintDriftError,
    IntegrationError,
    NotFiniteError,
    OutsideChartError,
    SingularSystemError,
)
from symlie.runtime.implicit.iteration_matrix import TakenMatrix
from symlie.runtime.implicit.newton_iteration import NewtonCounts
from symlie.runtime.kernels.discrete import DiscreteKernels
from symlie.runtime.kernels.iteration_tables import IterationTables
from symlie.runtime.kernels.node_steps import StepKernels
from symlie.runtime.kernels.protocol import Kernels
from symlie.runtime.kernels.series import Series
from symlie.runtime.kernels.unwrapped import turned_angles
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.controllers import StepControl
from symlie.runtime.methods.family import Method
from symlie.runtime.methods.self_adjoint import composed_step
from symlie.runtime.methods.step_checks import check_drift, check_finite, is_settled
from symlie.runtime.system.system import System

ADVICE_HALVINGS = 16
"""How often a step that fails is halved to find one that does not."""


@dataclass
class State:
    """Where an integration is: time, configuration, velocity, multipliers; v' and what the method carries, if known."""

    t: float
    q: Array
    v: Array
    multipliers: Array
    acceleration: Array | None = None
    own: Array | None = None
    planned: float = 0.0
    """Length of the next step where no time that is hit exactly cuts it, in s; 0 if it is not adaptive."""


@dataclass
class Trial:
    """The result of a step that may still be tried again."""

    q: Array
    v: Array
    multipliers: Array
    acceleration: Array | None
    """v' at the end, if it can serve as the next first stage."""
    first_acceleration: Array
    """v' of the first stage, which serves again if the step is rejected."""
    rhs_evaluations: int
    increment: Array
    """Local coordinates of the step, or their sum over a chain; zero for what they do not move."""
    error: float = 0.0
    largest_constraint: float = 0.0
    largest_velocity: float = 0.0
    own: Array = field(default_factory=lambda: np.zeros(0))
    """What the method carries for itself, at the end."""
    dependent_rows: int = 0
    """Constraint rows at the end less their rank, where multipliers are those of minimal norm."""
    difference: Array | None = None
    """ŷ - y for y = (θ, v), where the error is estimated."""
    order: int = 0
    """Order of the step, of methods that choose it."""
    factor: float = 0.0
    """Factor of the length of the next step, of methods that choose it with their order."""
    is_rough: bool = False
    """Whether it is a first step over a switch that is not exact."""
    is_untried: bool = False
    """Whether the step is longer than the method may take: its error says so, and nothing was computed."""

    def estimate(
        self, control: StepControl, theta: Array, theta_hat: Array, v_n: Array, v: Array, v_hat: Array
    ) -> None:
        """Set the difference and its norm."""
        self.difference = np.concatenate([theta_hat - theta, v_hat - v])
        self.error = control.error(theta, self.difference, v_n, v)


class Stepper:
    """Takes single steps with NumPy.

    Parameters
    ----------
    system
        The system; its kernels may be compiled ones.
    method
        The method.
    control
        Whether the error is estimated, and the stabilisation.
    """

    def __init__(self, system: System, method: Method, control: StepControl) -> None:
        self.system, self.method, self.control = system, method, control
        self.mechanics = system.mechanics
        self.rows = system.layout.rows
        self.memory: dict[bytes, TakenMatrix] = {}
        """Factors at hand, to save work; see `ImplicitStep`."""
        self.newton = NewtonCounts()
        """What the iterations of the last step took, also if it failed."""
        of_nodes = None if method.is_polynomial else method.kernel_set
        self.further: StepKernels | None = system.sets.nodes(of_nodes) if of_nodes else None
        self.series: dict[tuple[float, bytes, bytes], Series] = {}
        """Series at hand of the last two states."""
        self.ends_run = False
        """Whether no step follows the one that is tried, if it is accepted."""
        self.may_be_rough = False
        """Whether a first step over a switch may be rough, since the step up to it takes its place."""

    def step(self, state: State, h: float) -> Trial:
        """The result of one step of length h, projected if that is asked for.

        The state stays as it is, except for what the method carries, where that is not known yet.

        Raises
        ------
        NotFiniteError, SingularSystemError, IndefiniteMassMatrixError, OutsideChartError, AngleStepError
            The step failed.
        """
        self.newton = NewtonCounts()
        try:
            with np.errstate(all="ignore"):
                if state.own is None:
                    state.own = self.method.begin(self, state, h)
                composition = self.method.composition
                if composition is None:
                    trial = self.single_step(state, h)
                else:
                    trial = composed_step(self, state, h, composition)
                position, velocity = self.control.project_position, self.control.project_velocity
                if self.rows and (position or velocity):
                    self.project(state, h, trial, position=position, velocity=velocity)
                if self.mechanics.saddle_algebra is not None:
                    self._make_minimal(trial, state.t + h)
                return trial
        except np.linalg.LinAlgError as error:
            raise SingularSystemError(str(error)) from error

    def discrete(self, name: str, has_matrix: bool) -> tuple[DiscreteKernels, IterationTables | None]:
        """The kernels of a discrete Lagrangian, and where the values of its matrix belong, if it is wanted."""
        kernels = self.system.sets.discrete(name)
        return kernels, self.system.sets.discrete_matrix(name, self.mechanics.massless) if has_matrix else None

    def end_tables(self, name: str) -> IterationTables | None:
        """Where the values of the matrix at the end of a step belong, if loads there depend on velocities."""
        if not self.system.sets.discrete(name).loads_see_velocity:
            return None
        return self.system.sets.discrete_matrix(name, self.mechanics.massless)

    def single_step(self, state: State, h: float) -> Trial:
        """The result of one step of the method itself, which may be one of several that a step is composed of."""
        m = self.mechanics
        trial = self.method.step(self, state, h)
        check_finite(self.system.layout, trial)
        if self.method.is_polynomial:
            return trial  # polynomials have followed angles
        begin, end = (state.t, state.q, state.v), (state.t + h, trial.q, trial.v)
        trial.q = turned_angles(m.kernels, m.layout, m.p, begin, end)
        return trial

    def moving(self, rate: Array) -> Array:
        """A rate without the node types of which nothing is integrated: they may turn by any angle within a step."""
        return np.where(self.system.layout.moves, rate, 0.0)

    def advance(self, q: Array, theta: Array, coordinates: Kernels | StepKernels | None = None) -> Array:
        """q∘exp(θ), or in other coordinates, for an increment within the chart."""
        self.check_chart(q, theta, coordinates)
        return (coordinates or self.mechanics.kernels).advance(q, theta)

    def check_chart(
        self, q: Array, theta: Array, coordinates: Kernels | StepKernels | None = None, *, times: float = 1.0
    ) -> None:
        """Check that an increment is finite, and that several times its angles are within the chart."""
        self.check("rate of the local coordinates", theta)
        if times**2 * (coordinates or self.mechanics.kernels).chart(q, theta) >= CHART_LIMIT:
            raise OutsideChartError("A rotation increment within one step reached 2π.")

    def check(self, what: str, values: Array) -> None:
        """Check a vector over velocity components, and name the first one that is not finite."""
        if not np.all(np.isfinite(values)):
            component = int(np.flatnonzero(~np.isfinite(values))[0])
            raise NotFiniteError(f"The {what} is not finite at {self.system.layout.velocity_name(component)}")

    def turned(self, trial: Trial) -> Array:
        """How far each angle turned by the increment of a trial, in rad, shape (angles,)."""
        return self.method.angles(trial.increment[self.system.layout.angles.component])

    def stored_size(self, x: Array, scale: Array) -> float:
        """The largest stored component of all nodes that move, relative to the least scale of its node."""
        sizes = [0.0]
        for node in self.system.layout.nodes:
            if self.system.layout.moves[node.velocity].any():
                stored = np.abs(x[node.storage]).reshape(node.count, -1).max(axis=1)
                least = scale[node.velocity].reshape(node.count, -1).min(axis=1)
                sizes.append(float((stored / least).max()))
        return max(sizes)

    def force(self, t: float, q: Array, v: Array) -> Array:
        """-g, checked."""
        force = self.mechanics.force(t, q, v)
        self.check("force", force)
        return -force

    def acceleration(self, t: float, q: Array, v: Array, multipliers: Array) -> tuple[Array, Array]:
        """v' of a stage, and with constraints its λ, else those that were given."""
        m = self.mechanics
        if self.rows:
            acceleration, multipliers = m.index1(t, q, v)
            self.check("acceleration", acceleration)
            return acceleration, multipliers
        return m.solver.solve_mass(m.mass(t, q), self.force(t, q, v)), multipliers

    def stage(self, state: State, stage: int, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        """v' and λ of a stage; those of the first one may be known from the step before."""
        if stage == 0 and state.acceleration is not None:
            return state.acceleration, state.multipliers
        return self.acceleration(t, q, v, state.multipliers)

    def trial(self, state: State, q: Array, v: Array, v_dot: list[Array], stages: int, theta: Array) -> Trial:
        """A trial that ends with (q, v) after a number of stages and an increment θ, or a sum of increments."""
        self.check("velocity", v)
        evaluations = stages - int(state.acceleration is not None)
        return Trial(self.mechanics.kernels.normalize(q), v, state.multipliers, None, v_dot[0], evaluations, theta)

    def measure(self, trial: Trial, t: float, q: Array, v: Array, jacobian: Array) -> None:
        """Largest entries of Φ and of B v + b."""
        trial.largest_constraint = float(np.abs(self.mechanics.constraint(t, q)).max())
        trial.largest_velocity = float(np.abs(self.mechanics.hidden_residual(t, q, v, jacobian)).max())

    def _make_minimal(self, trial: Trial, t: float) -> None:
        """Take the multipliers of minimal norm, where rows may depend on each other."""
        m = self.mechanics
        jacobian = m.jacobian(t, trial.q, trial.v)
        dependent = m.dependent_rows(jacobian)
        if dependent is None:
            return
        residual = m.hidden_residual(t, trial.q, trial.v, jacobian)
        speed, limit = max(1.0, float(np.abs(trial.v).max())), self.control.hidden_limit
        # Rows that were set aside at the start of the step may be independent at its end.
        is_left = limit > 0 and not float(np.abs(residual).max()) <= limit * speed
        if is_left or dependent.contradict(residual, RANK_LIMIT * speed):
            row = int(np.argmax(np.abs(residual)))
            name = self.system.layout.row_name(row)
            raise ConstraintDriftError(f"In {name} B v + b = {residual[row]:.3g}, which contradicts other rows")
        trial.multipliers, trial.dependent_rows = dependent.minimal(trial.multipliers), dependent.count

    def project(self, state: State, h: float, trial: Trial, *, position: bool, velocity: bool) -> None:
        """Move the end of a step from a state onto the constraints; see ``projection.h``.

        Parameters
        ----------
        state, h, trial
            The step.
        position, velocity
            What is projected.

        Raises
        ------
        NotFiniteError, SingularSystemError, IndefiniteMassMatrixError
            There is no projection.
        """
        m, k = self.mechanics, self.mechanics.kernels
        end, zero = state.t + h, np.zeros_like(trial.v)
        if position:
            previous = np.inf
            mass, start = m.mass(state.t, state.q), m.jacobian(state.t, state.q, state.v)
            for _ in range(PROJECTION_STEPS):
                residual = m.constraint(end, trial.q)
                largest = float(np.abs(residual).max())
                # Newton's method converges quadratically here until round-off, where it stops to gain.
                if not largest > 0 or largest > 0.5 * previous:
                    break
                previous = largest
                delta, _ = m.saddle(mass, start, m.jacobian(end, trial.q, trial.v), zero, -residual)
                trial.q = k.normalize(m.moved(trial.q, delta))
        if velocity:
            for _ in range(VELOCITY_STEPS if m.layout.has_nonlinear_rows else 1):
                jacobian = m.jacobian(end, trial.q, trial.v)
                residual = m.hidden_residual(end, trial.q, trial.v, jacobian)
                delta = m.along_constraints(end, trial.q, jacobian, -residual)
                trial.v = trial.v + delta
                if is_settled(delta, trial.v):
                    break
        trial.acceleration = None
        self.measure(trial, end, trial.q, trial.v, m.jacobian(end, trial.q, trial.v))
        check_finite(self.system.layout, trial)


def weighted(weights: Array | Sequence[float], slopes: Sequence[Array]) -> Array:
    """Σ weight·slope over the slopes that there are."""
    return np.asarray(sum(weights[j] * slope for j, slope in enumerate(slopes)))


def explained(
    system: System, method: Method, control: StepControl, state: State, h: float, kind: type[IntegrationError]
) -> IntegrationError | None:
    """Where a step fails in this way, as a sentence without its end; None if it does not."""
    stepper = Stepper(system, method, control)
    try:
        trial = stepper.step(state, h)
        if stepper.rows:
            check_drift(system, trial, state.t + h)
        for t, at in ((state.t, state), (state.t + h, trial)):
            values = system.mechanics.events(t, at.q, at.v, at.multipliers)
            if np.isnan(values).any():
                return NotFiniteError(f"Event '{system.layout.events[int(np.flatnonzero(np.isnan(values))[0])].name}'")
    except IntegrationError as error:
        return error if isinstance(error, kind) else None
    return None


def possible_step(system: System, method: Method, control: StepControl, state: State, h: float) -> float | None:
    """The largest of h/2, h/4, … of which a step can be taken; None if all of `ADVICE_HALVINGS` fail."""
    for halvings in range(1, ADVICE_HALVINGS + 1):
        try:
            Stepper(system, method, control).step(replace(state, own=state.own), h * 0.5**halvings)
        except IntegrationError:
            continue
        return h * 0.5**halvings
    return None
