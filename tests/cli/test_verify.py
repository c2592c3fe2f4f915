"""``symlie verify``."""

from __future__ import annotations

import json
import math
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("flint")

from symlie.certify import matrix_proof
from symlie.certify.certificate import SHIPPED
from tests.cli.conftest import Outcome

Cli = Callable[..., Outcome]

GENERATED = Path(__file__).parents[2] / "generated" / "heavy_top_SE3"
FIELDS = {
    "name", "precision", "scheme", "degree", "interval", "switch", "proved_eps", "measured_eps", "measured_at",
}  # fmt: skip


@pytest.mark.slow
def test_function_is_verified(cli: Cli) -> None:
    data = cli("verify", "c3", "--json").json
    assert data["status"] == "ok"
    rows = data["functions"]
    assert [row["interval"][1] for row in rows] == pytest.approx([math.pi / 2, math.pi, 2 * math.pi])
    for row in rows:
        assert row.keys() >= FIELDS
        assert row["name"] == "c3" and row["precision"] == "double"
        assert 0 < row["measured_eps"] <= row["proved_eps"] <= row["target"]
        assert row["interval"][0] <= row["measured_at"] <= row["interval"][1]
    assert [row["switch"] for row in rows] == [None, None, pytest.approx(math.sqrt(10))]
    assert rows[0]["scheme"] == "polynomial" and rows[0]["degree"] == 10
    out = cli("verify", "c3").out
    assert "π/2" in out and "polynomial, closed form" in out


@pytest.mark.slow
def test_target_determines_the_exit_code(cli: Cli) -> None:
    result = cli("verify", "c3", "--target", "0.9", "--json")
    assert (result.code, result.json["status"]) == (1, "not proved")
    assert [row["ok"] for row in result.json["functions"]] == [True, False, False]
    assert "above its target of 0.9" in cli("verify", "c3", "--target", "0.9").out


@pytest.mark.slow
def test_group_is_verified_in_single_precision(cli: Cli) -> None:
    rows = cli("verify", "SO3", "--precision", "float", "--domain", "0,3.14", "--json").json["functions"]
    assert {"c1", "c2", "c3", "g0", "c2_1", "g1"} <= {row["name"] for row in rows}
    assert all(row["precision"] == "float" and row["ok"] for row in rows)


@pytest.mark.slow
def test_folders_and_models_are_verified(cli: Cli, tmp_path: Path) -> None:
    rows = cli("verify", str(GENERATED), "--trust", "--json").json["functions"]
    assert {row["name"] for row in rows} == {"c1", "c2", "c2_1", "c3", "c3_1", "g0", "g1"}
    changed = tmp_path / "changed"
    shutil.copytree(GENERATED, changed)
    header = (changed / "heavy_top.h").read_text(encoding="utf-8")
    assert "-0.041666666666666664" in header
    (changed / "heavy_top.h").write_text(header.replace("-0.041666666666666664", "-0.04166666666"), encoding="utf-8")
    result = cli("verify", str(changed), "--trust", "--json")
    assert result.code == 1
    assert {row["name"] for row in result.json["functions"] if not row["ok"]} == {"c2"}
    assert cli("verify", "--check", str(changed / "certificate.json")).code == 1


@pytest.mark.parametrize(
    "folder", sorted(p.parent for p in GENERATED.parent.glob("*/certificate.json")), ids=lambda p: p.name
)
def test_certificates_of_models_cover_all_functions(folder: Path) -> None:
    text = "".join(p.read_text(encoding="utf-8") for p in folder.iterdir() if p.suffix in (".c", ".h", ".py"))
    used = set(re.findall(r"symlie_((?:c\d+(?:_\d+)?|g\d+)(?:_to_\d+_\d+)?)\(", text))
    content = json.loads((folder / "certificate.json").read_text(encoding="utf-8"))
    assert {e["name"] for e in content["functions"]} == used != set()
    assert {e["status"] for e in content["functions"]} == {"proved"}


@pytest.mark.slow
def test_paper_functions_are_verified(cli: Cli) -> None:
    result = cli("verify", "--paper", "tumiotto2024", "--json")
    assert result.code == 1
    rows = {row["name"]: row for row in result.json["functions"]}
    assert len(rows) == 5
    row = rows["(ω - sin ω)/ω³"]
    assert row["switch"] == pytest.approx(1e-4) and row["scheme"] == "threshold" and row["degree"] == 2
    assert 4e-8 < row["measured_eps"] * 2.0**-52 < 1.2e-7 and 1e-4 < row["measured_at"] < 2e-4


@pytest.mark.slow
def test_suggest_prints_thresholds(cli: Cli) -> None:
    rows = cli("verify", "c3", "--suggest", "--json").json["functions"]
    assert [row["degree"] for row in rows] == [2, 4, 6, 8, 10]
    assert rows[0]["proved_eps"] > rows[1]["proved_eps"] > rows[2]["proved_eps"]


