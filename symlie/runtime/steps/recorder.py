"""StepRecorder of step programs: the object ``s`` to which a method writes its step.

Instructions that a system does not need are omitted, and an instruction with the inputs of an earlier one has its
results.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from symlie.errors import ModelError
from symlie.runtime.steps.calls import recorded
from symlie.runtime.steps.equations import Solve
from symlie.runtime.steps.expressions import Scalar
from symlie.runtime.steps.implicit_instructions import ImplicitEnd
from symlie.runtime.steps.instructions import (
    HISTORY,
    Carried,
    Carry,
    End,
    ErrorNorm,
    Kernel,
    Residuals,
    Result,
    Sum,
)
from symlie.runtime.steps.multistep_recorder import MultistepRecorder
from symlie.runtime.steps.program import Program
from symlie.runtime.steps.stage_instructions import NextPoint, Stage
from symlie.runtime.steps.values import (
    NO_JACOBIAN,
    START_LAMBDA,
    Acceleration,
    Algebra,
    Configuration,
    ImplicitValues,
    Jacobian,
    Multiplier,
    StageValues,
    Velocity,
)


class StepRecorder(MultistepRecorder):
    """Records the step of a method from t to t + h.

    Parameters
    ----------
    features
        Features of the system.
    coordinates
        Local coordinates of the step: ``exp``, ``cayley`` or ``second_kind``.
    history
        Numbers of earlier states to keep for another method, by part; see `Program.history`.

    Attributes
    ----------
    q, v
        Configuration and velocity at the start of the step.
    h
        Length of the step.
    projects
        1 if the run projects the ends of steps onto the constraints, otherwise 0.

    Raises
    ------
    ModelError
        A value is of the wrong kind, or instructions are out of order; the message names the line of the method.
    """

    def program(self) -> Program:
        """Return the recorded program."""
        if not self._has_end:
            raise ModelError("A step has no end: record s.end(q, v, theta).")
        for sentence in self._contradictions():
            raise ModelError(sentence)
        first_steps = self._first_steps or max(self._history.values(), default=0)
        return Program(self._needed_lines(), self._features, self._coordinates, first_steps)

    def _contradictions(self) -> Iterator[str]:
        """Yield a sentence for each pair of instructions that contradict each other."""
        instructions = [line.instruction for line in self._lines]
        is_implicit = any(isinstance(x, ImplicitEnd) for x in instructions)
        if not is_implicit and any(x.title == "hidden_violation" for x in instructions):
            yield "s.hidden_violation belongs to implicit steps; this step has no s.implicit_end."
        kept = {x.name for x in instructions if isinstance(x, Carry)}
        for name in (x.name for x in instructions if isinstance(x, Carried) and x.name not in kept):
            yield f"A step reads the carried array {name!r}, but does not pass it to the next step; record s.carry."
        if self._carries and self._history:
            yield "A step reads earlier states and carries arrays; use s.previous or s.carry alone."

    def first_values(self) -> Program:
        """Return the recorded initial values of the arrays that the method carries."""
        return Program(self._needed_lines(), self._features, self._coordinates)

    @recorded
    def first_jacobian(self) -> Jacobian:
        """Return B at the start of the step, which determines the redundant constraint equations of its stages."""
        self._first_jacobian = self.jacobian(0.0, self.q, self.v)
        if self._features.constrained and self._features.has_redundant_rows:
            self._record(Solve("dependent_rows", (self._first_jacobian,)))
        return self._first_jacobian

    @recorded
    def jacobian(self, c: float, q: Configuration, v: Velocity) -> Jacobian:
        """Return B at t + c h.

        Parameters
        ----------
        c
            Node, dimensionless.
        q
            Configuration.
        v
            Velocity, on which B depends only if constraints are nonlinear in the velocities.
        """
        if not self._features.constrained:
            return NO_JACOBIAN
        v = v if self._features.has_nonlinear_rows else self.v
        return self._one(Jacobian, Kernel("jacobian", (q, v), float(c)))

    @property
    def _is_half_explicit(self) -> bool:
        """True if stages satisfy hidden constraints at the following stage; with acceleration-level constraints all of
        them are satisfied within the stage."""
        return self._features.constrained and not self._features.has_acceleration_rows

    @recorded
    def first_stage(self, jacobian: Jacobian) -> StageValues:
        """Return v' at the start of the step for the λ there; if M is singular, solve for both.

        Parameters
        ----------
        jacobian
            B there.
        """
        if not (self._is_half_explicit and self._features.mass_is_regular):
            return self.stage(0.0, self.q, self.v)
        found = self._record(Stage(0.0, self.q, self.v, True, jacobian, START_LAMBDA))
        stage = self._stage_values(0.0, self.q, self.v, found)
        self._first_acceleration = stage.acceleration
        return stage

    @recorded
    def stage_between(
        self,
        point: tuple[float, Configuration, Velocity, Jacobian],
        following: tuple[float, Configuration],
        weights: Sequence[float],
        accelerations: Sequence[Acceleration],
    ) -> StageValues:
        """Return a stage whose v' satisfies the hidden constraints at the following point.

        Parameters
        ----------
        point
            Node, state and B of the stage.
        following
            Node and configuration of the following point.
        weights
            Weights of v' in the velocity there; the last one belongs to this stage.
        accelerations
            v' of all earlier stages.
        """
        c, q, v, _ = point
        if not self._is_half_explicit:
            return self.stage(c, q, v)
        known, guess = self._known_velocity(following, weights, accelerations), None
        if self._features.has_nonlinear_rows:
            guess = known
            for latest in accelerations[-1:]:
                guess = self._moved(known, weights[-1], latest)
            guess = self._velocity_at(*following, guess)
        return self._between(point, following, known, weights[-1], guess, keeps_mass=False)

    @recorded
    def repeated_velocity(
        self,
        point: tuple[float, Configuration, Velocity, Jacobian],
        following: tuple[float, Configuration],
        weights: Sequence[float],
        accelerations: Sequence[Acceleration],
        guess: Velocity,
    ) -> Velocity:
        """Return the velocity at another following point, with the last stage repeated so that it satisfies the hidden
        constraints.

        Parameters
        ----------
        point, following, weights
            As for `stage_between`.
        accelerations
            v' of all stages.
        guess
            The velocity approximately.
        """
        if not self._is_half_explicit:
            return self.velocity(self.v, weights, accelerations)
        known = self._known_velocity(following, weights, accelerations[:-1])
        guess = guess if self._features.has_nonlinear_rows else known
        stage = self._between(point, following, known, weights[-1], guess, keeps_mass=True)
        return self._moved(known, weights[-1], stage.acceleration)

    def _moved(self, known: Velocity, weight: float, acceleration: Acceleration) -> Velocity:
        """Return known + h weight·v'."""
        return self._one(Velocity, Sum(Velocity, known, 1.0, (self.h * float(weight),), (acceleration,)))

    def _known_velocity(
        self, following: tuple[float, Configuration], weights: Sequence[float], accelerations: Sequence[Acceleration]
    ) -> Velocity:
        """Return the part of a velocity from earlier stages."""
        return self._velocity_at(*following, self.velocity(self.v, weights[: len(accelerations)], accelerations))

    def _between(
        self,
        point: tuple[float, Configuration, Velocity, Jacobian],
        following: tuple[float, Configuration],
        known: Velocity,
        weight: float,
        guess: Velocity | None,
        *,
        keeps_mass: bool,
    ) -> StageValues:
        (c, q, v, jacobian), (next_c, next_q) = point, following
        next_jacobian = self.jacobian(next_c, next_q, known if guess is None else guess)
        guess = guess if self._features.has_nonlinear_rows else None
        condition = NextPoint(float(next_c), next_q, next_jacobian, known, float(weight), guess, keeps_mass)
        stage = Stage(float(c), q, v, jacobian=jacobian, condition=condition)
        return self._stage_values(float(c), q, v, self._record(stage))

    @recorded
    def end(self, q: Configuration, v: Velocity, theta: Algebra, *, on_group: bool = True) -> Configuration:
        """End the step, and return its q after one step back to the group.

        Parameters
        ----------
        q, v
            State at the end.
        theta
            Increment of the step, or the sum of its increments.
        on_group
            False if q remains unchanged, off its group.
        """
        if self._has_end:
            raise self._error("a step has one end only")
        self._has_end = True
        found = self._one(Configuration, End(q, v, theta, on_group))
        if self._history:
            self.rotation(theta, max(self._history.values()))
            self._keep_history(max(self._history.values()))
        return found

    def _keep_history(self, steps: int) -> None:
        """Add the start of the step to the earlier states, and count them up to a number of steps."""
        known = self.carried("count", Scalar) + 1.0
        self._record(Carry("count", self.where(self.at_most(known, steps), known, float(steps))))
        newest = {"lengths": self.h, "configurations": self.q, "velocities": self.v}
        if self._first_acceleration is not None:
            newest["accelerations"] = self._first_acceleration
        for part in (x for x in HISTORY if x in self._history):
            if part not in newest:
                raise self._error("a step that reads earlier accelerations needs the stage (0, s.q, s.v)")
            self._record(Carry(part, newest[part], self._history[part]))

    @recorded
    def end_implicit(self, end: ImplicitValues) -> None:
        """End an implicit step.

        Parameters
        ----------
        end
            Result of `implicit_end`.
        """
        q = self.end(end.q, end.v, end.theta)
        self.multipliers([1.0], [end.multiplier])
        self.residuals(q, end.v)
        self.next_stage(end)

    @recorded
    def end_multipliers(self, q: Configuration, v: Velocity) -> None:
        """Take λ from a stage at the end of the step; do nothing for systems without constraints.

        Its v' is the first stage of the next step. The residuals of the constraints are measured.

        Parameters
        ----------
        q, v
            State at the end.
        """
        if self._features.constrained:
            last = self.stage(1.0, q, v)
            self.next_stage(last)
            self._record(Result("lambda", last.multiplier))
            self._record(Residuals(q, v, None))

    @recorded
    def stage_multipliers(
        self, weights: Sequence[float], terms: Sequence[Multiplier], end: tuple[Configuration, Velocity, Jacobian]
    ) -> None:
        """Take Σ weight·λ of the stages of a half-explicit method as λ at the end of the step.

        If the stages satisfy acceleration-level constraints, λ is that of a stage at the end.

        Parameters
        ----------
        weights, terms
            As for `multipliers`.
        end
            State at the end, with B there.
        """
        q, v, jacobian = end
        if self._features.constrained and not self._is_half_explicit:
            self.end_multipliers(q, v)
        else:
            self.residuals(q, v, jacobian)
            self.multipliers(weights, terms)

    @recorded
    def multipliers(self, weights: Sequence[float], terms: Sequence[Multiplier]) -> None:
        """Take Σ weight·λ as λ at the end of the step.

        Parameters
        ----------
        weights
            Dimensionless weights.
        terms
            Multipliers of stages.
        """
        if self._features.constrained:
            used = [(float(w), x) for w, x in zip(weights, terms, strict=True) if w != 0]
            self._record(Result("lambda", self.multiplier_sum([w for w, _ in used], [x for _, x in used])))

    @recorded
    def residuals(self, q: Configuration, v: Velocity, jacobian: Jacobian | None = None) -> None:
        """Measure the residuals of the constraints at the end of the step.

        Parameters
        ----------
        q, v
            State there.
        jacobian
            B there; None: evaluate it.
        """
        if self._features.constrained:
            self._record(Residuals(q, v, jacobian))

    @recorded
    def next_stage(self, stage: StageValues | ImplicitValues) -> None:
        """Reuse v' of a stage at the end of the step as the first stage of the next step.

        Parameters
        ----------
        stage
            The stage.
        """
        self._record(Result("acceleration", stage.acceleration))

    @recorded
    def only_for_estimate(self) -> None:
        """Begin the last part of a step, which only steps with an error estimate execute."""
        if not self._has_end:
            raise self._error("the error is estimated after the end of a step")
        self.for_estimate = True

    @recorded
    def estimate(self, theta: Algebra, theta_hat: Algebra, v: Velocity, v_hat: Velocity) -> None:
        """Estimate the error by the results of an embedded formula.

        Parameters
        ----------
        theta, v
            Increment and velocity at the end.
        theta_hat, v_hat
            Those of the embedded formula.
        """
        if not self.for_estimate:
            raise self._error("estimate belongs to the last part of a step; call s.only_for_estimate() before it")
        self._record(Result("error", self._one(Scalar, ErrorNorm(theta, theta_hat, self.v, v, v_hat))))
