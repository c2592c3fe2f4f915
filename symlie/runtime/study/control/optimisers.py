"""Optimisers of SciPy, and IPOPT, for a cost with equations and bounds."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, TypeVar

import numpy as np

from symlie.errors import InterruptedIntegrationError, ModelError, UnsupportedMethodError
from symlie.options import Optimizer
from symlie.runtime.layout.layout import Array
from symlie.runtime.study.control.evaluation import Evaluation, Transcription
from symlie.runtime.study.fit.problem import FAILURES
from symlie.utilities.packages import require

MANY = 150
"""Number of unknowns above which SciPy's ``trust-constr`` replaces ``SLSQP``, whose cost grows with their cube."""

NEARLY_OPTIMAL = 1e-4
"""Norm of the gradient of the Lagrangian, relative to the gradient of the cost, up to which a cost has a minimum to
about its square, although the optimiser stopped for another reason."""

_T = TypeVar("_T")

RETREATS = (*FAILURES, ModelError)
"""Errors of runs with values far from the guess, from which the optimiser retreats."""


class _End(NamedTuple):
    """Last scaled values of an optimiser, and its report."""

    y: Array
    success: bool
    iterations: int
    message: str


@dataclass(frozen=True, eq=False)
class Found:
    """Result of an optimiser.

    Attributes
    ----------
    unknowns
        Values of the unknowns.
    cost
        The cost.
    evaluation
        Loss and equations.
    iterations
        Number of iterations.
    has_converged
        False if the optimiser stopped far from a minimum.
    message
        Its message.
    """

    unknowns: Array
    cost: float
    evaluation: Evaluation
    iterations: int
    has_converged: bool
    message: str


