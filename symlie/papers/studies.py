"""Studies: runs that items share, described by comparable data and executed once in a session."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, Protocol, TypeVar, cast

import numpy as np

from symlie.errors import IntegrationError, InterruptedIntegrationError, UnknownNameError
from symlie.models.registry import model_path, open_model
from symlie.models.systems import system_of_model
from symlie.options import ControllerName, Multipliers, Norm, Stabilization
from symlie.runtime.integrate.solve import solve
from symlie.runtime.solution.solution import Solution
from symlie.runtime.study.comparison import EndState
from symlie.runtime.study.convergence import convergence
from symlie.runtime.study.reference import ReferenceState, read_reference
from symlie.runtime.system.system import System

Found = TypeVar("Found", covariant=True)
Options = tuple[tuple[str, object], ...]
"""Names and values, as tuples to make studies hashable."""


class Study(Protocol):
    """Runs with one result; equal studies have equal results."""

    def run(self, session: Session) -> object:
        """Return the result."""
        ...

    def __hash__(self) -> int: ...


@dataclass(frozen=True)
class Case:
    """Model of a study: its name, options, parameters and initial values (node, field, value)."""

    model: str
    options: Options = ()
    parameters: Options = ()
    initial: tuple[tuple[str, str, tuple[object, ...]], ...] = ()


class Session:
    """Cache that runs each study and builds each system once; a model file of the user replaces the models of the
    papers."""

    def __init__(self, model: str | None = None, progress: Callable[[str], None] = lambda label: None) -> None:
        self.model = model
        self.progress = progress
        self._results: dict[Study, object] = {}
        self._systems: dict[Case, System] = {}

    def result(self, study: Study) -> object:
        """Return the result of a study."""
        if study not in self._results:
            self._results[study] = study.run(self)
        return self._results[study]

    def system(self, case: Case) -> System:
        """Return the system of a case."""
        if case not in self._systems:
            self._systems[case] = self._own(self.model, case) if self.model else self._stated(case)
        return self._systems[case]

    def _stated(self, case: Case) -> System:
        system = system_of_model(case.model, dict(case.options)).with_parameters(**dict(case.parameters))
        for node, name, value in case.initial:
            system = system.with_initial(node, **{name: value})
        return system

    def _own(self, model: str, case: Case) -> System:
        # A model of the user takes the options of a case that it has, and its own parameters and initial values.
        file = open_model(model)
        return system_of_model(model, {name: value for name, value in case.options if name in file.option_names})

    def takes(self, options: Options) -> bool:
        """Return whether the model has options with these values."""
        if self.model is None:
            return True
        file = open_model(self.model)
        try:
            file.complete(dict(options))
        except UnknownNameError:
            return False
        return True

    def known(self, case: Case, t: float) -> ReferenceState | None:
        """Return the solution shipped with a model at a time, or ``None`` if none exists for this time and case."""
        if self.model or case.parameters or case.initial:
            return None
        path = model_path(case.model)
        try:
            return read_reference(path.with_name(f"{path.stem}_reference.json"), t, dict(case.options))
        except UnknownNameError:
            return None


@dataclass(frozen=True)
class Course:
    """One run with arguments of `solve`, either a fixed step size h or tolerances; the result is a `Solution`."""

    case: Case
    t_end: float
    method: str = "half_explicit_5"
    h: float | None = None
    rtol: float | None = None
    atol: float | None = None
    h0: float | None = None
    controller: ControllerName = "tumiotto2024"
    controller_options: tuple[tuple[str, float], ...] = ()
    stabilize: Stabilization = "none"
    multipliers: Multipliers = "stage"
    trace: bool = False
    record_every: int = 1
    method_options: Options = ()

    def run(self, session: Session) -> Solution:
        """Run the model."""
        size = f"h = {self.h:g}" if self.h else f"tolerance {self.rtol or self.atol:g}"
        session.progress(f"{self.case.model}, {self.method}, {size}")
        return solve(
            session.system(self.case),
            self.t_end,
            method=self.method,
            method_options=dict(self.method_options),
            h=self.h,
            rtol=self.rtol,
            atol=self.atol,
            h0=self.h0,
            controller=self.controller,
            controller_options=dict(self.controller_options),
            stabilize=self.stabilize,
            multipliers=self.multipliers,
            trace=self.trace,
            record_every=self.record_every,
        )


@dataclass(frozen=True)
class Rung:
    """One run of a ladder."""

    h: float
    """Step size, in s."""
    errors: Mapping[str, float]
    """``q``, ``v`` and ``multipliers`` as in `Measured`; against a known solution, errors of its outputs, their norm
    ``q``, and ``multipliers``."""
    residual: float = np.nan
    steps: int = 0
    seconds: float = np.nan
    failure: str = ""
    """Error message of a failed run, whose errors are missing or NaN."""


@dataclass(frozen=True)
class Ladder:
    """Errors of methods versus step size at the end time, against a shipped solution if one applies; the result is a
    tuple of `Rung` by method."""

    case: Case
    methods: tuple[str, ...]
    steps: tuple[float, ...]
    """Step sizes, in s."""
    t_end: float
    reference: tuple[str, float]
    """Method and step size of the reference run if no shipped solution applies; it has the method options if it is
    one of the methods."""
    multipliers: Multipliers = "stage"
    norm: Norm | Literal["relative"] = "end"
    """``end``, ``l2``, or ``relative`` for ‖q - q_ref‖/‖q_ref‖ of all stored components as the only error."""
    stabilize: Stabilization = "none"
    method_options: Options = ()
    repetitions: int = 1
    """Number of runs whose shortest time is taken."""

    def run(self, session: Session) -> dict[str, tuple[Rung, ...]]:
        """Run all methods with all step sizes."""
        system, known = session.system(self.case), session.known(self.case, self.t_end)
        if known and (
            self.norm != "end" or self.stabilize != "none" or not known.outputs.keys() & system.layout.outputs
        ):
            known = None
        if self.norm == "relative":
            one = self._relative_to_run(session)
        else:
            one = self._against_known(known) if known else self._against_run(session)
        return {
            method: tuple(self._rung(session, system, one, method, h) for h in self.steps) for method in self.methods
        }

    def _rung(self, session: Session, system: System, one: Callable[..., Rung], method: str, h: float) -> Rung:
        session.progress(f"{self.case.model}, {method}, h = {h:g}")
        try:
            return min((one(system, method, h) for _ in range(self.repetitions)), key=lambda rung: rung.seconds)
        except InterruptedIntegrationError:
            raise
        except IntegrationError as error:
            return Rung(h, {}, failure=str(error))

    def _against_known(self, known: ReferenceState) -> Callable[[System, str, float], Rung]:
        def one(system: System, method: str, h: float) -> Rung:
            run = solve(
                system, self.t_end, method=method, method_options=dict(self.method_options), h=h,
                multipliers=self.multipliers, t_eval=[self.t_end],
            )  # fmt: skip
            errors = known.errors(run)
            errors["q"] = float(np.linalg.norm([error for name, error in errors.items() if name != "multipliers"]))
            done = run.statistics
            return Rung(h, errors, done.max_constraint_residual, done.steps, done.cpu_seconds)

        return one

    def _finest(self, session: Session) -> Solution:
        method, h = self.reference
        options = self.method_options if method in self.methods else ()
        course = Course(self.case, self.t_end, method, h, multipliers=self.multipliers, method_options=options)
        return cast(Solution, session.result(course))

    def _relative_to_run(self, session: Session) -> Callable[[System, str, float], Rung]:
        exact = self._finest(session).q[-1]

        def one(system: System, method: str, h: float) -> Rung:
            run = solve(
                system, self.t_end, method=method, method_options=dict(self.method_options), h=h,
                multipliers=self.multipliers, stabilize=self.stabilize, record_every=0,
            )  # fmt: skip
            error = float(np.linalg.norm(run.q[-1] - exact) / np.linalg.norm(exact))
            done = run.statistics
            return Rung(h, {"q": error}, done.max_constraint_residual, done.steps, done.cpu_seconds)

        return one

    def _against_run(self, session: Session) -> Callable[[System, str, float], Rung]:
        finest = self._finest(session)
        exact = finest if self.norm == "l2" else EndState.of(finest)

        def one(system: System, method: str, h: float) -> Rung:
            (row,) = convergence(
                system, self.t_end, [method], [h],
                reference=exact, norm=cast(Norm, self.norm), multipliers=self.multipliers, stabilize=self.stabilize,
                method_options=dict(self.method_options),
            )  # fmt: skip
            parts = {part: getattr(row.error, part) for part in ("q", "v", "multipliers")}
            errors = {part: value for part, value in parts.items() if value is not None}
            return Rung(h, errors, row.max_constraint_residual, row.steps, row.cpu_seconds, row.failure)

        return one


@dataclass(frozen=True)
class AsManySteps:
    """A run with as many steps of equal size as an adaptive run accepts; the result is its `Solution`."""

    adaptive: Course

    def run(self, session: Session) -> Solution:
        """Run the model with fixed steps."""
        steps = cast(Solution, session.result(self.adaptive)).statistics.accepted
        fixed = replace(self.adaptive, h=self.adaptive.t_end / steps, rtol=None, atol=None, h0=None)
        return cast(Solution, session.result(fixed))


@dataclass(frozen=True)
class Gain:
    """Gain of adaptive steps over equally many fixed steps."""

    accepted: int
    rejected: int
    """Numbers of adaptive steps."""
    adaptive: float
    fixed: float
    """Euclidean norms of the final error of the stored components, with adaptive and with as many fixed steps."""

    @property
    def factor(self) -> float:
        """Ratio of the error with fixed steps to that with adaptive steps."""
        return self.fixed / self.adaptive


@dataclass(frozen=True)
class Adaptivity:
    """Adaptive runs compared with runs of equally many fixed steps; the result is a `Gain` by name of the run."""

    courses: tuple[tuple[str, Course], ...]
    """Adaptive runs by name."""
    node: str
    """Node, or array of nodes, whose stored components are compared."""
    reference: tuple[str, float]
    """Method and step size, in s, of the reference runs."""

    def run(self, session: Session) -> Mapping[str, Gain]:
        """Run all comparisons."""
        return {name: self._gain(session, course) for name, course in self.courses}

    def _gain(self, session: Session, course: Course) -> Gain:
        method, h = self.reference
        exact = Course(course.case, course.t_end, method, h, record_every=0)
        runs = [cast(Solution, session.result(study)) for study in (course, AsManySteps(course), exact)]
        ends = [run.configuration(self.node)[-1] for run in runs]
        done = runs[0].statistics
        return Gain(done.accepted, done.rejected, *(float(np.linalg.norm(end - ends[-1])) for end in ends[:-1]))
