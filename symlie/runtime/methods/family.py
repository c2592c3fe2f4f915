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
from symlie.runtime.methods.refusals import (
    refusal_of_angular_velocities,
    refusal_of_constraints,
    refusal_of_frames,
    refusal_of_friction,
    refusal_of_further_friction,
)
from symlie.runtime.steps.program import Features
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
    """Integration method: base class of all families of methods.

    The class of a method is its family; the tableau contains its coefficients, and further attributes are its options.

    Parameters
    ----------
    tableau
        Coefficients, with the name and the order of the method.
    entry
        Data of a user-defined tableau, as in its file; None for built-in methods.
    """

    tableau: Tableau
    entry: Mapping[str, object] | None = field(default=None, compare=False, kw_only=True)

    family: ClassVar[str]
    """Name of the family."""
    header: ClassVar[str]
    """Name of the C header of the family."""
    required: ClassVar[tuple[str, ...]] = ()
    """Required keys of user-defined tableaux; empty if the family does not support these."""
    optional: ClassVar[tuple[str, ...]] = ()
    """Optional keys of user-defined tableaux."""
    option_values: ClassVar[Mapping[str, str]] = {}
    """Options of methods of the family, and their ranges as text."""
    members: ClassVar[str] = ""
    """Names of the methods that have these options, for messages."""
    takes_constraints: ClassVar[bool] = False
    """True if the methods integrate systems with holonomic or nonholonomic constraints."""
    takes_friction: ClassVar[bool] = False
    """True if the stages support friction of contacts."""
    refused: ClassVar[tuple[str, ...]] = ()
    """Unsupported features of models, except constraints and frames, as phrases."""
    takes_baumgarte: ClassVar[bool] = False
    """True if the stages support Baumgarte stabilisation."""
    takes_coordinate_rates: ClassVar[bool] = False
    """True if the methods integrate rotation parameters whose velocity is the angular velocity."""
    has_coefficients: ClassVar[bool] = True
    """False if steps have no coefficients for order conditions, so that orders are only measured."""
    chooses_order: ClassVar[bool] = False
    """True for variable order: each step determines the order and the size of the next one."""
    chooses_length: ClassVar[bool] = False
    """True if the method, not the controller, determines the size of the next step."""
    is_polynomial: ClassVar[bool] = False
    """True if a step is a polynomial in time that does not depend on the step size, as for Taylor series."""

    @property
    def divides_increments(self) -> bool:
        """True if velocities follow from increments over the step size, as in index-3 methods with constraints."""
        return False

    def __repr__(self) -> str:
        choices = [f"{name}={value}" for name, value in self.options.items()]
        return line("Method", [self.name, self.family, f"order {self.order}", *choices])

    @classmethod
    @abstractmethod
    def read(cls, reader: EntryReader) -> Self:
        """Return the method of a tableau.

        Parameters
        ----------
        reader
            Reader of the data of the tableau.

        Raises
        ------
        ModelError
            If coefficients are missing or contradict each other.
        """

    @property
    def name(self) -> str:
        """Name of the method."""
        return self.tableau.name

    @property
    def order(self) -> int:
        """Order of q and v; the order of λ may be lower by one."""
        return self.tableau.order

    @property
    def order_hat(self) -> int | None:
        """Order of the embedded formula; None without one."""
        return self.tableau.order_hat

    @property
    def first_order(self) -> int:
        """Order of the first step, on which the initial step size depends; 1 for variable order."""
        return 1 if self.chooses_order else self.order

    def for_run(self, layout: Layout, tolerance: float | None) -> Self:
        """Return the method with the choices that it makes for a run, such as an order that depends on the tolerance.

        Parameters
        ----------
        layout
            Layout of the system.
        tolerance
            Smallest tolerance of the run, dimensionless; None with fixed steps.

        Raises
        ------
        ModelError
            If the method cannot satisfy the tolerance.
        """
        return self

    @property
    def keeps_hidden_constraints(self) -> bool:
        """True if each step satisfies B v + b = 0 at its end up to rounding."""
        return True

    @property
    def restarts_at_switches(self) -> bool:
        """True if the method restarts at jumps of the accelerations, because its method history contains these."""
        return False

    @property
    def restarts_at_kinks(self) -> bool:
        """True if the method restarts at kinks of the accelerations, because it uses several previous steps."""
        return False

    @property
    def inside(self) -> Method:
        """Method of the shorter steps of dense output, where the method history is unknown."""
        return self

    @property
    def keeps_factors(self) -> bool:
        """True if steps of equal size reuse a factorisation."""
        return False

    @property
    def has_estimate(self) -> bool:
        """True if the method estimates its local error, which adaptive steps require."""
        return self.tableau.has_estimate

    def orders(self) -> tuple[FoundOrder, FoundOrder | None]:
        """Return the orders of the method and of its embedded formula, if any, from exact order conditions.

        Raises
        ------
        ModelError
            If no order conditions are known for the family.
        """
        raise ModelError(
            f"Method {self.name}: the family {self.family} has no order conditions; the specified order is "
            f"{self.order}, and 'symlie converge' measures it."
        )

    @property
    def options(self) -> dict[str, object]:
        """Values of the options by name, as accepted by `with_options`."""
        return {}

    @property
    def record(self) -> dict[str, object]:
        """Name, tableau and options in JSON form, for files and checkpoints."""
        return {"name": self.name, "entry": self.entry, "options": self.options}

    def with_options(self, options: Mapping[str, object]) -> Self:
        """Return the method with other values of some options.

        Parameters
        ----------
        options
            Values by name; `options` contains the current ones, and ``option_values`` their ranges.

        Raises
        ------
        UnknownNameError
            If no method has an option of this name, or a named value does not exist.
        ModelError
            If this method does not have the option, a number is out of range, or options are incompatible.
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
        """True if steps consist of flows of slopes only, without dexp⁻¹ and commutators."""
        return False

    def refusal(self, layout: Layout) -> str | None:
        """Return why the method cannot integrate a model, as a sentence that names suitable methods; None if it can.

        Parameters
        ----------
        layout
            Layout of the model.
        """
        return (
            refusal_of_constraints(self, layout)
            or refusal_of_friction(self, layout)
            or refusal_of_further_friction(self, layout)
            or refusal_of_frames(self, layout)
            or refusal_of_angular_velocities(self, layout)
        )

    def refusal_of_adaptive_steps(self, layout: Layout) -> str | None:
        """Return why the method can integrate a model with fixed steps only, as a sentence; None if it has no such
        limit.

        Parameters
        ----------
        layout
            Layout of the model.
        """
        return None

    @property
    def remark(self) -> str:
        """Phrase with further information on the order, for example of the multipliers; empty for most methods."""
        return ""

    @property
    def limits(self) -> list[str]:
        """Unsupported features of models and runs, as phrases."""
        stated = {
            "constraints of configurations and velocities": self.takes_constraints,
            "manifolds with a frame": self.is_free_of_commutators,
            "rotation parameters with form=angular_velocity": self.takes_coordinate_rates,
            "adaptive steps, which need an error estimate": self.has_estimate,
            "Baumgarte's term": self.takes_baumgarte or not self.takes_constraints,
        }
        return [*self.refused, *(what for what, is_taken in stated.items() if not is_taken)]

    @property
    def steps_contacts(self) -> bool:
        """True if steps contain the impacts of contacts (time stepping)."""
        return False

    def steps_over(self, layout: Layout) -> bool:
        """Return whether steps contain impacts of contacts, whose events are not located.

        Parameters
        ----------
        layout
            Layout of the model.
        """
        return self.steps_contacts and layout.has_gaps

    def locates_events(self, layout: Layout) -> bool:
        """Return whether events of a model are located in steps; steps over impacts locate none of contacts.

        Parameters
        ----------
        layout
            Layout of the model.
        """
        return bool((layout.contact_of_event < 0).any()) if self.steps_over(layout) else bool(layout.events)

    @property
    def stability(self) -> str:
        """Phrase about the stability limit of an implicit method, for messages; empty without a limit."""
        return ""

    @property
    def kernel_set(self) -> str | None:
        """Name of the additional kernels of nodes that steps need, such as ``"cayley"``, or None."""
        return None

    @property
    def element_set(self) -> str | None:
        """Name of the additional kernels of elements that steps need, those of a discrete Lagrangian, or None."""
        return None

    @property
    def takes_element_matrix(self) -> bool:
        """True if steps use a matrix of the kernels of `element_set` instead of M."""
        return False

    def iteration(self, layout: Layout) -> bool | None:
        """Return whether implicit steps have multipliers η of the stabilised index-2 form.

        The result is None for explicit and variational methods.

        Parameters
        ----------
        layout
            Layout of the model.
        """
        return None

    @property
    def own(self) -> tuple[OwnArray, ...]:
        """Method history: the arrays that a step passes to the next one in addition to q, v, λ and v'."""
        return ()

    def own_size(self, layout: Layout) -> int:
        """Return the number of entries of the method history.

        Parameters
        ----------
        layout
            Layout of the model.
        """
        return sum(array.size(layout) for array in self.own)

    def own_parts(self, layout: Layout) -> dict[str, slice]:
        """Return the positions of the arrays in the method history, by name.

        Parameters
        ----------
        layout
            Layout of the model.
        """
        ends = [0, *itertools.accumulate(array.size(layout) for array in self.own)]
        return {a.name: slice(*ends[k : k + 2]) for k, a in enumerate(self.own)}

    def starts_from_multipliers(self, features: Features) -> bool:
        """Return whether v' at the start of a step follows from the multipliers there.

        Parameters
        ----------
        features
            Features of the system.
        """
        return False

    def event_piece(self, stepper: Stepper, state: State, rest: float) -> EventPiece | None:
        """Return Taylor series of the event functions within an accepted step, or None if these are sampled.

        Parameters
        ----------
        stepper
            Stepper of the run.
        state
            State within the step at which the series start.
        rest
            Time from this state to the end of the step, in s.
        """
        return None

    def begin(self, stepper: Stepper, state: State, h: float) -> Array:
        """Return the method history, shape (own_size,), at the start or after a restart, such as at a jump of inputs.

        Parameters
        ----------
        stepper
            Stepper of the run.
        state
            The state, without method history.
        h
            Size of the next step, in s.
        """
        return np.zeros(self.own_size(stepper.system.layout))

    @abstractmethod
    def constants(self) -> list[str]:
        """Return the definitions that the C header requires, as lines of C."""

    def step_files(self, features: Features) -> dict[str, str]:
        """Return printed C headers of the step by name.

        Parameters
        ----------
        features
            Features of the system.
        """
        return {}

    @property
    def composition(self) -> Composition | None:
        """Substeps of a composed step; None if steps are not composed."""
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
        """Attempt a step in NumPy, without changes of the state.

        Parameters
        ----------
        stepper
            Stepper of the run.
        state
            State at the start of the step.
        h
            Step size, in s.

        Raises
        ------
        IntegrationError
            If the step has no result.
        """

    def angles(self, components: Array) -> Array:
        """Return the rotation angles, in rad, of the planar components of an increment in local coordinates.

        Parameters
        ----------
        components
            Components of the increment, of any shape; the result has the same shape.
        """
        return components

    def scalar_stages(self) -> ScalarStages | None:
        """Return the stages of a step for y' = λ y, from which the stability limit follows; None if not explicit."""
        return None
