"""Statements of a user about a fit: weights of outputs, bounds and priors of unknowns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from symlie.errors import ModelError, UnknownNameError
from symlie.runtime.layout.layout import Array
from symlie.runtime.study.fit.problem import Priors
from symlie.runtime.study.fit.records import Record
from symlie.runtime.study.fit.unknowns import Unknowns
from symlie.runtime.system.parameters import real_array

Pairs = Mapping[str, tuple[ArrayLike | None, ArrayLike | None]]
"""Two numbers, or two arrays with a number for each component, by name."""


def stated_bounds(unknowns: Unknowns, bounds: Pairs) -> tuple[Array, Array]:
    """Return lower and upper bounds of all unknowns, shape (unknowns,); raise UnknownNameError or ModelError."""
    lower, upper = np.full(unknowns.count, -np.inf), np.full(unknowns.count, np.inf)
    for name, stated in bounds.items():
        places = unknowns.places(name, "Bounds")
        first, second = _pair(name, "bounds", stated)
        if first is not None:
            lower[places] = _values(name, "lower bound", first, len(places))
        if second is not None:
            upper[places] = _values(name, "upper bound", second, len(places))
        if not (lower[places] < upper[places]).all():
            raise ModelError(f"The lower bound of '{name}' must be below its upper bound.")
    return lower, upper


def stated_priors(unknowns: Unknowns, priors: Pairs) -> Priors:
    """Return priors; raise UnknownNameError or ModelError."""
    places, means, deviations = [np.zeros(0, dtype=np.intp)], [np.zeros(0)], [np.zeros(0)]
    for name, stated in priors.items():
        places.append(unknowns.places(name, "Priors"))
        mean, deviation = _pair(name, "prior", stated)
        if mean is None or deviation is None:
            raise ModelError(f"The prior of '{name}' must be an expected value and a standard deviation.")
        means.append(_values(name, "expected value", mean, len(places[-1])))
        deviations.append(_values(name, "standard deviation", deviation, len(places[-1])))
        if not (deviations[-1] > 0).all():
            raise ModelError(f"The standard deviation of the prior of '{name}' must be positive.")
    return Priors(np.concatenate(places), np.concatenate(means), np.concatenate(deviations))


def stated_weights(records: Sequence[Record], weights: Mapping[str, ArrayLike]) -> list[dict[str, Array]]:
    """Return the weights of all outputs of each record, shape (n, components); raise UnknownNameError or ModelError."""
    names = list(dict.fromkeys(name for record in records for name in record.outputs))
    if set(weights) != set(names):
        wrong = next(iter(set(weights) ^ set(names)))
        raise UnknownNameError(
            f"Weights must be given for all fitted outputs and for no others, unlike '{wrong}'; fitted are: "
            f"{', '.join(names)}."
        )
    return [{name: _weights(name, weights[name], r.outputs[name]) for name in r.outputs} for r in records]


def even_weights(records: Sequence[Record]) -> list[dict[str, Array]]:
    """Return the reciprocals of the spreads of all outputs, which make their residuals comparable."""
    spreads: dict[str, float] = {}
    for name in {name for record in records for name in record.outputs}:
        centred = [r.outputs[name] - r.outputs[name].mean(axis=0) for r in records if name in r.outputs]
        values = np.concatenate([part.ravel() for part in centred])
        plain = np.concatenate([r.outputs[name].ravel() for r in records if name in r.outputs])
        spreads[name] = _size(values) or _size(plain) or 1.0
    return [{name: np.full(values.shape, 1 / spreads[name]) for name, values in r.outputs.items()} for r in records]


def _size(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2)))


def _pair(name: str, what: str, stated: object) -> tuple[ArrayLike | None, ArrayLike | None]:
    if not isinstance(stated, Sequence) or len(stated) != 2 or isinstance(stated, str):
        raise ModelError(f"The {what} of '{name}' must be two values, not {stated!r}.")
    return stated[0], stated[1]


def _values(name: str, what: str, value: ArrayLike, count: int) -> Array:
    found = real_array(f"The {what} of '{name}'", value)
    if found.size not in (1, count):
        raise ModelError(f"The {what} of '{name}' needs {count} components, not {found.size}.")
    if np.isnan(found).any():
        raise ModelError(f"The {what} of '{name}' is not a number.")
    return np.broadcast_to(found.ravel(), count)


def _weights(name: str, value: ArrayLike, data: Array) -> Array:
    found = real_array(f"The weights of '{name}'", value)
    if found.ndim == 1 and len(found) == len(data) != data.shape[1]:
        found = found[:, None]
    try:
        found = np.broadcast_to(found, data.shape)
    except ValueError:
        raise ModelError(
            f"The weights of '{name}' must be a number, or have the shape of its data, {data.shape}."
        ) from None
    if not (np.isfinite(found).all() and (found >= 0).all()):
        raise ModelError(f"The weights of '{name}' must be finite and not negative.")
    return found
