"""Prescribed motions with their velocities, both by hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.trajectories.drawn import Turning, space_of
from tests.trajectories.texts import Array, cos, sin, turn_back


class Motion:
    """Storage and velocity of a prescribed node."""

    def __init__(self, space: str, given: Turning) -> None:
        self.space, self.given = space, given

    def __call__(self, t: Any) -> tuple[Array, Array]:
        """At times of a batch, which may be complex."""
        t = np.asarray(t, dtype=complex)
        m = self.given
        angle = m.a * sin(m.b * t) + m.c * t + m.d
        speed = m.a * m.b * cos(m.b * t) + m.c
        x = np.array([c * sin(m.b * t) + s for c, s in zip(m.amplitude, m.shift, strict=True)])
        x_dot = np.array([c * m.b * cos(m.b * t) for c in m.amplitude])
        if self.space.startswith("R"):
            return x, x_dot
        axis = np.array(m.axis)[:, None]
        if self.space in ("SO2", "SE2"):
            own, omega = np.stack([cos(angle), sin(angle)]), speed[None]
        elif self.space in ("S3", "S3sR3"):
            own, omega = np.concatenate([cos(angle / 2)[None], sin(angle / 2) * axis]), speed * axis
        else:
            n = np.array([[0, -m.axis[2], m.axis[1]], [m.axis[2], 0, -m.axis[0]], [-m.axis[1], m.axis[0], 0]])
            own = np.eye(3).reshape(9, 1) + n.reshape(9, 1) * sin(angle) + (n @ n).reshape(9, 1) * (1 - cos(angle))
            omega = speed * axis
        if not len(m.amplitude):
            return own, omega
        q = np.concatenate([own, x])
        of = space_of(self.space)
        assert of.rotation is not None
        return q, np.concatenate([omega, turn_back(of.rotation(q), x_dot)])


def texts(space: str, m: Turning) -> dict[str, str]:
    """The same motion as texts by field, for a statement."""
    angle = f"({m.a!r} * sin({m.b!r} * t) + {m.c!r} * t + {m.d!r})"
    x = [f"{c!r} * sin({m.b!r} * t) + {s!r}" for c, s in zip(m.amplitude, m.shift, strict=True)]
    moved = {"x": f"vec({', '.join(x)})"} if x else {}
    if space.startswith("R"):
        return moved
    if space in ("SO2", "SE2"):
        return {"p": f"vec(cos({angle}), sin({angle}))", **moved}
    if space in ("S3", "S3sR3"):
        parts = ", ".join(f"sin({angle} / 2) * {c!r}" for c in m.axis)
        return {"p": f"vec(cos({angle} / 2), {parts})", **moved}
    n = np.array([[0, -m.axis[2], m.axis[1]], [m.axis[2], 0, -m.axis[0]], [-m.axis[1], m.axis[0], 0]])
    entries = [
        f"{unit!r} + {a!r} * sin({angle}) + {b!r} * (1 - cos({angle}))"
        for unit, a, b in zip(np.eye(3).ravel().tolist(), n.ravel().tolist(), (n @ n).ravel().tolist(), strict=True)
    ]
    return {"R": f"vec({', '.join(entries)})", **moved}
