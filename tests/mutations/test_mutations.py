"""Mutations of each kind change one token of code that still compiles, and tests detect them."""

from __future__ import annotations

import ast
import io
import os
import re
import shutil
import subprocess
import tokenize
from collections.abc import Iterator
from importlib.util import cache_from_source
from pathlib import Path

import pytest

from tests.mutations.attempts import first_failure
from tests.mutations.drawing import candidates, mutation, mutations_of
from tests.mutations.mutation import Mutation
from tests.mutations.reach import Reach, marked
from tests.mutations.run import keeps_models, outcome
from tests.mutations.selection import similar_tests
from tests.mutations.workplace import ROOT, Workplace, workplace

PYTHON = '''"""Docstring: a < b, 1e-9."""
TOLERANCE: float = 1e-9


def bounded(a, b: int = 3):
    """Docstring: a + 1."""
    if a < b and not (a == -b):  # a > b
        raise ValueError(f"{a + 1} > {b - 1}")
    return max(a, b)[0] + min(a, b, key=len)
'''

C = """/* a < b + 1 */
#include "step.h"
#define MARGIN 1e-9 /* relative */
#define LATER(x) ((x) + 1)
static inline double bounded(const double *restrict a, int n)
{
    double x[3] = {0}, largest = a[n] - 2;
    for (int k = 0; k < n && !(a[k] == 1); k++) {
        largest = fmax(largest, a[k]); /* k > 0 */
    }
    return largest;
}
"""

CALLER = b"""
int main(void)
{
    const double a[2] = {1, 2};
    return bounded(a, 1) > 5;
}
"""

JINJA = """{# a < b #}
{% for e in elements if e.rows > 1 and not e.fixed %}
    {{- "a + 1" }}total[{{ e.place }}] += {{ 2 * e.rows }};
{% endfor %}
"""


def changes(path: str, text: str) -> set[tuple[str, int, str, str]]:
    """Return kind, line, and replaced and new text of all mutations."""
    source = text.encode()
    return {(m.kind, m.line(source), m.before, m.after) for m in mutations_of(path, source)}


def tokens_of(text: str) -> list[str]:
    """Return the tokens of a template."""
    return re.findall(r"\d+\.?\d*(?:[eE][-+]?\d+)?|\w+|[-+<>=!&|]+|[^\w\s]", text)


