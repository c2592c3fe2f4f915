"""Generated files by statement: a change of anything that went into a model is seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from symlie.errors import UnknownNameError
from symlie.models.statement_cache import cached_files

MODEL = '''"""A spinning body."""
import json
from pathlib import Path
import symlie as sl
import spinning_inertia

def build(name: str = "x"):
    model = sl.Model("spinning")
    q = model.node("body", "S3")
    factor = json.loads(Path(__file__).with_name("factor.json").read_text())
    model.kinetic_energy(factor * spinning_inertia.VALUE * q.Omega.dot(q.Omega))
    return model
'''


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SYMLIE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "spinning_inertia.py").write_text("VALUE = 2")
    (tmp_path / "factor.json").write_text("3")
    path = tmp_path / "spinning.py"
    path.write_text(MODEL)
    return path


def derived(model: Path, **options: object) -> tuple[dict[str, str], bool]:
    files, seconds = cached_files(str(model), options)
    return files, seconds > 0


def test_entries(model: Path) -> None:
    first, fresh = derived(model)
    assert fresh
    assert derived(model) == (first, False)
    assert '"name": "x"' in first["manifest.json"]
    other, fresh = derived(model, name="y")
    assert fresh
    assert '"name": "y"' in other["manifest.json"]


@pytest.mark.parametrize(
    ("file", "text"),
    [("spinning_inertia.py", "VALUE = 20"), ("factor.json", "30"), ("spinning.py", MODEL.replace("factor *", "7 *"))],
)
def test_changed_files(model: Path, file: str, text: str) -> None:
    before, _ = derived(model)
    old = (model.parent / file).read_text()
    (model.parent / file).write_text(text)
    after, fresh = derived(model)
    assert fresh
    assert after["spinning.h"] != before["spinning.h"]
    assert derived(model) == (after, False)
    (model.parent / file).write_text(old)
    assert derived(model) == (before, False)


def test_models_in_other_folders_do_not_meet(model: Path) -> None:
    before, _ = derived(model)
    folder = model.parent / "other"
    folder.mkdir()
    for name, text in (("spinning.py", MODEL), ("spinning_inertia.py", "VALUE = 5"), ("factor.json", "3")):
        (folder / name).write_text(text)
    after, fresh = derived(folder / "spinning.py")
    assert fresh
    assert after["spinning.h"] != before["spinning.h"]


def test_unknown_names(model: Path) -> None:
    with pytest.raises(UnknownNameError, match="has no option 'kind'; it has: name"):
        derived(model, kind=1)
