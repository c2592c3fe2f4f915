"""Methods that can integrate a model, and the default method."""

from __future__ import annotations

from dataclasses import dataclass

from symlie.errors import ModelError
from symlie.runtime.layout.layout import Layout
from symlie.runtime.methods.library import method, method_names
from symlie.runtime.methods.refusals import has_frames
from symlie.runtime.system.system import System
from symlie.utilities.showing import line


@dataclass(frozen=True, repr=False)
class MethodChoice:
    """Methods that can integrate a system, from `method_choice`.

    Attributes
    ----------
    system
        Name of the system.
    default
        Name of the default method of `solve`. For unusual models, ``refusals`` may contain it.
    reason
        Sentence with the reason for the default.
    refusals
        Sentences by the name of each method that cannot integrate the system, with the reason.
    """

    system: str
    default: str
    reason: str
    refusals: dict[str, str]

    def __repr__(self) -> str:
        return line("MethodChoice", [self.system, f"default {self.default}", f"takes {', '.join(self.taken)}"])

    @property
    def taken(self) -> tuple[str, ...]:
        """Names of the methods that can integrate the system."""
        return tuple(name for name in method_names() if name not in self.refusals)


def method_choice(system: System) -> MethodChoice:
    """Return the methods that can integrate a system, and the default.

    They depend on the nodes and constraints of the model, not on values of parameters. The default is always an
    explicit method, because implicit methods are faster only for stiff problems.

    Parameters
    ----------
    system
        The system, from `Equations.compile` or `load`.

    Raises
    ------
    ModelError
        If the argument is not a system.
    """
    if not isinstance(system, System):
        raise ModelError(f"A {type(system).__name__} is not a system; use the result of model.derive().compile().")
    layout = system.layout
    stated = {name: method(name).refusal(layout) for name in method_names()}
    refusals = {name: sentence for name, sentence in stated.items() if sentence is not None}
    return MethodChoice(system.name, *_default(layout), refusals)


def default_method(layout: Layout) -> str:
    """Default method for a model."""
    return _default(layout)[0]


def _default(layout: Layout) -> tuple[str, str]:
    if has_frames(layout):
        return "cf43", ("The frame of vector fields has no commutators; cf43 needs none, and its steps are adaptive.")
    if layout.of_velocities.any() and layout.has_fields and layout.has_dependents:
        return "index1_dopri5", (
            "Constraints act on dependent nodes; index1_dopri5 supports them with second derivatives, and its steps "
            "are adaptive."
        )
    if not layout.of_velocities.all() or (layout.has_fields and not layout.rows):
        return "rkmk_dopri5", (
            "The model has first-order states or acceleration-level constraints; rkmk_dopri5 supports both, and its "
            "steps are adaptive."
        )
    return "half_explicit_5", (
        "Mechanical systems, with or without constraints, are integrated by half_explicit_5; its steps are adaptive."
    )
