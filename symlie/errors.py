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
    """Base of every error that symlie raises on purpose; its text stays short whatever was passed.

    Catch it to catch all of them.
    """

    def __str__(self) -> str:
        return shortened(super().__str__())


class ModelError(SymlieError):
    """The statement of a model is wrong: unknown symbol, wrong shape, energy of the wrong kind.

    Correct what the message names.
    """


class SymbolicValueError(ModelError, TypeError):
    """An expression was taken for a number, or for true or false, before the model runs.

    Use `select` or `Piecewise` for what depends on the motion, and numbers of a solution afterwards.
    """


class FrozenParameterError(ModelError):
    """A parameter that is a constant of the generated code was to be changed.

    Compile without freezing the parameter, or state the value that it has.
    """


class SmoothnessError(ModelError):
    """An expression that is differentiated has a kink or a jump, which its derivatives would lose.

    Use `Model.smooth_table`, an input with the interpolation ``"cubic"``, or pieces that join smoothly.
    """


class GroupError(ModelError):
    """The definition of a Lie group violates a law, or asks for what can not be derived from it.

    Correct the definition; the message names the law and by how much it is violated.
    """


class UnknownNameError(SymlieError):
    """A model, group, method, node, field, option or parameter of this name does not exist.

    Take one of the names that the message lists.
    """


class UnknownFieldError(UnknownNameError, AttributeError):
    """A node or group element has no field of this name.

    Take one of the fields that the message lists.
    """


class InconsistentInitialValuesError(SymlieError):
    """Initial values violate a constraint or its time derivative.

    Correct the initial values, leave velocities out to have them completed, or let the configuration be assembled.
    """


class RedundantConstraintsError(SymlieError):
    """Constraint rows depend on each other, so the multipliers are not determined.

    Remove rows that others imply, or take ``redundant="minimal_norm"``, which chooses the smallest multipliers.
    """


class SingularMassMatrixError(SymlieError):
    """A direction has no mass, and neither a constraint nor forces determine it; or it has a negative mass.

    Give the direction mass, a constraint, or forces that balance there, and positive masses and inertias.
    """


class EquilibriumStart(Protocol):
    """The `symlie.Equilibrium` that an `EquilibriumError` carries, as type checkers see it."""

    @property
    def q(self) -> NDArray[np.float64]:
        """Configuration, shape (storage,)."""

    @property
    def multipliers(self) -> NDArray[np.float64]:
        """λ, shape (rows,)."""


class EquilibriumError(SymlieError):
    """No static equilibrium was found; ``residual`` is the largest force out of balance, in N or N m.

    ``load`` is the part of the forces, from 0 to 1, that the last load step with an ``equilibrium`` released; without
    one ``equilibrium`` is None. Start nearer to the equilibrium, take more load steps, or check that there is one under
    these loads.
    """

    def __init__(
        self,
        message: str,
        residual: float = float("nan"),
        load: float = 0.0,
        equilibrium: EquilibriumStart | None = None,
    ) -> None:
        super().__init__(message)
        self.residual, self.load, self.equilibrium = residual, load, equilibrium


class EquilibriumPathError(SymlieError):
    """A path of equilibria ended before its end; ``path`` is the `symlie.EquilibriumPath` so far, or None.

    Look at how the path ends; take a smaller ``largest_step``, or start elsewhere.
    """

    def __init__(self, message: str, path: object = None) -> None:
        super().__init__(message)
        self.path = path


class SteadyMotionError(SymlieError):
    """What was given to be linearised about is no motion of the system, or not a steady one.

    Give positions and velocities of a motion that is steady, and the frame of bodies that spin about an axis of
    symmetry.
    """


class PeriodicMotionError(SymlieError):
    """A motion does not come back, up to a symmetry, to where it began.

    Give the period with a state on the motion, the frame of bodies that spin, or more steps.
    """


class UnsupportedMethodError(SymlieError):
    """The method can not integrate this model.

    Take a method that ``symlie list --for MODEL`` or `method_choice` offers for it.
    """


class CompilerError(SymlieError):
    """The C compiler failed or its result can not be loaded.

    Read what the compiler says, name another one in ``CC``, or take the NumPy backend.
    """


class InterruptedCompilationError(CompilerError, KeyboardInterrupt):
    """The compilation was interrupted by the user.

    Compile again; nothing of it is kept.
    """


class NoCompilerError(CompilerError):
    """No C compiler was found, and the C backend was asked for.

    Install a C compiler, name it in ``CC``, or take the NumPy backend.
    """


class FormatError(SymlieError):
    """A generated folder or a file is damaged or was written by another version.

    Write it again with this version, or read it with the version that the message names.
    """


