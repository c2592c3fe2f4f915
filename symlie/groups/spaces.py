"""Standard homogeneous spaces: spheres, duals of Lie algebras, cotangent bundles, products."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import get_args

import sympy
from sympy import Expr, Integer, Matrix

from symlie.errors import GroupError
from symlie.groups.group import Field, LieGroup, coordinates, direct_product, right_translation, storage_symbols
from symlie.groups.homogeneous import ConfigurationSpace, HomogeneousSpace
from symlie.groups.operators import adjoint_matrix
from symlie.groups.semidirect import semidirect
from symlie.groups.standard import SE3, SO3, group_from_name, real_space
from symlie.groups.symplectic import ThetaStep, theta_step
from symlie.ir.program import Program, Vector, substitute
from symlie.options import Side

_E3 = (Integer(0), Integer(0), Integer(1))
_ZERO = (Integer(0),) * 3


def _dot(a: Vector, b: Vector) -> Expr:
    return sum((x * y for x, y in zip(a, b, strict=True)), Integer(0))


def _unit(q: Vector) -> Vector:
    # One Newton step towards |q| = 1.
    excess = (_dot(q, q) - 1) / 2
    return tuple(c - c * excess for c in q)


def _rotated(g: Vector, x: Vector) -> Vector:
    return tuple(Matrix(3, 3, g[:9]) * Matrix(x))


def _rotated_and_sheared(g: Vector, y: Vector) -> Vector:
    q = _rotated(g, y[:3])
    return (*q, *(Matrix(g[9:]).cross(Matrix(q)) + Matrix(_rotated(g, y[3:]))))


def _unit_with_normal(y: Vector) -> Vector:
    along = _dot(y[:3], y[3:])
    return (*_unit(y[:3]), *(w - along * c for w, c in zip(y[3:], y[:3], strict=True)))


def _lifted(y: Vector, rates: Vector) -> Vector:
    q, velocity = Matrix(y[:3]), Matrix(rates[:3])
    u = q.cross(velocity)
    return tuple(u) if len(y) == 3 else (*u, *q.cross(Matrix(rates[3:]) - u.cross(Matrix(y[3:]))))


S2 = HomogeneousSpace(
    "S2", SO3, (Field("q", 0, (3,)),), _rotated, _E3, lambda q: (_dot(q, q) - 1,), _unit, lift=_lifted
)  # fmt: skip
"""Unit sphere; f = ω gives q' = ω × q."""

TS2 = HomogeneousSpace(
    "TS2",
    SE3,
    (Field("q", 0, (3,)), Field("omega", 3, (3,))),
    _rotated_and_sheared,
    (*_E3, *_ZERO),
    lambda y: (_dot(y[:3], y[:3]) - 1, _dot(y[:3], y[3:])),
    _unit_with_normal,
    lift=_lifted,
)
"""Tangent bundle of the sphere, (q, ω) with |q| = 1, q·ω = 0. SE(3) acts by (A, a)·(q, ω) = (A q, A ω + a × A q),
and f = (ω, q × h) gives q' = ω × q, ω' = h for h orthogonal to q. Source: [Celledoni2022], section 4."""


@functools.cache
def dual_space(group: LieGroup, invariance: Side = "left", fields: tuple[str, ...] = ()) -> HomogeneousSpace:
    """Return the dual 𝔤* of the Lie algebra of a group with the coadjoint action g·μ = Ad*_{g⁻¹} μ.

    A Hamiltonian H(μ) gives the Lie–Poisson equations. f = -∂H/∂μ if the unreduced system is invariant under left
    translation, such as a body with its momentum in body axes, and f = +∂H/∂μ for invariance under right
    translation.

    Parameters
    ----------
    group
        G; the components of μ are dual to its velocity components.
    invariance
        ``"left"`` or ``"right"``.
    fields
        Names of the parts of μ that are dual to the parts of the velocity of G; default: a single part ``mu``.

    Raises
    ------
    GroupError
        If the invariance is neither, or the number of names does not match.
    """
    duals = [Field(n, f.offset, f.shape) for n, f in zip(fields, group.velocity_fields, strict=False)]
    if fields and len(fields) != len(group.velocity_fields):
        raise GroupError(f"The dual of {group} has {len(group.velocity_fields)} parts, not {len(fields)}.")
    if invariance not in get_args(Side):
        raise GroupError(f"A Hamiltonian is invariant under left or right translation of {group}, not {invariance!r}.")
    sign = -1 if invariance == "left" else 1
    coadjoint = _coadjoint(group)
    return HomogeneousSpace(
        f"{group.name}_dual" if sign < 0 else f"{group.name}_dual_right",
        group,
        tuple(duals) or (Field("mu", 0, (group.dimension,)),),
        lambda g, mu: tuple(coadjoint(g) * Matrix(mu)),
        (Integer(0),) * group.dimension,
        hamiltonian=lambda mu, gradient: tuple(sign * c for c in gradient),
    )


