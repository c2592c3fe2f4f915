"""Names, parameter values, compliances and engagements of instances of element types."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sympy import Expr

from symlie.contract.manifest import Compliance, Engagement, Label
from symlie.errors import ModelError, UnknownNameError
from symlie.groups.homogeneous import ConfigurationSpace
from symlie.modeling.declarations import Stated
from symlie.modeling.ground import Placed
from symlie.modeling.names import new_name
from symlie.modeling.terms import Constraint, ElementInput, Parameter
from symlie.modeling.units import size_of
from symlie.modeling.values import flat
from symlie.utilities.unit_names import Unit, parse_units

if TYPE_CHECKING:
    from symlie.modeling.model import Model

Place: TypeAlias = tuple[str, int]
"""Name and index of a node: (node, 0) or (array, index)."""


def instance_places(
    element: Stated,
    number: int,
    members: Sequence[object],
    place_of: Callable[[object, str], tuple[Place, ConfigurationSpace]],
) -> tuple[Place, ...]:
    """Return the nodes of one instance of an element type; raise `ModelError` for a wrong number, a wrong space or a
    repeated node.
    """
    groups = [n.group for n in element.nodes]
    if len(members) != len(groups):
        raise ModelError(
            f"Instance {number} of element '{element.name}' has {len(members)} nodes; it needs {len(groups)}."
        )
    places = []
    for member, group in zip(members, groups, strict=True):
        place, space = place_of(member, f"Instance {number} of element '{element.name}'")
        if space is not group:
            raise ModelError(
                f"Instance {number} of '{element.name}': node '{place[0]}' is on {space}, but the element expects "
                f"{group}."
            )
        places.append(place)
    if len(set(places)) < len(places):
        raise ModelError(
            f"Instance {number} of '{element.name}' joins a node with itself: {', '.join(map(str, members))}."
        )
    return tuple(places)


def given_names(
    element: str, names: Sequence[str] | str | None, count: int, taken: Collection[str], owner: str
) -> list[str]:
    """Return a unique identifier for each instance of an element type, or empty strings without names."""
    if names is None:
        return [""] * count
    given = [names] if isinstance(names, str) else list(names)
    if len(given) != count:
        raise ModelError(f"Instances of '{element}' need one name each: {count}, not {len(given)}.")
    before: set[str] = set()
    for name in given:
        new_name("Instance", name, taken, owner)
        new_name("Instance", name, before, owner)
        before.add(name)
    return given


def labels_of(element: Stated, name: str) -> tuple[Label, ...]:
    """Return the reported names of an instance: NAME_QUANTITY, or NAME for the quantity with the name of the element
    type."""
    return tuple(Label(name if what == element.name else f"{name}_{what}") for what in quantities_of(element))


def quantities_of(element: Stated) -> list[str]:
    """Return the names of constraints, outputs and events of an element type, in this order."""
    constraints, outputs = [c.name for c in element.constraints], [o.name for o in element.outputs]
    return [*constraints, *outputs, *(e.name for e in element.events)]


def parameter_block(
    element: str,
    parameters: Sequence[Parameter],
    count: int,
    values: dict[str, object],
    of_model: Sequence[Parameter] = (),
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Return parameter values, shape (count, values), and for each value the index of its model parameter, or -1."""
    known = {p.name for p in parameters}
    unknown = sorted(set(values) - known)
    if unknown:
        raise ModelError(
            f"Element type '{element}' has no parameter '{unknown[0]}'; it has: {', '.join(sorted(known))}."
        )
    width, start = sum(len(p.default) for p in parameters), 0
    block, sources = np.empty((count, width)), np.empty((count, width), dtype=np.int32)
    for parameter in parameters:
        size = len(parameter.default)
        given = values.get(parameter.name, parameter.default)
        what = f"Parameter '{parameter.name}' of element '{element}'"
        value, source = _numbers_and_sources(what, parameter, given, of_model)
        if not np.isfinite(value).all():
            raise ModelError(f"{what} is not finite.")
        if value.size not in (size, count * size) or (value.size != size and len(value) != count):
            raise ModelError(
                f"{what} needs {size} values, or {count} × {size}, not {' × '.join(map(str, value.shape))}."
            )
        block[:, start : start + size] = value.reshape(-1, size)
        sources[:, start : start + size] = source.reshape(-1, size)
        start += size
    return block, sources


def chosen_inputs(
    element: str,
    inputs: Sequence[ElementInput],
    count: int,
    given: Mapping[str, object],
    of_model: Mapping[Expr, tuple[int, int, Unit | None]],
) -> NDArray[np.float64]:
    """Return the number and component of the chosen input of the model for each input of each instance, shape
    (count, 2 inputs).
    """
    found = np.zeros((count, 2 * len(inputs)))
    for k, declared in enumerate(inputs):
        what = f"Input '{declared.name}' of element '{element}'"
        if declared.name not in given:
            raise ModelError(f"{what} needs a value in Model.add: a component of an input of the model.")
        entries = _entries(what, given[declared.name])
        if len(entries) not in (1, count):
            raise ModelError(f"{what} needs one component of an input of the model, or {count}, not {len(entries)}.")
        unknown = next((e for e in entries if e not in of_model), None)
        if unknown is not None:
            raise ModelError(f"{what} must be a component of an input of the model as it was declared, not {unknown}.")
        (unit,) = parse_units(declared.unit, 1)
        if any(of_model[e][2] != unit for e in entries):
            raise ModelError(
                f"{what} has the unit '{declared.unit}', and the input of the model another one; declare both with the "
                "same unit."
            )
        found[:, 2 * k : 2 * k + 2] = [of_model[e][:2] for e in entries]
    return found


