"""The recorder omits what a system does not need, shares results, and locates mistakes in methods."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from symlie.errors import ModelError
from symlie.runtime.methods.library import method
from symlie.runtime.methods.programs.method import ProgrammedMethod
from symlie.runtime.steps.program import Features, Program
from symlie.runtime.steps.recorder import StepRecorder
from symlie.runtime.steps.values import Algebra


def program_of(name: str, **features: bool) -> Program:
    """The step of a method for systems with the given features."""
    found = method(name)
    assert isinstance(found, ProgrammedMethod)
    return found.program(Features(**features))


def instructions(program: Program) -> Counter[str]:
    """Number of instructions of each kind."""
    return Counter(line.instruction.title for line in program.lines)


def test_free_systems_have_the_stages_of_the_tableau() -> None:
    program = program_of("rkmk_rk44")
    assert program.stages == 4 and not program.has_estimate and program.is_one_exponential
    assert instructions(program) == {"Stage": 4, "Sum": 8, "advance": 4, "inverse_tangent_operator": 3, "End": 1}


@pytest.mark.parametrize(
    ("feature", "added"),
    [
        ("has_fields", {"field": 4}),
        ("has_coordinate_rates", {"coordinate_rate": 4}),
        ("has_motions", {"At": 4}),
        ("has_resting_types", {"Where": 1}),
        ("constrained", {"Stage": 1, "Result": 2, "Residuals": 1}),
    ],
)
def test_features_add_instructions(feature: str, added: dict[str, int]) -> None:
    free, found = program_of("rkmk_rk44"), program_of("rkmk_rk44", **{feature: True})
    assert instructions(found) - instructions(free) == added


def test_velocities_that_are_not_integrated_have_no_sums() -> None:
    program = program_of("rkmk_rk44", integrates_velocities=False, has_fields=True)
    assert instructions(program)["Sum"] == 4 and program.end.v == StepRecorder(Features()).v


def test_the_stage_at_the_end_serves_constraints_and_estimate() -> None:
    for constrained, in_estimate in ((False, True), (True, False)):
        lines = program_of("index1_dopri5", constrained=constrained).lines
        last = [x for x in lines if type(x.instruction).__name__ == "Stage"][-1]
        assert last.for_estimate == in_estimate
        assert instructions(program_of("index1_dopri5", constrained=constrained))["Stage"] == 7


def test_equal_instructions_share_their_results() -> None:
    s = StepRecorder(Features())
    stage = s.stage(0.0, s.q, s.v)
    theta = s.increment([0.5], [s.slope(stage)])
    assert s.increment([0.5], [s.slope(stage)]) == theta and s.advance(s.q, theta) == s.advance(s.q, theta)
    assert s.increment([0.25], [s.slope(stage)]) != theta
    assert s.stage(0.5, s.q, s.v) != s.stage(1.0, s.q, s.v)


def test_terms_of_weight_zero_are_omitted() -> None:
    s = StepRecorder(Features())
    slope = Algebra(s.v.number)
    assert s.increment([0.0, 0.5], [slope, slope]) == s.increment([0.5, 0.0], [slope, slope])


def wrong_kind(s: StepRecorder) -> None:
    s.advance(s.v, s.q)


def wrong_term(s: StepRecorder) -> None:
    s.increment([1.0], [s.stage(0.0, s.q, s.v).acceleration])


def few_weights(s: StepRecorder) -> None:
    s.increment([1.0], [Algebra(s.v.number)] * 2)


def value_of_another_step(s: StepRecorder) -> None:
    s.advance(s.q, Algebra(99))


def early_estimate(s: StepRecorder) -> None:
    s.only_for_estimate()


def two_ends(s: StepRecorder) -> None:
    s.end(s.q, s.v, Algebra(s.v.number))
    s.end(s.q, s.v, Algebra(s.v.number))


@pytest.mark.parametrize(
    ("write", "sentence"),
    [
        (wrong_kind, "advance: q must be a value of the kind configuration, not velocity"),
        (wrong_term, "a sum has terms of the kind algebra vector, not acceleration"),
        (few_weights, "a sum has 2 terms, but 1 weights"),
        (value_of_another_step, "advance: an input is a value of another step"),
        (early_estimate, "the error is estimated after the end of a step"),
        (two_ends, "a step has one end only"),
    ],
)
def test_mistakes_name_the_line_of_the_method(write: Callable[[StepRecorder], Any], sentence: str) -> None:
    lines, first = inspect.getsourcelines(write)
    last = first + max(k for k, text in enumerate(lines) if text.strip().startswith("s."))
    with pytest.raises(ModelError, match=rf"^test_recorder\.py, line {last}: {sentence}\.$"):
        write(StepRecorder(Features()))


def test_a_step_needs_an_end() -> None:
    with pytest.raises(ModelError, match=r"^A step has no end"):
        StepRecorder(Features()).program()
