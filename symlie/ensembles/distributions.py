"""User-defined distributions: frozen `scipy.stats` distributions, numbers, and lists of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from symlie.errors import ModelError
from symlie.runtime.layout.layout import Array
from symlie.utilities.number_checks import is_number
from symlie.utilities.showing import brief


@dataclass(frozen=True)
class Distribution:
    """Distribution of a name or of a component."""

    text: str
    """Description, such as ``norm(15, 0.5)``."""
    labels: tuple[str, ...]
    """Labels of the uniform numbers from which a value is computed."""
    shape: tuple[int, ...]
    """Shape of a value."""
    values: Callable[[Mapping[str, Array]], Array]
    """Function from uniform numbers by label to the values of all members, or to a common value."""


def stated_distribution(name: str, stated: object) -> Distribution:
    """Return the distribution for a user-defined value, or raise `ModelError` if it has no inverse distribution
    function."""
    from scipy import stats

    if isinstance(stated, np.ndarray):
        stated = stated.tolist()
    if isinstance(stated, list | tuple):
        return _together(name, [stated_distribution(f"{name}[{k}]", part) for k, part in enumerate(stated)])
    if is_number(stated):
        return Distribution(str(stated), (), (), lambda _: np.asarray(stated, dtype=float))
    if isinstance(stated, type(stats.multivariate_normal())):
        return _normal_vector(name, np.array(stated.mean, dtype=float), np.array(stated.cov, dtype=float))
    return _scalar(name, stated)


def _together(name: str, parts: Sequence[Distribution]) -> Distribution:
    shapes = {part.shape for part in parts}
    if len(shapes) != 1:
        raise ModelError(f"'{name}' needs components of equal shape, not {sorted(shapes) or 'none'}.")
    labels = tuple(label for part in parts for label in part.labels)
    text, shape = ", ".join(part.text for part in parts), (len(parts), *shapes.pop())

    def values(uniforms: Mapping[str, Array]) -> Array:
        return np.stack(np.broadcast_arrays(*(part.values(uniforms) for part in parts)), axis=-len(shape))

    return Distribution(f"[{text}]", labels, shape, values)


def _scalar(name: str, stated: object) -> Distribution:
    inverse = getattr(stated, "ppf", None) or getattr(stated, "icdf", None)
    if not any(kind.__module__.startswith("scipy.stats.") for kind in type(stated).__mro__):
        raise ModelError(
            f"'{name}' needs a distribution of scipy.stats, such as stats.norm(15, 0.5), a number, or a list of these, "
            f"not {brief(stated)}."
        )
    if callable(stated) and inverse is not None:
        kind = getattr(stated, "name", type(stated).__name__)
        raise ModelError(f"'{name}' needs the arguments of its distribution as well: stats.{kind}(…).")
    if inverse is None:
        raise ModelError(
            f"'{name}' cannot be drawn from {type(stated).__name__}, which has no inverse distribution function; for "
            "vectors, multivariate_normal is supported."
        )
    text = _text(stated)
    with np.errstate(all="ignore"):
        is_single = np.ndim(inverse(0.5)) == 0
    if not is_single:
        raise ModelError(f"'{name}' is drawn from {text}, which has arrays as arguments; give a list of distributions.")
    return Distribution(text, (name,), (), lambda uniforms: np.asarray(inverse(uniforms[name]), dtype=float))


def _text(stated: object) -> str:
    """Return a frozen distribution as text."""
    family = getattr(stated, "dist", None)
    if family is None:
        return str(stated)
    arguments = [str(x) for x in getattr(stated, "args", ())]
    arguments += [f"{key}={x}" for key, x in getattr(stated, "kwds", {}).items()]
    return f"{family.name}({', '.join(arguments)})"


def _normal_vector(name: str, mean: Array, covariance: Array) -> Distribution:
    from scipy.special import ndtri

    text = f"multivariate_normal({mean.tolist()}, {covariance.tolist()})"
    labels = tuple(f"{name}[{k}]" for k in range(len(mean)))
    try:
        columns = np.linalg.cholesky(covariance).T
    except np.linalg.LinAlgError as error:
        raise ModelError(
            f"'{name}' is drawn from {text}, whose covariance is singular; leave out components that others determine."
        ) from error

    def values(uniforms: Mapping[str, Array]) -> Array:
        result = np.tile(mean, (len(uniforms[labels[0]]), 1))
        # A matrix product could sum in a different order for a different number of members.
        for label, column in zip(labels, columns, strict=True):
            result += ndtri(uniforms[label])[:, None] * column
        return result

    return Distribution(text, labels, mean.shape, values)