def kept(old: list[str], new: list[str]) -> tuple[list[str], list[str]]:
    """Return what differs between two lists after the common beginning and before the common end."""
    begin = next((k for k, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    old, new = old[begin:], new[begin:]
    while old and new and old[-1] == new[-1]:
        del old[-1], new[-1]
    return old, new


def test_python_has_mutations_outside_of_texts_and_annotations() -> None:
    assert changes("symlie/a.py", PYTHON) == {
        ("tolerance", 2, "1e-9", "(1e-9 * 1e3)"),
        ("integer", 5, "3", "2"),
        ("boundary", 7, "<", "<="),
        ("reversed comparison", 7, "<", ">="),
        ("reversed comparison", 7, "==", "!="),
        ("logic", 7, "and", "or"),
        ("logic", 7, "not ", ""),
        ("sign", 7, "-", "+"),
        ("extremum", 9, "max", "min"),
        ("integer", 9, "0", "1"),
        ("sign", 9, "+", "-"),
    }


def test_c_has_mutations_outside_of_comments_and_directives() -> None:
    found = changes("templates/c/a.h", C)
    assert {(kind, line) for kind, line, *_ in found} == {
        ("tolerance", 3),
        ("sign", 7),
        ("index", 7),
        ("integer", 7),
        ("boundary", 8),
        ("reversed comparison", 8),
        ("logic", 8),
        ("index", 8),
        ("integer", 8),
        ("extremum", 9),
        ("index", 9),
    }
    assert ("index", 8, "]", " + 1]") in found
    assert {after for kind, _, before, after in found if kind == "logic"} == {"||", ""}


def test_jinja_has_mutations_outside_of_comments_and_texts() -> None:
    found = changes("templates/c/a.h.jinja", JINJA)
    assert {(kind, line, before) for kind, line, before, _ in found} == {
        ("boundary", 2, ">"),
        ("reversed comparison", 2, ">"),
        ("integer", 2, "1"),
        ("logic", 2, "and"),
        ("logic", 2, "not "),
        ("sign", 3, "+="),
        ("integer", 3, "2"),
    }


@pytest.mark.parametrize(("tree", "kind"), candidates(ROOT))
def test_mutation_changes_one_token(tree: str, kind: str) -> None:
    """Changed Python also compiles; the replaced token and its replacement contain at most one operator."""
    for changed in candidates(ROOT)[tree, kind][:8]:
        source = (ROOT / changed.path).read_bytes()
        new = changed.applied(source)
        if changed.path.endswith(".py"):
            compile(new, changed.path, "exec")
            assert ast.dump(ast.parse(new)) != ast.dump(ast.parse(source))
            old_tokens, new_tokens = (
                [t.string for t in tokenize.tokenize(io.BytesIO(text).readline)] for text in (source, new)
            )
        else:
            old_tokens, new_tokens = tokens_of(source.decode()), tokens_of(new.decode())
        old_tokens, new_tokens = kept(old_tokens, new_tokens)
        assert len(old_tokens) <= 1, changed
        assert len(new_tokens) <= (5 if kind == "tolerance" else 3 if kind == "index" else 1), changed


def test_mutations_are_numbered_and_differ() -> None:
    drawn = [mutation(ROOT, k) for k in range(300)]
    assert len(set(drawn)) == 300
    assert [m.tree for m in drawn[:4]] == ["symlie", "templates", "symlie", "templates"]
    assert {(m.tree, m.kind) for m in drawn} == set(candidates(ROOT))


def test_mutation_of_other_text_is_an_error() -> None:
    with pytest.raises(ValueError, match="has no '<' at byte 2"):
        Mutation("symlie/a.py", 2, "boundary", "<", "<=").applied(b"a > b")


def test_marks_precede_statements_of_functions() -> None:
    source = PYTHON.encode()
    mutations = {k: m for k, m in enumerate(mutations_of("symlie/a.py", source)) if m.line(source) in (2, 7, 9)}
    new = marked(source, mutations).decode().splitlines()
    places = [k for k, line in enumerate(new) if "mark(" in line]
    assert len(places) == len(mutations) - 1  # the tolerance belongs to no function
    following = [next(line for line in new[k:] if "mark(" not in line).strip() for k in places]
    assert {line.split()[0] for line in following} == {"if", "return"}
    compile("\n".join(new), "a.py", "exec")


def test_marks_of_branches_precede_the_first_condition() -> None:
    source = b"def f(a):\n    if a == 1:\n        return 1\n    elif a > 2:\n        return 2\n    return 3\n"
    mutation = next(m for m in mutations_of("symlie/a.py", source) if m.before == ">")
    lines = marked(source, {7: mutation}).decode().splitlines()
    assert [("mark(7)" in line) for line in lines] == [False, True, False, False, False, False, False]
    assert lines[1].startswith("    __import__")


def test_marks_of_c_record_the_current_test(tmp_path: Path) -> None:
    source = C.replace('#include "step.h"', "#include <math.h>").encode()
    mutation = next(m for m in mutations_of("templates/c/a.h", source) if m.kind == "extremum")
    (tmp_path / "a.c").write_bytes(marked(source, {12: mutation}) + CALLER)
    command = ["cc", str(tmp_path / "a.c"), "-o", str(tmp_path / "a"), "-lm"]
    if shutil.which("cc") is None:
        pytest.skip("cc not found")
    subprocess.run(command, check=True)
    marks = tmp_path / "marks"
    for test in ("tests/test_a.py::test_b[1.0] (call)", "tests/test_a.py::test_c (call)"):
        environment = os.environ | {"PYTEST_CURRENT_TEST": test, "SYMLIE_MARKS": str(marks)}
        subprocess.run([str(tmp_path / "a")], check=True, env=environment)
    assert Reach.read(marks).tests == {12: {"tests/test_a.py::test_b[1.0]", "tests/test_a.py::test_c"}}


def test_few_fast_tests_of_each_file_come_first() -> None:
    reach = Reach(
        {3: {f"a.py::test_{k}" for k in range(7)} | {"b.py::test_0", "c.py::test_0", "a.py::failed"}},
        {f"a.py::test_{k}": 1.0 + k for k in range(7)} | {"b.py::test_0": 0.5, "c.py::test_0": 9.0},
    )
    names = [f"a.py::test_{k}" for k in range(7)]
    assert reach.ordered(3, ["c.py", "a.py"]) == ["c.py::test_0", *names]
    assert reach.ordered(3, ["a.py", "b.py"]) == [*names[:5], "b.py::test_0", *names[5:]]


@pytest.mark.parametrize(
    ("path", "test"),
    [
        ("symlie/runtime/statics/steady_motion.py", "tests/runtime/test_steady_motions.py"),
        ("symlie/ir/jets/rules.py", "tests/ir/test_jets.py"),
        ("templates/c/driver/event_search.h", "tests/runtime/test_event_search.py"),
    ],
)
def test_tests_of_changed_code_come_first(path: str, test: str) -> None:
    source = (ROOT / path).read_bytes()
    assert test in similar_tests(ROOT, mutations_of(path, source)[0], source)[:3]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("symlie/runtime/linear/schur.py", True),
        ("symlie/derive/dynamics.py", False),
        ("templates/c/linear/band.h", True),
        ("templates/c/kernels/jet_rows.h", True),
        ("templates/c/kernels/jets.h.jinja", False),
        ("templates/c/kernels/interface.h", False),
    ],
)
def test_models_are_derived_anew_if_they_change(path: str, expected: bool) -> None:
    assert keeps_models(Mutation(path, 0, "sign", "+", "-")) is expected


