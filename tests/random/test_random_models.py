"""C = NumPy = the definition in 50 digits, for random models at the identity, at generic points and at large angles."""

from __future__ import annotations

import random

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.random.generator import RandomModel, random_model
from tests.random.judge import judge, judge_run
from tests.random.run import judge_many

COUNT, SEED, PARTS = 2000, 1, 20
"""Models of the slow test, the seed they are drawn from, and how many tests they are spread over."""


@st.composite
def random_models(draw: st.DrawFn) -> tuple[RandomModel, random.Random]:
    """A random model, and what draws its states."""
    source = draw(st.randoms(use_true_random=False))
    return random_model(source), source


@pytest.mark.slow
@settings(max_examples=3, phases=[Phase.generate])  # smaller models are drawn by other seeds, not by shrinking
@given(random_models())
def test_random_models_match_the_definition(drawn: tuple[RandomModel, random.Random]) -> None:
    assert judge(*drawn, kinds=["generic", "turns"], compile_kernels=False) == []


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Initial velocities that are not given")
@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("backend", ["c"])
def test_compiled_models_match_the_definition(number: int, backend: str) -> None:
    source = random.Random(f"compiled:{number}")
    drawn = random_model(source)
    assert judge(drawn, source) == []
    assert judge_run(drawn) == []


@pytest.mark.parametrize(
    "spoil",
    [
        lambda statement, node: statement.potential_terms.append(node.storage[0] / 1000),
        lambda statement, node: statement.dissipated_terms.append(node.v[0] ** 2 / 1000),
        lambda statement, node: statement.kinetic_terms.append(node.v[0] ** 2 / 1000),
    ],
    ids=["potential", "dissipated", "kinetic"],
)
def test_wrong_term_is_detected(spoil: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Equations derived from one model are compared with the definition of another."""
    from tests.random.generated import Judged

    source = random.Random("spoiled")
    drawn = random_model(source)
    judged = Judged.of(drawn)
    monkeypatch.setattr(Judged, "of", lambda _: judged)
    assert judge(drawn, source, kinds=["generic"], compile_kernels=False) == []
    statement = drawn.parts[0].model
    spoil(statement, statement.nodes[0])
    drawn.parts[0].__dict__.pop("energies", None)
    drawn.parts[0].__dict__.pop("_kinetic", None)
    assert judge(drawn, source, kinds=["generic"], compile_kernels=False)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_two_thousand_models_match_the_definition(part: int) -> None:
    """See ``python -m tests.random.run``; every fourth is compiled, every fortieth takes steps in both backends."""
    share = COUNT // PARTS
    outcome = judge_many(SEED, part * share, share, compile_every=4, run_every=40, states=2)
    assert outcome.models == share
    assert outcome.disagreements == [] and outcome.refused == [] and outcome.crashes == []
