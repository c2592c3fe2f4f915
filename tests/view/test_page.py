"""The page: one file, the same for equal solutions, that no name breaks; in notebooks, and what has none."""

from __future__ import annotations

import dataclasses
import html
import json
import re
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter

import symlie as sl
from symlie.errors import FormatError, ModelError
from symlie.runtime.solution.solution import Solution
from symlie.utilities.encoding import decoded
from tests.systems import heavy_top_system
from tests.view.models import ball, ball_model, pendulum

MOST_BYTES = 700_000
"""Size of a page of the heavy top with 1,000 states."""


def falling(t: float = 1.0) -> Solution:
    return sl.solve(ball(), t, h=0.1)


def scene_in(page: str) -> dict[str, Any]:
    (text,) = re.findall(r'<script type="application/json" id="scene">(.*?)</script>', page, re.DOTALL)
    found: dict[str, Any] = json.loads(text)
    return found


def test_page_is_self_contained(tmp_path: Path) -> None:
    view = pendulum().view()
    view.save(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page == view.html and scene_in(page) == json.loads(json.dumps(view.scene))
    assert "{{" not in page[: page.index("<style>")]
    assert "default-src 'none'" in page and not re.search(r"(src|href)\s*=\s*[\"']?https?:", page)


@pytest.mark.slow
def test_equal_solutions_give_equal_bytes() -> None:
    again = sl.solve(pendulum().system, 1.0, h=0.02)
    assert again.view().html == pendulum().view().html


def test_names_never_become_markup() -> None:
    nasty = "</script><script>alert(1)</script>&\u2028"
    solution = falling()
    view = solution.view()
    view.scene["model"] = nasty
    page = view.html
    assert scene_in(page)["model"] == nasty
    assert nasty not in page and "alert(1)</script>" not in page


def test_view_has_a_description_and_a_frame() -> None:
    view = falling().view()
    assert repr(view).startswith("View(ball; half_explicit_5, 11 states)")
    frame = view._repr_html_()
    (source,) = re.findall(r'srcdoc="(.*?)"', frame, re.DOTALL)
    assert html.unescape(source) == view.html
    assert "sandbox=" in frame and "allow-same-origin" not in frame


def test_solutions_and_ensembles_mention_the_view() -> None:
    assert "solution.view()" in falling()._repr_html_()
    members = sl.ensemble(ball(), 0.1, h=0.1, parameters={"gravity": [9.0, 10.0]})
    assert "ensemble.view(0, 1)" in members._repr_html_()
    assert len(members.view(0, 1).drawn) == 2


def test_ghosts_are_drawn() -> None:
    view = falling().view(sl.solve(ball(), 2.0, h=0.5), sl.solve(ball(), 1.0, h=0.5, method="half_explicit_2"))
    labels = [d.label for d in view.drawn]
    assert labels == ["half_explicit_5 (1)", "half_explicit_5 (2)", "half_explicit_2"]
    ghost = decoded(view.scene["solutions"][1]["points"]["positions"])
    assert len(ghost) == 5 and abs(ghost[-1, 0, 0] - 2) < 1e-5


def test_up_is_against_gravity() -> None:
    assert falling().view().scene["up"] == [0.0, 0.0, 1.0]
    model = ball_model()
    model.potential_terms[0] = -model.potential_terms[0]
    upside_down = sl.solve(model.derive().compile(backend="numpy"), 0.1, h=0.1)
    assert upside_down.view().scene["up"] == [0.0, 0.0, -1.0]


def test_solution_without_its_code_is_drawn(tmp_path: Path) -> None:
    pendulum().save(tmp_path / "run.npz")
    content = sl.load_solution(tmp_path / "run.npz", trust=False).view().scene["solutions"][0]
    assert content["bodies"]["names"] == ["rod", "arm"] and len(content["joints"]) == 2
    assert content["outputs"][0]["label"] == "energy"


def test_pages_are_small() -> None:
    solution = sl.solve(heavy_top_system("SE3"), 2.0, h=2e-3)
    assert len(solution.t) > 1000 and len(solution.view().html.encode()) <= MOST_BYTES


def test_solution_without_geometry_is_reported() -> None:
    model = sl.Model("filter")
    q = model.node("state", "R1")
    model.kinetic_energy(q.x_dot[0] ** 2 / 2)
    model.initial(q, x_dot=[1])
    with pytest.raises(ModelError, match=r"Nothing of 'filter' has a position.*solution\.plot\(\)"):
        sl.solve(model.derive().compile(backend="numpy"), 1.0, h=0.5).view()


def test_undrawable_solutions_are_rejected(tmp_path: Path) -> None:
    solution = falling()
    none = {name: getattr(solution, name)[:0] for name in ("t", "q", "v", "multipliers", "carried")}
    with pytest.raises(ModelError, match="solution of 'ball' is empty"):
        dataclasses.replace(solution, **none).view()
    with pytest.raises(ModelError, match="is NaN from its first state"):
        dataclasses.replace(solution, q=np.full_like(solution.q, np.nan)).view()
    with pytest.raises(ModelError, match="belong to 'ball' and 'hinges'"):
        solution.view(pendulum())
    view = solution.view()
    with pytest.raises(FormatError, match=r"saved as \.html"):
        view.save(tmp_path / "ball.png")
    with pytest.raises(FormatError, match="cannot be written"):
        view.save(tmp_path / "nowhere" / "ball.html")


CELLS = (
    "import symlie as sl\n"
    "model = sl.Model('ball')\n"
    "q = model.node('ball', 'R3')\n"
    "model.kinetic_energy(q.x_dot.dot(q.x_dot) / 2)\n"
    "model.initial(q, x_dot=[1, 0, 0])\n"
    "solution = sl.solve(model.derive().compile(backend='numpy'), 1, h=0.1)\n"
    "solution",
    "solution.view()",
)

FOREVER = 86_400
"""In s; nothing but the limit of all tests ends one that hangs."""


@pytest.mark.slow
def test_notebook_contains_the_view(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Executed in a fresh kernel, saved, opened again, and converted."""
    for name in ("JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in CELLS])
    patience: Any = {"timeout": None, "startup_timeout": FOREVER, "iopub_timeout": FOREVER}
    NotebookClient(notebook, kernel_name="python3", **patience).execute()
    nbformat.write(notebook, tmp_path / "ball.ipynb")
    again = nbformat.read(tmp_path / "ball.ipynb", as_version=4)
    # A derivation that takes long says so on a stream beside the results.
    offered, shown = (o["data"] for cell in again["cells"] for o in cell["outputs"] if "text/html" in o.get("data", {}))
    assert "solution.view()" in offered["text/html"]
    assert shown["text/plain"].startswith("View(ball")
    converted, _ = HTMLExporter().from_notebook_node(again)
    for text in (shown["text/html"], converted):
        (source,) = re.findall(r'<iframe[^>]*srcdoc="(.*?)"', text, re.DOTALL)
        page = html.unescape(source)
        assert scene_in(page)["model"] == "ball" and "</html>" in page
