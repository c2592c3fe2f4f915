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
from symlie.runtime.solution.contacts.friction_losses import friction_losses
from symlie.runtime.solution.contacts.impacts import Impact, impacts_of
from symlie.runtime.solution.curve_states import CurveStates, states_on_curve
from symlie.runtime.solution.event_changes import impulses_at
from symlie.runtime.solution.local_fields import field_of
from symlie.runtime.solution.node_rotations import node_rotations
from symlie.runtime.solution.outputs import Outputs
from symlie.runtime.solution.recorder import Event, Statistics
from symlie.runtime.solution.state import StateAt
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
    """Recorded states of an integration, with outputs, events and statistics; from `solve`.

    Values are in the units of the model. A pickle of a solution contains its system.

    Attributes
    ----------
    t
        Times, in s, shape (n,).
    q
        Configurations, shape (n, storage); nodes are grouped by type.
    v
        Velocities, shape (n, dimension).
    multipliers
        λ, shape (n, constraint equations); the reaction forces are -Bᵀλ.
    carried
        Auxiliary integrator state, shape (n, size).
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
    """Numbers of steps and evaluations, constraint residuals, and times of computation."""
    status: str = "ok"
    """``"ok"`` if the run reached its end time; ``"event"`` if a terminal event ended it; ``"accumulation"`` if that
    event belongs to a sequence of events with intervals below the resolution of time; otherwise the name of the
    exception."""
    trace: Trace | None = None
    """Attempted steps, if ``trace=True``."""
    events: tuple[Event, ...] = ()
    """Events in the order of their times."""
    end: Start | None = None
    """State at the end, with the data that ``solve(start=solution)`` continues from."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of `solve` in JSON form."""
    warnings: tuple[str, ...] = ()
    """Warnings of the run; each was issued as a `SymlieWarning`."""

    def __repr__(self) -> str:
        return solution_line(self)

    def _repr_html_(self) -> str:
        return solution_html(self)

    def __reduce__(self) -> tuple[Callable[..., Solution], tuple[object, ...]]:
        from symlie.runtime.solution.pickling import pickled_solution

        return pickled_solution(self)

    def __call__(self, t: float | Sequence[float] | Array) -> StateAt | Solution:
        """Evaluate the solution at one time or at several times (dense output).

        Between recorded states, configurations follow from quintic Hermite interpolation on the group, and λ from the
        acceleration-level system. For first-order states, for rotation parameters with angular velocities, and for
        Taylor series, the state is the result of a shorter step of the method. Every step must be recorded, that is,
        without ``t_eval`` and with ``record_every=1``.

        Parameters
        ----------
        t
            One time or several, in s, within the solution.

        Returns
        -------
        StateAt or Solution
            A state for a number, or a solution at several times.

        Raises
        ------
        ModelError
            If a time is outside the solution, or is not a recorded time although fewer states than steps are recorded.
        CodeNotLoadedError
            If the solution was loaded without ``trust=True`` and a time is not a recorded one.
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
        """Return the stored configuration of a node over time, shape (n, storage), or (n, count, storage) for an array.

        Parameters
        ----------
        node
            Name of a node or a node array.

        Raises
        ------
        UnknownNameError
            If the node does not exist.
        """
        return self.system.layout.node(node).by_node(self.q, velocity=False)

    def velocity(self, node: str) -> Array:
        """Return the velocity of a node over time, shape (n, dimension), or (n, count, dimension) for an array.

        Parameters
        ----------
        node
            Name of a node or a node array.

        Raises
        ------
        UnknownNameError
            If the node does not exist.
        """
        return self.system.layout.node(node).by_node(self.v, velocity=True)

    def field(self, node: str, name: str, frame: Axes = "body") -> Array:
        """Return a field of a node over time, such as ``field("top", "x")``.

        Rods and other continua also have fields over their segments, such as ``"strain"``, ``"section_force"``
        (including the part of λ) and ``"multipliers"``.

        Parameters
        ----------
        node
            Name of a node, a node array or a continuum.
        name
            Name of a field of the configuration or of the velocity, or of a field over segments. All nodes with one
            rotation have ``"R"``, and nodes with rotation parameters have ``"Omega"``.
        frame
            Axes of vectors over segments: ``"body"``, those of the cross section in the middle of each segment, or
            ``"space"``, inertial axes.

        Returns
        -------
        Array
            Shape ``(n, *field shape)``, ``(n, count, *field shape)`` for an array, or (n, segments, components).

        Raises
        ------
        UnknownNameError
            If the node or the field does not exist.
        ModelError
            If the axes do not exist, or the field over segments is not a vector.
        CodeNotLoadedError
            If the solution was loaded without ``trust=True``, and the file does not contain this field over segments.
        """
        return field_of(self, node, name, frame)

    @cached_property
    def known_fields(self) -> dict[tuple[str, str, str], Array]:
        """Fields over segments computed so far, by curve, name and frame; files contain those in body axes."""
        return {}

    def at(self, name: str, s: float | Sequence[float] | Array, t: float | Sequence[float] | Array) -> CurveStates:
        """Interpolate the solution at points of a rod, or of another curve of `Model.curve`, at any times.

        Between nodes, configurations are q_k∘exp(ξ log(q_k⁻¹∘q_{k+1})) with ξ from 0 to 1, and velocities are linear in
        ξ. Between recorded times, states are those of ``solution(t)``.

        Source: [Hante2022], equation (5) and section 5.2.

        Parameters
        ----------
        name
            Name of the rod or curve.
        s
            One arc length or several, in m.
        t
            One time or several, in s, within the solution.

        Raises
        ------
        UnknownNameError
            If no rod or curve has this name.
        ModelError
            If a point is outside the curve, or a time cannot be evaluated; see ``solution(t)``.
        CodeNotLoadedError
            If the solution was loaded without ``trust=True``.
        """
        return states_on_curve(self, name, s, t)

    def rotation(self, node: str, index: int | None = None, field: str | None = None) -> Rotation:
        """Return the rotation of a node over time, from body-fixed axes to inertial axes, as a SciPy object.

        Its methods ``as_euler("ZYX", degrees=True)``, ``as_rotvec()``, ``as_quat()`` (scalar part last) and
        ``as_matrix()`` return Euler angles, rotation vectors, quaternions and matrices for all times.

        Parameters
        ----------
        node
            Name of a node or a node array.
        index
            Index of a node of an array; required for arrays.
        field
            Name of the stored field, such as ``"R2"``; required for nodes with several rotations.

        Returns
        -------
        scipy.spatial.transform.Rotation
            n rotations.

        Raises
        ------
        UnknownNameError
            If the node does not exist, stores no rotation in space, or stores several and the field is not given.
        ModelError
            If the array has no node of this index.
        """
        return node_rotations(self, node, index, field)

    def angle(self, node: str, field: str | None = None) -> Array:
        """Return the angle of a node on SO2, SE2 or a product with them over time, with counted full turns.

        The angle is between -π and π in the initial configuration. Full turns are counted at every step, recorded or
        not; ``solve(start=…)`` continues the count.

        Parameters
        ----------
        node
            Name of a node or a node array.
        field
            Name of the stored field of the angle, such as ``"p2"``; required for nodes with several angles.

        Returns
        -------
        Array
            Angles, in rad, shape (n,), or (n, count) for an array.

        Raises
        ------
        UnknownNameError
            If the node does not exist or has no angle, or if it has several and the field is unknown or not given.
        """
        layout, part = self.system.layout, self.system.layout.node(node)
        chosen = layout.angles.of_node(part, field)
        turns = self.carried[:, layout.carried["turns"]]
        values = WHOLE_TURN * turns[:, chosen] + layout.angles.principal(self.q)[:, chosen]
        return np.asarray(values if part.is_array else values[:, 0])

    @property
    def states(self) -> States:
        """Recorded times, configurations, velocities, multipliers and auxiliary states in one object."""
        return States(self.t, self.q, self.v, self.multipliers, self.carried)

    @cached_property
    def outputs(self) -> Outputs:
        """Named outputs over time, each computed on first access.

        All models have ``"energy"``, in J; models with constraints also have ``"constraint_residual"`` and
        ``"velocity_residual"``, the largest components of Φ and B v + b. `Model.output` defines further ones.
        """
        return Outputs(self)

    @cached_property
    def undetermined(self) -> Undetermined:
        """Outputs and constraints that redundant constraint equations leave undetermined, at up to 5 recorded states.

        Their values belong to the multipliers of minimal norm; other multipliers give the same motion.
        """
        return undetermined_of(self)

    def with_index1_multipliers(self) -> Solution:
        """Return a copy with the λ of the acceleration-level (index-1) system at each recorded state.

        The multipliers are NaN where this system is singular.

        Raises
        ------
        CodeNotLoadedError
            If the solution was loaded without ``trust=True``.
        """
        system = self.system
        found = system.mechanics.observer.observe(system.prepared, self.states, ("multipliers",))
        return dataclasses.replace(self, multipliers=found["multipliers"])

    def named_multipliers(self) -> dict[str, Array]:
        """Return the multipliers by name of the constraint.

        The shape is (n, equations), or (n, elements, equations) for constraints of element types.
        """
        named = {}
        for name, part in self.system.layout.constraints.items():
            values = self.multipliers[:, part.rows]
            named[name] = values if part.is_array else values[:, 0]
        return named

    @cached_property
    def impacts(self) -> list[Impact]:
        """Impacts of contacts in order of time, with their impulses and losses of energy."""
        return impacts_of(self)

    @cached_property
    def friction_losses(self) -> dict[str, Array]:
        """Energy dissipated by friction of each contact, joint and constraint from the start to each recorded time, in
        J, shape (n,) each, without the losses of impacts; of all elements together for contacts of element types.

        Raises
        ------
        ModelError
            If fewer states than steps are recorded.
        CodeNotLoadedError
            If the solution was loaded without ``trust=True``.
        """
        return friction_losses(self)

    def impulses(self, event: Event) -> dict[str, Array]:
        """Return the impulses Λ of constraints by name at an event that engages constraints.

        They satisfy M (v⁺ - v⁻) + BᵀΛ = 0 and B v⁺ + b = 0, where v⁻ includes resets at the same time.

        Parameters
        ----------
        event
            One of `events`.

        Returns
        -------
        dict
            Arrays by name of the constraint, in N s or N m s, in the shapes of `named_multipliers` at one time; empty
            if no event at this time engages a constraint.

        Raises
        ------
        ModelError
            If the event does not belong to the solution.
        """
        return impulses_at(self, event)

    def constraint_force(self, node: str, *constraints: str) -> Array:
        """Return the generalised reaction force -Bᵀλ of constraints on a node over time.

        Parameters
        ----------
        node
            Name of a node or a node array.
        *constraints
            Names of the constraints; default: all.

        Returns
        -------
        Array
            Components in the order of the velocity, shape (n, dimension), or (n, count, dimension) for an array.

        Raises
        ------
        UnknownNameError
            If the node or a constraint does not exist.
        CodeNotLoadedError
            If the solution was loaded without ``trust=True``.
        """
        return constraint_force(self, node, constraints)

    def save(self, path: str | Path) -> None:
        """Write the solution to a netCDF (``.nc``), NumPy (``.npz``) or text (``.csv``) file.

        Parameters
        ----------
        path
            File to write; its suffix determines the type. A complete new file replaces an existing one. A text file
            contains only the columns of `to_dataframe`, so that `load_solution` cannot read it.

        Raises
        ------
        FormatError
            If the suffix is unknown, or the file cannot be written.
        MissingDependencyError
            If neither netCDF4 nor h5netcdf, one of which ``.nc`` requires, is installed.
        """
        from symlie.runtime.solution.formats import save_solution

        save_solution(self, Path(path))

    def to_xarray(self) -> xarray.Dataset:
        """Return all recorded quantities as an xarray dataset, with the names, units and attributes of saved files.

        Raises
        ------
        MissingDependencyError
            If the package xarray or pandas is not installed.
        """
        from symlie.runtime.solution.data_tables import dataset

        return dataset(self)

    def to_dataframe(self) -> pandas.DataFrame:
        """Return the solution as a pandas data frame.

        The index is the time, in s; each component of a quantity is a column, such as ``top_x[0]``.

        Raises
        ------
        MissingDependencyError
            If the package pandas is not installed.
        """
        from symlie.runtime.solution.data_tables import data_frame

        return data_frame(self)

    def plot(self, path: str | Path | None = None, panels: Sequence[str] | None = None) -> Figure:
        """Plot quantities of the solution versus time; grey lines mark events.

        Parameters
        ----------
        path
            Image file to write (``.png``, ``.pdf``, ``.svg``); default: none.
        panels
            Names of the panels: ``"energy"``; ``"residuals"`` of the constraints; ``"snapshots"`` of bodies and rods;
            outputs; constraints, for their multipliers; ``"NODE.FIELD"``; and ``"ROD.FIELD"``, such as
            ``"rod.section_force"``, versus s at the last time. Default: a selection for the model; the caption lists
            the quantities that are not drawn.

        Returns
        -------
        Figure
            The figure; a notebook displays it.

        Raises
        ------
        UnknownNameError
            If a panel does not exist, or there is nothing to draw.
        MissingDependencyError
            If Matplotlib is not installed.
        FormatError
            If the file type is unknown, or the file cannot be written.
        """
        from symlie.runtime.plot.figures import plot_solution

        return plot_solution(self, None if path is None else Path(path), panels)

    def plot_steps(self, path: str | Path | None = None) -> Figure:
        """Plot error estimates, step sizes and Newton iterations; the function `plot_steps` compares several solutions.

        Parameters
        ----------
        path
            Image file to write (``.png``, ``.pdf``, ``.svg``); default: none.

        Returns
        -------
        Figure
            The figure; a notebook displays it.

        Raises
        ------
        ModelError, MissingDependencyError, FormatError
            As in the function `plot_steps`.
        """
        from symlie.runtime.plot.step_figure import plot_steps

        return plot_steps(self, path)

    def view(self, *others: Solution) -> View:
        """Return an animated 3-D view of the solution.

        A notebook displays the view, and `View.save` writes it as an HTML page.

        Parameters
        ----------
        *others
            Further solutions of the model, drawn as ghosts.

        Raises
        ------
        ModelError
            If the solutions belong to different models, a solution is empty, or the model has no positions.
        """
        from symlie.view.view import view_of

        return view_of(self, others)

    def to_json(self) -> dict[str, object]:
        """Return the solution in JSON form, as printed by ``symlie run --json``."""
        from symlie.runtime.solution.json_text import solution_json

        return solution_json(self)
