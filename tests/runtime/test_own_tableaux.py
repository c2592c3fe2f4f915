"""Tableaux from TOML files equal tableaux of the library, and mistakes are named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import symlie as sl
from symlie.errors import FormatError, InterruptedIntegrationError, ModelError
from symlie.runtime.methods.library import method
from symlie.runtime.solution.solution import Solution
from tests import tolerances
from tests.runtime.test_orders import driven_body
from tests.spaces.pendulum import pendulum

RK4 = """
name = "my_rk4"
family = "rkmk"
A = [["0", "0", "0", "0"], ["1/2", "0", "0", "0"], ["0", "1/2", "0", "0"], [0, 0, 1, 0]]
b = ["1/6", "1/3", "1/3", "1/6"]
c = ["0", "1/2", "1/2", "1"]
"""

ROW = '["1/2", "0", "0", "0"]'

CF4 = """
name = "my_cf4"
family = "cf"
stages = [{}, {exps = [["1/2"]]}, {exps = [["0", "1/2"]]}, {from = "Y2", exps = [["-1/2", "0", "1"]]}]
result = {exps = [["1/4", "1/6", "1/6", "-1/12"], ["-1/12", "1/6", "1/6", "1/4"]]}
"""

CG3 = """
family = "crouch_grossman"
A = [[], ["3/4"], ["119/216", "17/108"]]
b = ["13/51", "-2/3", "24/17"]
"""

TWO_COMMUTATORS = """
family = "rkmk"
commutators = 0
A = [[], ["1/2"], ["0", "1/2"], ["0", "0", "1"]]
b = ["1/6", "1/3", "1/3", "1/6"]
brackets = [{row = 3, weight = "1/8", first = 1, second = 2}, {row = 5, weight = "1/12", first = 1, second = 4}]
"""

HALF_EXPLICIT = """
family = "half_explicit"
s = 3
A = [[], ["1/2"], ["2/9", "4/9"], ["1/4", "0", "3/4"]]
d = ["0", "-2", "3"]
"""


def written(folder: Path, text: str, name: str = "own.toml") -> Path:
    """A file with some text."""
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "name"),
    [
        (RK4, "rkmk_rk44"),
        (CF4, "cf4"),
        (CG3, "cg3"),
        (TWO_COMMUTATORS, "rkmk4_two_commutators"),
        (HALF_EXPLICIT, "half_explicit_3"),
    ],
)
def test_library_tableau_gives_equal_results(text: str, name: str, tmp_path: Path) -> None:
    file, known = written(tmp_path, text), method(name)
    own = sl.load_tableau(file)
    assert (own.order, own.family, own.options) == (known.order, known.family, known.options)
    assert own.name == ("own" if "name" not in text else text.split('"')[1])
    found = [sl.solve(driven_body(), 0.1, method=m, h=0.01) for m in (str(file), file, own, name)]
    assert len({s.q.tobytes() + s.v.tobytes() for s in found}) == 1
    assert found[0].method == own.name


def test_options_are_applied(tmp_path: Path) -> None:
    own = sl.load_tableau(written(tmp_path, RK4)).with_options({"commutators": 1})
    assert own.order == 3


def test_orders_are_found_and_checked(tmp_path: Path) -> None:
    embedded = RK4 + 'b_hat = ["1/2", "0", "0", "1/2"]\n'
    own = sl.load_tableau(written(tmp_path, embedded))
    assert (own.order, own.order_hat) == (4, 2)
    solution = sl.solve(driven_body(), 0.5, method=own, rtol=1e-5)
    assert solution.statistics.steps > 3
    low = sl.load_tableau(written(tmp_path, embedded + "order = 3\n"))
    assert low.order == 3
    with pytest.raises(ModelError, match="order is 5, but conditions hold up to 4 only"):
        sl.load_tableau(written(tmp_path, RK4 + "order = 5\n"))


def test_decimal_coefficients_are_accepted(tmp_path: Path) -> None:
    text = CG3.replace('"13/51"', '"0.254901960784313725"').replace('"-2/3"', "-0.6666666666666667")
    own = sl.load_tableau(written(tmp_path, text.replace('"24/17"', '"1.411764705882353"')))
    assert own.order == 3 and own.tableau.is_decimal


@pytest.mark.slow
def test_checkpoint_contains_the_tableau(tmp_path: Path) -> None:
    """The file may be gone when the run is resumed."""
    file = written(tmp_path, CF4)

    def stop(fraction: float) -> None:
        if fraction > 0.1:
            raise KeyboardInterrupt

    with pytest.raises(InterruptedIntegrationError):
        sl.solve(driven_body(), 1.0, method=file, h=1e-6, record_every=0, progress=stop, checkpoint=tmp_path / "run")
    whole = sl.solve(driven_body(), 1.0, method=file, h=1e-6, record_every=0)
    file.unlink()
    assert sl.resume(tmp_path / "run", trust=True).q[-1].tobytes() == whole.q[-1].tobytes()


def test_dense_output_on_manifolds_uses_the_tableau(tmp_path: Path) -> None:
    """Also of a solution from a file, and with options."""
    own = sl.load_tableau(written(tmp_path, RK4)).with_options({"commutators": 1})
    solution = sl.solve(pendulum("numpy"), 0.4, method=own, h=0.1)
    short = sl.solve(pendulum("numpy"), 0.23, method=own, t_eval=[0.2, 0.23], h=0.1)
    solution.save(tmp_path / "run.npz")
    for found in (solution, sl.load_solution(tmp_path / "run.npz", trust=True)):
        state = found(0.23)
        assert not isinstance(state, Solution)
        np.testing.assert_allclose(state.q, short.q[-1], rtol=0, atol=tolerances.BACKENDS)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Tableau own: family is None, but it must be one of rkmk, half_explicit, commutator_free"),
        ('family = "rk"', "family is 'rk'"),
        ('family = "rkmk"', "'a' is missing; the family rkmk needs a, b"),
        (RK4 + "gamma = 1", "the family rkmk has no key 'gamma'; it has a, b, c"),
        (RK4 + 'order = "4"', "order is '4', but it must be a whole number"),
        (RK4.replace('"1/6"', '"1/7"'), "Tableau my_rk4: b sums to .*, but weights must sum to 1"),
        (RK4.replace('"1/3"', '"third"'), "in b 'third' is not an exact number"),
        (RK4.replace(ROW, '["1/2", "1", "0", "0"]'), "row 2 of a has entries on or above the diagonal"),
        (RK4.replace(ROW, '["1/3", "0", "0", "0"]'), "row 2 of a sums to 1/3, but entry 2 of c is 1/2"),
        (RK4.replace(ROW, "true"), "row 2 of a is True, but it must be an array of fractions"),
        (RK4.replace('"1/3"', "true"), "b holds True, but coefficients are text"),
        (CF4.replace("Y2", "Y5"), "stage 4 starts from stage 5, but only stages 1 to 3 come before it"),
        (CF4.replace("Y2", "Z"), "stage 4 is from 'Z', but it must be from"),
        (CF4.replace('[["0", "1/2"]]', '[["0", "0", "1/2"]]'), "stage 3 has 3 weights in an exponential, but only 2"),
        (CF4.replace("{}", '{exps = [["1"]]}'), "stage 1 must be the start of the step"),
        (CF4.replace("{}", "1"), "stage 1 is 1, but it must be a table such as"),
        (CF4.replace("-1/12", "1/12"), "result sums to 4/3, but weights must sum to 1"),
        (TWO_COMMUTATORS.replace("second = 4", "second = 5"), "a commutator of row 5 is of stages 1 and 5"),
        (TWO_COMMUTATORS.replace(", second = 2", ""), "a commutator is .*, but it must be a table with row, weight"),
        (HALF_EXPLICIT.replace('"4/9"', '"0"').replace('"2/9"', '"2/3"'), "stage 2 cannot be solved"),
        (CG3.replace(', "24/17"', ""), "b has length 2, but it must have length 3"),
        ('name = "two\\nlines"\n' + CG3, "must be text on one line"),
    ],
)  # fmt: skip
def test_invalid_input_is_reported(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=message):
        sl.load_tableau(written(tmp_path, text))


def test_unreadable_files_are_reported(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"cannot be read: No such file"):
        sl.load_tableau(tmp_path / "none.toml")
    with pytest.raises(FormatError, match=r"is not a TOML file"):
        sl.load_tableau(written(tmp_path, "name ="))