def _coadjoint(group: LieGroup) -> Callable[[Vector], Matrix]:
    """Return Ad*_{g⁻¹} as a matrix, as a function of the stored components of g."""
    matrix, symbols = adjoint_matrix(group), storage_symbols(group)

    def at(g: Vector) -> Matrix:
        inverse = dict(zip(symbols, group.inverse(g), strict=True))
        return matrix.applyfunc(lambda e: substitute(e, inverse)).T

    return at


@functools.cache
def cotangent_space(group: LieGroup, momentum: str = "mu") -> HomogeneousSpace:
    """Return the cotangent bundle T*G in right trivialisation: points (g, μ) with the spatial momentum μ.

    The bundle is the group G⋉𝔤* with the coadjoint action, (g, μ)(h, ν) = (g∘h, μ + Ad*_{g⁻¹} ν), and acts on itself by
    left translation. A Hamiltonian H(g, μ) gives f = (∂H/∂μ, -R_g^* ∂H/∂g), with the derivative by g at fixed μ.

    Parameters
    ----------
    group
        The group G.
    momentum
        Name of the part μ of a point.
    """
    coadjoint, size = _coadjoint(group), group.storage_dimension
    acting = semidirect(
        group, real_space(group.dimension), lambda a: coadjoint(a.components), f"{group.name}_cotangent_group"
    )
    right = right_translation(group)

    def field(y: Vector, gradient: Vector) -> Vector:
        values = dict(zip(storage_symbols(group), y[:size], strict=True))
        pulled = right.applyfunc(lambda e: substitute(e, values)).T * Matrix(gradient[:size])
        return (*gradient[size:], *(-c for c in pulled))

    return HomogeneousSpace(
        f"{group.name}_cotangent",
        acting,
        (*group.storage_fields, Field(momentum, size, (group.dimension,))),
        acting.compose,
        acting.identity,
        acting.relations,
        acting.normalize,
        hamiltonian=field,
        lift=_back_to_identity(acting, is_left=True),
        theta_step=lambda program, y, u, theta: theta_step(program, group, y, u, theta),
        rotation=_rotation_of(group, size),
    )


def _rotation_of(group: LieGroup, size: int) -> Callable[[Vector], Vector] | None:
    """Return the rotation matrix of a point whose storage starts with a group element; None if it has none."""
    rotation = group.rotation
    return None if rotation is None else lambda y: rotation(y[:size])


def _back_to_identity(group: LieGroup, *, is_left: bool) -> Callable[[Vector, Vector], Vector]:
    """Return the lift f of a translation, which translates the rate of the storage to the identity."""
    y, h = storage_symbols(group), storage_symbols(group, "h")
    back = group.inverse(y)
    moved = Matrix(group.compose(h, back) if is_left else group.compose(back, h)).jacobian(Matrix(h))
    matrix = (coordinates(group) * moved.subs(dict(zip(h, y, strict=True)), simultaneous=True)).expand()

    def lift(storage: Vector, rates: Vector) -> Vector:
        values = dict(zip(y, storage, strict=True))
        return tuple(matrix.applyfunc(lambda e: substitute(e, values)) * Matrix(rates))

    return lift


@functools.cache
def translation_space(group: LieGroup, side: Side = "left") -> HomogeneousSpace:
    """Return a group as a manifold with its action on itself by translation.

    Parameters
    ----------
    group
        The group G.
    side
        ``"left"``: g·y = g∘y, f is spatial. ``"right"``: y·g = y∘g, f is the body-fixed velocity.

    Raises
    ------
    GroupError
        If the side is neither.
    """
    if side not in get_args(Side):
        raise GroupError(f"{group} acts on itself from the left or from the right, not {side!r}.")
    is_left = side == "left"
    return HomogeneousSpace(
        f"{group.name}_{side}",
        group,
        group.storage_fields,
        group.compose if is_left else lambda g, y: group.compose(y, g),
        group.identity,
        group.relations,
        group.normalize,
        is_left,
        lift=_back_to_identity(group, is_left=is_left),
        rotation=group.rotation,
    )


