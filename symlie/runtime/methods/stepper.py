"""Steps of methods in NumPy: the common part of all families, and the projection. They are the fallback and the
reference of the compiled time loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from symlie.contract.constants import CHART_LIMIT, PROJECTION_STEPS, RANK_LIMIT, VELOCITY_STEPS
from symlie.errors import (
    ConstraintDriftError,
    IntegrationError,
    NotFiniteError,
    OutsideChartError,
    SingularSystemError,
)
from symlie.runtime.implicit.contact_equations import ContactMatrix
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
from symlie.runtime.steps.program import Program
from symlie.runtime.system.contacts.table import ContactTable
from symlie.runtime.system.system import System

ADVICE_HALVINGS = 16
"""Largest number of halvings of the length of a failed step in the search for a length that succeeds."""


@dataclass
class State:
    """State of an integration: time, configuration, velocity and multipliers, and v' and method history if known."""

    t: float
    q: Array
    v: Array
    multipliers: Array
    acceleration: Array | None = None
    own: Array | None = None
    planned: float = 0.0
    """Length of the next step, in s, which a stop time may shorten; 0 for fixed steps."""


@dataclass
class Trial:
    """Result of an attempted step."""

    q: Array
    v: Array
    multipliers: Array
    acceleration: Array | None
    """v' at the end if the next step can reuse it as its first stage."""
    first_acceleration: Array
    """v' of the first stage, reused after a rejection."""
    rhs_evaluations: int
    increment: Array
    """Local coordinates of the step, summed over a composition; zero for nodes that increments do not move."""
    error: float = 0.0
    largest_constraint: float = 0.0
    largest_velocity: float = 0.0
    own: Array = field(default_factory=lambda: np.zeros(0))
    """Method history at the end."""
    dependent_rows: int = 0
    """Number of dependent constraint equations at the end; multipliers then have minimal norm."""
    difference: Array | None = None
    """ŷ - y for y = (θ, v), if the error is estimated."""
    order: int = 0
    """Order of the step, for methods that choose it."""
    factor: float = 0.0
    """Factor of the length of the next step, for methods that choose it."""
    is_rough: bool = False
    """True for an inaccurate first step across a switch."""
    is_untried: bool = False
    """True if the step exceeds the limit of the method; nothing is computed except the error."""

    def estimate(
        self, control: StepControl, theta: Array, theta_hat: Array, v_n: Array, v: Array, v_hat: Array
    ) -> None:
        """Store the difference and its norm."""
        self.difference = np.concatenate([theta_hat - theta, v_hat - v])
        self.error = control.error(theta, self.difference, v_n, v)


