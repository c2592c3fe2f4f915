"""Exceptions of symlie; each message describes the problem, its location and a remedy."""

from __future__ import annotations

import os
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from symlie.utilities.paths import PACKAGE
from symlie.utilities.showing import shortened

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class SymlieError(Exception):
    """Base class of all symlie exceptions.

    Catch this class to handle all of them. Long messages are shortened.
    """

    def __str__(self) -> str:
        return shortened(super().__str__())

    def _render_traceback_(self) -> list[str]:
        """Return the lines of the traceback for IPython: frames of the user, unless SYMLIE_TRACEBACK is set."""
        others = () if os.environ.get("SYMLIE_TRACEBACK") else (str(PACKAGE), f"{os.sep}IPython{os.sep}")
        frames = traceback.extract_tb(self.__traceback__)
        shown = [frame for frame in frames if not any(folder in frame.filename for folder in others)]
        text = "".join(traceback.format_list(shown))
        return ["Traceback (most recent call last):", *text.splitlines(), f"{type(self).__name__}: {self}"]


class ModelError(SymlieError):
    """The definition of a model is invalid, for example because of an unknown symbol or a wrong shape.

    Correct the definition as the message describes.
    """


class SymbolicValueError(ModelError, TypeError):
    """A symbolic expression was used as a number or as a truth value before the run.

    Use `select` or `Piecewise` for conditions on the motion, and evaluate numbers from a solution.
    """


class FrozenParameterError(ModelError):
    """A parameter that is compiled as a constant cannot be changed.

    Compile without freezing the parameter, or pass its compiled value.
    """


class SmoothnessError(ModelError):
    """An expression that must be differentiated has a kink or a jump, which its derivatives would not represent.

    Use `Model.smooth_table`, an input with the interpolation ``"cubic"``, or branches that join smoothly.
    """


class GroupError(ModelError):
    """The definition of a Lie group violates a group law, or a requested operator cannot be derived from it.

    Correct the definition; the message contains the law and the size of the violation.
    """


class UnknownNameError(SymlieError):
    """A model, group, method, node, field, option or parameter of this name does not exist.

    Use one of the names that the message lists.
    """


class UnknownFieldError(UnknownNameError, AttributeError):
    """A node or group element has no field of this name.

    Use one of the fields that the message lists.
    """


class InconsistentInitialValuesError(SymlieError):
    """Initial values violate a constraint or its time derivative.

    Correct the initial values, omit velocities to have them completed, or let symlie assemble the configuration.
    """


class RedundantConstraintsError(SymlieError):
    """Constraint equations are linearly dependent, so the multipliers are not unique.

    Remove the dependent equations, or use ``redundant="minimal_norm"``, which selects the smallest multipliers.
    """


class SingularMassMatrixError(SymlieError):
    """A direction has negative mass, or zero mass and neither a constraint nor a force that determines it.

    Use positive masses and inertias, or add a constraint or a force that acts in this direction.
    """


class EquilibriumStart(Protocol):
    """Static type of the `symlie.Equilibrium` of an `EquilibriumError`."""

    @property
    def q(self) -> NDArray[np.float64]:
        """Configuration, shape (storage,)."""

    @property
    def multipliers(self) -> NDArray[np.float64]:
        """λ, shape (constraints,)."""


