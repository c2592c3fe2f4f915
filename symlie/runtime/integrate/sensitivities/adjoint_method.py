"""Library with the adjoint of the steps of a method, with its C structures and their memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from symlie.compile.library import Library, Pointer
from symlie.contract.constants import Status
from symlie.errors import NotConvergedError, SingularSystemError
from symlie.runtime.integrate.c_loop import STATUSES
from symlie.runtime.integrate.compiled_method import control_structure, tables_of
from symlie.runtime.integrate.driver_library import adjoint_library
from symlie.runtime.integrate.sensitivities.tangent_method import problem_with_tangents
from symlie.runtime.integrate.sensitivities.trail import Trail
from symlie.runtime.kernels.c_structures import in_memory
from symlie.runtime.kernels.c_tables import ProblemTemplate
from symlie.runtime.kernels.protocol import Prepared
from symlie.runtime.kernels.sets import KernelSets
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.controllers import StepControl
from symlie.runtime.methods.programs.method import ProgrammedMethod
from symlie.runtime.system.system import System

_Known = tuple[ProgrammedMethod, int, bool, Library, ProblemTemplate]

_known_libraries: WeakKeyDictionary[KernelSets, list[_Known]] = WeakKeyDictionary()
"""Libraries with their C structures by the kernel sets, which copies of a system share."""


def _known(
    system: System, method: ProgrammedMethod, tangents: int, *, is_projected: bool
) -> tuple[Library, ProblemTemplate]:
    known = _known_libraries.setdefault(system.sets, [])
    is_shared = system.mechanics.saddle_algebra is None
    for other, count, projected, library, template in known if is_shared else ():
        if other == method and count == tangents and projected == is_projected:
            return library, template
    library, _ = adjoint_library(system, method, tangents, is_projected=is_projected)
    template = ProblemTemplate(library, system.layout, tables_of(system, method))
    if is_shared:
        known.append((method, tangents, is_projected, library, template))
    return library, template


class CotangentsAtStart(NamedTuple):
    """Cotangents at the start of a run, or one tangent of them.

    Attributes
    ----------
    q, v
        Cotangents of the configuration, dual to tangents in the Lie algebra, and of the velocity, shape (dimension,).
    parameters
        Derivatives by the parameters of the model, then by those of all elements, type by type.
    tables
        Derivatives by the numbers of tables, at the places of the prepared parameters.
    """

    q: Array
    v: Array
    parameters: Array
    tables: Array


class Cotangents:
    """Cotangents of a state, and derivatives by parameters and tables, in memory for C.

    Each number has a given width: its value and its tangents.
    """

    def __init__(self, library: Library, system: System, history: int, width: int) -> None:
        layout = system.layout
        own = sum(n * rows.shape[1] for n, rows in zip(layout.instance_counts, layout.element_parameters, strict=True))
        self._parameters = np.zeros((max(len(layout.parameter_defaults) + own, 1), width))
        self._tables = np.zeros((max(len(system.prepared.model), 1), width))
        self._dimension = layout.dimension
        sizes = {"q": layout.dimension, "v": layout.dimension, "lambda": layout.rows, "acceleration": layout.dimension}
        sizes["own"] = history
        self._arrays = {name: np.zeros((2, max(size, 1), width)) for name, size in sizes.items()}
        pointer = library.pointer
        self.pointers = [library.ffi.new("symlie_cotangents *") for _ in range(2)]
        for k, target in enumerate(self.pointers):
            for name, array in self._arrays.items():
                setattr(target, name, pointer(array[k]))
            target.gradient.parameters, target.gradient.tables = pointer(self._parameters), pointer(self._tables)

    def array(self, name: str) -> Array:
        """Return the cotangents of q, v, lambda, acceleration or the method history (``own``), without tangents."""
        return self._arrays[name][0, :, 0]

    def part(self, number: int = 0) -> CotangentsAtStart:
        """Return the values (0), or one of their tangents."""
        q, v = (self._arrays[name][0, : self._dimension, number] for name in ("q", "v"))
        return CotangentsAtStart(q, v, self._parameters[:, number], self._tables[:, number])


class AdjointMethod:
    """Library of a system with the adjoint of a method, and the cotangents of a run, which are zero at its end.

    Parameters
    ----------
    system, method, control
        The system, the method and its step control.
    prepared, width
        Parameters with tangents and the doubles of a number, as in `TangentMethod`; default: without tangents.

    Attributes
    ----------
    cotangents
        The cotangents.
    """

    def __init__(
        self,
        system: System,
        method: ProgrammedMethod,
        control: StepControl,
        prepared: Prepared | None = None,
        width: int = 1,
    ) -> None:
        self._system = system
        self._library, template = _known(system, method, width - 1, is_projected=control.is_projected)
        self._problem, problem_held = problem_with_tangents(template, prepared or system.prepared, width)
        self._control, control_held = in_memory(self._library, control_structure(system.layout, control))
        size = max(int(self._library.call.symlie_reverse_workspace(self._problem)), 1)
        workspace = self._problem.workspace = self._library.pointer(np.zeros(width * size))
        self.cotangents = Cotangents(self._library, system, method.own_size(system.layout), width)
        self._held: list[object] = [problem_held, control_held, workspace]

    def reverse(self, trail: Trail, weighted: NDArray[np.int64], weights: Array) -> None:
        """Propagate the cotangents from the end of some steps to their start.

        The states of the trail have the weights of outputs, shape (n, components) or, with tangents, (n, components,
        width), with the numbers ``weighted``, or none if the number is -1.
        """
        described, held = self._trail(trail, weighted, weights)
        call, pointers = self._library.call, self.cotangents.pointers
        self._check(call.symlie_reverse(self._problem, self._control, described, *pointers))
        del held

    def reverse_start(self, t: float, q: Array, v: Array) -> None:
        """Propagate the cotangents of λ, v', and prescribed and dependent nodes at the start of a run to q and v of the
        other nodes, and to parameters."""
        state = [self._library.pointer(np.ascontiguousarray(x)) for x in (q, v)]
        moves, bar = int(self._system.layout.free.any()), self.cotangents.pointers[0]
        self._check(self._library.call.symlie_reverse_start(self._problem, t, *state, moves, bar))

    def _check(self, status: int) -> None:
        found = STATUSES[status]
        if found is Status.NOT_CONVERGED:
            raise NotConvergedError(
                f"The corrections of an adjoint step of '{self._system.name}' do not converge; take smaller steps, or "
                "a smaller tolerance of Newton's method."
            )
        if found is not Status.DONE:
            raise SingularSystemError(
                f"The linear system of an adjoint step of '{self._system.name}' is singular, so that the derivatives "
                "of the run are not determined; take other steps, or redundant='minimal_norm' for dependent rows."
            )

    def _trail(self, trail: Trail, weighted: NDArray[np.int64], weights: Array) -> tuple[Pointer, Sequence[object]]:
        """``symlie_trail``, and the objects that own its memory."""
        library, layout = self._library, self._system.layout
        of_types = [np.ascontiguousarray(weights[:, places]) for places in layout.output_places]
        pointers = library.ffi.new("double *[]", max(len(of_types), 1))
        for k, rows in enumerate(of_types):
            pointers[k] = library.pointer(rows) if rows.any() else library.ffi.NULL
        arrays: dict[str, NDArray[np.generic]] = {
            "begin": trail.begin, "length": trail.length, "kind": trail.kind, "t": trail.t, "q": trail.q, "v": trail.v,
            "lambda": trail.multipliers, "acceleration": trail.acceleration, "own": trail.own, "weighted": weighted,
        }  # fmt: skip
        described = library.ffi.new("symlie_trail *")
        held: list[object] = [pointers, of_types]
        for name, values in arrays.items():
            array = np.ascontiguousarray(values) if values.size else np.zeros(1, dtype=values.dtype)
            setattr(described, name, library.pointer(array, f"{_KINDS[array.dtype.str[1:]]}[]"))
            held.append(array)
        described.steps, described.weights = len(trail.begin), pointers
        return described, held


_KINDS = {"f8": "double", "i8": "long long", "u1": "unsigned char"}
"""C types by the type of arrays."""
