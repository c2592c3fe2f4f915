"""Additional kernels of a node type, for local coordinates other than exp and for steps in ambient space.

They are derived and compiled when a method first needs them, separately from the kernels of a run.
"""

from __future__ import annotations

import functools
import itertools

from sympy import Integer

from symlie.derive.node_types import PART, array_symbols, node_kernel
from symlie.errors import GroupError
from symlie.groups import operators
from symlie.groups.cayley import cayley, cayley_chart, cayley_tangent
from symlie.groups.group import LieGroup
from symlie.groups.homogeneous import ConfigurationSpace, HomogeneousSpace, acting_group, is_translated
from symlie.groups.interpolation import interpolation_tangent
from symlie.groups.operations import Compose, Exponential, Inverse
from symlie.groups.second_kind import second_kind, second_kind_chart, second_kind_inverse
from symlie.ir.differentiate import columns, forward
from symlie.ir.kernels import Kernel
from symlie.ir.program import Euclidean, Program, Value


@functools.cache
def step_kernels(space: ConfigurationSpace, kind: str) -> tuple[Kernel, ...]:
    """Derive the additional kernels of a set for a node type; raise `GroupError` if the space does not have them."""
    # ``cayley`` and ``second_kind``: ``advance`` q∘φ(u), ``inverse_tangent_operator`` T⁻¹(u) w of the coordinates φ,
    # and ``chart``, which must stay below (2π)²; with a left action ``advance`` φ(u)·q and the T⁻¹ of that.
    # ``ambient``: ``storage_rate``, the rate of the stored components along w. ``tangent``: ``tangent_matrix``, T(u).
    # ``slopes``: the derivative of T⁻¹(u) w by u along x.
    # ``increments``: ``exponential``, ``compose``, ``inverse`` and ``increment`` of the group. ``interpolation``:
    # ``advance`` q∘exp(ξ u), and A_ξ of `symlie.groups.interpolation`.
    if kind == "interpolation":
        return _interpolation(space)
    group = acting_group(space)
    is_left = isinstance(space, HomogeneousSpace) and space.is_left
    n, m = space.dimension, space.storage_dimension
    q, u, w = array_symbols("q", m)[0], array_symbols("u", n)[0], array_symbols("w", n)[0]
    kernel = functools.partial(node_kernel, space)
    program = Program()
    if kind == "tangent":
        units = [tuple(Integer(int(i == k)) for i in range(n)) for k in range(n)]
        columns = [operators.tangent_operator(program, group, u, unit, negative=is_left) for unit in units]
        return (kernel("tangent_matrix", program, tuple(itertools.chain(*zip(*columns, strict=True)))),)
    if kind == "slopes":
        operator = operators.tangent_operator(program, group, u, w, inverse=True, negative=is_left)
        along = [(Value(u, Euclidean(n)), array_symbols("x", n)[0])]
        return (kernel("inverse_tangent_slope", program, forward(program, operator, along)),)
    if kind == "ambient":
        rate = space.storage_tangent(program, q, w)
        return (kernel("storage_rate", program, rate),)
    if kind == "increments":
        return _increments(space)
    mapped = cayley(program, group, u) if kind == "cayley" else second_kind(program, group, u)
    step = Value(program.vector(mapped), group)
    if isinstance(space, HomogeneousSpace):
        moved = space.action(step.components, q)
    else:
        moved = program.apply(Compose(group), Value(q, group), step).components
    inverse, chart = Program(), Program()
    if kind == "cayley":
        # cay(-u) is the inverse of cay(u), so the right-trivialised tangent is the left-trivialised one at -u.
        coordinates = tuple(-c for c in u) if is_left else u
        tangent = cayley_tangent(inverse, group, coordinates, w, inverse=True)
        size = cayley_chart(chart, group, u)
    else:
        tangent = second_kind_inverse(inverse, group, u, w, is_left=is_left)
        size = second_kind_chart(chart, group, u)
    return (
        kernel(f"advance_{kind}", program, moved),
        kernel(f"inverse_tangent_operator_{kind}", inverse, tangent),
        kernel(f"chart_{kind}", chart, (size,)),
    )


def _increments(space: ConfigurationSpace) -> tuple[Kernel, ...]:
    group, is_left = acting_group(space), False
    if isinstance(space, HomogeneousSpace):
        is_left = space.is_left
        if not is_translated(space):
            raise GroupError(f"{space} has no increments: its points are not elements of {group}.")
    (q, b), u = (array_symbols(x, group.storage_dimension)[0] for x in "qb"), array_symbols("u", group.dimension)[0]
    program, product, back, near = Program(), Program(), Program(), Program()
    element = program.vector(operators.exponential(program, group, u, is_near=True), "h")
    # With a left action the order of products is reversed.
    first, last = (b, q) if is_left else (q, b)
    composed = product.apply(Compose(group), Value(first, group), Value(last, group))
    inverse = back.apply(Inverse(group), Value(q, group))
    between = near.vector(group.compose(b, group.inverse(q)) if is_left else group.between(q, b), "h")
    return (
        node_kernel(space, "exponential", program, element),
        node_kernel(space, "compose", product, composed.components),
        node_kernel(space, "inverse", back, inverse.components),
        node_kernel(space, "increment", near, operators.logarithm(near, group, between, is_near=True)),
    )


def _interpolation(space: ConfigurationSpace) -> tuple[Kernel, ...]:
    if not isinstance(space, LieGroup):
        raise GroupError(f"{space} is not a group: interpolation requires log(q⁻¹∘b).")
    n, kernel = space.dimension, functools.partial(node_kernel, space)
    q, u, w = (array_symbols(x, size)[0] for x, size in (("q", space.storage_dimension), ("u", n), ("w", n)))

    program = Program()
    part = Value(program.vector([PART * c for c in u]), Euclidean(n))
    moved = program.apply(Compose(space), Value(q, space), program.apply(Exponential(space), part))

    pulled = Program()
    cotangent = pulled.vector(interpolation_tangent(pulled, space, PART, u, w, transpose=True))
    slopes = columns(pulled, cotangent, [Value(u, Euclidean(n))])
    units = [tuple(Integer(int(i == k)) for i in range(n)) for k in range(n)]
    rows = [interpolation_tangent(pulled, space, PART, u, unit, transpose=True) for unit in units]
    return (
        kernel("advance_interpolation", program, moved.components),
        kernel("cotangent_interpolation", pulled, cotangent),
        kernel("matrix_interpolation", pulled, tuple(itertools.chain(*rows))),
        kernel("slopes_interpolation", pulled, tuple(itertools.chain(*slopes))),
    )
