"""What a family of methods says of itself. A family is a subclass of `Method` in a file of its own, with its equations,
and has a C header of the same equations."""

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
from symlie.runtime.methods.refusals import refusal_of_constraints, refusal_of_form_1, refusal_of_frames
from symlie.runtime.tableaux.tableau import Tableau
from symlie.showing import line

if TYPE_CHECKING:
    from symlie.runtime.kernels.series import EventPiece
    from symlie.runtime.methods.stepper import State, Stepper, Trial
    from symlie.runtime.tableaux.compositions import Composition
    from symlie.runtime.tableaux.entry import EntryReader
    from symlie.runtime.tableaux.order_conditions import FoundOrder


class ScalarStages(NamedTuple):
    """What a step is for y' = λ y: how each stage is reached, and at last the end of the step."""

    starts: Sequence[int]
    """The stage, counted from 0, that each is reached from."""
    weights: Sequence[Array]
    """Weights of the slopes on the way."""


class OwnArray(NamedTuple):
    """An array that a method carries from step to step for itself."""

    name: str
    rows: int
    of: str = ""
    """Size of a row: ``storage``, ``dimension`` or ``rows`` of the system; nothing for a number."""

    def size(self, layout: Layout) -> int:
        """Its length for a system."""
        sizes: dict[str, int] = {"": 1, "storage": layout.storage, "dimension": layout.dimension, "rows": layout.rows}
        return self.rows * sizes[self.of]


