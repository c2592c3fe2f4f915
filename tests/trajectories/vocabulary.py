"""Random numbers and texts, of a size and shape that people would write."""

from __future__ import annotations

import random
from typing import Any

from tests.trajectories.drawn import space_of

ROTATED = {"SO3", "S3", "SE3", "S3sR3", "SO3rv"}


class Words:
    """Random choices, and texts made of them."""

    def __init__(self, source: random.Random) -> None:
        self.source = source

    def chance(self, probability: float) -> bool:
        return self.source.random() < probability

    def one(self, options: Any) -> Any:
        return options[self.source.randrange(len(options))]

    def number(self) -> str:
        """A multiple of 1/8 of size about one, exact in binary."""
        return repr(self.one([-1, 1]) * self.source.randint(1, 12) / 8)

    def vector(self, n: int) -> str:
        return f"vec({', '.join(self.number() for _ in range(n))})"

    def polynomial(self, variables: list[str]) -> str:
        """One or two products of up to two variables."""
        terms = [
            " * ".join([self.number(), *(self.one(variables) for _ in range(self.source.randint(1, 2)))])
            for _ in range(self.source.randint(1, 2))
        ]
        return f"({' + '.join(terms)})"

    def smooth(self, variables: list[str]) -> str:
        """A smooth function of some variables, finite everywhere."""
        p = self.polynomial(variables)
        return str(self.one([
            p, f"sin({p})", f"exp({p} / 4)", f"sqrt(1 + {p}**2)", f"tanh({p})", f"atan({p}) * {self.one(variables)}",
            f"1 / (2 + cos({p}))", f"ln(2 + {p}**2)", f"atan2({p}, 3 + {self.one(variables)}**2)", f"cosh({p} / 4)",
        ]))  # fmt: skip

    def piecewise(self, variables: list[str]) -> str:
        """A piecewise law with two or more continuous derivatives."""
        p = f"({self.polynomial(variables)} + {self.source.randint(-4, 4) / 16!r})"
        return str(self.one([
            f"select({p}, {p}**4, 0)", f"Abs({p})**5", f"Max({p}, 0)**4", f"Min({p}, 0)**4",
            f"select({p}, {p}**5, {p}**4)",
        ]))  # fmt: skip

    def quadratic(self, velocity: str, n: int) -> str:
        """A positive definite quadratic form, with couplings every other time."""
        terms = [f"{self.source.randint(4, 16) / 8!r} * {velocity}[{i}]**2" for i in range(n)]
        if n > 1 and self.chance(0.5):
            i, j = self.source.sample(range(n), 2)
            terms.append(f"0.375 * {velocity}[{i}] * {velocity}[{j}]")
        return f"({' + '.join(terms)})"


def variables(local: str, space: str) -> list[str]:
    """Stored quantities that a user would write: components, and entries of the rotation matrix."""
    of = space_of(space)
    if of.rotation is not None and space.split("x")[0] in ROTATED and "x" not in space:
        found = [f"{local}.R[{i}, {j}]" for i, j in ((0, 1), (2, 2), (1, 2), (2, 0))]
        if space in ("SE3", "S3sR3"):
            found += [f"{local}.x[{k}]" for k in range(3)]
        return found
    return [f"{local}.c[{k}]" for k in range(of.storage)]


def point(words: Words, local: str, space: str) -> tuple[str, int] | None:
    """A position that a node carries, and its number of components."""
    if space in ("SE3", "S3sR3"):
        return f"({local}.x + turn({local}.R, {words.vector(3)}))", 3
    if space in ("SO3", "S3", "SO3rv"):
        return f"turn({local}.R, {words.vector(3)})", 3
    if space in ("R2", "R3"):
        return f"{local}.x", int(space[1])
    if space == "SE2":
        return f"({local}.x + turn({local}.R, {words.vector(2)}))", 2
    return None
