"""Linear kinematic equation of a group, solved by the exponential map, as independent blocks of the storage."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

import sympy
from sympy import Expr, ImmutableMatrix, Integer, Matrix

from symlie.errors import GroupError
from symlie.groups.group import LieGroup, algebra_symbols, right_translation, storage_symbols
from symlie.ir.program import Vector


@dataclass(frozen=True)
class LinearBlock:
    """Components of the storage with a closed linear equation s' = L(θ) s + l(θ) for s = exp(tθ)."""

    components: tuple[int, ...]
    linear: ImmutableMatrix
    forcing: ImmutableMatrix


@functools.cache
def kinematic_blocks(group: LieGroup) -> tuple[LinearBlock, ...]:
    """Split the linear kinematic equation of s = exp(tθ), s' = D(h∘s)(h = e)·basis·θ, into independent blocks."""
    q = storage_symbols(group)
    rate = (right_translation(group) * Matrix(algebra_symbols(group))).expand()
    linear = rate.jacobian(Matrix(q))
    if linear.free_symbols & set(q):
        raise GroupError(
            f"The composition of {group} is not affine in its second argument; define it by matrices (matrix_group)."
        )
    forcing = (rate - linear * Matrix(q)).expand()
    n = len(q)
    owner = list(range(n))
    for i in range(n):
        for j in range(n):
            if linear[i, j] != 0 and owner[i] != owner[j]:
                old, new = owner[i], owner[j]
                owner = [new if o == old else o for o in owner]
    blocks = []
    for root in dict.fromkeys(owner):
        components = tuple(i for i in range(n) if owner[i] == root)
        rows = list(components)
        blocks.append(
            LinearBlock(
                components,
                ImmutableMatrix(linear.extract(rows, rows)),
                ImmutableMatrix(forcing.extract(rows, [0])),
            )
        )
    return tuple(blocks)


@dataclass(frozen=True)
class KinematicMatrix:
    """Block of the kinematic equation in homogeneous form, s' = A(θ) s, with an appended constant 1 if needed."""

    components: tuple[int, ...]
    matrix: ImmutableMatrix
    is_augmented: bool


@functools.cache
def kinematic_matrices(group: LieGroup) -> tuple[KinematicMatrix, ...]:
    """Return `kinematic_blocks` as homogeneous equations."""
    result = []
    for block in kinematic_blocks(group):
        matrix, n = block.linear, len(block.components)
        is_augmented = not block.forcing.is_zero_matrix
        if is_augmented:
            rows = [[block.linear, block.forcing], [sympy.zeros(1, n), sympy.zeros(1, 1)]]
            matrix = ImmutableMatrix(sympy.BlockMatrix(rows))
        result.append(KinematicMatrix(block.components, matrix, is_augmented))
    return tuple(result)


def moved_identity(group: LieGroup, move: Callable[[ImmutableMatrix, Vector], Vector]) -> Vector:
    """Return the storage of a function of the matrices A(θ), such as exp, applied to the identity."""
    storage: list[Expr] = [Integer(0)] * group.storage_dimension
    for block in kinematic_matrices(group):
        start = tuple(group.identity[i] for i in block.components)
        moved = move(block.matrix, (*start, Integer(1)) if block.is_augmented else start)
        for i, component in zip(block.components, moved, strict=False):
            storage[i] = component
    return tuple(storage)
