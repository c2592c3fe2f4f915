"""Options by name: their types list all values, and `solve` and `ensemble` share one definition."""

from __future__ import annotations

import inspect
import typing
from typing import Any

import pytest

import symlie as sl
from symlie import options
from symlie.compile.compiler import OPTIMIZATIONS
from symlie.contract.tables import DEGREES
from symlie.elements.continua.ends import ENDS
from symlie.elements.continua.grid import QUADRATURES
from symlie.ensembles.sequences import SAMPLERS
from symlie.modeling.terms import DIRECTIONS
from symlie.runtime.integrate.run_options import RunOptions
from symlie.runtime.methods.controllers import CONTROLLERS
from symlie.runtime.methods.library import method_names
from symlie.runtime.methods.stabilisation import stabilisation
from tests.systems import swing_system

TABLES = (
    (options.Optimize, OPTIMIZATIONS),
    (options.Interpolation, DEGREES),
    (options.End, ENDS),
    (options.Quadrature, QUADRATURES),
    (options.Sampler, SAMPLERS),
    (options.Direction, DIRECTIONS),
    (options.ControllerName, CONTROLLERS),
)
"""Types whose values are keys of a table."""


@pytest.mark.parametrize(("kind", "table"), TABLES)
def test_option_types_match_the_option_tables(kind: Any, table: dict[str, object]) -> None:
    assert typing.get_args(kind) == tuple(table)


def test_method_type_lists_all_methods() -> None:
    assert typing.get_args(options.MethodName) == method_names()


def test_stabilisation_type_lists_all_values() -> None:
    with pytest.raises(sl.errors.UnknownNameError) as caught:
        stabilisation("nonsense")
    names = ", ".join(typing.get_args(options.StabilizationName))
    assert str(caught.value).endswith(f"; use baumgarte:ALPHA, {names}.")


def test_solve_has_the_shared_options() -> None:
    hints, parameters = typing.get_type_hints(sl.solve), inspect.signature(sl.solve).parameters
    shared = typing.get_type_hints(sl.SolveOptions)
    assert {name: hints[name] for name in shared} == shared
    assert typing.get_type_hints(RunOptions) == shared | {"trace": bool}
    assert {name: parameters[name].default for name in vars(RunOptions())} == vars(RunOptions())


def test_ensemble_has_the_shared_options() -> None:
    assert len(inspect.signature(sl.ensemble).parameters) <= 16
    assert sl.SolveOptions.__optional_keys__ < sl.EnsembleOptions.__optional_keys__
    given: sl.SolveOptions = {"h": 0.05, "method": "rkmk_rk44", "record_every": 0}
    found = sl.ensemble(swing_system(), 0.1, parameters={"stiffness": [1.0, 2.0]}, workers=1, **given)
    assert found.member(0).settings["method"] == "rkmk_rk44"


@pytest.mark.parametrize(("name", "hint"), [("metod", "method"), ("recrod", "record"), ("worker", "workers")])
def test_unknown_ensemble_options_are_rejected(name: str, hint: str) -> None:
    words: Any = {name: None}
    with pytest.raises(TypeError, match=rf"unexpected keyword argument '{name}'\. Did you mean '{hint}'\?"):
        sl.ensemble(swing_system(), 0.1, parameters={"stiffness": [1.0]}, **words)
