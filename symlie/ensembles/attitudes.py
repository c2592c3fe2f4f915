"""Initial rotations of the members of an ensemble."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from symlie.errors import ModelError
from symlie.rotations import Rotation, quaternion_product, rotation


def attitudes(vectors: ArrayLike, *, around: Rotation | None = None) -> tuple[Rotation, ...]:
    """Return rotations R₀ exp(θ), one for each member of an ensemble.

    Parameters
    ----------
    vectors
        Rotation vectors θ in body-fixed axes, in rad, shape (N, 3), such as `samples` of a name with three components.
    around
        R₀, from `rotation`; default: the identity.

    Returns
    -------
    tuple of Rotation
        N rotations, which `ensemble` accepts as initial values.

    Raises
    ------
    ModelError
        If ``vectors`` are not finite numbers of this shape, or ``around`` is not a `Rotation`.

    Examples
    --------
    >>> import symlie as sl
    >>> from scipy import stats
    >>> tilts = sl.samples(100, seed=1, tilt=[stats.norm(0, 0.1), stats.norm(0, 0.1), 0])
    >>> len(sl.attitudes(tilts["tilt"], around=sl.rotation(axis=[0, 1, 0], angle=1.5)))
    100
    """
    if around is not None and not isinstance(around, Rotation):
        raise ModelError(f"around must be an sl.rotation(…), not {around!r}.")
    try:
        thetas = np.array(vectors, dtype=float)
    except (TypeError, ValueError) as error:
        raise ModelError("Rotation vectors must be finite numbers of shape (N, 3).") from error
    if thetas.ndim != 2 or thetas.shape[1] != 3 or not np.all(np.isfinite(thetas)):
        raise ModelError(
            f"Rotation vectors must be finite numbers of shape (N, 3), not numbers of shape {thetas.shape}."
        )
    turns = [rotation(vector=theta) for theta in thetas.tolist()]
    if around is None:
        return tuple(turns)
    first = around.quaternion
    return tuple(Rotation(quaternion_product(first, turn.quaternion)) for turn in turns)
