"""Transposed operators of a node type, which propagate cotangents through increments."""

from __future__ import annotations

import functools

from symlie.derive.node_types import array_symbols, node_kernel
from symlie.groups import operators
from symlie.groups.group import step_group
from symlie.groups.homogeneous import ConfigurationSpace, HomogeneousSpace, acting_group
from symlie.ir.differentiate import reverse
from symlie.ir.kernels import Kernel
from symlie.ir.program import Euclidean, Program, Value


@functools.cache
def transposed_operators(space: ConfigurationSpace) -> tuple[Kernel, ...]:
    """Derive T(u)ᵀ w, T⁻¹(u)ᵀ w, the gradient of xᵀ T⁻¹(u) w, and ad(u)ᵀ w, with the signs of `node_type_kernels`."""
    group = step_group(acting_group(space))
    is_left = isinstance(space, HomogeneousSpace) and space.is_left
    n, kernel = group.dimension, functools.partial(node_kernel, space)
    u, w, x = (array_symbols(name, n)[0] for name in "uwx")
    found = []
    for name, inverse in (("tangent_transpose", False), ("inverse_tangent_transpose", True)):
        program = Program()
        moved = operators.tangent_operator(program, group, u, w, inverse=inverse, negative=is_left, transpose=True)
        found.append(kernel(name, program, moved))
    program = Program()
    rate = operators.tangent_operator(program, group, u, w, inverse=True, negative=is_left)
    (slope,) = reverse(program, list(zip(rate, x, strict=True)), [Value(u, Euclidean(n))])
    found.append(kernel("inverse_tangent_gradient", program, slope))
    program = Program()
    bracket = operators.ad(program, group, u, w, transpose=True)
    found.append(kernel("bracket_transpose", program, tuple(-c for c in bracket) if is_left else bracket))
    return tuple(found)