class CodeNotLoadedError(SymlieError):
    """Something needs code that a file holds, and was not allowed to run it.

    Give ``trust=True``, or ``--trust`` on the command line, if you trust the origin of the file.
    """


class CacheError(SymlieError):
    """The cache folder can not be used.

    Name a folder of your own in ``SYMLIE_CACHE``.
    """


class MissingDependencyError(SymlieError):
    """An optional package that is needed is not installed.

    Install the extra that the message names.
    """


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
    """An integration stopped early; ``solution`` holds everything up to the last good step, before energy was lost.

    Look at the solution so far: how it ends mostly shows why.
    """

    def __init__(self, message: str, solution: PartialSolution | None = None) -> None:
        super().__init__(message)
        self.solution = solution


class TimeLimitError(IntegrationError):
    """A member of an ensemble took more time than it was given.

    Give the members more time, or fewer steps.
    """


class WorkerLostError(IntegrationError):
    """The worker that integrated a member of an ensemble died.

    Run the member alone; where memory was short, take fewer workers at a time.
    """


class MemberFailedError(SymlieError):
    """A member of an ensemble failed that was to stop at the first failure.

    Run the member alone, or let failures be recorded and the others go on.
    """


class ExecutorError(SymlieError):
    """What members of an ensemble are handed to takes no work, or has no workers.

    Start the scheduler or its workers again; with a store, the same call goes on where it was.
    """


class InterruptedEnsembleError(SymlieError, KeyboardInterrupt):
    """An ensemble was interrupted; ``result`` holds the members that were done.

    With a store, resume it; else take what there is.
    """

    def __init__(self, message: str, result: object = None) -> None:
        super().__init__(message)
        self.result = result


class NotFiniteError(IntegrationError):
    """A state became infinite or NaN.

    Take a smaller step, or state laws so that they are numbers wherever the motion goes.
    """


class NotDifferentiableError(NotFiniteError):
    """A derivative that an implicit step needs is infinite or NaN.

    State the law so that its derivatives are numbers wherever the motion goes, or use an explicit method.
    """


class SingularSystemError(IntegrationError):
    """The linear system of a stage is singular: redundant constraints, or no mass along a free direction.

    Look for constraints that became dependent; ``redundant="minimal_norm"`` goes on where they are consistent.
    """


class IndefiniteMassMatrixError(IntegrationError):
    """The mass matrix is no longer positive definite.

    Take a smaller step, or check where masses and inertias of the model are positive.
    """


class ConstraintDriftError(IntegrationError):
    """The configuration has left the constraints.

    Take a smaller step or tolerance, or ``stabilize="projection"``; it may be that the mechanism can not move on.
    """


class OutsideChartError(IntegrationError):
    """A rotation increment within one step reached 2π, where T⁻¹ is singular.

    Take a smaller step.
    """


class ChartSingularityError(OutsideChartError):
    """Classical coordinates of a rotation came to their singularity, as Euler angles do.

    Take a smaller step, or coordinates without singularity such as a quaternion.
    """


class AngleStepError(IntegrationError):
    """An angle over turns turned by more than π, or hardly less, within one step.

    Take a smaller step.
    """


class NotConvergedError(IntegrationError):
    """Newton's method finds no solution of an implicit step.

    Take the step that the message names, or a smaller one.
    """


class StepUnderflowError(IntegrationError):
    """The step size that the tolerances ask for is smaller than time can resolve.

    Loosen tolerances that are below round-off; else the solution has a singularity there.
    """


class DivergentSeriesError(IntegrationError):
    """A step is longer than the Taylor series of the motion converges.

    Take a smaller step than the radius of convergence that the message names, or tolerances in its place.
    """


class ChatteringError(StepUnderflowError):
    """A force jumps to and fro faster than time can be resolved.

    Smooth the jump, as tanh(v/ε) does for sign(v), or let an event end the motion there.
    """


class TooManyStepsError(IntegrationError):
    """More steps than allowed would be needed to the next time that is hit exactly.

    Loosen the tolerances, or allow more steps with ``max_steps``.
    """


class OutOfMemoryError(IntegrationError):
    """There is no memory for more records.

    Record fewer states with ``t_eval`` or ``record_every``.
    """


class InterruptedIntegrationError(IntegrationError, KeyboardInterrupt):
    """The integration was interrupted by the user.

    Go on from the solution so far, or from a checkpoint with `resume`.
    """


class CheckpointError(IntegrationError):
    """A checkpoint can not be written, so the integration stopped; the checkpoint before it is good.

    Free the place where it is written, and resume from the checkpoint before it.
    """
