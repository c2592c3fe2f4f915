"""Equations of motion of rigid bodies on a tree of joints, by sweeps over the tree.

With the twists s_j of `symlie.modeling.terms`, I of the bodies of a link in inertial axes, ad of the group of motions
and ad*_x = -ad_xᵀ, velocities, accelerations and forces are

    V = V_p + Σ s_j v_j,    A = A_p + Σ (s_j a_j + ad_{V_p} s_j v_j),    F = I A + ad*_V (I V),

A = -(0, gravity) on the ground, and M a + g = s_jᵀ F^c with the sum F^c of F over all links outboard of j, including
that of j. A motion of the link of k along s_k moves all outboard links, where V and A, in axes that move with them,
change by

    ν = -ad_{s_k} W,    ad_ν V + y,    y = -ad_{s_k} Z - ad_ν W

with (W, Z) = (V, A) of the inboard link if s_k is fixed in it, else of the link of k; for v_k they change by

    ν = s_k,    ad_ν V + y,    y = ad_{V_p} s_k - ad_{s_k} V_k.

Since F depends on velocities by F_V ν = ad*_ν (I V) + ad*_V I ν and the bodies move along, sums D^c of

    D ν = ad*_ν (I V) + ad*_V I ν + I ad_ν V

and I^c give the columns of K, C and M of all pairs: for j outboard of k,  s_jᵀ (D^c_j ν + I^c_j y),  where the
contributions of the rotated force and of the rotated s_j cancel, and for j inboard of k
s_jᵀ (ad*_{s_k} F^c_k + D^c_k ν + I^c_k y).

Source: Euler-Poincaré with right translations; sums over outboard links are those of [Featherstone2008], chapters 5
and 6.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from sympy import Add, Expr, Integer

from symlie.groups.operators import ad
from symlie.groups.rotation import dot, zero
from symlie.ir.differentiate import Matrix
from symlie.ir.program import Program, Vector
from symlie.modeling.terms import BodyTree

Accelerations = tuple[tuple[Expr, Expr], ...]
"""Pairs of the symbol of a velocity and its rate; missing ones are zero."""


class TreeDynamics:
    """Sweeps over a tree; matrix rows and columns correspond to ``velocities``, the symbols of the definition."""

    def __init__(self, program: Program, tree: BodyTree, velocities: Sequence[Expr]) -> None:
        self._program, self._tree, self._group = program, tree, tree.group
        place = {s: k for k, s in enumerate(velocities)}
        self._size = len(place)
        self._columns = [
            (n, place[v], s)
            for n, link in enumerate(tree.links)
            for v, s in zip(link.velocities, link.columns, strict=True)
        ]
        self._accelerations = functools.cache(self._found_accelerations)

    def momentum(self) -> Vector:
        """Return ∂T/∂v = s_jᵀ Σ I V."""
        return self._projected(self._sums(self._momenta))

    def inverse_dynamics(self, acceleration: Accelerations = ()) -> Vector:
        """Return M a + g, including the weight."""
        return self._projected(self._sums(self._forces(acceleration)))

    def weight(self) -> Vector:
        """Return g at rest."""
        inertias, ground = (link.inertia for link in self._tree.links), self._ground
        return self._projected(self._sums([self._times(inertia, ground) for inertia in inertias]))

    def mass(self) -> Matrix:
        """Return M."""
        entries = [[Integer(0)] * self._size for _ in range(self._size)]
        for (n, j, _), along in zip(self._columns, self._inertial, strict=True):
            for m, k, s in self._columns:
                if m in self._paths[n]:
                    entries[j][k] = entries[k][j] = dot(along, s)
        return tuple(map(tuple, entries))

    def newton_matrices(self, acceleration: Accelerations) -> tuple[Matrix, Matrix]:
        """Return K = D_q(M a + g) and C = ∂g/∂v."""
        links, slopes = self._tree.links, self._summed_rows([self._slope(n) for n in range(len(self._tree.links))])
        forces = self._sums(self._forces(acceleration))
        pulled = [self._times(tuple(zip(*slopes[n], strict=True)), s) for n, _, s in self._columns]
        stiffness, damping = ([[Integer(0)] * self._size for _ in range(self._size)] for _ in range(2))
        for m, k, s_k in self._columns:
            turned, by_configuration, by_velocity = self._changes(m, s_k, acceleration)
            carried = self._dual(s_k, forces[m])
            ahead = [
                self._program.vector(Add(*parts) for parts in zip(*vectors, strict=True))
                for vectors in (
                    (carried, self._times(slopes[m], turned), self._times(self._inertias[m], by_configuration)),
                    (self._times(slopes[m], s_k), self._times(self._inertias[m], by_velocity)),
                )
            ]
            for (n, j, s_j), along, pulled_j in zip(self._columns, self._inertial, pulled, strict=True):
                if m in self._paths[n] and (n != m or links[n].rides):
                    stiffness[j][k] = dot(pulled_j, turned) + dot(along, by_configuration)
                    damping[j][k] = dot(pulled_j, s_k) + dot(along, by_velocity)
                elif n in self._paths[m]:
                    stiffness[j][k], damping[j][k] = (dot(s_j, vector) for vector in ahead)
        return tuple(map(tuple, stiffness)), tuple(map(tuple, damping))

    def _changes(self, m: int, s: Vector, acceleration: Accelerations) -> tuple[Vector, Vector, Vector]:
        """Return ν and y for the configuration, and y for the velocity, along a column of a link."""
        link = self._tree.links[m]
        before = self._velocity_before(m)
        fixed_in = link.before if link.rides else m
        velocity = before if link.rides else self._velocities[m]
        turned = self._bracket(velocity, s)
        carried = self._bracket(self._acceleration(fixed_in, acceleration), s)
        by_configuration = self._program.vector(
            a - b for a, b in zip(carried, self._bracket(turned, velocity), strict=True)
        )
        own = [self._bracket(before, s), self._bracket(self._velocities[m] if len(link.columns) > 1 else before, s)]
        return turned, by_configuration, self._program.vector(a + b for a, b in zip(*own, strict=True))

    @functools.cached_property
    def _paths(self) -> list[frozenset[int]]:
        """Return each link with its inboard links."""
        found: list[frozenset[int]] = []
        for n, link in enumerate(self._tree.links):
            found.append((frozenset() if link.before is None else found[link.before]) | {n})
        return found

    @functools.cached_property
    def _velocities(self) -> list[Vector]:
        """V of each link."""
        found: list[Vector] = []
        for link in self._tree.links:
            total = [zero(self._group.dimension) if link.before is None else found[link.before]]
            total += [tuple(c * v for c in s) for v, s in zip(link.velocities, link.columns, strict=True)]
            found.append(self._program.vector(Add(*parts) for parts in zip(*total, strict=True)))
        return found

    def _velocity_before(self, n: int) -> Vector:
        before = self._tree.links[n].before
        return zero(self._group.dimension) if before is None else self._velocities[before]

    def _found_accelerations(self, acceleration: Accelerations) -> list[Vector]:
        known, found = dict(acceleration), list[Vector]()
        for n, link in enumerate(self._tree.links):
            total = [self._ground if link.before is None else found[link.before]]
            before = self._velocity_before(n)
            for v, s in zip(link.velocities, link.columns, strict=True):
                total.append(tuple(c * known.get(v, Integer(0)) for c in s))
                total.append(tuple(c * v for c in self._bracket(before, s)))
            found.append(self._program.vector(Add(*parts) for parts in zip(*total, strict=True)))
        return found

    @property
    def _ground(self) -> Vector:
        """Acceleration A of the ground, which represents the weight of all bodies."""
        gravity = self._tree.gravity
        return (*zero(self._group.dimension - len(gravity)), *(-c for c in gravity))

    def _acceleration(self, n: int | None, acceleration: Accelerations) -> Vector:
        return self._ground if n is None else self._accelerations(acceleration)[n]

    @functools.cached_property
    def _momenta(self) -> list[Vector]:
        """I V of each link."""
        return [self._times(x.inertia, V) for x, V in zip(self._tree.links, self._velocities, strict=True)]

    def _forces(self, acceleration: Accelerations) -> list[Vector]:
        """Return F of each link."""
        found: list[Vector] = []
        for n, link in enumerate(self._tree.links):
            inertial = self._times(link.inertia, self._acceleration(n, acceleration))
            gyroscopic = self._dual(self._velocities[n], self._momenta[n])
            found.append(self._program.vector(a + b for a, b in zip(inertial, gyroscopic, strict=True)))
        return found

    def _slope(self, n: int) -> Matrix:
        """Return D of a link."""
        inertia = self._tree.links[n].inertia
        if not inertia:
            return ()
        turned = [self._dual(self._velocities[n], column, bound=False) for column in inertia]
        size = self._group.dimension
        units = [tuple(Integer(int(i == k)) for i in range(size)) for k in range(size)]
        gyroscopic = [self._dual(unit, self._momenta[n]) for unit in units]
        lower = {(i, k): self._program.scalar(turned[k][i] + turned[i][k]) for i in range(size) for k in range(i + 1)}
        return tuple(
            tuple(self._program.scalar(lower[max(i, k), min(i, k)] + gyroscopic[k][i]) for k in range(size))
            for i in range(size)
        )

    @functools.cached_property
    def _inertias(self) -> list[Matrix]:
        """Composite inertia Σ I of each link and its outboard links."""
        return self._summed_rows([link.inertia for link in self._tree.links])

    @functools.cached_property
    def _inertial(self) -> list[Vector]:
        """Momentum Σ I s_j of each column."""
        return [self._times(self._inertias[n], s) for n, _, s in self._columns]

    def _sums(self, vectors: Sequence[Vector]) -> list[Vector]:
        """Return sums over each link and its outboard links."""
        parts: list[list[Vector]] = [[v] for v in vectors]
        found: list[Vector] = [()] * len(parts)
        for n in reversed(range(len(parts))):
            found[n] = self._program.vector(Add(*c) for c in zip(*parts[n], strict=True))
            before = self._tree.links[n].before
            if before is not None:
                parts[before].append(found[n])
        return found

    def _summed_rows(self, matrices: Sequence[Matrix]) -> list[Matrix]:
        """Return sums of matrices over each link and its outboard links."""
        size = self._group.dimension
        flat = [tuple(e for row in m for e in row) or zero(size * size) for m in matrices]
        return [tuple(f[size * i : size * (i + 1)] for i in range(size)) for f in self._sums(flat)]

    def _projected(self, sums: Sequence[Vector]) -> Vector:
        """Return s_jᵀ of a sum, by velocity."""
        found = list(zero(self._size))
        for n, j, s in self._columns:
            found[j] = dot(s, sums[n])
        return tuple(found)

    def _bracket(self, x: Vector, y: Vector) -> Vector:
        """Return ad_x y."""
        return self._program.vector(ad(self._program, self._group, x, y))

    def _dual(self, x: Vector, f: Vector, *, bound: bool = True) -> Vector:
        """Return ad*_x f."""
        found = tuple(-c for c in ad(self._program, self._group, x, f, transpose=True))
        return self._program.vector(found) if bound else found

    def _times(self, matrix: Matrix, x: Vector) -> Vector:
        return self._program.vector(dot(row, x) for row in matrix) or zero(len(x))
