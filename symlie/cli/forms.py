"""Default form of rotation parameters: angular velocities for explicit methods, because they are more accurate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

WITH_BOTH_FORMS = "euler_angles"
"""Prefix of the names of coordinates with both forms, for which Lie group steps must be requested."""

ON_GROUP = "lie"
"""Suffix for coordinates that are used only for storage, with Lie group steps."""


def coordinates_option(stated: str) -> dict[str, object]:
    """Return model options for ``NAME``, ``NAME:FORM``, or ``NAME:lie`` (Lie group steps)."""
    name, _, choice = stated.partition(":")
    if not choice:
        return {"coordinates": name}
    if choice == ON_GROUP:
        return {"coordinates": name, "step": choice}
    return {"coordinates": name, "form": int(choice) if choice.isdecimal() else choice}


def usual_form(model: str, options: Mapping[str, object], methods: Iterable[str]) -> dict[str, object]:
    """Return the option ``form=angular_velocity`` if all methods support it and no option specifies a form; without
    methods, explicit ones are assumed."""
    if not str(options.get("coordinates", "")).startswith(WITH_BOTH_FORMS) or {"form", "step"} & set(options):
        return {}
    from symlie.models.registry import option_names
    from symlie.runtime.methods.chosen import chosen_method

    if "form" not in option_names(model) or not all(chosen_method(m).takes_coordinate_rates for m in methods):
        return {}
    return {"form": "angular_velocity"}