def test_plot_is_written(cli: Cli, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    assert cli("verify", "c7", "--domain", "0,0.5", "--plot", "c7.png").code == 0
    assert (tmp_path / "c7.png").stat().st_size > 5000


def test_certificates_are_written(cli: Cli, tmp_path: Path) -> None:
    assert cli("verify", "c3", "--domain", "0,1.5", "--certificate", "c3.json").code == 0
    assert cli("verify", "--check", "c3.json", "--json").json == {
        "functions": [{"name": "c3", "status": "proved"}],
        "status": "ok",
    }
    content = json.loads((tmp_path / "c3.json").read_text(encoding="utf-8"))
    content["functions"][0]["sections"][0]["bounds_eps"][0] = 1e-3
    (tmp_path / "c3.json").write_text(json.dumps(content), encoding="utf-8")
    result = cli("verify", "--check", "c3.json")
    assert result.code == 1 and "cannot be reproduced" in result.err


@pytest.mark.slow
def test_operators_are_verified(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix_proof, "ENOUGH", 3000)
    monkeypatch.setattr(matrix_proof, "BUDGET", 3000)
    result = cli("verify", "SO3", "--operators", "--json")
    assert result.code == 0
    rows = {row["operator"]: row for row in result.json["operators"]}
    assert rows.keys() == {"exp", "log", "T", "T inverse", "T derivative", "T inverse derivative"}
    assert all(0 < row["measured_eps"] <= row["target"] for row in rows.values())
    assert rows["T"]["target"] == 8 and rows["T derivative"]["target"] == 16
    assert rows["T inverse"]["evidence"] == "proved"
    assert rows["T inverse"]["measured_eps"] < rows["T inverse"]["proved_eps"] < 4
    assert rows["log"]["proved_eps"] is None and rows["log"]["evidence"] == "measured against 60 digits"


def test_group_without_closed_forms_is_verified(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "import symlie as sl\nG = sl.matrix_group('Line', [[[1, 0], [0, 0]], [[0, 1], [0, 0]]])\n", encoding="utf-8"
    )
    result = cli("verify", "mine.py:G", "--certificate", "line.json")
    assert result.code == 0 and "Taylor, squared 2 times, truncation" in result.out and "‖A‖ = 5" in result.out
    statuses = {row["name"]: row["status"] for row in cli("verify", "--check", "line.json", "--json").json["functions"]}
    assert statuses == dict.fromkeys(("exp", "phi1", "phi1_inverse"), "truncation proved, rounding unproved")


def test_standalone_operators_have_certificates_of_their_source(cli: Cli, tmp_path: Path) -> None:
    assert cli("operators", "SO2", "--out", "so2").code == 0
    assert cli("verify", "--check", "so2/certificate.json").code == 0
    source = tmp_path / "so2" / "so2.c"
    source.write_text(
        source.read_text(encoding="utf-8").replace("(half * half) - 1.0", "(half * half) - 1.1"), encoding="utf-8"
    )
    result = cli("verify", "--check", "so2/certificate.json")
    assert result.code == 1 and "does not match the function so2_c0 of so2.c" in result.err


def test_shipped_certificates_match_the_shipped_schemes() -> None:
    """Every function of the family has a certificate of the text that is emitted for it now."""
    from symlie.certify.source_text import text_digest
    from symlie.certify.subjects import named_subject, standard_names

    shipped = {e["text_sha256"] for e in json.loads(SHIPPED.read_text(encoding="utf-8"))["functions"]}
    for precision in ("double", "float"):
        for name in standard_names():
            subject = named_subject(name, precision)
            assert text_digest(subject.source, subject.operations.name) in shipped


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "Name a function, a group, a model or a folder"),
        (("c3", "--all"), "Name a function, a group, a model or a folder"),
        (("nonsense",), "'nonsense' is not a function such as c2_1"),
        (("g0", "--domain", "0,7"), "g0 is not a number between"),
        (("c3", "--domain", "2,1"), "two angles with 0 ≤ lower < upper"),
        (("c7", "--suggest"), "No closed form of c7"),
        (("--suggest",), "--suggest requires the name of a function"),
        (("R3",), "R3 needs no coefficient function"),
        (("--check", "nowhere.json"), "nowhere.json"),
        (("c3", "--plot", "c3.txt"), "A figure can be written as"),
        (("c3", "--suggest", "--plot", "c3.png"), "leave out --check, --suggest and --operators"),
    ],
)
def test_invalid_input_is_reported(cli: Cli, words: tuple[str, ...], message: str) -> None:
    result = cli("verify", *words)
    assert result.code == 1 and message in result.err


def test_derivatives_are_verified(cli: Cli) -> None:
    data = cli("verify", "c2_1", "--derivatives", "5", "--json").json
    assert data["status"] == "ok"
    assert [row["where"] for row in data["functions"]] == ["downwards", "upwards"]
    for row in data["functions"]:
        assert row["name"] == "c2_1" and row["order"] == 5
        assert (row["measured_eps"] or 0.0) <= row["proved_eps"] <= row["target"]
    result = cli("verify", "g0", "--derivatives", "5", "--target", "2")
    assert result.code == 1 and "not within 2" in result.out
    assert "from 1 to 60" in cli("verify", "g0", "--derivatives", "61").err
    assert "no derivative bounds" in cli("verify", "SE3", "--derivatives", "5").err
    refused = cli("verify", "g0", "--derivatives", "5", "--certificate", "g0.json")
    assert refused.code == 1 and "cannot be combined with --certificate." in refused.err