def test_changed_file_is_restored(tmp_path: Path) -> None:
    path = tmp_path / "symlie" / "a.py"
    (tmp_path / "symlie" / "utilities").mkdir(parents=True)
    path.write_text("a < b")
    state = path.stat()
    compiled = Path(cache_from_source(str(path)))
    compiled.parent.mkdir()
    compiled.write_text("of other text of this length")
    with Workplace(tmp_path, tmp_path, b"").changed(Mutation("symlie/a.py", 2, "boundary", "<", "<="), "digest"):
        assert path.read_text() == "a <= b"
        assert not compiled.exists()
    assert (path.read_text(), path.stat().st_mtime) == ("a < b", state.st_mtime)


@pytest.fixture(scope="module")
def place() -> Iterator[Workplace]:
    with workplace() as created:
        yield created


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "text", "before", "after"),
    [
        ("symlie/ir/jets/rules.py", "if a == b", "==", "!="),
    ],
)
def test_change_is_detected(path: str, text: str, before: str, after: str, place: Workplace, tmp_path: Path) -> None:
    """Without the change, the same tests pass."""
    source = (place.root / path).read_bytes()
    start = source.index(before.encode(), source.index(text.encode()))
    found = [
        outcome(place, tmp_path, Mutation(path, start, "", before, new), lambda files: [])["detected"]
        for new in (before, after)
    ]
    assert found[0] is None
    assert found[1] is not None and found[1]["by"].startswith("tests/")


@pytest.mark.parametrize(
    ("body", "by"),
    [
        ("assert True", None),
        ("assert 1 < 0", "test_case.py::test_case"),
        ("import os; os.abort()", "crash"),
        ("while True: pass", "time"),
    ],
    ids=["passes", "fails", "crashes", "endless"],
)
def test_outcomes_are_distinguished(body: str, by: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.mutations.attempts.FIXED", 5)
    (tmp_path / "test_case.py").write_text(f"def test_case():\n    {body}\n")
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    failure = first_failure(tmp_path, dict(os.environ), ["test_case.py"], 0.1, tmp_path / "log")
    assert (failure and failure.by) == by
