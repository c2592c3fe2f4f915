"""Cache of generated files by statement: it detects changes of all inputs of a model file."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

import symlie as sl
from symlie.compile import cache
from symlie.compile.compiler import run_compiler
from symlie.derive import equations
from symlie.derive.derived_statement import derive_statement
from symlie.errors import UnknownNameError
from symlie.models.systems import system_of_model
from symlie.runtime.system.system import System
from tests.cli.conftest import Outcome
from tests.cli.test_resume import exact

Cli = Callable[..., Outcome]

MODEL = '''"""A particle in a uniform field."""
import contextlib, os, sqlite3, subprocess, sys, time
import symlie as sl

def read(name, mode="r"):
    with open(name, mode) as file:
        return file.read()

def after_chdir(folder):
    with contextlib.chdir(folder):
        return read("strength.txt")

def from_database():
    with contextlib.closing(sqlite3.connect("strength.db")) as connection:
        return connection.execute("select k from t").fetchone()[0]

def from_netcdf():
    import netCDF4
    with netCDF4.Dataset("strength.nc") as file:
        return file["k"][0]

def from_package():
    sys.path.insert(0, "site-packages")
    sys.modules.pop("symlie_test_strength", None)  # as in a new process
    try:
        from symlie_test_strength import K
    finally:
        sys.path.remove("site-packages")
    return K

def build(strength=None):
    K = float({strength})
    model = sl.Model("particle")
    q = model.node("body", "R1")
    model.kinetic_energy(q.x_dot[0]**2 / 2)
    model.potential_energy(K * q.x[0])
    model.initial(q, x=[1])
    return model
'''


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def written(strength: str) -> Path:
    """A model file whose potential energy at the start is the value of an expression."""
    path = Path("particle.py").absolute()
    path.write_text(MODEL.replace("{strength}", strength))
    return path


def system(path: Path, **options: object) -> System:
    return system_of_model(str(path), options, backend="numpy")


def energy(path: Path, **options: object) -> float:
    return float(sl.solve(system(path, **options), 0.1, h=0.1).outputs["energy"][0])


def in_environment(value: int) -> None:
    os.environ["SYMLIE_TEST_STRENGTH"] = str(value)


def in_file(value: int) -> None:
    Path("strength.txt").write_text(str(value))


def in_another_folder(value: int) -> None:
    folder = Path("..", f"folder{value}")
    folder.mkdir(exist_ok=True)
    os.chdir(folder)
    in_file(value)


def in_subfolder(value: int) -> None:
    Path("below").mkdir(exist_ok=True)
    Path("below", "strength.txt").write_text(str(value))


def as_optional_file(value: int) -> None:
    if value > 1:
        in_file(value)


def as_number_of_files(value: int) -> None:
    Path("below").mkdir(exist_ok=True)
    for k in range(value):
        Path("below", str(k)).touch()


def in_database(value: int) -> None:
    Path("strength.db").unlink(missing_ok=True)
    connection = sqlite3.connect("strength.db")
    with connection:
        connection.execute("create table t (k)")
        connection.execute("insert into t values (?)", (value,))
    connection.close()


def in_netcdf(value: int) -> None:
    netcdf = pytest.importorskip("netCDF4")
    with netcdf.Dataset("strength.nc", "w") as file:
        file.createDimension("x", 1)
        file.createVariable("k", "f8", ("x",))[:] = value


def in_installed_package(value: int) -> None:
    Path("site-packages").mkdir(exist_ok=True)
    Path("site-packages", "symlie_test_strength.py").write_text(f"K = {value}.0")


WAYS: dict[str, tuple[str, Callable[[int], None]]] = {
    "environment variable": ("os.environ['SYMLIE_TEST_STRENGTH']", in_environment),
    "file": ("read('strength.txt')", in_file),
    "file of the working folder": ("read('strength.txt')", in_another_folder),
    "file after chdir": ("after_chdir('below')", in_subfolder),
    "exists": ("2 if os.path.exists('strength.txt') else 1", as_optional_file),
    "optional file": ("next(map(read, filter(os.path.isfile, ['strength.txt'])), 1)", as_optional_file),
    "listdir": ("len(os.listdir('below'))", as_number_of_files),
    "path of bytes": ("read(b'strength.txt')", in_file),
    "descriptor": ("read(os.open('strength.txt', os.O_RDONLY))", in_file),
    "opened to write": ("read('strength.txt', 'r+')", in_file),
    "subprocess": ("subprocess.check_output(['cat', 'strength.txt'])", in_file),
    "sqlite": ("from_database()", in_database),
    "netCDF": ("from_netcdf()", in_netcdf),
    "installed package": ("from_package()", in_installed_package),
}


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_cache_key_includes_all_inputs_of_a_model(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMLIE_TEST_STRENGTH", "")  # restored at the end
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    strength, stated = WAYS[way]
    path = written(strength)
    for value in (1, 2):
        stated(value)
        assert energy(path) == value


def test_models_that_read_the_clock_are_not_cached() -> None:
    path = written("time.perf_counter()")
    assert energy(path) < energy(path)


def test_equal_models_are_derived_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Independent of their origin and of the formatting of the file."""
    path = written("strength")
    assert energy(path, strength=3.25) == 3.25

    def derived_again(statement: object) -> None:
        raise AssertionError("derived again")

    monkeypatch.setattr(equations, "derive_statement", derived_again)
    assert energy(path, strength=3.25) == 3.25
    assert energy(written("13 / 4")) == 3.25
    with pytest.raises(AssertionError, match="derived again"):
        energy(written("3.5"))


@pytest.mark.slow
def test_fresh_option_ignores_the_cache(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry that answers wrongly is not asked, and another one takes its place."""
    path = written("4.5")
    words = ("run", str(path), "--h", "0.1", "--t-end", "0.1", "--json")
    first = cli(*words)
    known = set(Path(os.environ["SYMLIE_CACHE"]).rglob("*.so"))

    derived = []
    monkeypatch.setattr(equations, "derive_statement", lambda s: derived.append(s) or derive_statement(s))
    compiled = []
    monkeypatch.setattr(cache, "run_compiler", lambda *a: compiled.append(a) or run_compiler(*a))
    assert cli(*words).code == 0
    assert not derived and not compiled
    assert exact(cli(*words, "--fresh").json) == exact(first.json)
    assert len(derived) == 1 and len(compiled) == 2, "the kernels and the time loop"
    assert set(Path(os.environ["SYMLIE_CACHE"]).rglob("*.so")) == known
    assert cli(*words).json["statistics"]["compile_seconds"] == 0
    assert len(derived) == 1 and len(compiled) == 2


def test_options_are_recorded() -> None:
    path = written("2 if strength is None else 2")
    assert [system(path, strength=s).layout.options for s in ("x", "y")] == [{"strength": "x"}, {"strength": "y"}]


def test_imported_modules_are_read_again() -> None:
    path = written("__import__('particle_strength').VALUE")
    for value in (1, 20):
        Path("particle_strength.py").write_text(f"VALUE = {value}")
        assert energy(path) == value


def test_options_of_built_in_models_are_part_of_the_key() -> None:
    groups = [system_of_model("heavy_top", {"group": g}, backend="numpy").layout.options for g in ("SO3", "S3")]
    assert groups == [{"group": "SO3"}, {"group": "S3"}]


def test_unknown_names_are_reported() -> None:
    with pytest.raises(UnknownNameError, match="has no option 'kind'; it has: strength"):
        system(written("1"), kind=1)
