"""Types of user-defined integration methods: the recorder of a step, and its values.

`symlie.method` decorates a function that writes a step to a `StepRecorder`.
"""

from __future__ import annotations

from symlie.runtime.steps.expressions import Expression, Scalar, Vector
from symlie.runtime.steps.recorder import StepRecorder
from symlie.runtime.steps.values import (
    Acceleration,
    Algebra,
    Configuration,
    ImplicitValues,
    Jacobian,
    Multiplier,
    StageValues,
    UnknownEnd,
    Velocity,
)
from symlie.runtime.steps.vector_recorder import PreviousState

__all__ = [
    "Acceleration",
    "Algebra",
    "Configuration",
    "Expression",
    "ImplicitValues",
    "Jacobian",
    "Multiplier",
    "PreviousState",
    "Scalar",
    "StageValues",
    "StepRecorder",
    "UnknownEnd",
    "Vector",
    "Velocity",
]
