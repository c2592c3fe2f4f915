"""``symlie generate``: folders, freshness, and the same bytes every time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from symlie.cli import generate
from symlie.cli.generate import COMMITTED, folder_name
from symlie.contract.manifest import read_manifest
from symlie.contract.sets import SETS
from tests.cli.conftest import Outcome, python

Cli = Callable[..., Outcome]

FOLDERS = ["heavy_top_SE3", "heavy_top_S3", "free_rigid_body", "roll_up_segments4"]
"""A constrained top, a free one, a field system and a rod."""


def test_generate_accepts_model_names() -> None:
    assert folder_name("heavy_top", {}) == "heavy_top"
    assert folder_name("heavy_top", {"group": "SO3xR3"}) == "heavy_top"
    assert [folder_name(model, options) for model, options, _ in COMMITTED] == FOLDERS


def test_default_folder_is_used(cli: Cli, tmp_path: Path) -> None:
    result = cli("generate", "heavy_top", "-o", "group=SE3")
    assert result.out == "generated/heavy_top_SE3\n"
    names = {p.name for p in (tmp_path / "generated" / "heavy_top_SE3").iterdir()}
    sets = {f"heavy_top_{name}.{end}" for name in ("newton", "ports") for end in ("h", "c", "py", "json")}
    own = {"heavy_top.c", "heavy_top.h", "heavy_top.py", "manifest.json", "equations.md", "checksums.txt",
           "certificate.json"}  # fmt: skip
    assert names == own | sets


def sets_of(folder: Path) -> list[str]:
    """Files of the manifest, which are all files of the folder."""
    listed = read_manifest((folder / "manifest.json").read_text(encoding="utf-8")).sets
    assert {name for name in SETS if (folder / f"heavy_top_{name}.json").is_file()} == set(listed)
    return list(listed)


@pytest.mark.parametrize(
    ("sets", "expected"),
    [
        ("core", []),
        ("core,newton", ["newton"]),
        ("cayley", ["cayley"]),
        (
            "all",
            [
                "newton",
                "ports",
                "variations",
                "sensitivities",
                "tangent",
                "slopes",
                "second_kind",
                "increments",
                "ambient",
                "interpolation",
                "jets",
                "adjoint",
                "discrete_trapezoid",
                "discrete_midpoint",
                "discrete_gradients_trapezoid",
                "discrete_gradients_midpoint",
            ],
        ),
    ],
)
def test_kernel_sets_are_generated(sets: str, expected: list[str], cli: Cli, tmp_path: Path) -> None:
    """Of all, those that the group has: the Cayley map of S³⋉R³ does not stay in the group."""
    group = "S3" if "cayley" in expected else "S3sR3"
    assert cli("generate", "heavy_top", "-o", f"group={group}", "--sets", sets, "--out", "top").code == 0
    assert sets_of(tmp_path / "top") == expected


def test_unknown_kernel_sets_are_rejected(cli: Cli) -> None:
    assert (
        "Unknown set of kernels 'newtons'; use: core, newton, "
        in cli("generate", "heavy_top", "--sets", "core,newtons").err
    )
    assert (
        "The Cayley map of the matrices of S3sR3"
        in cli("generate", "heavy_top", "-o", "group=S3sR3", "--sets", "cayley").err
    )
    assert "--all cannot be combined with -o, --out, --sets" in cli("generate", "--all", "--sets", "core").err


@pytest.mark.slow
def test_all_folders_are_generated(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "generated").mkdir()
    assert cli("generate", "--all").out.split() == [f"generated/{name}" for name in FOLDERS]
    assert cli("generate", "--all", "--check").code == 0


@pytest.mark.slow
def test_check_detects_outdated_folders(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generate, "COMMITTED", COMMITTED[:1])
    (tmp_path / "generated").mkdir()
    assert cli("generate", "--all", "--check").code == 1
    assert cli("generate", "--all").out == f"generated/{FOLDERS[0]}\n"
    assert cli("generate", "--all", "--check").code == 0
    source = tmp_path / "generated" / "heavy_top_SE3" / "heavy_top.c"
    right = source.read_bytes()
    source.write_bytes(right.replace(b"0", b"1", 1))
    result = cli("generate", "--all", "--check")
    assert result.code == 1
    assert "--- generated/heavy_top_SE3/heavy_top.c" in result.out
    assert "symlie generate --all" in result.err
    source.write_bytes(right)
    (source.parent / "old.c").touch()
    assert "old.c: no longer generated" in cli("generate", "--all", "--check").out
    cli("generate", "--all")
    assert cli("generate", "--all", "--check").code == 0


def test_standalone_names_its_successor(cli: Cli) -> None:
    result = cli("generate", "heavy_top", "--standalone")
    assert result.code == 1 and "use 'symlie export MODEL --target c --out DIR'" in result.err


@pytest.mark.slow
def test_output_is_independent_of_hash_seeds(tmp_path: Path) -> None:
    texts = []
    for seed in ("0", "1", "2"):
        folder = tmp_path / seed
        result = python(
            "-m", "symlie", "generate", "heavy_top", "-o", "group=SO3xR3", "--out", str(folder),
            PYTHONHASHSEED=seed, SYMLIE_CACHE=str(tmp_path / f"cache{seed}"),
        )  # fmt: skip
        assert result.code == 0, result.err
        texts.append({p.name: p.read_bytes() for p in folder.iterdir()})
    assert texts[0] == texts[1] == texts[2]


@pytest.mark.slow
@pytest.mark.parametrize("form", [[], ["--latex"], ["--variational", "midpoint"]])
def test_derive_writes_equations(cli: Cli, tmp_path: Path, form: list[str]) -> None:
    printed = cli("derive", "heavy_top", "-o", "group=SE3", *form)
    assert printed.code == 0
    assert printed.out.strip()
    assert cli("derive", "heavy_top", "-o", "group=SE3", *form, "--out", "equations.md").out == "equations.md\n"
    assert (tmp_path / "equations.md").read_text(encoding="utf-8") == printed.out