@dataclass(eq=False)
class ScaledProblem:
    """Cost and equations as functions of scaled unknowns y = x/s, the cost divided by its size.

    Attributes
    ----------
    transcription
        The problem.
    weights
        W of the effort xᵀ W x / 2, for the first unknowns.
    lower, upper
        Bounds of the unknowns x.
    scale, size
        Scales s, and the size of the cost.
    last
        Loss and equations of the last run that succeeded.
    """

    transcription: Transcription
    weights: Array
    lower: Array
    upper: Array
    scale: Array = field(init=False)
    size: float = field(init=False)
    _known: tuple[bytes, Evaluation | None] = field(init=False)
    last: Evaluation = field(init=False)

    def __post_init__(self) -> None:
        start = self.transcription.start
        # The run of the guess is not caught, so that its error explains a failure.
        self.last = self.transcription.evaluation(start)
        self._known = start.tobytes(), self.last
        self.scale, self.size = self._sizes(start)

    @property
    def start(self) -> Array:
        """Scaled guess."""
        return self.transcription.start / self.scale

    @property
    def has_equations(self) -> bool:
        """True if the problem has equations."""
        return bool(len(self.last.defects))

    def at(self, unknowns: Array) -> Evaluation | None:
        """Return loss and equations at unscaled values, or None if a run fails."""
        key = unknowns.tobytes()
        if self._known[0] != key:
            try:
                found = self.transcription.evaluation(unknowns)
            except InterruptedIntegrationError:
                raise
            except RETREATS:
                found = None
            self._known, self.last = (key, found), found or self.last
        return self._known[1]

    def has_failed(self, y: Array) -> bool:
        """Return whether the run of scaled values fails."""
        return self.at(self.scale * y) is None

    def cost(self, y: Array) -> float:
        """Return the scaled cost, infinite if the run fails."""
        found = self.at(self.scale * y)
        return np.inf if found is None else self.total(self.scale * y, found) / self.size

    def gradient(self, y: Array) -> Array:
        """Return the gradient of the scaled cost, or its value in the last run that succeeded."""
        found = self.at(self.scale * y) or self.last
        return (self.along(self.scale * y, found) * self.scale) / self.size

    def defects(self, y: Array) -> Array:
        """Return the left-hand sides of the equations, or their values in the last run that succeeded."""
        return (self.at(self.scale * y) or self.last).defects

    def jacobian(self, y: Array) -> Array:
        """Return their derivatives."""
        return (self.at(self.scale * y) or self.last).by_defects * self.scale

    @property
    def has_states(self) -> bool:
        """True if states are unknowns, too."""
        return len(self.scale) > len(self.weights)

    @cached_property
    def has_hessian(self) -> bool:
        """True if runs have second derivatives."""
        try:
            self.of_runs(self.start, np.zeros(len(self.last.defects)))
        except UnsupportedMethodError:
            return False
        return True

    @cached_property
    def of_effort(self) -> Array:
        """Second derivatives of the scaled effort, shape (unknowns, unknowns)."""
        found = np.zeros((len(self.scale), len(self.scale)))
        found[: len(self.weights), : len(self.weights)] = self.weights
        return found * np.outer(self.scale, self.scale) / self.size

    def of_runs(self, y: Array, multipliers: Array, of_cost: float = 1.0) -> Array:
        """Return the second derivatives of the weighted sum of the scaled loss and the equations."""
        found = self.transcription.hessian(self.scale * y, multipliers, of_cost / self.size)
        return np.asarray(found * np.outer(self.scale, self.scale))

    def total(self, unknowns: Array, found: Evaluation) -> float:
        """Return effort and loss."""
        values = unknowns[: len(self.weights)]
        return float(values @ self.weights @ values) / 2 + found.loss

    def along(self, unknowns: Array, found: Evaluation) -> Array:
        """Return the derivatives of effort and loss."""
        total = found.by_loss.copy()
        total[: len(self.weights)] += self.weights @ unknowns[: len(self.weights)]
        return total

    def is_optimal(self, unknowns: Array, found: Evaluation) -> bool:
        """Return whether the gradient of the Lagrangian nearly vanishes for unknowns between their bounds."""
        width = 1e-9 * self.scale
        free = (unknowns > self.lower + width) & (unknowns < self.upper - width)
        gradient = (self.along(unknowns, found) * self.scale)[free]
        jacobian = (found.by_defects * self.scale)[:, free]
        multipliers = np.linalg.lstsq(jacobian.T, -gradient, rcond=None)[0]
        rest = np.linalg.norm(gradient + jacobian.T @ multipliers)
        return bool(rest <= NEARLY_OPTIMAL * np.linalg.norm(gradient))

    def _sizes(self, start: Array) -> tuple[Array, float]:
        """Return scales of the unknowns and of the cost, from the step of least effort to a solution of the linearised
        equations; without one, from bounds or the guess. Components with larger effects have smaller scales."""
        found = self.last
        m, n, k = len(found.defects), len(start), len(self.weights)
        system, right = np.zeros((n + m, n + m)), np.zeros(n + m)
        system[:k, :k], system[:n, n:], system[n:, :n] = self.weights, found.by_defects.T, found.by_defects
        right[n:] = -found.defects
        step = np.linalg.lstsq(system, right, rcond=None)[0][:n] if m else np.zeros(n)
        scale = np.ones(n)
        for parts in self.transcription.groups:
            group = np.concatenate(parts)
            half = (self.upper - self.lower)[group] / 2
            width = half.max() if np.isfinite(half).all() else 0.0
            scale[group] = _first_positive(np.abs(step[group]).max(), width, np.abs(start[group]).max())
            effects = [np.abs(found.by_defects[:, part]).max(initial=0.0) for part in parts]
            for part, effect in zip(parts, effects, strict=True):
                scale[part] /= effect / min(e for e in effects if e) if effect else 1.0
        effort = float(step[:k] @ self.weights @ step[:k]) / 2
        slope = float(np.abs(self.along(start, found) * scale).max())
        return scale, _first_positive(effort, abs(self.total(start, found)), slope)


def _first_positive(*sizes: float) -> float:
    """Return the first positive number, or one."""
    return float(next((size for size in sizes if size > 0), 1.0))


