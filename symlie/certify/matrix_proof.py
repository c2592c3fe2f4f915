"""Bounds of ‖computed - exact‖/‖exact‖ (Frobenius) of operator matrices over all rotation vectors up to π.

The operations of a kernel are enclosed over boxes of its inputs. Coefficient functions contribute their proved bounds,
and their derivatives for the error of z. Boxes with the largest bounds are bisected.

T, T⁻¹ and exp are linear in the components U that are not rotations: blocks are homogeneous of degree 0 or 1 in U.
Scaling by powers of two does not change roundings, so ‖U‖∞ = 1 covers all U without underflow of products.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np

from symlie.certify.enclosures import (
    LARGEST_ANGLE,
    SLACK,
    Array,
    Enclosure,
    FunctionTable,
    NotProvableError,
    enclose,
)
from symlie.groups.group import LieGroup
from symlie.groups.standard import group_from_name
from symlie.ir.kernels import Kernel
from symlie.ir.schemes import Precision
from symlie.ir.straightline import StraightLine

GROUPS = ("SO3", "S3", "SE3", "S3sR3")
"""Groups with a rotation vector Ω and at most one further vector in space, U."""

SIZE_GRID = 4096
"""Number of intervals of ω in tables of norms."""
DIVISIONS = 4
"""Number of initial boxes along each dimension."""
PATIENCE = 40
TOGETHER = 4096
BUDGET, ENOUGH = 1_500_000, 100_000
"""Largest numbers of boxes: to reach the target, and if the target is met or far away."""
FAR = 1.5
"""Ratio of bound to target from which the target is far away."""
WORST = 0.7
"""Boxes whose bounds are at least this fraction of the largest one are bisected."""
GAIN = 0.98
"""Factor by which `PATIENCE` rounds must reduce the bound."""
UNIT = {"double": 2.0**-53, "float": 2.0**-24}
"""Relative error of one rounding."""


class SizeTable:
    """Least norms of the blocks of a matrix as functions of ω."""

    # Norms are invariant under a common rotation g of Ω and U, because T(Ad_g θ) = Ad_g T(θ) Ad_g⁻¹ and Ad_g is
    # orthogonal; the norm of exp(θ) in storage is invariant as well. Hence Ω = ω e₃ represents all Ω, and a quadratic
    # form in U that is invariant under rotations about e₃ is a |U₁|² + a |U₂|² + b |U₃|².

    def __init__(
        self, body: StraightLine, names: Sequence[str], is_rotation: Sequence[bool], tables: dict[str, FunctionTable]
    ) -> None:
        edges = np.linspace(0.0, LARGEST_ANGLE, SIZE_GRID + 1)
        zero = np.zeros(SIZE_GRID)
        linear = [k for k, r in enumerate(is_rotation) if not r]
        axis = [k for k, r in enumerate(is_rotation) if r][-1]
        directions = [linear[-1], linear[0]] if linear else [-1]
        self.levels: dict[int, list[Array]] = {}
        for direction in directions:
            inputs = {
                name: Enclosure.exact(edges[:-1], edges[1:], 0)
                if k == axis
                else Enclosure.exact(zero + (k == direction), zero + (k == direction), 0 if is_rotation[k] else 1)
                for k, name in enumerate(names)
            }
            for degree, block in _blocks(enclose(body, inputs, tables, 0.0)[0]).items():
                size = np.sqrt(sum(o.least**2 for o in block)) / SLACK
                known = self.levels.get(degree)
                self.levels[degree] = [size if known is None else np.minimum(known[0], size)]
        for levels in self.levels.values():
            while 2 ** len(levels) <= SIZE_GRID:
                half = 2 ** (len(levels) - 1)
                levels.append(np.minimum(levels[-1][:-half], levels[-1][half:]))

    def least(self, degree: int, squares: Enclosure) -> Array:
        """Return the least norm of a block for ω² between bounds."""
        step = LARGEST_ANGLE / SIZE_GRID
        low = np.sqrt(np.maximum(squares.lower, 0.0)) / step * (1 - 1e-12)
        high = np.sqrt(np.minimum(squares.upper, LARGEST_ANGLE**2)) / step * (1 + 1e-12)
        first = np.clip(np.floor(low), 0, SIZE_GRID - 1).astype(int)
        last = np.clip(np.ceil(high), first + 1, SIZE_GRID).astype(int)
        level = np.floor(np.log2(last - first)).astype(int)
        result = np.empty(len(first))
        for k in np.unique(level):
            here, table = level == k, self.levels[degree][k]
            result[here] = np.minimum(table[first[here]], table[last[here] - 2**k])
        return result


def _blocks(outputs: Sequence[Enclosure]) -> dict[int, list[Enclosure]]:
    """Group the outputs by degree."""
    degrees = sorted({o.degree for o in outputs if o.degree is not None})
    return {d: [o for o in outputs if o.degree == d] for d in degrees}


def _sum_of_squares(inputs: Sequence[Enclosure]) -> Enclosure:
    lower = np.asarray(sum(x.least**2 for x in inputs) / SLACK)
    upper = np.asarray(sum(x.largest**2 for x in inputs) * SLACK)
    return Enclosure.exact(np.atleast_1d(lower), np.atleast_1d(upper), None)


def prove_kernel(group: LieGroup, kernel: Kernel, target: float, precision: Precision = "double") -> float:
    """Return a bound of the relative error of a matrix over all rotation vectors up to π, in eps."""
    if group.name not in GROUPS or group is not group_from_name(group.name):
        raise NotProvableError(f"The norms of operators of {group} are not known to be invariant under rotations.")
    rotation = range(3)
    names = [f"{a.name}{k}" for a in kernel.signature.arguments if not a.is_output for k in range(a.size or 0)]
    is_rotation = [n.startswith("theta") and int(n[5:]) in rotation for n in names]
    if any(n.startswith("q") for n in names) or (
        any(n.startswith("w") for n in names) and not all(is_rotation[: group.dimension])
    ):
        raise NotProvableError("The kernel is not linear in components that are not rotations.")
    functions = {i.operator[5:] for i in kernel.body.instructions if i.operator.startswith("call ")}
    tables = {name: FunctionTable(name, precision) for name in sorted(functions)}
    unit = UNIT[precision]

    sizes = SizeTable(kernel.body, names, is_rotation, tables)

    def bounds(boxes: Array) -> Array:
        inputs = {
            name: Enclosure.exact(boxes[:, k, 0], boxes[:, k, 1], 0 if is_rotation[k] else 1)
            for k, name in enumerate(names)
        }
        squares = _sum_of_squares([x for x, r in zip(inputs.values(), is_rotation, strict=True) if r])
        lengths = _sum_of_squares([x for x, r in zip(inputs.values(), is_rotation, strict=True) if not r])
        found = np.zeros(len(boxes))
        outputs, z_error = enclose(kernel.body, inputs, tables, unit)
        for degree, block in _blocks(outputs).items():
            error = np.sqrt(sum(o.error**2 for o in block)) + z_error * np.sqrt(sum(o.steepest**2 for o in block))
            size = sizes.least(degree, squares) * (np.sqrt(lengths.lower) if degree else 1.0)
            with np.errstate(divide="ignore", invalid="ignore"):
                found = np.maximum(found, np.where(error == 0, 0.0, error / size * SLACK))
        return found

    first = _first_boxes(is_rotation, keeps_half_turns=_keeps_half_turns(kernel.body, names, is_rotation))
    return _largest(first, is_rotation, bounds, 2 * unit * target) / (2 * unit)


def _keeps_half_turns(body: StraightLine, names: Sequence[str], is_rotation: Sequence[bool]) -> bool:
    """Return whether half turns about the axes change only signs of operations; inputs must be spatial vectors."""
    # Half turns map every Ω to a vector whose first two components are not negative.
    if sum(is_rotation) != 3 or len(names) % 3:
        return False
    for axis in (0, 1):
        signs: dict[str, int] = {name: 1 if k % 3 == axis else -1 for k, name in enumerate(names)}
        for instruction in body.instructions:
            found = [signs[p] if isinstance(p, str) else 1 for p in instruction.operands]
            if instruction.operator.startswith("call ") and found != [1]:
                return False
            if instruction.operator in ("add", "sub") and found[0] != found[1]:
                return False
            signs[instruction.target] = math.prod(found) if instruction.operator == "mul" else found[0]
    return True


def _first_boxes(is_rotation: Sequence[bool], *, keeps_half_turns: bool) -> Array:
    """Return boxes that cover the rotation vectors, and the surface of the cube of U up to its sign."""
    edges = [
        np.linspace(-LARGEST_ANGLE, LARGEST_ANGLE, DIVISIONS + 1) if r else np.linspace(-1, 1, DIVISIONS // 2 + 1)
        for r in is_rotation
    ]
    if keeps_half_turns:
        for k in np.flatnonzero(is_rotation)[:2]:
            edges[k] = edges[k][DIVISIONS // 2 :]
    intervals = [list(itertools.pairwise(e)) for e in edges]
    linear = [k for k, r in enumerate(is_rotation) if not r]
    boxes = []
    for face in linear or [-1]:
        choices = [[(1.0, 1.0)] if k == face else options for k, options in enumerate(intervals)]
        boxes += list(itertools.product(*choices))
    return np.array(boxes)


def _largest(boxes: Array, is_rotation: Sequence[bool], bounds: Callable[[Array], Array], target: float) -> float:
    """Return the largest bound over all boxes, with bisection of boxes with large bounds along their longest edge."""
    rotation = np.flatnonzero(is_rotation)

    def inside(found: Array) -> Array:
        """Return the boxes that contain rotation vectors up to π."""
        part = found[:, rotation]
        nearest = np.where((part[..., 0] > 0) | (part[..., 1] < 0), np.abs(part).min(axis=2), 0.0)
        holds: Array = found[(nearest**2).sum(axis=1) <= LARGEST_ANGLE**2 * (1 + 1e-12)]
        return holds

    def in_parts(new: Array) -> Array:
        """Return the bounds, computed in chunks whose intermediate values fit into the cache."""
        return np.concatenate([bounds(new[k : k + TOGETHER]) for k in range(0, len(new), TOGETHER)])

    boxes = inside(boxes)
    found = in_parts(boxes)
    looked_at = len(boxes)
    history: list[float] = []
    while True:
        largest = float(found.max())
        history.append(largest)
        is_decided = largest <= target or largest > FAR * target
        is_stuck = len(history) > PATIENCE and largest > GAIN * history[-PATIENCE]
        if is_stuck or looked_at > (ENOUGH if is_decided else BUDGET):
            return largest
        chosen = found >= WORST * largest
        widths = boxes[chosen, :, 1] - boxes[chosen, :, 0]
        longest = widths.argmax(axis=1)
        rows = np.arange(len(longest))
        middle = boxes[chosen].mean(axis=2)[rows, longest]
        first, second = boxes[chosen].copy(), boxes[chosen].copy()
        first[rows, longest, 1] = middle
        second[rows, longest, 0] = middle
        new = inside(np.concatenate([first, second]))
        looked_at += len(new)
        boxes = np.concatenate([boxes[~chosen], new])
        found = np.concatenate([found[~chosen], in_parts(new)])
