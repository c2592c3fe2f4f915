"""Manifolds defined by a frame of vector fields with known flows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import sympy
from sympy import ImmutableDenseMatrix

from symlie.errors import GroupError
from symlie.groups.element import StoredElement
from symlie.groups.group import storage_symbols
from symlie.groups.homogeneous import HomogeneousSpace, stated_space
from symlie.groups.standard import real_space
from symlie.groups.validation import agree, check_name


def frame_space(
    name: str,
    dimension: int,
    *,
    storage: Mapping[str, int | tuple[int, ...]],
    flow: Callable[[ImmutableDenseMatrix, StoredElement], object],
    origin: Sequence[object],
    relations: Callable[[StoredElement], Sequence[object]] | None = None,
    normalize: Callable[[StoredElement], object] | None = None,
) -> HomogeneousSpace:
    """Define a manifold with vector fields E₁, …, E_d, for methods that compose flows of Σ α_i E_i with constant α.

    The commutators of the fields are not needed; use Crouch–Grossman or commutator-free methods.

    Parameters
    ----------
    name
        Name, an identifier.
    dimension
        d, the number of vector fields; the field of a node has d components.
    storage
        Named parts of a point with their sizes or shapes.
    flow
        Function of a column α of d components and a point y with its parts as attributes. It returns all components of
        the point that y reaches after unit time with the flow of Σ α_i E_i. The vector fields are derived from it.
    origin
        Components of a point of the manifold.
    relations
        Polynomials that vanish on the manifold; default: none.
    normalize
        One step of a quadratically convergent projection onto the relations; default: the point itself.

    Raises
    ------
    GroupError
        If the map is not a flow: α = 0 moves points, or two steps with α differ from one step with 2 α.

    Examples
    --------
    >>> import symlie as sl
    >>> plane = sl.frame_space(
    ...     "scaled_plane", 2, storage={"x": 2}, flow=lambda a, y: [y.x[0] + a[0], y.x[1] * sl.exp(a[1])], origin=[0, 1]
    ... )
    """
    check_name(name)
    space = stated_space(
        name,
        real_space(dimension),
        storage,
        "flow",
        lambda a, y: flow(ImmutableDenseMatrix(dimension, 1, list(a)), y),
        origin,
        relations,
        normalize,
    )
    space = replace(space, is_frame=True)
    _check_flow(space)
    return space


def _check_flow(space: HomogeneousSpace) -> None:
    a, y = storage_symbols(space.group, "a"), storage_symbols(space)
    moved = sympy.lambdify([a, y], list(space.action(a, y)), "numpy")
    generator = np.random.default_rng(1)
    first, along = generator.uniform(-0.5, 0.5, (2, space.dimension))
    start = np.array(moved(first, [float(c) for c in space.origin]), dtype=float)

    def require(law: str, left: object, right: object) -> None:
        if not agree(left, right):
            raise GroupError(f"The flow defined for {space} is invalid: {law}.")

    require("it moves points at time zero", moved(0 * along, start), start)
    require(
        "two equal steps along a field differ from one of twice the length",
        moved(along, moved(along, start)),
        moved(2 * along, start),
    )
    relations = sympy.lambdify([y], list(space.relations(y)), "numpy")(start)
    require("it leaves the manifold", relations, np.zeros(len(relations)))
