"""Layers: packages import only from lower ones, and light modules stay light."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from symlie.api import write_generated
from symlie.models.registry import model_names
from symlie.utilities.paths import PACKAGE
from tests.rooms import COMMON, ROOMS, imports, imports_of, modules, rings, room_of
from tests.systems import heavy_top_equations

LARGEST_ROOM = 25
"""Modules in a folder at most."""

FORBIDDEN = {
    "certify": {"symlie.runtime"},
    "derive": {"symlie.emit", "symlie.runtime", "symlie.certify"},
    "typeset": {"symlie.emit", "symlie.runtime"},
    "modeling": {"symlie.emit", "symlie.runtime"},
    "emit": {"symlie.modeling", "symlie.derive", "symlie.groups"},
    "ensembles": {"symlie.ir", "sympy", "mpmath", "jinja2", "symlie.utilities.templating"},
    "view": {"symlie.ir", "sympy", "mpmath", "jinja2", "symlie.utilities.templating"},
    "runtime": {"symlie.ir", "sympy", "mpmath", "jinja2", "symlie.utilities.templating"},
    "compile": {"sympy", "mpmath", "jinja2", "symlie.utilities.templating"},
    "contract": {"sympy", "mpmath", "jinja2", "symlie.utilities.templating"},
}
"""Imports that are forbidden although they are lower or external: running a model does not need SymPy."""

FACADES = {
    "modeling.model": {"derive"},
    "elements.continua.continuum": {"derive"},
    "ensembles.outcome": {"_standard_system"},
    "derive.continuum_equations": {"latex", "markdown"},
    "derive.equations": {"compile", "generate", "latex", "markdown"},
    "runtime.system.evaluations": {
        "acceleration",
        "bias_force",
        "constraint",
        "constraint_jacobian",
        "hidden_constraint_residual",
        "inverse_dynamics",
        "mass_matrix",
        "output_jacobian",
        "outputs",
        "state",
    },
    "runtime.system.system": {
        "assembled",
        "equilibrium_path",
        "export",
        "linearize",
        "mobility",
        "monodromy",
        "simulator",
        "static_equilibrium",
        "with_state",
    },
    "runtime.statics.equilibrium_path": {"plot"},
    "runtime.study.fit.result": {"plot"},
    "runtime.solution.solution": {"_dense", "plot", "plot_steps", "view"},
}
"""Methods that give access to higher layers: each imports one function, and calls it."""


def packages_in(text: str) -> set[str]:
    """The packages that a text imports from, of symlie with their first part: ``numpy``, ``symlie.ir``."""

    def names() -> Iterator[str]:
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0 and node.module is not None, "imports are absolute"
                yield from (f"{node.module}.{alias.name}" for alias in node.names)

    return {".".join(name.split(".")[: 2 if name.split(".")[0] == "symlie" and "." in name else 1]) for name in names()}


def test_layers_cover_all_modules() -> None:
    packages = {name.split(".")[0] for name in ROOMS}
    folders = {p.name.removesuffix(".py") for p in PACKAGE.iterdir() if p.suffix in ("", ".py")}
    common = {name.split(".")[0] for name in modules() if room_of(name) == COMMON}
    assert {n for n in folders if not n.startswith(("_", "."))} == packages | common
    assert all(any(room_of(name) == room for name in modules()) for room in ROOMS)


def test_packages_have_bounded_size() -> None:
    folders = Counter(path.parent for path in modules().values() if path.name != "__init__.py")
    assert {p: n for p, n in folders.items() if n > LARGEST_ROOM} == {}
    assert sum(room.startswith("runtime.") for room in ROOMS) <= 13


def test_imports_point_downwards() -> None:
    wrong = [i for i in imports() if i.points_upward and i.importer not in FACADES]
    assert not wrong, "\n".join(f"{i.importer}:{i.line} imports {i.imported}" for i in wrong)
    assert rings() == []


def test_packages_avoid_forbidden_imports() -> None:
    for name, path in modules().items():
        forbidden = FORBIDDEN.get(name.split(".")[0], set()) if name not in FACADES else set()
        assert not forbidden & packages_in(path.read_text(encoding="utf-8")), name


def test_certificate_checker_imports_nothing_from_symlie() -> None:
    inside = [i for i in imports() if i.importer.startswith("certify.checker") and i.rooms[0] != i.rooms[1]]
    assert not inside
    assert all(i.imported.startswith("certify.checker") for i in imports() if i.importer.startswith("certify.checker"))


@pytest.mark.parametrize("module", FACADES)
def test_facades_contain_only_imports(module: str) -> None:
    """A docstring, one import, one call; besides, types of what they return."""
    upward = {i.line for i in imports() if i.importer == module and i.points_upward}
    tree = ast.parse(modules()[module].read_text(encoding="utf-8"))
    found = set()
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        body = function.body[int(ast.get_docstring(function) is not None) :]
        if any(isinstance(s, ast.ImportFrom) and s.lineno in upward for s in ast.walk(function)):
            assert len(body) <= 3 and isinstance(body[0], ast.ImportFrom) and isinstance(body[-1], ast.Return)
            found.add(function.name)
            upward -= {body[0].lineno}
    assert found == FACADES[module]
    lazy = {i.line for i in imports() if i.importer == module and i.is_lazy}
    assert upward <= lazy, "types alone"


@pytest.mark.parametrize(
    ("module", "text", "upward"),
    [
        ("runtime.system.x", "from symlie import api", True),
        ("runtime.system.x", "from symlie.runtime.integrate.solve import solve", True),
        ("runtime.system.x", "def f():\n    from symlie.runtime.integrate import solve", True),
        ("runtime.system.x", "from symlie.compile.cache import text_key", False),
        ("compile.x", "from symlie.runtime.integrate.segments import Plan", True),
        ("emit.c.x", "from symlie.emit.numpy import model", False),
        ("emit.numpy.x", "from symlie.emit.c.model import emit_c", True),
        ("emit.x", "from symlie.utilities.templating import render", False),
        ("groups.x", "if TYPE_CHECKING:\n    from symlie.modeling.node import Node", True),
        ("modeling.x", "from symlie import errors", False),
        ("errors", "from symlie.ir.program import Program", True),
        ("contract.x", "from symlie.ir.program import Program", True),
    ],
)
def test_rules_detect_violations(module: str, text: str, upward: bool) -> None:
    (found,) = imports_of(module, text)
    assert found.points_upward is upward


def test_built_in_models_use_only_the_public_interface() -> None:
    assert "heavy_top" in model_names()
    for name in model_names():
        text = (PACKAGE / "models" / f"{name}.py").read_text(encoding="utf-8")
        assert packages_in(text) <= {"symlie", "__future__", "typing", "numpy"}


def run_python(code: str, *arguments: str) -> str:
    """Output of another Python that runs some code."""
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    command = [sys.executable, "-W", "error", "-c", code, *arguments]
    result = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout


HEAVY = ("sympy", "mpmath", "numpy", "jinja2", "cffi", "matplotlib", "netCDF4")


def loaded_by(code: str) -> set[str]:
    """Which heavy packages are loaded after some code."""
    report = f"\nimport sys, json\nprint(json.dumps([m for m in {HEAVY!r} if m in sys.modules]))"
    return set(json.loads(run_python(code + report)))


def test_package_is_imported_lazily() -> None:
    assert loaded_by("import symlie") == set()
    assert loaded_by("import symlie; symlie.__version__; dir(symlie); symlie.errors") == set()
    assert loaded_by("import symlie; symlie.load; symlie.solve; symlie.System; symlie.Solution") == {"numpy"}
    assert "sympy" in loaded_by("import symlie; symlie.Model")
    assert loaded_by("import symlie.cli") == set()


def test_all_public_names_exist() -> None:
    code = "import symlie; print(all(getattr(symlie, n) is not None for n in symlie.__all__), len(symlie.__all__))"
    flag, count = run_python(code).split()
    assert flag == "True" and int(count) >= 20
    run_python("from symlie import *; SE3, solve, Model")
    with pytest.raises(AssertionError, match="has no attribute 'nonsense'"):
        run_python("import symlie; symlie.nonsense")


BLOCKED = """
import sys
for name in ("sympy", "mpmath", "jinja2"):
    sys.modules[name] = None
import symlie
system = symlie.load(sys.argv[1], backend=sys.argv[2], trust=True).with_parameters(mass=16.0)
solution = symlie.solve(system, 2.0**-7, h=2.0**-11, t_eval=[2.0**-8, 2.0**-7], multipliers="index1")
solution.outputs, solution.to_json()
try:
    symlie.Model
except ImportError:
    print(float(solution.v[-1, 0]).hex())
"""


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_generated_folders_run_without_sympy(backend: str, tmp_path: Path) -> None:
    import symlie

    folder = write_generated(heavy_top_equations("SE3"), tmp_path / "top")
    system = symlie.load(folder, backend=backend, trust=True).with_parameters(mass=16.0)
    expected = symlie.solve(system, 2.0**-7, h=2.0**-11, t_eval=[2.0**-8, 2.0**-7], multipliers="index1")
    assert float.fromhex(run_python(BLOCKED, str(folder), backend)) == expected.v[-1, 0]


def test_types_are_shipped() -> None:
    """Type checkers read annotations of packages that have this file."""
    assert (PACKAGE / "py.typed").is_file()
