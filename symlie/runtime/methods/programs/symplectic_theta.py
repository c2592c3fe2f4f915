"""Step of the symplectic θ family on cotangent bundles, right-trivialised.

    stage(q_n, u) = exp(θ ξ)·q_n with the momentum M(ξ, n) of the stage  (15)
    u = (ξ, n) = h f(t_n + θ h, stage(q_n, u))  (16)
    q_{n+1} = end(q_n, u)  (17)

Newton's method computes u with the derived matrix. Stage and end are kernels of the model.

Source: [Celledoni2022], equations (15) to (17).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from symlie.runtime.steps.expressions import Expression
from symlie.runtime.steps.values import Acceleration

if TYPE_CHECKING:
    from symlie.runtime.steps.recorder import StepRecorder


def symplectic_theta_step(s: StepRecorder, theta: float) -> None:
    """Write a step."""
    u, q = s.symplectic_stage(theta)  # (15), (16), (17)
    s.known_acceleration(s.evaluated(Acceleration, Expression()))
    s.end(q, s.v, u)
