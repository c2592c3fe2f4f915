"""Base class of the families of methods. A family is a subclass of `Method` in a separate file, with its equations, and
has a C header with the same equations.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Self

import numpy as np

from symlie.errors import ModelError
from symlie.runtime.kernels.c_text import c_vector
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.methods.refusals import refusal_of_angular_velocities, refusal_of_constraints, refusal_of_frames
from symlie.runtime.tableaux.tableau import Tableau
from symlie.utilities.showing import line

if TYPE_CHECKING:
    from symlie.runtime.kernels.series import EventPiece
    from symlie.runtime.methods.stepper import State, Stepper, Trial
    from symlie.runtime.tableaux.compositions import Composition
    from symlie.runtime.tableaux.entry import EntryReader
    from symlie.runtime.tableaux.order_conditions import FoundOrder


class ScalarStages(NamedTuple):
    """Step for y' = λ y: the combination of slopes in each stage and in the result."""

    starts: Sequence[int]
    """Index, from 0, of the stage at which each combination starts."""
    weights: Sequence[Array]
    """Weights of the slopes."""


class OwnArray(NamedTuple):
    """Array of the method history."""

    name: str
    rows: int
    of: str = ""
    """Kind of its rows, which gives their size: ``storage``, ``dimension`` or ``rows`` of the system; empty for a
    number."""

    def size(self, layout: Layout) -> int:
        """Return its total size for a system."""
        sizes: dict[str, int] = {"": 1, "storage": layout.storage, "dimension": layout.dimension, "rows": layout.rows}
        return self.rows * sizes[self.of]


