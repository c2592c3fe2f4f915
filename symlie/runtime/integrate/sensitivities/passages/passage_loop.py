"""Time loop that repeats passages for tangents of their start and of parameters."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from symlie.contract.constants import Status
from symlie.runtime.integrate.loop_state import LoopState
from symlie.runtime.integrate.run import Run
from symlie.runtime.integrate.sensitivities.passages.event_tangents import check_events
from symlie.runtime.integrate.sensitivities.tangent_loop import StateTangents, TangentLoop
from symlie.runtime.integrate.sensitivities.trail import Start
from symlie.runtime.integrate.sensitivities.variables import Variable
from symlie.runtime.layout.event_changes import CONTACT_TABLE
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.methods.programs.method import ProgrammedMethod
from symlie.runtime.solution.recorder import Recorder
from symlie.runtime.steps.adjoint.transposition import differentiated_arrays
from symlie.runtime.steps.program import Features, features_of, passes_acceleration
from symlie.runtime.system.system import System


class Part(NamedTuple):
    """Part of a state with tangents.

    Attributes
    ----------
    array
        Name of the array in ``symlie_state``.
    places
        Its components, shape (n,); components of a configuration or of a group element are consecutive.
    size
        Number of components of a tangent.
    is_element
        True for configurations and group elements, whose tangents are in the Lie algebra.
    """

    array: str
    places: NDArray[np.int64]
    size: int
    is_element: bool = False


def parts_of(system: System, method: ProgrammedMethod, start: Start) -> list[Part]:
    """Return the parts of states between which steps propagate tangents. The first ones are q and v."""
    layout = system.layout
    found = [Part("q", np.arange(layout.storage), layout.dimension, is_element=True)]
    sizes = {"v": layout.dimension, "lambda": layout.rows}
    sizes |= {"acceleration": layout.dimension} if start.from_acceleration else {}
    found += [Part(name, np.arange(size), size) for name, size in sizes.items()]
    stored = _stored_by_contacts(layout)
    found.append(Part("q", stored, len(stored)))
    carried = _carried(method, features_of(system.mechanics, compiled=True))
    parts = method.own_parts(layout)
    for array in method.own:
        if array.name not in carried:
            continue
        places, is_element = np.arange(parts[array.name].start, parts[array.name].stop), array.of == "storage"
        found.append(Part("own", places, layout.dimension if is_element else len(places), is_element))
    return found


def _carried(method: ProgrammedMethod, features: Features) -> frozenset[str]:
    """Return the names of arrays of the method history that have cotangents."""
    program, start = method.known_program(features), method.start_program(features)
    passes = passes_acceleration(program, method.substeps(features))
    return differentiated_arrays([program] if start is None else [program, start], passes_acceleration=passes)


def _stored_by_contacts(layout: Layout) -> NDArray[np.int64]:
    """Return the indices of the speeds of impacts and of round-off forces that contacts store in a configuration."""
    first = layout.contacts[:, CONTACT_TABLE.index("largest_speed")].astype(np.int64)
    return np.concatenate([first, first + 1])


class PassageLoop(TangentLoop):
    """Time loop for tangents by variables, followed by tangents of components of the start of passages.

    Parameters
    ----------
    run
        The run.
    variables
        Variables with tangents.
    tangents
        Number of tangents for which the loop is compiled.
    seeds
        Tangents of the parts of the start, shape (used tangents, size) each; the first ones, by variables, are zero.
    parts
        The parts.
    outputs
        Indices of the outputs to be differentiated.
    """

    def __init__(
        self,
        run: Run,
        variables: Sequence[Variable],
        tangents: int,
        seeds: Sequence[Array],
        parts: Sequence[Part],
        outputs: Sequence[int],
    ) -> None:
        self._parts, self._seeds, self._states = parts, seeds, list[StateTangents]()
        count, dimension = len(seeds[0]), run.system.layout.dimension
        nothing = np.zeros((count, dimension)), np.zeros((count, dimension))
        super().__init__(run, variables, tangents, nothing, outputs, self._states.append)
        self._layout, self._method = run.system.layout, run.method

    def repeat(self, before: LoopState, steps: int | None) -> Array:
        """Repeat a passage up to some number of steps, or to the end of the run, and return the tangents of outputs at
        its recorded states, shape (states, components, used tangents); raise ModelError if an event has no
        derivatives."""
        self.put(before)
        for array in self._arrays.values():
            array.reshape(-1, self._width)[:, 1:] = 0.0
        self._time[:] = 0.0
        self._time[0] = before.t
        for part, seeds in zip(self._parts, self._seeds, strict=True):
            self._seed(part, seeds)
        self._states.clear()
        self.events.clear()
        recorder, status = Recorder(self._layout), Status.BUDGET
        while status in (Status.BUDGET, Status.BUFFER_FULL) and (steps is None or self.steps < steps):
            status = self.advance(1)
            self.drain(recorder)
        check_events(self._layout, recorder.events, [StateTangents.joined(self.events)])
        assert steps is None or (self.steps == steps and not self._moves), "a passage ends at a constant time"
        none = np.zeros((0, self._outputs[1], self._count))
        return np.concatenate([none, *(x.outputs for x in self._states)])

    @property
    def _moves(self) -> bool:
        """True if the time or a step length in the method history has tangents."""
        parts = self._method.own_parts(self._layout)
        numbers = [parts[array.name].start for array in self._method.own if not array.of]
        return bool(self._time[1:].any() or self._arrays["own"].reshape(-1, self._width)[numbers, 1:].any())

    def _seed(self, part: Part, seeds: Array) -> None:
        """Set the tangents of a part of the state."""
        array, lanes = self._arrays[part.array].reshape(-1, self._width), slice(1, 1 + len(seeds))
        if not part.is_element:
            array[part.places, lanes] = seeds.T
            return
        theta, pointer = np.zeros((max(part.size, 1), self._width)), self.library.pointer
        theta[: part.size, lanes] = seeds.T
        at = array[part.places[0] :].ravel() if part.places.size else np.zeros(self._width)
        self.library.call.symlie_move_tangents(self.problem, self.t, pointer(theta), pointer(at))

    def ends(self) -> list[Array]:
        """Return the tangents of the parts of the current state, shape (size, used tangents)."""
        found, pointer = list[Array](), self.library.pointer
        for part in self._parts:
            array, lanes = self._arrays[part.array].reshape(-1, self._width), slice(1, 1 + self._count)
            if part.is_element:
                theta = np.zeros((max(part.size, 1), self._width))
                at = np.ascontiguousarray(array[part.places]) if part.places.size else np.zeros(self._width)
                self.library.call.symlie_increment_tangents(self.problem, 1, pointer(at), pointer(theta))
                found.append(theta[: part.size, lanes])
            else:
                found.append(array[part.places, lanes])
        return found


def without_first_stage(state: LoopState) -> LoopState:
    """Return a state from which the next step computes v' of its first stage."""
    return dataclasses.replace(state, at=dataclasses.replace(state.at, acceleration=None))