class Stepper:
    """Single steps with NumPy; the kernels of the system may be compiled."""

    def __init__(self, system: System, method: Method, control: StepControl) -> None:
        self.system, self.method, self.control = system, method, control
        self.mechanics = system.mechanics
        self.rows, self.steps_over = system.layout.rows, method.steps_over(system.layout)
        self.memory: dict[bytes, TakenMatrix] = {}
        """Cache of factors; see `ImplicitStep`."""
        self.newton = NewtonCounts()
        """Iteration counts of the last step, even if it failed."""
        of_nodes = None if method.is_polynomial else method.kernel_set
        self.further: StepKernels | None = system.sets.nodes(of_nodes) if of_nodes else None
        self.series: dict[tuple[float, bytes, bytes], Series] = {}
        """Cache of the series of the last two states."""
        self.programs: dict[str, tuple[Program, Program]] = {}
        """Steps of methods by name."""
        self.ends_run = False
        """True if the run ends with the attempted step."""
        self.may_be_rough = False
        """True if a first step across a switch may be inaccurate, since the step up to the switch replaces it."""

    @cached_property
    def contacts(self) -> tuple[ContactTable, ContactMatrix]:
        """Contacts of the system, and the elimination of their equations in time stepping."""
        table = ContactTable(self.mechanics)
        return table, ContactMatrix(self.mechanics, table)

    def step(self, state: State, h: float) -> Trial:
        """Compute one step of length h, and project its result if requested; a missing method history of the state is
        initialised."""
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
        """Return the kernels of a discrete Lagrangian and, if requested, the positions of the values of its matrix."""
        kernels = self.system.sets.discrete(name)
        return kernels, self.system.sets.discrete_matrix(name, self.mechanics.massless) if has_matrix else None

    def end_tables(self, name: str) -> IterationTables | None:
        """Return the positions of the matrix values at the end of a step, or None if loads there do not depend on
        velocities."""
        if not self.system.sets.discrete(name).loads_see_velocity:
            return None
        return self.system.sets.discrete_matrix(name, self.mechanics.massless)

    def single_step(self, state: State, h: float) -> Trial:
        """Compute one step of the method itself, possibly a substep of a composition."""
        m = self.mechanics
        trial = self.method.step(self, state, h)
        check_finite(self.system.layout, trial)
        if self.method.is_polynomial:
            return trial  # polynomials follow angles themselves
        begin, end = (state.t, state.q, state.v), (state.t + h, trial.q, trial.v)
        trial.q = turned_angles(m.kernels, m.layout, m.p, begin, end)
        return trial

    def moving(self, rate: Array) -> Array:
        """Return a rate without node types that are not integrated; the rotation of such nodes within a step is not
        limited."""
        return np.where(self.system.layout.moves, rate, 0.0)

    def advance(self, q: Array, theta: Array, coordinates: Kernels | StepKernels | None = None) -> Array:
        """Return q∘exp(θ), or its equivalent in other coordinates, for an increment in the domain of the local
        coordinates."""
        self.check_chart(q, theta, coordinates)
        return (coordinates or self.mechanics.kernels).advance(q, theta)

    def check_chart(self, q: Array, theta: Array, coordinates: Kernels | StepKernels | None = None) -> None:
        """Check that an increment is finite, and that its angles are in the domain of the local coordinates."""
        self.check("rate of the local coordinates", theta)
        self.check_angle((coordinates or self.mechanics.kernels).chart(q, theta))

    def check_angle(self, squared: float) -> None:
        """Check the square of an angle."""
        if squared >= CHART_LIMIT:
            raise OutsideChartError("A rotation increment within one step reached 2π.")

    def check(self, what: str, values: Array) -> None:
        """Raise a NotFiniteError that names the first velocity component of a vector that is not finite."""
        if not np.all(np.isfinite(values)):
            component = int(np.flatnonzero(~np.isfinite(values))[0])
            raise NotFiniteError(f"The {what} is not finite at {self.system.layout.velocity_name(component)}")

    def turned(self, trial: Trial) -> Array:
        """Return the rotation of each angle by the increment of a trial, in rad, shape (angles,)."""
        return self.method.angles(trial.increment[self.system.layout.angles.component])

    def stored_size(self, x: Array, scale: Array) -> float:
        """Return the largest stored component of all moving nodes, relative to the smallest length scale of its
        node."""
        sizes = [0.0]
        for node in self.system.layout.nodes:
            if self.system.layout.moves[node.velocity].any():
                stored = np.abs(x[node.storage]).reshape(node.count, -1).max(axis=1)
                least = scale[node.velocity].reshape(node.count, -1).min(axis=1)
                sizes.append(float((stored / least).max()))
        return max(sizes)

    def force(self, t: float, q: Array, v: Array) -> Array:
        """Return -g after checking that it is finite."""
        force = self.mechanics.force(t, q, v)
        self.check("force", force)
        return -force

    def acceleration(self, t: float, q: Array, v: Array, multipliers: Array) -> tuple[Array, Array]:
        """Return v' of a stage with its λ if the model has constraints, otherwise with the given λ."""
        m = self.mechanics
        if self.rows:
            acceleration, multipliers = m.index1(t, q, v)
            self.check("acceleration", acceleration)
            return acceleration, multipliers
        return m.solver.solve_mass(m.mass(t, q), self.force(t, q, v)), multipliers

    def renew_velocities(self, state: State, x: float, trial: Trial) -> None:
        """Replace the velocities at the end of a short step of an index-3 method by v + x v' of its start."""
        m = self.mechanics
        if not (self.rows and self.method.divides_increments) or self.system.layout.has_fields:
            return
        acceleration, _ = m.index1(state.t, state.q, state.v)
        trial.v = state.v + x * acceleration
        m.prescribe(state.t + x, trial.q, trial.v)

    def renew_multipliers(self, t: float, trial: Trial) -> None:
        """Replace the multipliers at the end of a step of any length by those of the acceleration-level system, since
        most methods divide hidden constraints by the length; in time stepping they are impulses of the step."""
        if self.rows and not (self.method.is_polynomial or self.steps_over):
            _, trial.multipliers = self.acceleration(t, trial.q, trial.v, trial.multipliers)

    def events(self, t: float, q: Array, v: Array, multipliers: Array) -> Array:
        """Return the event functions; in time stepping those of contacts have no zeros."""
        values = self.mechanics.events(t, q, v, multipliers)
        return np.where(self.system.layout.contact_of_event >= 0, 1.0, values) if self.steps_over else values

    def stage(self, state: State, stage: int, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        """Return v' and λ of a stage; for the first stage they may be known from the previous step."""
        if stage == 0 and state.acceleration is not None:
            return state.acceleration, state.multipliers
        return self.acceleration(t, q, v, state.multipliers)

    def trial(self, state: State, q: Array, v: Array, v_dot: list[Array], stages: int, theta: Array) -> Trial:
        """Return a trial with the end (q, v), the number of stages, and an increment θ or a sum of increments."""
        self.check("velocity", v)
        evaluations = stages - int(state.acceleration is not None)
        return Trial(self.mechanics.kernels.normalize(q), v, state.multipliers, None, v_dot[0], evaluations, theta)

    def measure(self, trial: Trial, t: float, q: Array, v: Array, jacobian: Array) -> None:
        """Store the largest entries of Φ and of B v + b at the end of a trial step."""
        trial.largest_constraint = float(np.abs(self.mechanics.constraint(t, q)).max())
        trial.largest_velocity = float(np.abs(self.mechanics.hidden_residual(t, q, v, jacobian)).max())

    def _make_minimal(self, trial: Trial, t: float) -> None:
        """Replace the multipliers of redundant constraints by the solution of minimal norm."""
        m = self.mechanics
        jacobian = m.jacobian(t, trial.q, trial.v)
        dependent = m.dependent_rows(jacobian)
        if dependent is None:
            return
        residual = m.hidden_residual(t, trial.q, trial.v, jacobian)
        speed, limit = max(1.0, float(np.abs(trial.v).max())), self.control.hidden_limit
        # Equations that were dependent at the start of the step may be independent at its end.
        is_left = limit > 0 and not float(np.abs(residual).max()) <= limit * speed
        if is_left or dependent.contradict(residual, RANK_LIMIT * speed):
            row = int(np.argmax(np.abs(residual)))
            name = self.system.layout.row_name(row)
            raise ConstraintDriftError(
                f"In {name} B v + b = {residual[row]:.3g}, which contradicts other constraint equations"
            )
        trial.multipliers, trial.dependent_rows = dependent.minimal(trial.multipliers), dependent.count

    def project(self, state: State, h: float, trial: Trial, *, position: bool, velocity: bool) -> None:
        """Project the position or velocity at the end of a step onto the constraints; see ``projection.h``."""
        m, k = self.mechanics, self.mechanics.kernels
        end, zero = state.t + h, np.zeros_like(trial.v)
        if position:
            previous = np.inf
            mass, start = m.mass(state.t, state.q), m.jacobian(state.t, state.q, state.v)
            for _ in range(PROJECTION_STEPS):
                residual = m.constraint(end, trial.q)
                largest = float(np.abs(residual).max())
                # Newton's method converges quadratically here until round-off prevents further reduction.
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
    """Return Σ weight·slope over the given slopes."""
    return np.asarray(sum(weights[j] * slope for j, slope in enumerate(slopes)))


def explained(
    system: System, method: Method, control: StepControl, state: State, h: float, kind: type[IntegrationError]
) -> IntegrationError | None:
    """Return the error of a failed step with a phrase that locates the failure, or None."""
    stepper = Stepper(system, method, control)
    try:
        trial = stepper.step(state, h)
        if stepper.rows:
            check_drift(system, method, trial, state.t + h)
        for t, at in ((state.t, state), (state.t + h, trial)):
            values = system.mechanics.events(t, at.q, at.v, at.multipliers)
            if np.isnan(values).any():
                return NotFiniteError(f"Event '{system.layout.events[int(np.flatnonzero(np.isnan(values))[0])].name}'")
    except IntegrationError as error:
        return error if isinstance(error, kind) else None
    return None


def possible_step(system: System, method: Method, control: StepControl, state: State, h: float) -> float | None:
    """Return the largest successful step size among h/2, h/4, …; None if all `ADVICE_HALVINGS` fail."""
    for halvings in range(1, ADVICE_HALVINGS + 1):
        try:
            Stepper(system, method, control).step(replace(state, own=state.own), h * 0.5**halvings)
        except IntegrationError:
            continue
        return h * 0.5**halvings
    return None
