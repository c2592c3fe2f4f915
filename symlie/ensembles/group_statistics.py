"""Members of a node on a group about their mean on it: from all of them, or from sums about a reference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symlie.errors import ModelError, OutsideChartError
from symlie.runtime.kernels.numpy import NumpyKernels
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.node_fields import named_field
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.system import System
from symlie.showing import Brief

MEAN_STEPS = 50
"""Corrections of a mean on a group at most."""

UNIQUE = np.pi / 2
"""Angle around a mean, in rad, within which it is the only one of rotations."""

MEAN_TOLERANCE = 1e-14
"""Largest correction that is rounding, in rad and units of the model."""


@dataclass(frozen=True, eq=False, repr=False)
class GroupStatistics(Brief):
    """Members about their mean on a group.

    Attributes
    ----------
    mean
        Fields of the mean configuration m over time, by name, shape (times, …).
    deviations
        log(m⁻¹∘q_k), shape (members, times, dimension), or (members, times, nodes, dimension); NaN of members that
        did not come so far, and without members where statistics were kept in their place.
    std
        Root of their mean square with n - 1, by components, shape (times, dimension), or (times, nodes, dimension).
    """

    mean: Mapping[str, Array]
    deviations: Array
    std: Array


class NodeGroup:
    """Configurations of a node among those of a system, in which other nodes are at the identity.

    Parameters
    ----------
    system
        The system.
    node
        Name of the node.

    Raises
    ------
    UnknownNameError
        There is no such node.
    """

    def __init__(self, system: System, node: str) -> None:
        self._layout, self.node, self._part = system.layout, node, system.layout.node(node)
        self._kernels = NumpyKernels(system.layout, system.files[f"{system.layout.name}.py"])
        self.shape = (self._part.count, self._part.type.dimension)

    @property
    def names(self) -> list[str]:
        """Names of the quantities that a configuration is made of."""
        return [f"{self.node}.{f.name}" for f in self._part.type.storage_fields]

    def configurations(self, values: Mapping[str, Array]) -> Array:
        """Configurations from histories of all stored fields, members first, shape (members, times, storage)."""
        part = self._part
        members, times = values[self.names[0]].shape[:2]
        q = np.tile(self._layout.identity.astype(float), (members, times, 1))
        rows = q[..., part.storage].reshape(members, times, part.count, -1)
        for name, field in zip(self.names, part.type.storage_fields, strict=True):
            rows[..., field.part] = values[name].reshape(members, times, part.count, -1)
        q[..., part.storage] = rows.reshape(members, times, -1)
        return q

    def alone(self, q: Array) -> Array:
        """Configurations of a system, shape (…, storage), with other nodes at the identity."""
        found = np.broadcast_to(self._layout.identity.astype(float), q.shape).copy()
        found[..., self._part.storage] = q[..., self._part.storage]
        return found

    def log(self, begin: Array, q: Array) -> Array:
        """log(begin⁻¹∘q), shape (…, dimension of the system)."""
        return self._kernels.difference(np.broadcast_to(begin, q.shape), q)

    def exp(self, begin: Array, theta: Array) -> Array:
        """begin∘exp(θ), with θ of the node alone, shape (…, nodes, dimension)."""
        whole = np.zeros((*theta.shape[:-2], self._layout.dimension))
        whole[..., self._part.velocity] = theta.reshape(*theta.shape[:-2], -1)
        return self._kernels.advance(np.broadcast_to(begin, (*whole.shape[:-1], begin.shape[-1])), whole)

    def own(self, theta: Array) -> Array:
        """The part of the node, shape (…, nodes, dimension)."""
        return theta[..., self._part.velocity].reshape(*theta.shape[:-1], *self.shape)

    def turns_far(self, begin: Array, theta: Array, here: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Where a rotation from a configuration is a quarter of a turn and more, of the shape of ``here``."""
        far: NDArray[np.bool_] = here & (np.linalg.norm(theta, axis=-1) >= UNIQUE)
        starts = np.broadcast_to(begin, (*theta.shape[:-1], begin.shape[-1]))
        far[far] = [self._kernels.chart(q, u) >= UNIQUE**2 for q, u in zip(starts[far], theta[far], strict=True)]
        return far

    def mean(self, q: Array, here: NDArray[np.bool_]) -> Array:
        """The mean m of configurations, first axis, where they are: Σ_k log(m⁻¹∘q_k) = 0.

        By the fixed point iteration m ← m∘exp(mean of log(m⁻¹∘q_k)).

        Raises
        ------
        OutsideChartError
            They are spread too far.
        """
        kernels = self._kernels
        mean = q[np.argmax(here, axis=0), np.arange(q.shape[1])].copy()
        with np.errstate(all="ignore"):
            for _ in range(MEAN_STEPS):
                theta = self.log(mean, q)
                total = np.where(here[..., None], theta, 0.0).sum(axis=0)
                correction = total / np.maximum(here.sum(axis=0), 1)[:, None]
                mean = kernels.normalize(kernels.advance(mean, correction))
                if not np.abs(correction).max() > MEAN_TOLERANCE * max(1.0, float(np.nanmax(np.abs(q)))):
                    return mean
        raise OutsideChartError(
            f"Members are spread too far over the group of '{self.node}' to have a mean: corrections of the mean do "
            f"not fall below {np.abs(correction).max():.2g}."
        )

    def statistics(self, mean: Array, deviations: Array, std: Array) -> GroupStatistics:
        """What is told of members, with deviations of the node, shape (members, times, nodes, dimension)."""
        part, times = self._part, len(mean)
        stored = mean[:, part.storage].reshape(times, part.count, -1)
        fields = {
            f.name: named_field(part.type, f"Node '{self.node}'", stored, np.zeros((times, part.count, 0)), f.name)
            for f in part.type.storage_fields
        }
        if part.is_array:
            return GroupStatistics(fields, deviations, std)
        return GroupStatistics({name: rows[:, 0] for name, rows in fields.items()}, deviations[:, :, 0], std[:, 0])