class EquilibriumError(SymlieError):
    """No static equilibrium was found; ``residual`` is the largest unbalanced force, in N or N m.

    ``load`` is the load factor, from 0 to 1, of the last load step that converged, and ``equilibrium`` its result; if
    no step converged, ``equilibrium`` is None. Start closer to the equilibrium, use more load steps, or check that an
    equilibrium exists under these loads.
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
    """A path of equilibria stopped before its end; ``path`` is the `symlie.EquilibriumPath` computed so far, or None.

    Inspect the end of the path, reduce ``largest_step``, or use another initial equilibrium.
    """

    def __init__(self, message: str, path: object = None) -> None:
        super().__init__(message)
        self.path = path


class SteadyMotionError(SymlieError):
    """The state for a linearisation does not satisfy the equations of motion, or its motion is not steady.

    Pass positions and velocities of a steady motion, and the frame of bodies that spin about an axis of symmetry.
    """


class PeriodicMotionError(SymlieError):
    """A motion does not return to its initial state, up to a symmetry.

    Pass the period and a state of the periodic motion, pass the frame of spinning bodies, or use more steps.
    """


class UnsupportedMethodError(SymlieError):
    """The method cannot integrate this model.

    Use a method that ``symlie list --for MODEL`` or `method_choice` offers for it.
    """


class CompilerError(SymlieError):
    """The C compiler failed, or its result cannot be loaded.

    Read the compiler output, select another compiler with ``CC``, or use the NumPy backend.
    """


class InterruptedCompilationError(CompilerError, KeyboardInterrupt):
    """The compilation was interrupted by the user.

    Repeat the compilation; no partial result is stored.
    """


class NoCompilerError(CompilerError):
    """The C backend was requested, but no C compiler was found.

    Install a C compiler, for example by ``pip install ziglang``, set ``CC`` to one, or use the NumPy backend.
    """


class FormatError(SymlieError):
    """A generated folder or a file is damaged, or was written by another version.

    Write it again with this version, or read it with the version that the message names.
    """


class UnsupportedFeatureError(SymlieError):
    """A file of a robot has a feature without counterpart.

    Skip the feature with ``ignore=`` or ``--ignore``, or remove it from the file.
    """


class CodeNotLoadedError(SymlieError):
    """A file contains code that is needed, but the execution of this code was not permitted.

    Pass ``trust=True``, or ``--trust`` on the command line, if you trust the origin of the file.
    """


class CacheError(SymlieError):
    """The cache folder cannot be used.

    Set ``SYMLIE_CACHE`` to a folder that you own.
    """


class MissingDependencyError(SymlieError):
    """A required optional package is not installed.

    Install the extra that the message names.
    """


class PartialSolution(Protocol):
    """Static type of the `symlie.Solution` of an `IntegrationError`."""

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
        """λ, shape (n, constraints)."""

    @property
    def status(self) -> str:
        """Reason for the end of the run."""

    @property
    def outputs(self) -> Mapping[str, NDArray[np.float64]]:
        """Named outputs."""

    def save(self, path: str | Path) -> None:
        """Write a file; see `symlie.Solution.save`."""


class IntegrationError(SymlieError):
    """An integration stopped early; ``solution`` contains the results up to the last valid step.

    Inspect this partial solution: its end usually shows the cause.
    """

    def __init__(self, message: str, solution: PartialSolution | None = None) -> None:
        super().__init__(message)
        self.solution = solution


class TimeLimitError(IntegrationError):
    """A member of an ensemble exceeded its time limit.

    Increase the time limit, or use fewer steps.
    """


class WorkerLostError(IntegrationError):
    """The worker process of an ensemble member died.

    Run the member alone; if memory was insufficient, use fewer workers.
    """


class MemberFailedError(SymlieError):
    """A member failed in an ensemble that stops at the first failure.

    Run the member alone, or record failures and continue with the other members.
    """


class ExecutorError(SymlieError):
    """The executor of an ensemble accepts no work or has no workers.

    Restart the scheduler or its workers; with a store, the same call continues with the remaining members.
    """


class InterruptedEnsembleError(SymlieError, KeyboardInterrupt):
    """An ensemble was interrupted; ``result`` holds the completed members.

    Resume the ensemble if it has a store; otherwise use the partial result.
    """

    def __init__(self, message: str, result: object = None) -> None:
        super().__init__(message)
        self.result = result


class NotFiniteError(IntegrationError):
    """A state became infinite or NaN.

    Use a smaller step, or define laws that are finite for all states of the motion.
    """


class NotDifferentiableError(NotFiniteError):
    """A derivative that an implicit step needs is infinite or NaN.

    Define the law with derivatives that are finite for all states of the motion, or use an explicit method.
    """


class SingularSystemError(IntegrationError):
    """The linear system of a stage is singular: constraints are redundant, or a free direction has zero mass.

    Find the constraints that became dependent; ``redundant="minimal_norm"`` permits them if they are consistent.
    """


class IndefiniteMassMatrixError(IntegrationError):
    """The mass matrix is no longer positive definite.

    Use a smaller step, or check where the masses and inertias of the model are positive.
    """


class ConstraintDriftError(IntegrationError):
    """The configuration drifted away from the constraints.

    Use a smaller step or tolerance, or ``stabilize="projection"``; the constraints may also admit no further motion.
    """


class InconsistentResetError(IntegrationError):
    """The state after an event, given by `Model.reset`, violates a constraint.

    Reset all velocities that the constraint couples, or use `minimal_coordinates`.
    """


class ContactModeError(IntegrationError):
    """Contacts have no consistent impulses or forces.

    Check friction coefficients and masses, or use smooth contact forces.
    """


class FixedGapError(ContactModeError):
    """Joints, other constraints or prescribed motions fix the gap of a contact that closes, or its gradient vanishes.

    Remove the contact, or the constraint along its gap, or state a signed distance as the gap.
    """


class ContactParadoxError(ContactModeError):
    """A contact slides with so much friction that no force, or several forces, are consistent (Painlevé's paradox).

    Reduce the friction coefficient, or use smooth contact forces.
    """


class TooManyImpactsError(IntegrationError):
    """A run has more than a million impacts of contacts.

    Reduce coefficients of restitution, or use time stepping.
    """


class OutsideChartError(IntegrationError):
    """A rotation increment within one step reached 2π, where T⁻¹ is singular.

    Use a smaller step.
    """


class ChartSingularityError(OutsideChartError):
    """Rotation parameters became singular, such as Euler angles in gimbal lock.

    Use a smaller step, or a representation without singularities, such as a quaternion.
    """


class AngleStepError(IntegrationError):
    """An unwrapped angle changed by more than π, or nearly π, within one step.

    Use a smaller step.
    """


class NotConvergedError(IntegrationError):
    """Newton's method did not converge in an implicit step.

    Use the step size that the message suggests, or a smaller step size.
    """


class StepUnderflowError(IntegrationError):
    """The step size that the tolerances require is below the resolution of time.

    Loosen tolerances that are below round-off; otherwise the solution is singular at this time.
    """


class DivergentSeriesError(IntegrationError):
    """A step exceeds the radius of convergence of the Taylor series of the motion.

    Use a step below the radius of convergence given in the message, or use tolerances instead of a fixed step.
    """


class ChatteringError(StepUnderflowError):
    """Chattering: a force changes between two values faster than time can be resolved.

    Regularise the jump, for example with tanh(v/ε) instead of sign(v), or end the run there with an event.
    """


class TooManyStepsError(IntegrationError):
    """The number of steps to the next stop time exceeds the limit.

    Loosen the tolerances, or increase ``max_steps``.
    """


class OutOfMemoryError(IntegrationError):
    """There is not enough memory for more recorded states.

    Record fewer states with ``t_eval`` or ``record_every``.
    """


class InterruptedIntegrationError(IntegrationError, KeyboardInterrupt):
    """The integration was interrupted by the user.

    Continue from the partial solution, or from a checkpoint with `resume`.
    """


class ControllerError(IntegrationError):
    """A sampled controller raised an exception, which is the ``__cause__``, or returned unusable values.

    Correct the function of the controller as the message describes.
    """


class CheckpointError(IntegrationError):
    """The integration stopped because a checkpoint cannot be written; the previous checkpoint is valid.

    Make the folder of the checkpoint writable, and resume from the previous checkpoint.
    """