@dataclass(frozen=True, repr=False)
class Method(ABC):
    """Integration method: the class is its family, the tableau contains its coefficients, other fields are its options.

    Parameters
    ----------
    tableau : Tableau
        Coefficients, with the name and the order of the method.
    entry : mapping, optional
        Data of a user-defined tableau.
    """

    tableau: Tableau
    entry: Mapping[str, object] | None = field(default=None, compare=False, kw_only=True)

    family: ClassVar[str]
    """Name of the family."""
    header: ClassVar[str]
    """C header of the family."""
    required: ClassVar[tuple[str, ...]] = ()
    """Required keys of user-defined tableaux; empty if the family has none."""
    optional: ClassVar[tuple[str, ...]] = ()
    """Optional keys of user-defined tableaux."""
    option_values: ClassVar[Mapping[str, str]] = {}
    """Options supported by at least some methods of the family, with their values."""
    members: ClassVar[str] = ""
    """Methods that support these options, for messages."""
    takes_constraints: ClassVar[bool] = False
    """True if systems with constraints can be integrated."""
    refused: ClassVar[tuple[str, ...]] = ()
    """Unsupported model features other than constraints and frames."""
    takes_baumgarte: ClassVar[bool] = False
    """True if the stages support Baumgarte stabilisation."""
    takes_coordinate_rates: ClassVar[bool] = False
    """True if nodes can be integrated in stored coordinates whose rates differ from the velocities."""
    takes_lanes: ClassVar[bool] = False
    """True if the C header supports SIMD lanes."""
    chooses_order: ClassVar[bool] = False
    """True if each step determines both the order and the length of the next one, and trials report the order."""
    chooses_length: ClassVar[bool] = False
    """True if trials determine the length of the next step."""
    is_polynomial: ClassVar[bool] = False
    """True if a step is a polynomial independent of its length, so that states within it are results of shorter
    steps."""

    def __repr__(self) -> str:
        choices = [f"{name}={value}" for name, value in self.options.items()]
        return line("Method", [self.name, self.family, f"order {self.order}", *choices])

    @classmethod
    @abstractmethod
    def read(cls, reader: EntryReader) -> Self:
        """Return the method of an entry with a tableau.

        Parameters
        ----------
        reader
            The entry.
        """

    @property
    def name(self) -> str:
        """Name of the method."""
        return self.tableau.name

    @property
    def order(self) -> int:
        """Order of the states; multipliers may have one order less."""
        return self.tableau.order

    @property
    def order_hat(self) -> int | None:
        """Order of the embedded formula."""
        return self.tableau.order_hat

    @property
    def first_order(self) -> int:
        """Order of the first step."""
        return 1 if self.chooses_order else self.order

    def for_run(self, layout: Layout, tolerance: float | None) -> Self:
        """Return the method with its choices for one run, such as an order that depends on the tolerance.

        Parameters
        ----------
        layout
            Layout of the integrated system.
        tolerance
            Smallest tolerance of the run; None with fixed steps.

        Raises
        ------
        ModelError
            The method cannot reach the tolerance.
        """
        return self

    @property
    def keeps_hidden_constraints(self) -> bool:
        """True if B v + b = 0 holds at the end of each step up to rounding."""
        return True

    @property
    def restarts_at_switches(self) -> bool:
        """True if the method history contains accelerations, so that the method restarts at their jumps."""
        return False

    @property
    def restarts_at_kinks(self) -> bool:
        """True if the method uses previous steps, so that a kink between them would reduce its order."""
        return False

    @property
    def inside(self) -> Method:
        """Method of shorter steps between recorded states, where the method history is unknown."""
        return self

    @property
    def keeps_factors(self) -> bool:
        """True if the factors of a matrix are reused over steps of equal length."""
        return False

    @property
    def has_estimate(self) -> bool:
        """True if an embedded formula estimates the error, so that steps can be adaptive."""
        return self.tableau.has_estimate

    def orders(self) -> tuple[FoundOrder, FoundOrder | None]:
        """Return the orders of the method and of its embedded formula, from exact conditions on the coefficients.

        Raises
        ------
        ModelError
            The family has no order conditions.
        """
        raise ModelError(
            f"Method {self.name}: the family {self.family} has no order conditions; the specified order is "
            f"{self.order}, and 'symlie converge' measures it."
        )

    @property
    def options(self) -> dict[str, object]:
        """Options in the form of `with_options`; empty for methods without options."""
        return {}

    @property
    def record(self) -> dict[str, object]:
        """Data for `symlie.runtime.methods.chosen.recorded_method`, in JSON form."""
        return {"name": self.name, "entry": self.entry, "options": self.options}

    def with_options(self, options: Mapping[str, object]) -> Self:
        """Return the method with some options changed.

        Parameters
        ----------
        options
            Values by name; the documentation lists them for each family.

        Raises
        ------
        UnknownNameError
            No option or value has this name.
        ModelError
            The method has no such option, or its options are incompatible.
        """
        from symlie.runtime.methods.registry import check_option

        for key in options:
            check_option(self, key)
        return self if not options or dict(options) == self.options else self._with(options)

    def _with(self, options: Mapping[str, object]) -> Self:
        """Return the method with changed options."""
        return self

    @property
    def is_free_of_commutators(self) -> bool:
        """True if the method uses only flows of slopes: neither dexp⁻¹ nor commutators."""
        return False

    def refusal(self, layout: Layout) -> str | None:
        """Return the reason why the method cannot integrate a model, a sentence that names suitable methods, or None.

        Parameters
        ----------
        layout
            Layout of the model.
        """
        return (
            refusal_of_constraints(self, layout)
            or refusal_of_frames(self, layout)
            or refusal_of_angular_velocities(self, layout)
        )

    @property
    def remark(self) -> str:
        """Phrase that qualifies the order, for example of the multipliers; empty for most methods."""
        return ""

    @property
    def limits(self) -> list[str]:
        """Unsupported features of the method, as phrases."""
        stated = {
            "constraints of configurations and velocities": self.takes_constraints,
            "manifolds with a frame": self.is_free_of_commutators,
            "rotation parameters with form=angular_velocity": self.takes_coordinate_rates,
            "adaptive steps, which need an error estimate": self.has_estimate,
            "Baumgarte's term": self.takes_baumgarte or not self.takes_constraints,
        }
        return [*self.refused, *(what for what, is_taken in stated.items() if not is_taken)]

    @property
    def stability(self) -> str:
        """Phrase about the stability limit of an implicit method, for advice; empty without a limit."""
        return ""

    @property
    def kernel_set(self) -> str | None:
        """Name of the additional kernels of nodes that steps need, such as ``cayley``."""
        return None

    @property
    def element_set(self) -> str | None:
        """Name of the additional kernels of elements that steps need: those of a discrete Lagrangian."""
        return None

    @property
    def takes_element_matrix(self) -> bool:
        """True if steps use the matrix of these kernels instead of M alone."""
        return False

    def iteration(self, layout: Layout) -> bool | None:
        """Return whether the Newton matrix has an η for each λ; None for methods without such a matrix.

        Parameters
        ----------
        layout
            Layout of the model.
        """
        return None

    @property
    def own(self) -> tuple[OwnArray, ...]:
        """Method history: arrays that pass from step to step in addition to q, v, λ and v'.

        Trials, events, checkpoints, files and continued runs copy it without interpretation.
        """
        return ()

    def own_size(self, layout: Layout) -> int:
        """Return the size of the method history.

        Parameters
        ----------
        layout
            Layout of the model.
        """
        return sum(array.size(layout) for array in self.own)

    def own_parts(self, layout: Layout) -> dict[str, slice]:
        """Return the slices of the arrays in the method history by name.

        Parameters
        ----------
        layout
            Layout of the model.
        """
        ends = [0, *itertools.accumulate(array.size(layout) for array in self.own)]
        return {a.name: slice(*ends[k : k + 2]) for k, a in enumerate(self.own)}

    def event_piece(self, stepper: Stepper, state: State, rest: float) -> EventPiece | None:
        """Return the series of event functions from a state within an accepted step, or None if they are sampled.

        Parameters
        ----------
        stepper
            Stepper of the integration.
        state, rest
            The state, and the rest of the step, in s.
        """
        return None

    def begin(self, stepper: Stepper, state: State, h: float) -> Array:
        """Return the initial method history: at the start, and after a jump of an input or a change of parameters.

        Parameters
        ----------
        stepper
            Stepper of the integration.
        state
            The state; its ``own`` is unknown.
        h
            Length of the next step, in s.
        """
        return np.zeros(self.own_size(stepper.system.layout))

    @abstractmethod
    def constants(self) -> list[str]:
        """Return the definitions for the C header, as lines of C."""

    @property
    def composition(self) -> Composition | None:
        """Substeps of a step, each a step of the method; ``None`` for a single step."""
        return None

    def composition_constants(self) -> list[str]:
        """Return the substeps as lines of C."""
        found = self.composition
        if found is None:
            return []
        lengths, starts = c_vector("SUBSTEP", found.lengths), c_vector("SUBSTEP_START", found.starts)
        return [f"#define SUBSTEPS {len(found.lengths)}", lengths, starts]

    def own_constants(self) -> list[str]:
        """Return sizes and positions of the method history as lines of C."""
        if not self.own:
            return []
        sizes = [f"{a.rows} * {a.of.upper()}" if a.of else str(a.rows) for a in self.own]
        names = [f"OWN_{a.name.upper()}" for a in self.own]
        restarts = ["#define RESTARTS_AT_KINKS 1", f"#define FIRST_ORDER {self.first_order}"]
        places = ["0", *(f"{name} + {size}" for name, size in zip(names, sizes, strict=True))]
        lines = [f"#define {name} ({place})" for name, place in zip([*names, "OWN"], places, strict=True)]
        at_switches = f"#define RESTARTS_AT_SWITCHES {int(self.restarts_at_switches)}"
        return ["#define HAS_OWN_STATE 1", at_switches, *(restarts if self.restarts_at_kinks else []), *lines]

    @abstractmethod
    def step(self, stepper: Stepper, state: State, h: float) -> Trial:
        """Compute a step of length h in NumPy; the state is unchanged.

        Parameters
        ----------
        stepper
            The system, and the control of steps.
        state
            State at the start of the step.
        h
            Its length, in s.
        """

    def angles(self, components: Array) -> Array:
        """Return the rotations, in rad, of the components of an increment that belong to plane rotations.

        Parameters
        ----------
        components
            The components, of any shape.
        """
        return components

    def scalar_stages(self) -> ScalarStages | None:
        """Return the step for y' = λ y; None for methods that are not explicit."""
        return None