@dataclass(frozen=True)
class _ModelValue:
    """One value of the model's parameters, with its index."""

    index: int
    default: float
    unit: Unit | None
    parameter: Parameter


def _values_of_model(parameters: Iterable[Parameter]) -> dict[Expr, _ModelValue]:
    """Return the values by their symbols in SI units, as returned by `Stated.parameter`."""
    found: dict[Expr, _ModelValue] = {}
    for p in parameters:
        units = parse_units(p.unit, len(p.default))
        for symbol, default, unit in zip(p.symbols, p.default, units, strict=True):
            found[size_of(unit) * symbol] = _ModelValue(len(found), default, unit, p)
    return found


def _numbers_and_sources(
    what: str, parameter: Parameter, given: object, of_model: Sequence[Parameter]
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Return the numbers in a value and, for each number, the index of its model parameter, or -1."""
    try:
        value = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        return _symbolic(what, parameter, given, _values_of_model(of_model))
    return value, np.full(value.shape, -1, dtype=np.int32)


def _symbolic(
    what: str, parameter: Parameter, given: object, of_model: Mapping[Expr, _ModelValue]
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    entries = _entries(what, given)
    numbers, sources = np.zeros(len(entries)), np.full(len(entries), -1, dtype=np.int32)
    units = parse_units(parameter.unit, len(parameter.default))
    for k, entry in enumerate(entries):
        if entry.is_number and entry.is_real:
            numbers[k] = float(entry)
            continue
        if entry not in of_model:
            raise ModelError(
                f"{what} must be numbers, or parameters of the model as they were declared, not {entry}; define other "
                "expressions in the element type."
            )
        source, wanted = of_model[entry], units[k % len(units)]
        sources[k], numbers[k] = source.index, source.default
        both = [u.dimension for u in (source.unit, wanted) if u is not None]
        if size_of(source.unit) != size_of(wanted) or both[:1] != both[-1:]:
            raise ModelError(
                f"{what} is given in '{parameter.unit}', and the model's parameter '{source.parameter.name}' in "
                f"'{source.parameter.unit}'; declare both with the same unit."
            )
    outer = len(given) if isinstance(given, list | tuple) else 1
    shape = (outer, -1) if outer and len(entries) % outer == 0 else (-1,)
    return numbers.reshape(shape), sources.reshape(shape)


def _entries(what: str, value: object) -> list[Expr]:
    """Return the entries of a number, vector or matrix, or of a list of them, in row-major order."""
    if isinstance(value, list | tuple):
        return [entry for part in value for entry in _entries(what, part)]
    try:
        return list(flat(value))
    except (TypeError, ValueError, ModelError) as error:
        raise ModelError(f"{what} must be numbers or parameters of the model, not {value!r}.") from error


def stated_compliance(model: Model, constraint: object, values: object) -> Compliance:
    """Return the checked compliances of a joint or constraint."""
    name = constraint.name if isinstance(constraint, Placed) else constraint
    if not isinstance(name, str):
        raise ModelError(f"Compliances belong to a joint or to the name of a constraint, not to {constraint!r}.")
    found = constraints_of(model, name)
    if not found:
        raise UnknownNameError(f"'{model.name}' has no joint or constraint '{name}' for compliances.")
    called = f"of '{name}' of '{model.name}'"
    try:
        numbers = np.atleast_1d(np.asarray(values, dtype=float))
    except (TypeError, ValueError) as error:
        raise ModelError(f"Compliances {called} must be numbers, not {values!r}.") from error
    rows = sum(len(c.rows) for c in found)
    if numbers.shape != (rows,):
        raise ModelError(
            f"Compliances {called} need {rows} values, one for each constraint equation, not {numbers.size}."
        )
    if not np.all(np.isfinite(numbers)) or np.any(numbers < 0):
        raise ModelError(f"Compliances {called} must be zero or positive and finite, not {numbers.tolist()}.")
    return Compliance(name, tuple(numbers.tolist()))


def stated_engagement(model: Model, constraint: object, event: str | None, *, is_engaged: bool) -> Engagement:
    """Return the checked release or engagement of a joint or constraint; ``event`` is None at the start."""
    verb = "engage" if is_engaged else "release"
    name = constraint.name if isinstance(constraint, Placed) else constraint
    if not isinstance(name, str):
        raise ModelError(f"Only a joint or the name of a constraint can be {verb}d, not {constraint!r}.")
    if not constraints_of(model, name):
        known = [*(c.name for c in model.constraints), *(n for i in model.instances for n in i.names if n)]
        raise UnknownNameError(
            f"'{model.name}' has no joint or constraint '{name}' to {verb}; it has: {', '.join(known) or 'none'}."
        )
    if event is not None and event not in (events := [e.name for e in model.events]):
        raise UnknownNameError(
            f"'{model.name}' has no event '{event}' to {verb} '{name}' at; it has: {', '.join(events) or 'none'}."
        )
    found = Engagement(name, event or "", is_engaged)
    if any(i.element.contacts for i in model.instances if name in i.names):
        raise ModelError(f"'{name}' of '{model.name}' has a contact or friction, which cannot be {verb}d at events.")
    if any((e.constraint, e.event) == (found.constraint, found.event) for e in model.engagements):
        where = f"event '{event}'" if event else "the start"
        raise ModelError(f"'{name}' is released or engaged twice at {where}.")
    return found


def constraints_of(model: Model, name: str) -> list[Constraint]:
    """Return the constraints of the instance, for example a joint, or the constraint of the model or of an element type
    with this name.
    """
    for stated in model.instances:
        if name in stated.names:
            return list(stated.element.constraints)
    own = [c for c in model.constraints if c.name == name]
    return own or [c for stated in model.instances for c in stated.element.constraints if c.name == name][:1]
