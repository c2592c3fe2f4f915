"""Named exceptions; each message says what is wrong, where, and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from symlie.showing import shortened

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class SymlieError(Exception):
    """Base of every error that symlie raises on purpose; its text stays short whatever was passed."""

    def __str__(self) -> str:
        return shortened(super().__str__())


class ModelError(SymlieError):
    """The statement of a model is wrong: unknown symbol, wrong shape, energy of the wrong kind."""


class SymbolicValueError(ModelError, TypeError):
    """An expression was taken for a number, or for true or false, before the model runs."""


class FrozenParameterError(ModelError):
    """A parameter that is a constant of the generated code was to be changed."""


class GroupError(ModelError):
    """The definition of a Lie group violates a law, or asks for what can not be derived from it."""


class UnknownNameError(SymlieError):
    """A model, group, method, node, field, option or parameter of this name does not exist."""


class UnknownFieldError(UnknownNameError, AttributeError):
    """A node or group element has no field of this name."""


class InconsistentInitialValuesError(SymlieError):
    """Initial values violate a constraint or its time derivative."""


class RedundantConstraintsError(SymlieError):
    """Constraint rows depend on each other, so the multipliers are not determined."""


class SingularMassMatrixError(SymlieError):
    """A direction has no mass and no constraint that fixes it, or a negative mass."""


class EquilibriumError(SymlieError):
    """No static equilibrium was found; ``residual`` is the largest force out of balance, in N or N m."""

    def __init__(self, message: str, residual: float = float("nan")) -> None:
        super().__init__(message)
        self.residual = residual


class SteadyMotionError(SymlieError):
    """What was given to be linearised about is no motion of the system, or not a steady one."""


class PeriodicMotionError(SymlieError):
    """A motion does not come back, up to a symmetry, to where it began."""


class UnsupportedMethodError(SymlieError):
    """The method can not integrate this model."""


class CompilerError(SymlieError):
    """The C compiler failed or its result can not be loaded."""


class InterruptedCompilationError(CompilerError, KeyboardInterrupt):
    """The compilation was interrupted by the user."""


class NoCompilerError(CompilerError):
    """No C compiler was found, and the C backend was asked for."""


class FormatError(SymlieError):
    """A generated folder or a file is damaged or was written by another version."""


class CodeNotLoadedError(SymlieError):
    """Something needs the generated code of a solution that was read without it."""


class CacheError(SymlieError):
    """The cache folder can not be used."""


class MissingDependencyError(SymlieError):
    """An optional package that is needed is not installed."""


class PartialSolution(Protocol):
    """The `symlie.Solution` that an `IntegrationError` carries, as type checkers see it."""

    @property
    def t(self) -> NDArray[np.float64]:
        """Recorded times, shape (n,), in s."""

    @property
    def q(self) -> NDArray[np.float64]:
        """Configurations, shape (n, storage)."""

    @property
    def v(self) -> NDArray[np.float64]:
        """Velocities, shape (n, dimension)."""

    @property
    def multipliers(self) -> NDArray[np.float64]:
        """λ, shape (n, rows)."""

    @property
    def status(self) -> str:
        """How the run ended."""

    @property
    def outputs(self) -> Mapping[str, NDArray[np.float64]]:
        """Named outputs."""

    def save(self, path: str | Path) -> None:
        """Write a file; see `symlie.Solution.save`."""


class IntegrationError(SymlieError):
    """An integration stopped early; ``solution`` holds everything up to the last good step."""

    def __init__(self, message: str, solution: PartialSolution | None = None) -> None:
        super().__init__(message)
        self.solution = solution


class TimeLimitError(IntegrationError):
    """A member of an ensemble took more time than it was given."""


class WorkerLostError(IntegrationError):
    """The worker that integrated a member of an ensemble died."""


class MemberFailedError(SymlieError):
    """A member of an ensemble failed that was to stop at the first failure."""


class ExecutorError(SymlieError):
    """What members of an ensemble are handed to takes no work, or has no workers."""


class InterruptedEnsembleError(SymlieError, KeyboardInterrupt):
    """An ensemble was interrupted; ``result`` holds the members that were done."""

    def __init__(self, message: str, result: object = None) -> None:
        super().__init__(message)
        self.result = result


class NotFiniteError(IntegrationError):
    """A state became infinite or NaN."""


class NotDifferentiableError(NotFiniteError):
    """A derivative that an implicit step needs is infinite or NaN."""


class SingularSystemError(IntegrationError):
    """The linear system of a stage is singular: redundant constraints, or no mass along a free direction."""


class IndefiniteMassMatrixError(IntegrationError):
    """The mass matrix is no longer positive definite."""


class ConstraintDriftError(IntegrationError):
    """The configuration has left the constraints."""


class OutsideChartError(IntegrationError):
    """A rotation increment within one step reached 2π, where T⁻¹ is singular."""


class ChartSingularityError(OutsideChartError):
    """Classical coordinates of a rotation came to their singularity, as Euler angles do."""


class AngleStepError(IntegrationError):
    """An angle over turns turned by more than π, or hardly less, within one step."""


class NotConvergedError(IntegrationError):
    """Newton's method finds no solution of an implicit step."""


class StepUnderflowError(IntegrationError):
    """The step size that the tolerances ask for is smaller than time can resolve."""


class ChatteringError(StepUnderflowError):
    """A force jumps to and fro faster than time can be resolved."""


class TooManyStepsError(IntegrationError):
    """More steps than allowed would be needed to the next time that is hit exactly."""


class OutOfMemoryError(IntegrationError):
    """There is no memory for more records."""


class InterruptedIntegrationError(IntegrationError, KeyboardInterrupt):
    """The integration was interrupted by the user."""


class CheckpointError(IntegrationError):
    """A checkpoint can not be written, so the integration stopped; the checkpoint before it is good."""
