"""Statistics of a node on a group about its mean, from all members or from sums about a reference."""

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
from symlie.utilities.showing import Brief

MEAN_STEPS = 50
"""Maximum number of corrections of a mean on a group."""

UNIQUE = np.pi / 2
"""Angle about a mean, in rad, within which the mean of rotations is unique."""

MEAN_TOLERANCE = 1e-14
"""Correction that is regarded as round-off, in rad and units of the model."""


@dataclass(frozen=True, eq=False, repr=False)
class GroupStatistics(Brief):
    """Mean of a node on its group, and deviations of the members from it, from `Ensemble.on_group`.

    Deviations are in rad, and in the units of the model. Node arrays have an additional dimension after the times.

    Attributes
    ----------
    mean
        Stored fields of the mean m by name, shape ``(times, *field shape)``.
    deviations
        log(m⁻¹∘q_k), shape (members, times, dimension); NaN at times that a member did not reach. There are no members
        if the ensemble recorded only statistics.
    std
        Standard deviation of the components of log(m⁻¹∘q_k), with the divisor n - 1, shape (times, dimension).
    """

    mean: Mapping[str, Array]
    deviations: Array
    std: Array


class NodeGroup:
    """Configurations of one node of a system, with the other nodes at the identity."""

    def __init__(self, system: System, node: str) -> None:
        self._layout, self.node, self._part = system.layout, node, system.layout.node(node)
        self._kernels = NumpyKernels(system.layout, system.files[f"{system.layout.name}.py"])
        self.shape = (self._part.count, self._part.type.dimension)

    @property
    def names(self) -> list[str]:
        """Names of the quantities that form a configuration."""
        return [f"{self.node}.{f.name}" for f in self._part.type.storage_fields]

    def configurations(self, values: Mapping[str, Array]) -> Array:
        """Return configurations from histories of all stored fields, members first, shape (members, times, storage)."""
        part = self._part
        members, times = values[self.names[0]].shape[:2]
        q = np.tile(self._layout.identity.astype(float), (members, times, 1))
        rows = q[..., part.storage].reshape(members, times, part.count, -1)
        for name, field in zip(self.names, part.type.storage_fields, strict=True):
            rows[..., field.part] = values[name].reshape(members, times, part.count, -1)
        q[..., part.storage] = rows.reshape(members, times, -1)
        return q

    def alone(self, q: Array) -> Array:
        """Return configurations of the system, shape (…, storage), with the other nodes at the identity."""
        found = np.broadcast_to(self._layout.identity.astype(float), q.shape).copy()
        found[..., self._part.storage] = q[..., self._part.storage]
        return found

    def log(self, begin: Array, q: Array) -> Array:
        """Return log(begin⁻¹∘q), shape (…, dimension of the system)."""
        return self._kernels.difference(np.broadcast_to(begin, q.shape), q)

    def exp(self, begin: Array, theta: Array) -> Array:
        """Return begin∘exp(θ), with θ of this node, shape (…, nodes, dimension)."""
        whole = np.zeros((*theta.shape[:-2], self._layout.dimension))
        whole[..., self._part.velocity] = theta.reshape(*theta.shape[:-2], -1)
        return self._kernels.advance(np.broadcast_to(begin, (*whole.shape[:-1], begin.shape[-1])), whole)

    def own(self, theta: Array) -> Array:
        """Return the components of this node, shape (…, nodes, dimension)."""
        return theta[..., self._part.velocity].reshape(*theta.shape[:-1], *self.shape)

    def turns_far(self, begin: Array, theta: Array, here: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return a mask, with the shape of ``here``, of the rotations from `begin` by at least a quarter turn."""
        far: NDArray[np.bool_] = here & (np.linalg.norm(theta, axis=-1) >= UNIQUE)
        starts = np.broadcast_to(begin, (*theta.shape[:-1], begin.shape[-1]))
        far[far] = [self._kernels.chart(q, u) >= UNIQUE**2 for q, u in zip(starts[far], theta[far], strict=True)]
        return far

    def mean(self, q: Array, here: NDArray[np.bool_]) -> Array:
        """Return the mean m with Σ_k log(m⁻¹∘q_k) = 0 over the first axis, by the iteration m ← m∘exp(mean of
        log(m⁻¹∘q_k)), or raise `OutsideChartError` if it diverges."""
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
            f"Members are too widely spread on the group of '{self.node}' to have a mean: corrections of the mean do "
            f"not fall below {np.abs(correction).max():.2g}."
        )

    def statistics(self, mean: Array, deviations: Array, std: Array) -> GroupStatistics:
        """Return the statistics, with deviations of the node, shape (members, times, nodes, dimension)."""
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
    """Return the mean of a node on its group and the deviations, from histories ``NODE.FIELD`` of all its stored
    fields."""
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
            f"Members of '{node}' are at least a quarter turn from their mean, which is then not unique."
        )
    deviations = group.own(np.where(here[..., None], theta, np.nan))
    with np.errstate(all="ignore"):
        std = np.sqrt(np.nansum(deviations**2, axis=0) / (here.sum(axis=0)[:, None, None] - 1))
    return group.statistics(mean, deviations, std)


class GroupSums:
    """Sums of θ = log(reference⁻¹∘q) over members, in order, and of the products of its components.

    Mean and deviations on the group are computed from sigma points with the mean and covariance of θ. They equal the
    statistics of all members if the reference is their mean; otherwise the error of the mean is of third order in the
    spread of the members, and the error of the deviations of second order. Source: [Welford1962], [JulierUhlmann2004].
    """

    def __init__(self, group: NodeGroup, reference: Array) -> None:
        self._group, self._reference = group, group.alone(reference)
        times, (nodes, d) = len(reference), group.shape
        self._count = np.zeros((times, 1, 1))
        self._mean = np.zeros((times, nodes, d))
        self._products = np.zeros((times, nodes, d, d))
        self._far: int | None = None

    def add(self, values: Mapping[str, Array], first: int) -> None:
        """Add members by histories of all stored fields of the node; `first` is the number of the first one."""
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
        """Return the mean and spread on the group, or raise `OutsideChartError` if a member is a quarter turn from the
        reference."""
        group, count, d = self._group, self._count, self._mean.shape[-1]
        if self._far is not None:
            raise OutsideChartError(
                f"Member {self._far} of '{group.node}' is at least a quarter turn from the reference, outside "
                "its local coordinates; use a reference closer to the members."
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
    """Return the configurations of a reference run at the given times, shape (times, storage), or at its end."""
    if not isinstance(reference, Solution):
        raise ModelError(f"A reference is a solution, not a {type(reference).__name__}.")
    layout = reference.system.layout
    if layout.interface_hash != system.layout.interface_hash or not len(reference.t):
        raise ModelError(f"The reference is a run of '{layout.name}', not of the model of this ensemble.")
    if not len(times):
        return reference.q[-1:]
    if not reference.t[0] <= times[0] <= times[-1] <= reference.t[-1]:
        raise ModelError(
            f"The reference covers {reference.t[0]:.9g} to {reference.t[-1]:.9g} s, but members are recorded from "
            f"{times[0]:.9g} to {times[-1]:.9g} s."
        )
    place = np.minimum(np.searchsorted(reference.t, times), len(reference.t) - 1)
    if (reference.t[place] == times).all():
        return reference.q[place]
    found = reference(times)
    assert isinstance(found, Solution)
    return found.q