def minimum(problem: ScaledProblem, optimizer: Optimizer | None, tolerance: float, most: int) -> Found:
    """Return the minimum that an optimiser finds; raise MissingDependencyError if it is not installed."""
    takes_hessian = len(problem.start) > MANY or (problem.has_states and problem.has_hessian)
    name = optimizer or ("trust-constr" if takes_hessian else "SLSQP")
    found = _OPTIMIZERS[name](problem, tolerance, most)
    unknowns = np.clip(problem.scale * found.y, problem.lower, problem.upper)
    evaluation = problem.at(unknowns)
    if evaluation is None:
        return Found(unknowns, np.inf, problem.last, found.iterations, False, found.message)
    converged = found.success or problem.is_optimal(unknowns, evaluation)
    cost = problem.total(unknowns, evaluation)
    return Found(unknowns, cost, evaluation, found.iterations, converged, found.message)


def _by_scipy(method: str, tolerance_name: str) -> Callable[[ScaledProblem, float, int], _End]:
    def found(problem: ScaledProblem, tolerance: float, most: int) -> _End:
        from scipy.optimize import Bounds, NonlinearConstraint, minimize

        curvature, of_equations = dict[str, object](), dict[str, object]()
        if method == "trust-constr" and problem.has_hessian:
            # The loss counts among the equations, so that one pass computes both.
            curvature["hess"] = lambda y: problem.of_effort + problem.of_runs(y, np.zeros(0))
            if problem.has_equations:
                curvature["hess"], of_equations["hess"] = (lambda y: problem.of_effort), problem.of_runs
        equations = NonlinearConstraint(problem.defects, 0.0, 0.0, jac=problem.jacobian, **of_equations)
        with warnings.catch_warnings():
            # Functions that are linear in some unknowns are no mistake.
            warnings.filterwarnings("ignore", "delta_grad == 0.0", UserWarning)
            result = minimize(
                problem.cost,
                problem.start,
                jac=problem.gradient,
                method=method,
                bounds=Bounds(problem.lower / problem.scale, problem.upper / problem.scale),
                constraints=[equations] if problem.has_equations else [],
                options={"maxiter": most, tolerance_name: tolerance},
                **curvature,
            )
        return _End(result.x, bool(result.success), int(result.nit), result.message)

    return found


def _by_ipopt(problem: ScaledProblem, tolerance: float, most: int) -> _End:
    require("optimizer='ipopt'", "cyipopt")
    import cyipopt

    def checked(function: Callable[[Array], _T]) -> Callable[[Array], _T]:
        def value(y: Array) -> _T:
            if problem.has_failed(y):
                raise cyipopt.CyIpoptEvaluationError
            return function(y)

        return value

    lower = np.tril_indices(len(problem.start))

    class Functions:
        """Functions of a problem by the names of IPOPT, which shortens a step if a run fails."""

        objective = staticmethod(checked(problem.cost))
        gradient = staticmethod(checked(problem.gradient))
        constraints = staticmethod(checked(problem.defects))
        jacobian = staticmethod(checked(lambda y: problem.jacobian(y).ravel()))
        hessianstructure = staticmethod(lambda: lower)
        iterations = 0

        def hessian(self, y: Array, multipliers: Array, of_cost: float) -> Array:
            found = of_cost * problem.of_effort + problem.of_runs(y, multipliers, of_cost)
            return np.asarray(found[lower])

        def intermediate(self, mode: int, count: int, *numbers: float) -> bool:
            Functions.iterations = count
            return True

    equations = np.zeros(len(problem.defects(problem.start)))
    solver = cyipopt.Problem(
        n=len(problem.start),
        m=len(equations),
        problem_obj=Functions(),
        lb=problem.lower / problem.scale,
        ub=problem.upper / problem.scale,
        cl=equations,
        cu=equations,
    )
    curvature = "exact" if problem.has_hessian else "limited-memory"
    options = {"hessian_approximation": curvature, "tol": tolerance, "max_iter": most, "print_level": 0,
               "sb": "yes"}  # fmt: skip
    for name, value in options.items():
        solver.add_option(name, value)
    y, result = solver.solve(problem.start)
    message = result["status_msg"].decode()
    return _End(y, result["status"] == 0, Functions.iterations, message)


_OPTIMIZERS: dict[str, Callable[[ScaledProblem, float, int], _End]] = {
    "SLSQP": _by_scipy("SLSQP", "ftol"),
    "trust-constr": _by_scipy("trust-constr", "gtol"),
    "ipopt": _by_ipopt,
}
