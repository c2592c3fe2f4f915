"""The layers of the package: imports point downwards only, and what is light stays light."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from symlie.api import write_generated
from symlie.models.registry import model_names
from symlie.paths import PACKAGE
from tests.systems import heavy_top_equations

LAYERS = ("cli", "models", "api", "certify", "derive", "modeling", "groups", "emit", "ir", "runtime", "compile")
"""From top to bottom; a layer imports from layers below it."""

FORBIDDEN = {
    "certify": {"runtime"},
    "derive": {"emit", "runtime"},
    "modeling": {"emit", "runtime"},
    "groups": {"modeling"},
    "emit": {"modeling", "derive", "groups"},
    "runtime": {"sympy", "mpmath", "jinja2", "templating"},
    "compile": {"sympy", "mpmath", "jinja2", "templating"},
}
"""What a layer must not import although it is below or from elsewhere: what runs a model does without SymPy."""

COMMON_GROUND = (
    "errors",
    "interruption",
    "notices",
    "packages",
    "paths",
    "retired",
    "rotations",
    "showing",
    "stages",
    "templating",
    "unit_names",
    "version",
)
"""Modules that every layer may import."""

EXCEPTIONS = {
    ("modeling/model.py", "api"): "`Model.derive` calls upward",
    ("modeling/model.py", "derive"): "the type of what `Model.derive` returns",
    ("derive/equations.py", "api"): "`Equations.compile` calls upward",
    ("derive/equations.py", "runtime"): "the type of what `Equations.compile` returns",
    ("errors.py", "runtime"): "the type of the solution that an `IntegrationError` carries",
}
"""Imports against the direction, each inside of a function or for type checkers alone."""


@dataclass(frozen=True)
class Import:
    """An import statement."""

    file: str
    line: int
    target: str
    """``layer`` or name of a top-level package."""
    is_lazy: bool
    """Inside of a function, or for type checkers alone."""

    @property
    def layer(self) -> str:
        """The layer, or the module on common ground, that the file belongs to."""
        return self.file.split("/")[0].removesuffix(".py")


def targets(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """Layers and packages that a statement names."""
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    else:
        assert node.level == 0 and node.module is not None, "imports are absolute"
        names = [node.module] if node.module != "symlie" else [f"symlie.{alias.name}" for alias in node.names]
    for name in names:
        parts = name.split(".")
        yield parts[1] if parts[0] == "symlie" and len(parts) > 1 else parts[0]


def is_type_checking(node: ast.AST) -> bool:
    """Whether a statement is ``if TYPE_CHECKING:``."""
    return isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def imports_of(file: str, text: str) -> list[Import]:
    """All imports of a module, wherever they are."""
    found: list[Import] = []

    def visit(node: ast.AST, lazy: bool) -> None:
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.extend(Import(file, node.lineno, target, lazy) for target in targets(node))
        inside = lazy or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) or is_type_checking(node)
        for child in ast.iter_child_nodes(node):
            visit(child, inside)

    visit(ast.parse(text), False)
    return found


def all_imports() -> list[Import]:
    """All imports of the package but those of its front door, ``__init__.py`` and ``__main__.py``."""
    files = [p for p in sorted(PACKAGE.rglob("*.py")) if p.parent != PACKAGE or not p.stem.startswith("__")]
    assert len(files) > 50
    return [i for p in files for i in imports_of(p.relative_to(PACKAGE).as_posix(), p.read_text(encoding="utf-8"))]


def is_allowed(found: Import) -> bool:
    """Whether an import points downwards or out of the package."""
    layer, target = found.layer, found.target
    if target in FORBIDDEN.get(layer, set()):
        return False
    if target == "symlie":  # the public interface
        return layer in ("cli", "models")
    if target in COMMON_GROUND or target == layer:
        return True
    if target not in LAYERS:
        return not (PACKAGE / target).exists() and not (PACKAGE / f"{target}.py").exists()
    return layer in LAYERS and LAYERS.index(target) > LAYERS.index(layer)


def test_every_module_has_a_layer() -> None:
    names = {p.name.removesuffix(".py") for p in PACKAGE.iterdir() if p.suffix in ("", ".py")}
    names = {n for n in names if not n.startswith(("_", "."))}
    assert names == {*LAYERS, *COMMON_GROUND}


def test_imports_point_downwards() -> None:
    wrong = [i for i in all_imports() if not is_allowed(i) and (i.file, i.target) not in EXCEPTIONS]
    assert not wrong, "\n".join(f"{i.file}:{i.line} imports {i.target}" for i in wrong)


def test_exceptions_are_lazy_and_used() -> None:
    upward = [i for i in all_imports() if (i.file, i.target) in EXCEPTIONS]
    assert all(i.is_lazy for i in upward)
    assert {(i.file, i.target) for i in upward} == set(EXCEPTIONS)


@pytest.mark.parametrize(
    ("file", "text", "allowed"),
    [
        ("runtime/x.py", "import sympy", False),
        ("runtime/x.py", "def f():\n    from sympy import sin", False),
        ("runtime/x.py", "if TYPE_CHECKING:\n    from symlie.ir.kernels import Kernel", False),
        ("runtime/x.py", "from symlie import api", False),
        ("runtime/x.py", "import symlie", False),
        ("runtime/x.py", "from symlie.compile.cache import text_key", True),
        ("compile/x.py", "from symlie.runtime.plan import Plan", False),
        ("emit/x.py", "from symlie.groups import standard", False),
        ("emit/x.py", "from symlie.templating import render", True),
        ("runtime/x.py", "from symlie.templating import render", False),
        ("emit/x.py", "from symlie.ir.program import Program", True),
        ("ir/x.py", "import symlie.emit.c", False),
        ("derive/x.py", "from symlie.runtime.layout import Layout", False),
        ("groups/x.py", "from symlie.modeling.node import Node", False),
        ("models/x.py", "import symlie as sl", True),
        ("certify/x.py", "from symlie.runtime.plan import Plan", False),
        ("modeling/x.py", "from symlie import errors", True),
        ("errors.py", "from symlie.ir.program import Program", False),
    ],
)
def test_rules_tell_right_from_wrong(file: str, text: str, allowed: bool) -> None:
    (found,) = imports_of(file, text)
    assert is_allowed(found) is allowed


def test_ready_made_models_use_the_public_interface_alone() -> None:
    assert "heavy_top" in model_names()
    for name in model_names():
        text = (PACKAGE / "models" / f"{name}.py").read_text(encoding="utf-8")
        assert {i.target for i in imports_of(f"models/{name}.py", text)} <= {"symlie", "__future__", "typing", "numpy"}


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


def test_the_package_is_imported_lazily() -> None:
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
system = symlie.load(sys.argv[1], backend=sys.argv[2]).with_parameters(mass=16.0)
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
    system = symlie.load(folder, backend=backend).with_parameters(mass=16.0)
    expected = symlie.solve(system, 2.0**-7, h=2.0**-11, t_eval=[2.0**-8, 2.0**-7], multipliers="index1")
    assert float.fromhex(run_python(BLOCKED, str(folder), backend)) == expected.v[-1, 0]


def test_types_are_shipped() -> None:
    """Type checkers read annotations of packages that have this file."""
    assert (PACKAGE / "py.typed").is_file()
