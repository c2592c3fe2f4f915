"""Solutions: recorded states, multipliers, outputs and statistics."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from symlie.contract.constants import WHOLE_TURN
from symlie.options import Axes
from symlie.retired import NamesSuccessors
from symlie.runtime.kernels.protocol import States
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.constraint_forces import constraint_force
from symlie.runtime.solution.curve_states import CurveStates, states_on_curve
from symlie.runtime.solution.local_fields import field_of
from symlie.runtime.solution.node_rotations import node_rotations
from symlie.runtime.solution.outputs import Outputs
from symlie.runtime.solution.recorder import Event, Statistics
from symlie.runtime.solution.state_at import StateAt
from symlie.runtime.solution.summaries import solution_html, solution_line
from symlie.runtime.solution.trace import Trace
from symlie.runtime.solution.undetermined import Undetermined, undetermined_of
from symlie.utilities.showing import ListsPublicNames

if TYPE_CHECKING:
    import pandas
    import xarray
    from matplotlib.figure import Figure
    from scipy.spatial.transform import Rotation

    from symlie.runtime.integrate.dense import DenseOutput
    from symlie.runtime.solution.start import Start
    from symlie.runtime.system.system import System
    from symlie.view.view import View


@dataclass(frozen=True, eq=False, repr=False)
class Solution(ListsPublicNames, NamesSuccessors):
    """Recorded states of an integration; it pickles with its system.

    Attributes
    ----------
    t
        Times, shape (n,), in s.
    q
        Configurations, shape (n, storage), nodes grouped by type.
    v
        Velocities, shape (n, dimension).
    multipliers
        λ of Bᵀλ, shape (n, constraint equations).
    carried
        Auxiliary integrator state, shape (n, size); `Layout.carried` names its parts.
    """

    INTERNAL = frozenset({"carried", "known_fields"})

    system: System
    """The system that was integrated."""
    method: str
    """Name of the method."""
    t: Array
    q: Array
    v: Array
    multipliers: Array
    carried: Array
    statistics: Statistics = field(default_factory=Statistics)
    """Counts of steps and evaluations, residuals and durations."""
    status: str = "ok"
    """``"ok"`` at the end time, ``"event"`` if a terminal event ended the run, ``"accumulation"`` if that event belongs
    to a sequence whose intervals are too short for the resolution of time, else the name of the error.
    """
    trace: Trace | None = None
    """Attempted steps, if requested."""
    events: tuple[Event, ...] = ()
    """Events in the order of their times."""
    end: Start | None = None
    """Data at the end from which an integration can continue."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The arguments of `solve` in their JSON form."""
    warnings: tuple[str, ...] = ()
    """Suspicious findings of the run; each was issued as a `symlie.SymlieWarning`."""

    def __repr__(self) -> str:
        return solution_line(self)

    def _repr_html_(self) -> str:
        return solution_html(self)

    def __reduce__(self) -> tuple[Callable[..., Solution], tuple[object, ...]]:
        from symlie.runtime.solution.pickling import pickled_solution

        return pickled_solution(self)

    def __call__(self, t: float | Sequence[float] | Array) -> StateAt | Solution:
        """Interpolate the solution at other times: a state for a number, a solution for several times.

        Quintic Hermite interpolation on the group between recorded states, of the order of the local error if every
        step was recorded; λ from the acceleration-level system.

        Parameters
        ----------
        t
            One time or several, in s, within the solution.

        Raises
        ------
        ModelError
            A time is outside the solution.
        """
        times = np.atleast_1d(np.asarray(t, dtype=float))
        at = self._dense(times)
        if np.ndim(t) == 0:
            return StateAt(self.system, float(times[0]), at.q[0], at.v[0], at.multipliers[0], at.carried[0])
        states = dataclasses.replace(self, t=times, q=at.q, v=at.v, multipliers=at.multipliers, carried=at.carried)
        return dataclasses.replace(states, trace=None, events=(), end=None)

    @cached_property
    def _dense(self) -> DenseOutput:
        from symlie.runtime.integrate.dense import DenseOutput

        return DenseOutput(self)

    def configuration(self, node: str) -> Array:
        """Return the storage of a node over time, shape (n, storage), or (n, count, storage) for an array.

        Parameters
        ----------
        node
            Name of a node or a node array.
        """
        return self.system.layout.node(node).by_node(self.q, velocity=False)

    def velocity(self, node: str) -> Array:
        """Return the velocity of a node over time, shape (n, dimension), or (n, count, dimension) for an array.

        Parameters
        ----------
        node
            Name of a node or a node array.
        """
        return self.system.layout.node(node).by_node(self.v, velocity=True)

    def field(self, node: str, name: str, frame: Axes = "body") -> Array:
        """Return a named field of a node over time, such as ``field("top", "x")``, shape ``(n, *field shape)``.

        Rods and other continua also have fields over their segments, such as ``field("rod", "section_force")``, which
        includes the part of λ, ``"strain"`` and ``"multipliers"``, shape (n, segments, components).

        Parameters
        ----------
        node
            Name of a node, a node array or a continuum.
        name
            Name of the field, of its configuration or its velocity, or over segments.
        frame
            Axes of vectors over segments: ``"body"`` for those of the cross section in the middle of each segment, or
            ``"space"``.

        Raises
        ------
        UnknownNameError
            No field has this name.
        """
        return field_of(self, node, name, frame)

    @cached_property
    def known_fields(self) -> dict[tuple[str, str, str], Array]:
        """Fields over segments computed so far, by curve, name and frame; files contain those in body axes."""
        return {}

    def at(self, name: str, s: float | Sequence[float] | Array, t: float | Sequence[float] | Array) -> CurveStates:
        """Interpolate the solution at points of a rod, or of another curve of `Model.curve`, at any times.

        Configurations between nodes are q_k∘exp(ξ log(q_k⁻¹∘q_{k+1})), velocities are linear; ``solution(t)`` gives the
        interpolation between recorded times.

        Parameters
        ----------
        name
            Name of the rod.
        s
            One arc length or several, in m.
        t
            One time or several, in s, within the solution.

        Raises
        ------
        UnknownNameError
            No rod or curve has this name.
        ModelError
            A point is outside the curve, or a time is outside the solution.
        """
        return states_on_curve(self, name, s, t)

    def rotation(self, node: str, index: int | None = None, field: str | None = None) -> Rotation:
        """Return the rotation of a node over time, from body axes to inertial axes, as a SciPy object.

        ``.as_euler("ZYX", degrees=True)`` gives Euler angles, ``.as_rotvec()`` rotation vectors, ``.as_quat()``
        quaternions with the scalar part last, ``.as_matrix()`` matrices, each for every time.

        Parameters
        ----------
        node
            Name of a node or a node array.
        index
            Index of a node of an array.
        field
            The stored field, such as ``"R2"``, for a node with several rotations.

        Raises
        ------
        UnknownNameError
            The node stores no rotation in space, or several.
        ModelError
            The array has no such node.
        """
        return node_rotations(self, node, index, field)

    def angle(self, node: str, field: str | None = None) -> Array:
        """Return the unwrapped angle of a node on SO2, SE2 or a product with them, in rad.

        Full turns are counted at every step of the run, even if few states are recorded, from the angle between -π and
        π of the initial configuration. A run that continues another one continues its count.

        Parameters
        ----------
        node
            Name of a node or a node array.
        field
            The storage field of the angle, such as ``"p2"``, for a node with several.

        Returns
        -------
        Array
            Shape (n,), or (n, count) for an array.

        Raises
        ------
        UnknownNameError
            The node has no angle, or it has several and the field is unknown or not given.
        """
        layout, part = self.system.layout, self.system.layout.node(node)
        chosen = layout.angles.of_node(part, field)
        turns = self.carried[:, layout.carried["turns"]]
        values = WHOLE_TURN * turns[:, chosen] + layout.angles.principal(self.q)[:, chosen]
        return np.asarray(values if part.is_array else values[:, 0])

    @property
    def states(self) -> States:
        """Recorded states in the form that kernels take."""
        return States(self.t, self.q, self.v, self.multipliers, self.carried)

    @cached_property
    def outputs(self) -> Outputs:
        """Named outputs over time: ``energy``, the residuals of constrained models, and the outputs of the model.

        Each output is computed on first access.
        """
        return Outputs(self)

    @cached_property
    def undetermined(self) -> Undetermined:
        """Names of outputs and constraints that redundant constraint equations leave undetermined.

        Their values belong to the multipliers of minimal norm; other multipliers give the same motion.
        """
        return undetermined_of(self)

    def with_index1_multipliers(self) -> Solution:
        """Return a copy whose multipliers solve the index-1 system at each recorded state; states are unchanged.

        Multipliers are NaN where that system is singular.
        """
        system = self.system
        found = system.mechanics.observer.observe(system.prepared, self.states, ("multipliers",))
        return dataclasses.replace(self, multipliers=found["multipliers"])

    def named_multipliers(self) -> dict[str, Array]:
        """Multipliers by constraint name, shape (n, equations), or (n, elements, equations) for constraints of element
        types."""
        named = {}
        for name, part in self.system.layout.constraints.items():
            values = self.multipliers[:, part.rows]
            named[name] = values if part.is_array else values[:, 0]
        return named

    def constraint_force(self, node: str, *constraints: str) -> Array:
        """Return the generalised force of constraints on a node over time: its part of -Bᵀλ in the order of its
        velocity.

        Parameters
        ----------
        node
            Name of a node or a node array.
        *constraints
            Names of the constraints; default: all.

        Returns
        -------
        Array
            Shape (n, dimension), or (n, count, dimension) for an array.
        """
        return constraint_force(self, node, constraints)

    def save(self, path: str | Path) -> None:
        """Write the solution to a netCDF (``.nc``), NumPy (``.npz``) or text (``.csv``) file.

        Parameters
        ----------
        path
            File to write; its suffix determines the type. A text file contains only the columns of `to_dataframe`, so
            `symlie.load_solution` cannot read it.
        """
        from symlie.runtime.solution.formats import save_solution

        save_solution(self, Path(path))

    def to_xarray(self) -> xarray.Dataset:
        """Return the solution as a dataset of xarray: all recorded quantities with the names, units and attributes of
        files.

        Raises
        ------
        MissingDependencyError
            xarray is not installed.
        """
        from symlie.runtime.solution.data_tables import dataset

        return dataset(self)

    def to_dataframe(self) -> pandas.DataFrame:
        """Return the solution as a data frame of pandas: one line per time, in s, one column such as ``top_x[0]`` per
        component.

        Raises
        ------
        MissingDependencyError
            pandas is not installed.
        """
        from symlie.runtime.solution.data_tables import data_frame

        return data_frame(self)

    def plot(self, path: str | Path | None = None, panels: Sequence[str] | None = None) -> Figure:
        """Draw the solution over time; grey lines mark events.

        Parameters
        ----------
        path
            File to write (``.png``, ``.pdf``, ``.svg``); default: none.
        panels
            Panels of the figure: ``"energy"``, ``"residuals"`` of the constraints, ``"snapshots"`` of bodies and rods,
            names of outputs and of constraints (their multipliers), ``"NODE.FIELD"``, ``"ROD.FIELD"`` such as
            ``"rod.section_force"`` over s at the last time; default: everything that the solution contains.

        Returns
        -------
        Figure
            The figure, which a notebook shows.

        Raises
        ------
        UnknownNameError
            The solution has no such panel.
        MissingDependencyError
            Matplotlib is not installed.
        FormatError
            The file type is unknown, or the file cannot be written.
        """
        from symlie.runtime.plot.figures import plot_solution

        return plot_solution(self, None if path is None else Path(path), panels)

    def plot_steps(self, path: str | Path | None = None) -> Figure:
        """Draw the error estimates and sizes of all attempted steps; `symlie.plot_steps` compares several solutions.

        Parameters
        ----------
        path
            File to write (``.png``, ``.pdf``, ``.svg``); default: none.

        Returns
        -------
        Figure
            The figure, which a notebook shows.

        Raises
        ------
        ModelError
            The solution has no trace: integrate with ``trace=True``.
        MissingDependencyError
            Matplotlib is not installed.
        FormatError
            The file type is unknown, or the file cannot be written.
        """
        from symlie.runtime.plot.step_figure import plot_steps

        return plot_steps(self, path)

    def view(self, *others: Solution) -> View:
        """Return an animated 3D page of the solution; a notebook shows it, and ``.save("top.html")`` writes it.

        Parameters
        ----------
        *others
            Further solutions of the model, drawn as ghosts.

        Raises
        ------
        ModelError
            The solutions belong to different models, one is empty, or the model has no position.
        """
        from symlie.view.view import view_of

        return view_of(self, others)

    def to_json(self) -> dict[str, object]:
        """Return the solution as the JSON object of the command line."""
        from symlie.runtime.solution.json_text import solution_json

        return solution_json(self)
