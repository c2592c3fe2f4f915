"""Families of methods by name."""

from __future__ import annotations

from collections.abc import Mapping

from symlie.errors import ModelError, UnknownNameError
from symlie.runtime.methods.adams_bashforth import AdamsBashforth
from symlie.runtime.methods.ambient import Ambient
from symlie.runtime.methods.bdf.fixed import Bdf
from symlie.runtime.methods.bdf.increments import BdfIncrements
from symlie.runtime.methods.bdf.variable import BdfVariable
from symlie.runtime.methods.commutator_free import CommutatorFree, CrouchGrossman
from symlie.runtime.methods.family import Method
from symlie.runtime.methods.generalized_alpha import GeneralizedAlpha
from symlie.runtime.methods.half_explicit import HalfExplicit
from symlie.runtime.methods.index1 import Index1
from symlie.runtime.methods.moreau_jean import MoreauJean
from symlie.runtime.methods.programs.user_defined import UserDefined, UserDefinedImplicit, UserDefinedWithConstraints
from symlie.runtime.methods.rkmk import Rkmk
from symlie.runtime.methods.symplectic_theta import SymplecticTheta
from symlie.runtime.methods.taylor import Taylor
from symlie.runtime.methods.variational import Variational
from symlie.runtime.tableaux.entry import EntryReader

FAMILIES: dict[str, type[Method]] = {
    family.family: family
    for family in (
        Rkmk,
        HalfExplicit,
        CommutatorFree,
        CrouchGrossman,
        Index1,
        Ambient,
        SymplecticTheta,
        AdamsBashforth,
        GeneralizedAlpha,
        Bdf,
        BdfVariable,
        BdfIncrements,
        Variational,
        MoreauJean,
        Taylor,
        UserDefined,
        UserDefinedWithConstraints,
        UserDefinedImplicit,
    )
}
"""Families by name."""

ALIASES = {"cf": "commutator_free", "cg": "crouch_grossman"}
"""Short names of families in user-defined tableaux."""


def stated_method(name: str, entry: Mapping[str, object]) -> Method:
    """Return the method of a user-defined tableau; nodes c default to the row sums, and the order to 1."""
    reader = EntryReader(name, entry)
    stated = entry.get("family")
    known = {key: family for key, family in FAMILIES.items() if family.required}
    found = known.get(ALIASES.get(stated, stated)) if isinstance(stated, str) else None
    if found is None:
        raise reader.error(f"family is {stated!r}, but it must be one of {', '.join(known)}")
    reader.check_keys(found.family, found.required, found.optional)
    return found.read(reader)


def check_option(method: Method, name: str) -> None:
    """Raise an error if no method has an option of this name, or if this method does not have it."""
    owners = [family for family in FAMILIES.values() if family.option_values]
    if not any(name in family.option_values for family in owners):
        every = dict.fromkeys(option for family in owners for option in family.option_values)
        raise UnknownNameError(f"Methods have no option '{name}'; the options are {', '.join(every)}.")
    if name not in method.options:
        parts = [f"{' and '.join(family.option_values)} to {family.members}" for family in owners]
        raise ModelError(
            f"Method {method.name} of the family {method.family} has no option {name}; "
            f"{', '.join(parts).replace(' to ', ' belong to ', 1)}."
        )
