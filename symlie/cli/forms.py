"""Forms of classical coordinates where a command names none: 1 for explicit methods, which is the more accurate one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

WITH_BOTH_FORMS = "euler_angles"
"""Begin of the names of coordinates that have both forms, and steps on the group only where these are asked for."""

ON_GROUP = "lie"
"""What stands behind coordinates that are stored by steps on the group."""


def coordinates_option(stated: str) -> dict[str, object]:
    """Options of a model by ``NAME``, ``NAME:1``, ``NAME:2`` of a form, or ``NAME:lie`` of steps on the group.

    Parameters
    ----------
    stated
        The word.
    """
    name, _, choice = stated.partition(":")
    if not choice:
        return {"coordinates": name}
    if choice == ON_GROUP:
        return {"coordinates": name, "step": choice}
    return {"coordinates": name, "form": int(choice) if choice.isdecimal() else choice}


def usual_form(model: str, options: Mapping[str, object], methods: Iterable[str]) -> dict[str, object]:
    """The option ``form=1`` where all methods take it, and nothing that is stated or known of the model is against it.

    Parameters
    ----------
    model
        Name or file of the model.
    options
        Its options as they are stated.
    methods
        Names of methods; none stands for those that `solve` chooses, which are explicit.
    """
    if not str(options.get("coordinates", "")).startswith(WITH_BOTH_FORMS) or {"form", "step"} & set(options):
        return {}
    from symlie.models.registry import option_names
    from symlie.runtime.methods.chosen import chosen_method

    if "form" not in option_names(model) or not all(chosen_method(m).takes_coordinate_rates for m in methods):
        return {}
    return {"form": 1}