@dataclass(frozen=True, repr=False)
class Method(ABC):
    """An integration method: its family is the class, its coefficients are a tableau, its options are other fields.

    Parameters
    ----------
    tableau : Tableau
        The coefficients; they also give the method its name and order.
    entry : mapping, optional
        The data of a tableau that is not one of the library.
    """

    tableau: Tableau
    entry: Mapping[str, object] | None = field(default=None, compare=False, kw_only=True)

    family: ClassVar[str]
    """Name of the family."""
    header: ClassVar[str]
    """Its C header."""
    required: ClassVar[tuple[str, ...]] = ()
    """What a tableau that users state must have; none where they can not state one."""
    optional: ClassVar[tuple[str, ...]] = ()
    """What it may have."""
    option_values: ClassVar[Mapping[str, str]] = {}
    """What can be chosen, for some methods of the family at least, with the values it may have."""
    members: ClassVar[str] = ""
    """What has these options, for messages."""
    takes_constraints: ClassVar[bool] = False
    """Whether systems with constraints can be integrated."""
    refused: ClassVar[tuple[str, ...]] = ()
    """What the family refuses besides constraints and frames."""
    takes_baumgarte: ClassVar[bool] = False
    """Whether stages have a place for Baumgarte's term."""
    takes_coordinate_rates: ClassVar[bool] = False
    """Whether nodes may be stepped in stored coordinates whose rates are not the velocities."""
    takes_lanes: ClassVar[bool] = False
    """Whether its C header is written for members side by side."""
    chooses_order: ClassVar[bool] = False
    """Whether it chooses the order of each step with its length, and says so in its trials."""
    chooses_length: ClassVar[bool] = False
    """Whether its trials say how long the next step is."""
    is_polynomial: ClassVar[bool] = False
    """Whether a step is a polynomial that is known before its length, so that shorter steps are states within it."""

    def __repr__(self) -> str:
        choices = [f"{name}={value}" for name, value in self.options.items()]
        return line("Method", [self.name, self.family, f"order {self.order}", *choices])

    @classmethod
    @abstractmethod
    def read(cls, reader: EntryReader) -> Self:
        """The method of an entry with a tableau.

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
        """The method with what belongs to a run, such as an order that the tolerance asks for.

        Parameters
        ----------
        layout
            Of the system that is integrated.
        tolerance
            The least of the run's tolerances; None where steps have one length.

        Raises
        ------
        ModelError
            The method can not reach it.
        """
        return self

    @property
    def keeps_hidden_constraints(self) -> bool:
        """Whether B v + b = 0 holds at the end of each step but for rounding."""
        return True

    @property
    def restarts_at_switches(self) -> bool:
        """Whether it carries accelerations from step to step, so that it begins anew where they jump."""
        return False

    @property
    def restarts_at_kinks(self) -> bool:
        """Whether it takes earlier steps, of whose order a kink between them leaves nothing."""
        return False

    @property
    def inside(self) -> Method:
        """The method of shorter steps between recorded states, where nothing is known of what came before."""
        return self

    @property
    def keeps_factors(self) -> bool:
        """Whether factors of a matrix are kept over steps of one length."""
        return False

    @property
    def has_estimate(self) -> bool:
        """Whether an embedded formula estimates the error, so that steps can be adaptive."""
        return self.tableau.has_estimate

    def orders(self) -> tuple[FoundOrder, FoundOrder | None]:
        """The orders that the coefficients have by exact conditions, of the method and of its embedded formula.

        Raises
        ------
        ModelError
            There are no order conditions of the family.
        """
        raise ModelError(
            f"Method {self.name}: there are no order conditions of the family {self.family}; its order is stated "
            f"as {self.order}, and 'symlie converge' shows it."
        )

    @property
    def options(self) -> dict[str, object]:
        """Its options as `with_options` takes them; none where there is no choice."""
        return {}

    @property
    def record(self) -> dict[str, object]:
        """Everything that `symlie.runtime.methods.chosen.recorded_method` needs, as JSON has it."""
        return {"name": self.name, "entry": self.entry, "options": self.options}

    def with_options(self, options: Mapping[str, object]) -> Self:
        """The method with some options changed.

        Parameters
        ----------
        options
            Values by name; the documents list those of each family.

        Raises
        ------
        UnknownNameError
            There is no such option or value.
        ModelError
            The method has no such option, or its options do not fit together.
        """
        from symlie.runtime.methods.registry import check_option

        for key in options:
            check_option(self, key)
        return self if not options or dict(options) == self.options else self._with(options)

    def _with(self, options: Mapping[str, object]) -> Self:
        """The method with options of its own changed."""
        return self

    @property
    def is_free_of_commutators(self) -> bool:
        """Whether it takes nothing but flows of slopes: no dexp⁻¹ and no commutators."""
        return False

    def refusal(self, layout: Layout) -> str | None:
        """Why the method can not integrate a model, as a sentence that names methods that can.

        Parameters
        ----------
        layout
            The model; None is returned where nothing stands against it.
        """
        return (
            refusal_of_constraints(self, layout) or refusal_of_frames(self, layout) or refusal_of_form_1(self, layout)
        )

    @property
    def remark(self) -> str:
        """Where the order is not that of all parts of the solution, as a sentence without its end; else nothing."""
        return ""

    @property
    def limits(self) -> list[str]:
        """What the method can not do, as phrases."""
        stated = {
            "constraints of configurations and velocities": self.takes_constraints,
            "manifolds with a frame": self.is_free_of_commutators,
            "form 1 of classical coordinates": self.takes_coordinate_rates,
            "adaptive steps, which need an error estimate": self.has_estimate,
            "Baumgarte's term": self.takes_baumgarte or not self.takes_constraints,
        }
        return [*self.refused, *(what for what, is_taken in stated.items() if not is_taken)]

    @property
    def stability(self) -> str:
        """What bounds the steps of an implicit method, as a phrase for advice; nothing where it is solved for."""
        return ""

    @property
    def kernel_set(self) -> str | None:
        """The set of further kernels of nodes that steps need, such as ``cayley``."""
        return None

    @property
    def element_set(self) -> str | None:
        """The set of further kernels of elements that steps need: that of a discrete Lagrangian."""
        return None

    @property
    def takes_element_matrix(self) -> bool:
        """Whether steps take the matrix of that set, and not that of M alone."""
        return False

    def iteration(self, layout: Layout) -> bool | None:
        """Whether the matrix of implicit steps has an η for each λ; None for methods without such a matrix.

        Parameters
        ----------
        layout
            The model.
        """
        return None

    @property
    def own(self) -> tuple[OwnArray, ...]:
        """What a step leaves for the next ones besides q, v, λ and v', one array after the other.

        Trials, events, checkpoints, files and continued runs copy it without knowing what it is.
        """
        return ()

    def own_size(self, layout: Layout) -> int:
        """Length of what is carried.

        Parameters
        ----------
        layout
            The model.
        """
        return sum(array.size(layout) for array in self.own)

    def own_parts(self, layout: Layout) -> dict[str, slice]:
        """Where each of the arrays is.

        Parameters
        ----------
        layout
            The model.
        """
        ends = [0, *itertools.accumulate(array.size(layout) for array in self.own)]
        return {a.name: slice(*ends[k : k + 2]) for k, a in enumerate(self.own)}

    def event_piece(self, stepper: Stepper, state: State, rest: float) -> EventPiece | None:
        """Series of event functions from a state within an accepted step; None where they are sampled.

        Parameters
        ----------
        stepper
            What steps are taken with.
        state, rest
            The state, and what is left of the step, in s.
        """
        return None

    def begin(self, stepper: Stepper, state: State, h: float) -> Array:
        """What is carried where a run starts, or starts anew after a jump of an input or a change of parameters.

        Parameters
        ----------
        stepper
            What steps are taken with.
        state
            The state; its ``own`` is not known.
        h
            Length of the next step, in s.
        """
        return np.zeros(self.own_size(stepper.system.layout))

    @abstractmethod
    def constants(self) -> list[str]:
        """What the C header takes, as lines of C."""

    @property
    def composition(self) -> Composition | None:
        """The substeps of a step, each a step of the method; ``None`` where a step is one."""
        return None

    def composition_constants(self) -> list[str]:
        """Substeps, as lines of C."""
        found = self.composition
        if found is None:
            return []
        lengths, starts = c_vector("SUBSTEP", found.lengths), c_vector("SUBSTEP_START", found.starts)
        return [f"#define SUBSTEPS {len(found.lengths)}", lengths, starts]

    def own_constants(self) -> list[str]:
        """Sizes and places of what is carried, as lines of C."""
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
        """The result of a step of length h, in NumPy; the state is unchanged.

        Parameters
        ----------
        stepper
            The system, and how steps are taken.
        state
            Where the step begins.
        h
            Its length, in s.
        """

    def angles(self, components: Array) -> Array:
        """Rotations, in rad, of components of an increment that belong to rotations of the plane.

        Parameters
        ----------
        components
            The components, of any shape.
        """
        return components

    def scalar_stages(self) -> ScalarStages | None:
        """What a step is for y' = λ y; None for methods that are not explicit."""
        return None
