"""Stabilisation of the position constraints, parsed from text."""

from __future__ import annotations

import math
from dataclasses import dataclass

from symlie.errors import ModelError, UnknownNameError


@dataclass(frozen=True)
class Stabilisation:
    """Baumgarte's α in 1/s, and the projections after each step."""

    baumgarte: float = 0.0
    project_position: bool = False
    project_velocity: bool = False


def stabilisation(text: str) -> Stabilisation:
    """Read ``none``, ``baumgarte:ALPHA``, ``projection``, ``projection+velocity`` or ``velocity``."""
    text = str(text)
    name, _, value = text.partition(":")
    if name == "baumgarte":
        try:
            alpha = float(value)
        except ValueError:
            alpha = math.nan
        if not 0 < alpha < math.inf:
            raise ModelError(f"Stabilisation by Baumgarte needs a positive number per second, not '{value}'.")
        return Stabilisation(baumgarte=alpha)
    known = {
        "none": Stabilisation(),
        "projection": Stabilisation(project_position=True),
        "projection+velocity": Stabilisation(project_position=True, project_velocity=True),
        "velocity": Stabilisation(project_velocity=True),
    }
    if text not in known:
        raise UnknownNameError(f"Unknown stabilisation '{text}'; use baumgarte:ALPHA, {', '.join(known)}.")
    return known[text]
