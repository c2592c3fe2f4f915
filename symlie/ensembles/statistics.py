"""Statistics over members: of numbers while members come in, and of nodes on groups, about their mean on the group.

Numbers are added member by member in the order of members, whatever chunks they come in, by Welford's recurrence: the
bits of statistics do not depend on who computed what when. Source: [Welford1962].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from symlie.contract.manifest import NodeType
from symlie.ensembles.design import Design
from symlie.ensembles.quantities import Recorded
from symlie.ensembles.results import MemberResults
from symlie.errors import ModelError, OutsideChartError, UnknownNameError
from symlie.runtime.kernels.numpy import NumpyKernels
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.solution.node_fields import named_field
from symlie.showing import Brief

STATISTICS = ("mean", "std", "min", "max")
"""What can be kept of members in place of their values."""

MEAN_STEPS = 50
"""Corrections of a mean on a group at most."""

UNIQUE = np.pi / 2
"""Angle around a mean, in rad, within which it is the only one of rotations."""

MEAN_TOLERANCE = 1e-14
"""Largest correction that is rounding, in rad and units of the model."""


def check_statistics(layout: Layout, names: Sequence[str], wanted: Sequence[Recorded]) -> None:
    """Check what is to be kept of members.

    Parameters
    ----------
    layout
        Layout of the system.
    names
        Names of statistics.
    wanted
        Quantities that they are of.

    Raises
    ------
    UnknownNameError
        There is no such statistic.
    ModelError
        A quantity is on a group or a manifold, where components have no mean.
    """
    for name in names:
        if name not in STATISTICS:
            raise UnknownNameError(f"Unknown statistic '{name}'; use some of: {', '.join(STATISTICS)}.")
    for quantity in wanted:
        node, field = quantity.node, quantity.field
        if quantity.output in layout.node_outputs:
            part, found, _ = layout.node_outputs[quantity.output]
            node, field = part.name, found.name
        if node and any(f.name == field and np.any(kind.identity[f.part]) for kind in _kind(layout, node)
                        for f in kind.storage_fields):  # fmt: skip
            raise ModelError(
                f"'{quantity.name}' is on a group, where a mean of components is no element; record '{node}' without "
                "statistics, and take result.on_group."
            )


def _kind(layout: Layout, node: str) -> list[NodeType]:
    return [n.type for n in layout.nodes if n.name == node]


class RunningStatistics:
    """Sums over members that come in any order.

    Parameters
    ----------
    shapes
        Shapes of values of a member, by quantity.
    first
        Number of the first member.
    """

    def __init__(self, shapes: Mapping[str, tuple[int, ...]], first: int = 0) -> None:
        self._next = first
        self._waiting: dict[int, MemberResults] = {}
        self._count = {name: np.zeros(shape) for name, shape in shapes.items()}
        self._mean = {name: np.zeros(shape) for name, shape in shapes.items()}
        self._squares = {name: np.zeros(shape) for name, shape in shapes.items()}
        self._least = {name: np.full(shape, np.inf) for name, shape in shapes.items()}
        self._most = {name: np.full(shape, -np.inf) for name, shape in shapes.items()}

    def add(self, found: MemberResults) -> None:
        """Add members of a chunk, as soon as those before them are there."""
        if len(found):
            self._waiting[int(found.members[0])] = found
        while self._next in self._waiting:
            part = self._waiting.pop(self._next)
            for row in range(len(part)):
                for name, values in part.values.items():
                    self._add(name, values[row])
            self._next += len(part)

    def _add(self, name: str, value: Array) -> None:
        here = np.isfinite(value)
        count, mean = self._count[name], self._mean[name]
        count += here
        delta = np.where(here, value - mean, 0.0)
        mean += delta / np.maximum(count, 1)
        self._squares[name] += np.where(here, delta * (value - mean), 0.0)
        np.fmin(self._least[name], value, out=self._least[name])
        np.fmax(self._most[name], value, out=self._most[name])

    def values(self, names: Sequence[str]) -> dict[str, dict[str, Array]]:
        """Statistics by quantity: those asked for, and ``"count"``, the number of members that came so far."""
        found = {}
        for quantity, count in self._count.items():
            with np.errstate(all="ignore"):
                known = {
                    "mean": self._mean[quantity],
                    "std": np.sqrt(self._squares[quantity] / (count - 1)),
                    "min": self._least[quantity],
                    "max": self._most[quantity],
                }
            missing = {"mean": count < 1, "std": count < 2, "min": count < 1, "max": count < 1}
            found[quantity] = {name: np.where(missing[name], np.nan, known[name]) for name in names}
            found[quantity]["count"] = count
        return found


@dataclass(frozen=True, eq=False, repr=False)
class GroupStatistics(Brief):
    """Members about their mean on a group.

    Attributes
    ----------
    mean
        Fields of the mean configuration m over time, by name, shape (times, …).
    deviations
        log(m⁻¹∘q_k), shape (members, times, dimension), or (members, times, nodes, dimension); NaN of members that
        did not come so far.
    std
        Root of their mean square with n - 1, by components, shape (times, dimension), or (times, nodes, dimension).
    """

    mean: Mapping[str, Array]
    deviations: Array
    std: Array


def statistics_on_group(design: Design, values: Mapping[str, Array], node: str) -> GroupStatistics:
    """The mean of a node's configurations on its group, and deviations from it.

    m solves Σ_k log(m⁻¹∘q_k) = 0, by the fixed point iteration m ← m∘exp(mean of log(m⁻¹∘q_k)).

    Parameters
    ----------
    design
        The members.
    values
        Recorded histories of all stored fields of the node, as ``NODE.FIELD``, members first.
    node
        Name of the node.

    Raises
    ------
    UnknownNameError
        There is no such node.
    ModelError
        The node was not recorded as a whole, or no member came to an end.
    OutsideChartError
        A member is so far from the mean that log is not defined.
    """
    layout = design.system.layout
    part = layout.node(node)
    names = [f"{node}.{f.name}" for f in part.type.storage_fields]
    if missing := [name for name in names if name not in values]:
        raise ModelError(f"{missing[0]} was not recorded; record '{node}' to have its mean on the group.")
    kernels = NumpyKernels(layout, design.system.files[f"{layout.name}.py"])
    first = values[names[0]]
    members, times = first.shape[:2]
    q = np.tile(layout.identity.astype(float), (members, times, 1))
    rows = q[..., part.storage].reshape(members, times, part.count, -1)
    for name, field in zip(names, part.type.storage_fields, strict=True):
        rows[..., field.part] = values[name].reshape(members, times, part.count, -1)
    q[..., part.storage] = rows.reshape(members, times, -1)
    here = np.isfinite(q).all(axis=2)
    if not here.any():
        raise ModelError(f"No member has a configuration of '{node}'.")
    mean = q[np.argmax(here, axis=0), np.arange(times)].copy()
    with np.errstate(all="ignore"):
        for _ in range(MEAN_STEPS):
            theta = kernels.difference(np.broadcast_to(mean, q.shape), q)
            correction = np.where(here[..., None], theta, 0.0).sum(axis=0) / np.maximum(here.sum(axis=0), 1)[:, None]
            mean = kernels.normalize(kernels.advance(mean, correction))
            if not np.abs(correction).max() > MEAN_TOLERANCE * max(1.0, float(np.nanmax(np.abs(q)))):
                break
        else:
            raise OutsideChartError(
                f"Members are spread too far over the group of '{node}' to have a mean: corrections of the mean do not "
                f"fall below {np.abs(correction).max():.2g}."
            )
    theta = kernels.difference(np.broadcast_to(mean, q.shape), q)
    far = here & (np.linalg.norm(theta, axis=2) >= UNIQUE)
    if any(kernels.chart(u) >= UNIQUE**2 for u in theta[far]):
        raise OutsideChartError(
            f"Members of '{node}' are a quarter of a turn and more from their mean, which is not the only one then."
        )
    theta = np.where(here[..., None], theta, np.nan)[..., part.velocity]
    count = here.sum(axis=0)[:, None]
    with np.errstate(all="ignore"):
        std = np.sqrt(np.nansum(theta**2, axis=0) / (count - 1))
    shape = (part.count, part.type.dimension) if part.is_array else (part.type.dimension,)
    stored = mean[:, part.storage].reshape(times, part.count, -1)
    fields = {
        f.name: named_field(part.type, f"Node '{node}'", stored, np.zeros((times, part.count, 0)), f.name)
        for f in part.type.storage_fields
    }
    return GroupStatistics(
        fields if part.is_array else {name: rows[:, 0] for name, rows in fields.items()},
        theta.reshape(members, times, *shape),
        std.reshape(times, *shape),
    )
