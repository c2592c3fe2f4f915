"""Homogeneous spaces: manifolds defined by the action of a Lie group.

A vector field F on the manifold is given by an algebra-valued map f with ψ_*(f(y))|_y = F(y), where the generator
ψ_*(ξ)|_y = d/dε exp(εξ)·y is derived from the action. For a left action, local coordinates y = exp(u)·y₀ satisfy
u' = dexp⁻¹_u(f); for a right action, such as right multiplication of a group, u' = dexp⁻¹_{-u}(f). The node type stores
the sign, so integrators treat both alike. Source: [Celledoni2022], section 2.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np
import sympy
from sympy import Expr, Integer, Matrix

from symlie.errors import GroupError
from symlie.groups.definition import fields_of, flat
from symlie.groups.element import StoredElement
from symlie.groups.group import Field, LieGroup, storage_symbols
from symlie.groups.symplectic import ThetaStep
from symlie.groups.validation import TOLERANCE, agree, check_name, compiled, elements
from symlie.ir.program import Program, Vector, substitute
from symlie.options import Side


@dataclass(frozen=True, eq=False)
class HomogeneousSpace:
    """Manifold with the action of a Lie group.

    Parameters
    ----------
    name
        Name in generated files.
    group
        G, the acting group.
    storage_fields
        Named parts of the stored components of a point.
    action
        Stored components of g·y, or of y·g, as a function of the stored components of g and y.
    origin
        Stored components of a point, the default initial configuration of nodes.
    relations
        Polynomials that vanish on the manifold.
    normalize
        One step of a quadratically convergent projection onto the relations.
    is_left
        True for a left action, g·(h·y) = (g∘h)·y; False for a right action, (y·g)·h = y·(g∘h).
    hamiltonian
        f of a Hamiltonian system as a function of the point and of the gradient of H by its stored components, if
        defined.
    lift
        An f with ψ_*(f)|_y = F as a function of the point and of the rates F of its stored components, if one is known.
    theta_step
        Step of the symplectic θ-family on a cotangent bundle as a function of the point, the increment and θ.
    is_frame
        True if the action is only the flow of vector fields with constant coefficients, without a group composition.
    rotation
        Rotation matrix (row-major, n × n) that is part of a point, if any.
    """

    name: str
    group: LieGroup
    storage_fields: tuple[Field, ...]
    action: Callable[[Vector, Vector], Vector]
    origin: Vector
    relations: Callable[[Vector], Vector] = lambda y: ()
    normalize: Callable[[Vector], Vector] = lambda y: y
    is_left: bool = True
    hamiltonian: Callable[[Vector, Vector], Vector] | None = None
    lift: Callable[[Vector, Vector], Vector] | None = None
    theta_step: Callable[[Program, Vector, Vector, Expr], ThetaStep] | None = None
    is_frame: bool = False
    rotation: Callable[[Vector], Vector] | None = None

    velocity_fields: tuple[Field, ...] = ()
    """Empty: the velocity of a node on a homogeneous space is not an unknown."""

    @property
    def storage_dimension(self) -> int:
        """Number of stored components."""
        return len(self.origin)

    @property
    def dimension(self) -> int:
        """Dimension of the Lie algebra of the acting group."""
        return self.group.dimension

    @property
    def velocity_dimension(self) -> int:
        """Number of velocity components, zero; see ``velocity_fields``."""
        return 0

    @property
    def identity(self) -> Vector:
        """Stored components of the origin, the counterpart of the identity of a group."""
        return self.origin

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"HomogeneousSpace({self.name})"

    def storage_tangent(self, program: Program, storage: Vector, tangent: Vector) -> Vector:
        """Return the generator ψ_*(ξ)|_y, with ``storage_dimension`` components.

        Parameters
        ----------
        program
            Program to which the statements are appended.
        storage
            Stored components of the point y.
        tangent
            Components of ξ in the Lie algebra of the acting group.
        """
        return tuple(generator_at(self, storage) * Matrix(tangent))

    def storage_cotangent(self, program: Program, storage: Vector, cotangent: Vector) -> Vector:
        """Return the transposed generator applied to a gradient by the storage, with ``dimension`` components.

        Parameters
        ----------
        program
            Program to which the statements are appended.
        storage
            Stored components of the point y.
        cotangent
            Derivatives by the stored components.
        """
        return tuple(generator_at(self, storage).T * Matrix(cotangent))

    def algebra_tangent(self, program: Program, storage: Vector, rate: Vector) -> Vector:
        """Return an f with ψ_*(f)|_y = F for a tangent F; see `algebra_map`.

        Parameters
        ----------
        program
            Program to which the statements are appended.
        storage
            Stored components of the point y.
        rate
            F, rates of the stored components.
        """
        return algebra_map(self, program, storage, rate)


ConfigurationSpace = LieGroup | HomogeneousSpace
"""Configuration space of a node."""


def acting_group(space: ConfigurationSpace) -> LieGroup:
    """Return the group that acts on a space, or the space itself if it is a group."""
    return space.group if isinstance(space, HomogeneousSpace) else space


@functools.cache
def generator(space: HomogeneousSpace) -> Matrix:
    """Return the matrix of ξ ↦ ψ_*(ξ)|_y in `storage_symbols`, shape (stored components, dimension)."""
    g, y = storage_symbols(space.group, "g"), storage_symbols(space)
    jacobian = Matrix(space.action(g, y)).jacobian(Matrix(g))
    at_identity = dict(zip(g, space.group.identity, strict=True))
    return (jacobian.subs(at_identity, simultaneous=True) * space.group.basis).expand()


@functools.cache
def is_translated(space: HomogeneousSpace) -> bool:
    """Return whether the points are elements of the acting group, which it moves by translation."""
    g, y = storage_symbols(space.group, "g"), storage_symbols(space)
    if len(g) != len(y):
        return False
    composed = space.group.compose(g, y) if space.is_left else space.group.compose(y, g)
    return all(sympy.expand(a - b) == 0 for a, b in zip(space.action(g, y), composed, strict=True))


def generator_at(space: HomogeneousSpace, storage: Vector) -> Matrix:
    """Return the generator at a point."""
    return _substituted(space, generator(space), storage)


def _substituted(space: HomogeneousSpace, matrix: Matrix, storage: Vector) -> Matrix:
    values = dict(zip(storage_symbols(space), storage, strict=True))
    return matrix.applyfunc(lambda e: substitute(e, values))


def algebra_map(space: HomogeneousSpace, program: Program, storage: Vector, rates: Sequence[Expr]) -> Vector:
    """Return an f with ψ_*(f)|_y = F(y): the lift of the space, else the least-norm solution."""
    # With the generator G and the Jacobian J of the relations, GGᵀ + JᵀJ is regular if the action is transitive, and
    # f = Gᵀ (GGᵀ + JᵀJ)⁻¹ F, since gradients of the relations are orthogonal to all ψ_*(ξ).
    symbols = storage_symbols(space)
    matrix = generator(space)
    normals = Matrix(space.relations(symbols)).jacobian(Matrix(symbols)) if space.relations(symbols) else None
    _check_tangent(space, storage, normals, rates)
    if space.lift is not None:
        return program.vector(space.lift(storage, program.vector(rates)), "f")
    gram = matrix * matrix.T + (normals.T * normals if normals is not None else sympy.zeros(len(symbols)))
    acted = space.action(tuple(map(sympy.Float, elements(space.group, 1)[0])), space.origin)
    point = {s: float(c) for s, c in zip(symbols, acted, strict=True)}
    if np.linalg.matrix_rank(np.array(gram.subs(point).tolist(), dtype=float), tol=TOLERANCE) < len(symbols):
        raise GroupError(
            f"The action on {space} is not transitive according to its relations, so a vector field does not "
            "determine f; define f itself with field(...)."
        )
    solution = _solved(program, _substituted(space, gram, storage), rates)
    lifted = _substituted(space, matrix, storage).T * Matrix(solution)
    return program.vector(list(lifted), "f")


def _check_tangent(space: HomogeneousSpace, storage: Vector, normals: Matrix | None, rates: Sequence[Expr]) -> None:
    """Check symbolically that J F vanishes on the manifold."""
    if normals is None:
        return
    relations = [sympy.expand(r) for r in _substituted(space, Matrix(space.relations(storage_symbols(space))), storage)]
    basis = sympy.groebner(relations, *storage, order="grevlex").exprs
    for row, residual in enumerate(_substituted(space, normals, storage) * Matrix(list(rates))):
        numerator = sympy.numer(sympy.together(sympy.expand(residual)))
        try:
            remainder = sympy.reduced(numerator, basis, *storage)[1]
        except sympy.PolynomialError:
            remainder = sympy.simplify(numerator)
        if sympy.expand(remainder) != 0:
            raise GroupError(
                f"The vector field leaves {space}: the rate of its relation {row + 1}, {relations[row]} = 0, cannot "
                "be proved to vanish; make the field tangent, or define f itself with field(...)."
            )


def _solved(program: Program, matrix: Matrix, right: Sequence[Expr]) -> list[Expr]:
    """Return A⁻¹ b for a symmetric positive definite A, by elimination in statements."""
    n = matrix.rows
    a = [[program.scalar(matrix[i, j]) for j in range(n)] for i in range(n)]
    x = [program.scalar(sympy.sympify(c)) for c in right]
    for k in range(n):
        reciprocal = program.scalar(1 / a[k][k])
        for i in range(k + 1, n):
            if a[i][k] == 0:
                continue
            factor = program.scalar(a[i][k] * reciprocal)
            for j in range(k + 1, n):
                if a[k][j] != 0:
                    a[i][j] = program.scalar(a[i][j] - factor * a[k][j])
            x[i] = program.scalar(x[i] - factor * x[k])
    for k in reversed(range(n)):
        known = sum((a[k][j] * x[j] for j in range(k + 1, n) if a[k][j] != 0), Integer(0))
        x[k] = program.scalar((x[k] - known) / a[k][k])
    return x


def homogeneous_space(
    name: str,
    group: LieGroup,
    *,
    storage: Mapping[str, int | tuple[int, ...]],
    action: Callable[[StoredElement, StoredElement], object],
    origin: Sequence[object],
    relations: Callable[[StoredElement], Sequence[object]] | None = None,
    normalize: Callable[[StoredElement], object] | None = None,
    side: Side = "left",
) -> HomogeneousSpace:
    """Define a manifold by the action of a group.

    Parameters
    ----------
    name
        Name, an identifier.
    group
        The acting group.
    storage
        Named parts of a point with their sizes or shapes: ``{"q": 3, "omega": 3}``.
    action
        Function of an element g of the group and a point y, both with their parts as attributes. It returns all
        components of g·y, or of y·g for a right action.
    origin
        Components of a point of the manifold.
    relations
        Polynomials that vanish on the manifold; default: none.
    normalize
        One step of a quadratically convergent projection onto the relations; default: the point itself.
    side
        ``"left"``: g·(h·y) = (g∘h)·y. ``"right"``: (y·g)·h = y·(g∘h).

    Raises
    ------
    GroupError
        If the map is not an action of the group, or leaves the manifold.

    Examples
    --------
    >>> import symlie as sl
    >>> sphere = sl.homogeneous_space(
    ...     "sphere", sl.SO3, storage={"q": 3}, action=lambda g, y: [g.R * y.q], origin=[0, 0, 1],
    ...     relations=lambda y: [y.q.dot(y.q) - 1],
    ... )
    """
    check_name(name)
    if side not in get_args(Side):
        raise GroupError(f"A group acts on {name} from the left or from the right, not {side!r}.")
    space = stated_space(
        name,
        group,
        storage,
        "image of a point",
        lambda g, y: action(StoredElement(group, g), y),
        origin,
        relations,
        normalize,
    )
    return check_action(replace(space, is_left=side == "left"))


def stated_space(
    name: str,
    group: LieGroup,
    storage: Mapping[str, int | tuple[int, ...]],
    what: str,
    moved: Callable[[Vector, StoredElement], object],
    origin: Sequence[object],
    relations: Callable[[StoredElement], Sequence[object]] | None,
    normalize: Callable[[StoredElement], object] | None,
) -> HomogeneousSpace:
    """Define a space by functions of points with their parts as attributes, with sizes checked at each call."""
    fields = fields_of(storage, None, f"The storage of {name}")
    size = fields[-1].offset + fields[-1].size

    def checked(what: str, value: object) -> Vector:
        components = flat(value)
        if len(components) != size:
            raise GroupError(f"The {what} of {name} has {len(components)} components; a point has {size}.")
        return components

    def point(y: Vector) -> StoredElement:
        return StoredElement(fields, y)

    return HomogeneousSpace(
        name,
        group,
        fields,
        lambda g, y: checked(what, moved(g, point(y))),
        checked("origin", origin),
        lambda y: flat(relations(point(y))) if relations is not None else (),
        lambda y: checked("normalized point", normalize(point(y))) if normalize is not None else y,
    )


def check_action(space: HomogeneousSpace) -> HomogeneousSpace:
    """Check numerically that the action satisfies its axioms at some elements, or raise `GroupError`."""
    group = space.group
    g, h = elements(group, 2)
    compose = compiled(group.compose, group, 2)
    symbols = storage_symbols(group, "g"), storage_symbols(space)
    acted = sympy.lambdify(symbols, list(space.action(*symbols)), "numpy")
    identity = np.array([float(c) for c in group.identity])
    origin = np.array([float(c) for c in space.origin])
    y = np.array(acted(h, origin), dtype=float)

    def require(law: str, left: object, right: object) -> None:
        if not agree(left, right):
            side = "left" if space.is_left else "right"
            raise GroupError(f"The action of {group} on {space} is not a {side} action: {law} fails.")

    require("invariance of points under the identity", acted(identity, y), y)
    if space.is_left:
        require("(g∘h)·y = g·(h·y)", acted(compose(g, h), y), acted(g, acted(h, y)))
    else:
        require("y·(g∘h) = (y·g)·h", acted(compose(g, h), y), acted(h, acted(g, y)))
    for what, function in (
        ("vanishing of the relations", space.relations),
        ("invariance of points under normalize", space.normalize),
    ):
        value = sympy.lambdify([symbols[1]], list(function(symbols[1])), "numpy")(y)
        require(f"{what} on the manifold", value, np.zeros(len(value)) if function is space.relations else y)
    return space
