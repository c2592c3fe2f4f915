"""Files of all versions are read with the same numbers, or refused with the version that wrote them."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.compile.checksums import with_checksums
from symlie.errors import FormatError
from symlie.runtime.solution.variables import SYSTEM, packed, unpacked
from tests import tolerances
from tests.written.content import FILES, Content, read
from tests.written.write import SETS, write

SET = SETS / "0.1.0"
KEPT = [
    (folder.name, name, entry)
    for folder in sorted(SETS.iterdir())
    for name, entry in json.loads((folder / "expected.json").read_text(encoding="utf-8"))["files"].items()
]


def check_content(found: tuple[Content, Content], entry: dict[str, Any]) -> None:
    """Stored values are bit-identical, computed ones agree up to rounding."""
    stored, computed = found
    assert stored == entry["stored"]
    assert computed.keys() == entry["computed"].keys()
    for name, values in entry["computed"].items():
        scale = np.abs(values).max()
        np.testing.assert_allclose(computed[name], values, rtol=0, atol=scale * tolerances.BACKENDS, err_msg=name)


def check_refusal(message: str, version: str) -> None:
    """One sentence names the version that wrote the file and says what to do."""
    assert re.search(rf"symlie (was )?{re.escape(version)}\b", message), message
    assert re.search(r"again|with that version", message), message
    assert message.endswith(".") and ". " not in message, message


@pytest.mark.slow
@pytest.mark.parametrize(("version", "name", "entry"), KEPT, ids=lambda value: value if isinstance(value, str) else "")
def test_earlier_files_are_read(version: str, name: str, entry: dict[str, Any]) -> None:
    path = SETS / version / name
    if entry["kind"] == "solution" and path.suffix == ".nc":
        pytest.importorskip("netCDF4")
    if entry["expected"] == "reads":
        check_content(read(path, entry["kind"]), entry)
    else:
        assert entry["expected"] == "refused"
        with pytest.raises(FormatError) as caught:
            read(path, entry["kind"])
        check_refusal(str(caught.value), version)


def test_file_sets_are_complete_and_small() -> None:
    for folder in SETS.iterdir():
        about = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
        assert about["symlie"] == folder.name
        assert sum(p.stat().st_size for p in folder.rglob("*") if p.is_file()) < 400_000
        assert all((folder / name).exists() for name in about["files"])


def test_file_set_is_written_once() -> None:
    with pytest.raises(FileExistsError):
        write(SET)


def with_manifest(folder: Path, name: str, change: dict[str, Any]) -> Path:
    """A generated folder with another manifest."""
    target = folder / name
    shutil.copytree(SET / "generated" / name, target)
    path = target / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | change), encoding="utf-8")
    files = {p.name: p.read_text(encoding="utf-8") for p in target.iterdir() if p.name != "checksums.txt"}
    (target / "checksums.txt").write_text(with_checksums(files)["checksums.txt"], encoding="utf-8")
    return target


def folder_of_another_format(folder: Path) -> None:
    sl.load(with_manifest(folder, "heavy_top", {"format": 1}), trust=True)


def solution_of_another_format(folder: Path) -> None:
    with np.load(SET / "hoist.npz") as file:
        entries = {name: file[name] for name in file.files}
    attributes = json.loads(entries["attributes"].item()) | {"symlie_format": "1"}
    np.savez(folder / "hoist.npz", **entries | {"attributes": np.array(json.dumps(attributes))})
    sl.load_solution(folder / "hoist.npz", trust=True)


def solution_with_code_of_another_format(folder: Path) -> None:
    with np.load(SET / "hoist.npz") as file:
        entries = {name: file[name] for name in file.files}
    record = unpacked(entries[SYSTEM])
    manifest = json.loads(record["files"]["manifest.json"]) | {"format": 1}
    record["files"]["manifest.json"] = json.dumps(manifest)
    np.savez(folder / "hoist.npz", **entries | {SYSTEM: packed(record)})
    sl.load_solution(folder / "hoist.npz", trust=True)


def checkpoint_of_another_format(folder: Path) -> None:
    data = (SET / "hoist.checkpoint").read_bytes()
    (folder / "hoist.checkpoint").write_bytes(data.replace(b"checkpoint 2\n", b"checkpoint 1\n", 1))
    sl.resume(folder / "hoist.checkpoint", trust=True)


def certificate_of_another_format(folder: Path) -> None:
    content = json.loads((SET / "c3.json").read_text(encoding="utf-8")) | {"format": 0}
    (folder / "c3.json").write_text(json.dumps(content), encoding="utf-8")
    read(folder / "c3.json", "certificate")


OTHERS: tuple[Callable[[Path], None], ...] = (
    folder_of_another_format,
    solution_of_another_format,
    solution_with_code_of_another_format,
    checkpoint_of_another_format,
    certificate_of_another_format,
)


@pytest.mark.parametrize("reading", OTHERS, ids=lambda f: f.__name__)
def test_other_formats_are_rejected(reading: Callable[[Path], None], tmp_path: Path) -> None:
    with pytest.raises(FormatError) as caught:
        reading(tmp_path)
    check_refusal(str(caught.value), "0.1.0")


@pytest.mark.slow
def test_present_version_reads_its_own_files(tmp_path: Path) -> None:
    pytest.importorskip("netCDF4")
    pytest.importorskip("flint")
    write(tmp_path / "set")
    files = json.loads((tmp_path / "set" / "expected.json").read_text(encoding="utf-8"))["files"]
    assert files.keys() == FILES.keys()
    for name, entry in files.items():
        check_content(read(tmp_path / "set" / name, entry["kind"]), entry)