def statistics_on_group(system: System, values: Mapping[str, Array], node: str) -> GroupStatistics:
    """The mean of a node's configurations on its group, and deviations from it.

    Parameters
    ----------
    system
        The system.
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
    group = NodeGroup(system, node)
    if missing := [name for name in group.names if name not in values]:
        raise ModelError(f"{missing[0]} was not recorded; record '{node}' to have its mean on the group.")
    q = group.configurations(values)
    here = np.asarray(np.isfinite(q).all(axis=2))
    if not here.any():
        raise ModelError(f"No member has a configuration of '{node}'.")
    mean = group.mean(q, here)
    with np.errstate(all="ignore"):
        theta = group.log(mean, q)
    if group.turns_far(mean, theta, here).any():
        raise OutsideChartError(
            f"Members of '{node}' are a quarter of a turn and more from their mean, which is not the only one then."
        )
    deviations = group.own(np.where(here[..., None], theta, np.nan))
    with np.errstate(all="ignore"):
        std = np.sqrt(np.nansum(deviations**2, axis=0) / (here.sum(axis=0)[:, None, None] - 1))
    return group.statistics(mean, deviations, std)


class GroupSums:
    """Sums of θ = log(reference⁻¹∘q) over members, in their order, and of the products of its components.

    Mean and deviations on the group are those of sigma points, which have the mean and the covariance of θ. They are
    those of all members where the reference is their mean; at a distance from it the mean is right up to terms of third
    order in the spread of members, and the deviations up to terms of second order.
    Source: [Welford1962], [JulierUhlmann2004].

    Parameters
    ----------
    group
        The node.
    reference
        Configurations of the reference, shape (times, storage).
    """

    def __init__(self, group: NodeGroup, reference: Array) -> None:
        self._group, self._reference = group, group.alone(reference)
        times, (nodes, d) = len(reference), group.shape
        self._count = np.zeros((times, 1, 1))
        self._mean = np.zeros((times, nodes, d))
        self._products = np.zeros((times, nodes, d, d))
        self._far: int | None = None

    def add(self, values: Mapping[str, Array], first: int) -> None:
        """Add members, by histories of all stored fields of the node; the first one has this number."""
        own = {name: values[name] for name in self._group.names}
        if not len(own[self._group.names[0]]):
            return
        q = self._group.configurations({name: x.reshape(len(x), len(self._reference), -1) for name, x in own.items()})
        here = np.asarray(np.isfinite(q).all(axis=2))
        with np.errstate(all="ignore"):
            theta = np.where(here[..., None], self._group.log(self._reference, q), 0.0)
        far = self._group.turns_far(self._reference, theta, here).any(axis=1)
        if far.any() and self._far is None:
            self._far = first + int(np.argmax(far))
        for is_there, at in zip(here[..., None, None], self._group.own(theta), strict=True):
            self._count += is_there
            delta = np.where(is_there, at - self._mean, 0.0)
            self._mean += delta / np.maximum(self._count, 1)
            rest = np.where(is_there, at - self._mean, 0.0)
            self._products += delta[..., :, None] * rest[..., None, :]

    def statistics(self) -> GroupStatistics:
        """The mean on the group and the spread about it.

        Raises
        ------
        ModelError
            No member came so far.
        OutsideChartError
            A member is a quarter of a turn and more from the reference.
        """
        group, count, d = self._group, self._count, self._mean.shape[-1]
        if self._far is not None:
            raise OutsideChartError(
                f"Member {self._far} of '{group.node}' is a quarter of a turn and more from the reference, whose chart "
                "the spread of members leaves; give a reference that is nearer to them."
            )
        if not count.any():
            raise ModelError(f"No member has a configuration of '{group.node}'.")
        covariance = self._products / np.maximum(count, 1)[..., None]
        sizes, axes = np.linalg.eigh((covariance + covariance.swapaxes(-1, -2)) / 2)
        steps = np.moveaxis(axes * np.sqrt(d * np.maximum(sizes, 0.0))[..., None, :], -1, 0)
        q = group.exp(self._reference, np.concatenate([self._mean + steps, self._mean - steps]))
        here = np.broadcast_to(count[:, 0, 0] > 0, q.shape[:2])
        mean = group.mean(q, here)
        deviations = group.own(group.log(mean, q))
        with np.errstate(all="ignore"):
            std = np.sqrt((deviations**2).mean(axis=0) * (count / (count - 1)))
        mean[~here[0]] = np.nan
        std[~here[0]] = np.nan
        return group.statistics(mean, deviations[:0], std)


def reference_configurations(reference: Solution, system: System, times: Array) -> Array:
    """Configurations of a reference run at the times of histories, shape (times, storage); without times at its end.

    Parameters
    ----------
    reference
        The run.
    system
        The system that members have in common.
    times
        Times, in s.

    Raises
    ------
    ModelError
        It is no run of this model, or does not have these times.
    """
    if not isinstance(reference, Solution):
        raise ModelError(f"A reference is a solution, not a {type(reference).__name__}.")
    layout = reference.system.layout
    if layout.interface_hash != system.layout.interface_hash or not len(reference.t):
        raise ModelError(f"The reference is a run of '{layout.name}', not of the model of this ensemble.")
    if not len(times):
        return reference.q[-1:]
    if not reference.t[0] <= times[0] <= times[-1] <= reference.t[-1]:
        raise ModelError(
            f"The reference goes from {reference.t[0]:.9g} to {reference.t[-1]:.9g} s, but members are recorded from "
            f"{times[0]:.9g} to {times[-1]:.9g} s."
        )
    place = np.minimum(np.searchsorted(reference.t, times), len(reference.t) - 1)
    if (reference.t[place] == times).all():
        return reference.q[place]
    found = reference(times)
    assert isinstance(found, Solution)
    return found.q
