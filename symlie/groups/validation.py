"""Group axioms that a definition must satisfy, checked numerically."""

from __future__ import annotations

import keyword
from collections.abc import Callable, Sequence

import numpy as np
import sympy
from numpy.typing import NDArray
from sympy import Matrix

from symlie.errors import GroupError
from symlie.groups.group import LieGroup, left_translation, storage_symbols
from symlie.groups.kinematics import kinematic_blocks
from symlie.groups.rotation import rotation_size
from symlie.ir.program import Vector

TOLERANCE = 1e-6
"""Relative residual above which an axiom fails; elements lie in the group up to 1e-9."""

_STEPS = 32

Array = NDArray[np.float64]
Function = Callable[..., Array]


def check_name(name: str) -> None:
    """Check that a name is an identifier that generated code can use, or raise `GroupError`."""
    if not name.isidentifier() or not name.isascii() or keyword.iskeyword(name):
        raise GroupError(f"Group name {name!r} is not usable; use letters, digits and underscores.")


def compiled(function: Callable[..., Sequence[object]], group: LieGroup, arguments: int) -> Function:
    """Compile a function of stored elements into a function of arrays."""
    symbols = [storage_symbols(group, stem) for stem in "abc"[:arguments]]
    expressions = sympy.lambdify(symbols, list(function(*symbols)), "numpy")
    return lambda *elements: np.array(expressions(*elements), dtype=float)


def elements(group: LieGroup, count: int = 3) -> list[Array]:
    """Return elements away from the identity, by fourth-order integration of s' = K(s) θ."""
    generator = np.random.default_rng(1)
    symbols = storage_symbols(group)
    translation = sympy.lambdify([symbols], left_translation(group), "numpy")
    found = []
    for _ in range(count):
        theta = generator.uniform(-0.7, 0.7, group.dimension)
        s = np.array([float(c) for c in group.identity])
        h = 1 / _STEPS
        for _ in range(_STEPS):
            k1 = translation(s) @ theta
            k2 = translation(s + h / 2 * k1) @ theta
            k3 = translation(s + h / 2 * k2) @ theta
            k4 = translation(s + h * k3) @ theta
            s = s + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        found.append(s)
    return found


def agree(left: object, right: object) -> bool:
    """Return whether numbers agree within `TOLERANCE` relative to the largest on the right; False for NaN."""
    a, b = np.array(left, dtype=float), np.array(right, dtype=float)
    return bool(np.abs(a - b).max(initial=0) <= TOLERANCE * max(1.0, np.abs(b).max(initial=0)))


def check_group(group: LieGroup) -> LieGroup:
    """Check the axioms and all other data of a group, or raise a `GroupError` that names the failed law."""
    basis = np.array(group.basis.tolist(), dtype=float)
    if np.linalg.matrix_rank(basis) < group.dimension:
        raise GroupError(f"The basis of {group} is linearly dependent.")
    compose, inverse = compiled(group.compose, group, 2), compiled(group.inverse, group, 1)
    identity = np.array([float(c) for c in group.identity])
    with np.errstate(all="ignore"):
        a, b, c = elements(group)

    def require(law: str, left: Array, right: Array) -> None:
        if not agree(left, right):
            raise GroupError(f"The definition of {group} is not a Lie group: {law} fails.")

    require("e∘a = a", compose(identity, a), a)
    require("a∘e = a", compose(a, identity), a)
    require("a∘a⁻¹ = e", compose(a, inverse(a)), identity)
    require("a⁻¹∘a = e", compose(inverse(a), a), identity)
    require("(a∘b)∘c = a∘(b∘c)", compose(compose(a, b), c), compose(a, compose(b, c)))
    relations = compiled(group.relations, group, 1)(compose(a, b))
    require("invariance of the relations under products", relations, np.zeros_like(relations))
    require("invariance of elements under normalize", compiled(group.normalize, group, 1)(a), a)
    if group.rotation is not None:
        n = rotation_size(group)
        rotation = compiled(group.rotation, group, 1)
        first, second = rotation(a).reshape(n, n), rotation(b).reshape(n, n)
        require("orthogonality of the rotation matrix", first.T @ first, np.eye(n))
        require("R(a∘b) = R(a) R(b)", rotation(compose(a, b)).reshape(n, n), first @ second)
    kinematic_blocks(group)
    return group


def check_action(name: str, group: LieGroup, action: Callable[[Vector], Matrix]) -> None:
    """Check that ρ is a linear representation: ρ(e) = I, ρ(a∘b) = ρ(a) ρ(b)."""
    compose = compiled(group.compose, group, 2)
    n = action(storage_symbols(group)).rows
    rho = compiled(lambda a: list(action(a)), group, 1)
    identity = np.array([float(c) for c in group.identity])
    a, b, _ = elements(group)
    if not agree(rho(identity).reshape(n, n), np.eye(n)):
        raise GroupError(f"The action of {name} moves vectors at the identity of {group}.")
    product = rho(a).reshape(n, n) @ rho(b).reshape(n, n)
    if not agree(rho(compose(a, b)).reshape(n, n), product):
        raise GroupError(f"The action of {name} is not a representation of {group}: ρ(a∘b) differs from ρ(a) ρ(b).")