def product_space(
    *factors: ConfigurationSpace | str, name: str | None = None, fields: Sequence[str] | None = None
) -> HomogeneousSpace:
    """Return the product of manifolds with the action of the direct product of their groups.

    Parameters
    ----------
    *factors
        Manifolds or groups, as objects or names; a group acts on itself by left translation. A power is
        ``product_space(*[TS2] * 3)``. All actions must be left actions, or all right actions.
    name
        Name of the product; default: the names of the factors joined by ``x``.
    fields
        Names of all parts of a point in order; default: the names in the factors, with the number of the factor as a
        suffix if names are equal.

    Raises
    ------
    GroupError
        If left and right actions are mixed, or the names do not match.
    """
    given = [(space_from_name(f) or group_from_name(f)) if isinstance(f, str) else f for f in factors]
    parts = [f if isinstance(f, HomogeneousSpace) else translation_space(f) for f in given]
    label = name or "x".join(f.name for f in given)
    sides = {p.is_left for p in parts if p.group.name != f"R{p.group.dimension}"}
    if len(sides) > 1:
        raise GroupError(f"The factors of {label} are acted on from different sides; use actions from one side.")
    stored = list(itertools.accumulate((p.storage_dimension for p in parts), initial=0))
    acting = list(itertools.accumulate((p.group.storage_dimension for p in parts), initial=0))
    where = list(zip(parts, itertools.pairwise(acting), itertools.pairwise(stored), strict=True))
    named = [(p, f, number, stored[number - 1]) for number, p in enumerate(parts, start=1) for f in p.storage_fields]
    known = [f.name for _, f, _, _ in named]
    labels = list(fields or [f.name if known.count(f.name) == 1 else f"{f.name}{n}" for _, f, n, _ in named])
    if len(labels) != len(named) or len(set(labels)) < len(labels):
        raise GroupError(f"{label} needs {len(named)} different names of parts, not {', '.join(labels)}.")

    def joined(function: Callable[[HomogeneousSpace, Vector, Vector], Vector], g: Vector, y: Vector) -> Vector:
        return tuple(c for p, (a, b), (i, j) in where for c in function(p, tuple(g[a:b]), tuple(y[i:j])))

    def on_points(function: Callable[[HomogeneousSpace, Vector], Vector], y: Vector) -> Vector:
        return tuple(c for p, _, (i, j) in where for c in function(p, tuple(y[i:j])))

    def by_part(which: str) -> Callable[[Vector, Vector], Vector] | None:
        functions = [getattr(p, which) for p in parts]
        if None in functions:
            return None
        return lambda y, x: tuple(
            c for f, (_, _, (i, j)) in zip(functions, where, strict=True) for c in f(tuple(y[i:j]), tuple(x[i:j]))
        )

    turning = [(p.rotation, i, j) for p, _, (i, j) in where if p.rotation is not None]

    def rotation(y: Vector) -> Vector:
        ((of_part, i, j),) = turning
        return of_part(tuple(y[i:j]))

    def step(program: Program, y: Vector, u: Vector, theta: Expr) -> ThetaStep:
        steps, start = [], 0
        for p, _, (i, j) in where:
            assert p.theta_step is not None
            steps.append(p.theta_step(program, y[i:j], u[start : start + p.dimension], theta))
            start += p.dimension
        stage, end = (tuple(c for s in steps for c in getattr(s, name)) for name in ("stage", "end"))
        return ThetaStep(stage, end, sympy.diag(*(s.tangent for s in steps)))

    return HomogeneousSpace(
        label,
        direct_product(*[p.group for p in parts]),
        tuple(Field(text, start + f.offset, f.shape) for text, (_, f, _, start) in zip(labels, named, strict=True)),
        lambda g, y: joined(lambda p, a, b: p.action(a, b), g, y),
        tuple(c for p in parts for c in p.origin),
        lambda y: on_points(lambda p, b: p.relations(b), y),
        lambda y: on_points(lambda p, b: p.normalize(b), y),
        False not in sides,
        by_part("hamiltonian"),
        by_part("lift"),
        None if None in [p.theta_step for p in parts] else step,
        rotation=rotation if len(turning) == 1 else None,
    )


NAMED = {"S2": S2, "TS2": TS2}
"""Spaces by name."""


def space_from_name(name: str) -> HomogeneousSpace | None:
    """Return the space named ``S2`` or ``TS2``; None for any other name."""
    return NAMED.get(name)
