"""Models by name or by file, and their options.

A model file is plain Python that exposes ``build(**options)`` and returns a `Model`. It may list the allowed values of
options in ``OPTIONS = {"group": ["SO3", "S3"]}``; the first sentence of its docstring is its summary. The reference
solution of ``NAME.py``, if known, is the file ``NAME_reference.json`` in the same folder.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import importlib.util
import inspect
import json
import os
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from symlie.errors import ModelError, SymlieError, UnknownNameError
from symlie.models.user_modules import imported_files, is_local
from symlie.utilities.stages import stage

if TYPE_CHECKING:
    from symlie.derive.equations import Equations
    from symlie.modeling.model import Model

MINIMAL = "minimal"
"""Value of the option ``coordinates`` that applies `minimal_coordinates` to any model."""

FOLDER = Path(__file__).parent
"""Folder of the ready-made models."""


def model_names() -> tuple[str, ...]:
    """Return the names of the built-in models."""
    files = sorted(FOLDER.glob("*.py"))
    return tuple(f.stem for f in files if "\ndef build(" in f.read_text(encoding="utf-8"))


def model_path(model: str) -> Path:
    """Return the file of a built-in model or of a path; raise `UnknownNameError` if it does not exist."""
    if model.endswith(".py") or os.sep in model:
        with contextlib.suppress(OSError, RuntimeError):  # circular link, or no home directory
            path = Path(model).expanduser().resolve()
            if path.is_file():
                return path
        raise UnknownNameError(f"There is no model file {model}; 'symlie new {model}' writes one to start from.")
    if model in model_names():
        return FOLDER / f"{model}.py"
    from difflib import get_close_matches

    similar = get_close_matches(model, model_names(), n=1)
    hint = f" Did you mean {similar[0]!r}?" if similar else ""
    raise UnknownNameError(
        f"There is no model {model!r}.{hint} The models are {', '.join(model_names())}; or give the path of a Python "
        "file."
    )


def is_ready_made(model: str) -> bool:
    """Return whether a model is built in, so that its options determine it."""
    return model_path(model).parent == FOLDER


@dataclass(frozen=True, eq=False)
class ModelFile:
    """An imported model file."""

    name: str
    """Name or path as given by the user."""
    path: Path
    module: ModuleType

    @cached_property
    def _signature(self) -> inspect.Signature:
        return inspect.signature(self.module.build)

    @property
    def summary(self) -> str:
        """First sentence of the docstring."""
        text = " ".join((inspect.getdoc(self.module) or "").split("\n\n")[0].split())
        return text.split(". ")[0].rstrip(".")

    @property
    def choices(self) -> dict[str, list[object]]:
        """Allowed values of the options that list them; raises `ModelError` if ``OPTIONS`` has another form."""
        stated = getattr(self.module, "OPTIONS", {})
        if not isinstance(stated, Mapping) or not all(isinstance(v, Sequence) for v in stated.values()):
            raise ModelError(
                f'OPTIONS of {_shown(self.path)} must list values by option, such as {{"group": ["SO3", "S3"]}}.'
            )
        return {name: list(values) for name, values in stated.items()}

    @property
    def defaults(self) -> dict[str, object]:
        """Default values of options, except defaults of None."""
        stated = {p.name: p.default for p in self._signature.parameters.values() if p.default is not p.empty}
        return {name: value for name, value in stated.items() if value is not None}

    @property
    def required(self) -> list[str]:
        """Names of the options without default."""
        return [n for n in self.option_names if self._signature.parameters[n].default is inspect.Parameter.empty]

    @property
    def option_names(self) -> list[str]:
        """Names of all options."""
        kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        return [p.name for p in self._signature.parameters.values() if p.kind in kinds]

    def complete(self, options: Mapping[str, object]) -> dict[str, object]:
        """Return the options with defaults filled in; raise `UnknownNameError` for an unknown option or value,
        `ModelError` if a required option is missing."""
        if self._is_minimal(options):
            return {**self.complete({k: v for k, v in options.items() if k != "coordinates"}), "coordinates": MINIMAL}
        names = self.option_names
        open_ended = any(p.kind is p.VAR_KEYWORD for p in self._signature.parameters.values())
        for name in options:
            if name not in names and not open_ended:
                known = f"it has: {', '.join(names)}" if names else "it has none"
                raise UnknownNameError(f"Model '{self.name}' has no option '{name}'; {known}.")
        complete = {**self.defaults, **options}
        for name in self.required:
            if name not in complete:
                raise ModelError(f"Model '{self.name}' needs the option '{name}': -o {name}=VALUE.")
        for name, allowed in self.choices.items():
            if name in complete:
                complete[name] = self._allowed(name, complete[name], allowed)
        return complete

    def _is_minimal(self, options: Mapping[str, object]) -> bool:
        """Return whether the options select minimal coordinates in general, not as a choice of the model itself."""
        return options.get("coordinates") == MINIMAL and MINIMAL not in self.choices.get("coordinates", ())

    def _allowed(self, name: str, value: object, allowed: list[object]) -> object:
        # The command line may convert values to numbers although the model lists strings.
        for choice in allowed:
            if value == choice or str(value) == str(choice):
                return choice
        raise UnknownNameError(
            f"Option '{name}' of model '{self.name}' cannot be {value!r}; use one of: {', '.join(map(str, allowed))}."
        )

    def build(self, options: Mapping[str, object]) -> Model:
        """Call ``build`` with complete options; raise `ModelError` with the line of the file if it fails or returns no
        model."""
        from symlie.modeling.model import Model

        is_minimal = self._is_minimal(options)
        with _running(self.path):
            model = self.module.build(**{k: v for k, v in options.items() if not (is_minimal and k == "coordinates")})
        if not isinstance(model, Model):
            raise ModelError(f"build() in {_shown(self.path)} must return a symlie.Model, not {type(model).__name__}.")
        if is_minimal:
            from symlie.elements.joints.minimal import minimal_coordinates

            return minimal_coordinates(model)
        return model


def open_model(model: str) -> ModelFile:
    """Import the file of a model; raise `UnknownNameError` if it does not exist, `ModelError` if it cannot be imported
    or has no ``build``."""
    path = model_path(model)
    if is_ready_made(model):
        return ModelFile(model, path, importlib.import_module(f"symlie.models.{path.stem}"))
    module = import_file(path)
    if not callable(getattr(module, "build", None)):
        raise ModelError(f"{_shown(path)} has no function build(**options) that returns a model.")
    return ModelFile(path.stem, path, module)


def option_names(model: str) -> list[str]:
    """Return the names of the options of a model; parse built-in models without importing them, and raise as
    `open_model`."""
    if not is_ready_made(model):
        return open_model(model).option_names
    statements = ast.parse(model_path(model).read_text(encoding="utf-8")).body
    build = next(s for s in statements if isinstance(s, ast.FunctionDef) and s.name == "build")
    return [argument.arg for argument in (*build.args.args, *build.args.kwonlyargs)]


def import_file(path: Path) -> ModuleType:
    """Import a Python file of the user; raise `ModelError` with the line if this fails."""
    name = f"symlie_model_{path.stem}"
    importlib.import_module("symlie.modeling.model")
    specification = importlib.util.spec_from_file_location(name, path)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    with _running(path):
        specification.loader.exec_module(module)
    return module


@dataclass(frozen=True, eq=False)
class BuiltModel:
    """A model, its complete options, and the files of the user's modules that define it."""

    model: Model
    options: Mapping[str, object]
    files: tuple[str, ...]

    def derive(self, freeze: str | Sequence[str] = ()) -> Equations:
        """Derive the equations, with the options recorded for the manifest and the parameters of ``freeze`` as
        constants."""
        from symlie.api import derive

        options = tuple((name, plain(value)) for name, value in sorted(self.options.items()))
        return derive(self.model, options, freeze=freeze)


def build_model(model: str, options: Mapping[str, object]) -> BuiltModel:
    """Import the file of a model and build it; raise as `open_model`, `ModelFile.complete` and `ModelFile.build`."""
    # Ready-made models import modules of this package alone.
    none = contextlib.nullcontext[list[str]]([])
    with none if is_ready_made(model) else imported_files(model_path(model)) as files, stage("build", model):
        file = open_model(model)
        complete = file.complete(options)
        built = file.build(complete)
    return BuiltModel(built, complete, tuple(files))


def plain(value: object) -> object:
    """Return the JSON form of the value of an option, or its text if it has none."""
    try:
        return json.loads(json.dumps(value))
    except (TypeError, ValueError):
        return str(value)


@contextlib.contextmanager
def _running(path: Path) -> Iterator[None]:
    """Run code of a model file with its folder in the search path, output redirected to stderr, and errors located."""
    search = [str(path.parent)] if path.parent != FOLDER else []
    sys.path[:0] = search
    # Byte code is not written: it would hide an edit within one second that does not change the size.
    writes_bytecode, sys.dont_write_bytecode = not sys.dont_write_bytecode, True
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    except KeyboardInterrupt:
        raise
    except SymlieError as error:
        raise type(error)(f"{_place(path, error)}: {error}") from error
    except BaseException as error:  # includes SystemExit, so that a model cannot end the process without a message
        message = error.msg if isinstance(error, SyntaxError) else " ".join(str(error).split())
        what = ": ".join(filter(None, (type(error).__name__, message)))
        raise ModelError(f"{_place(path, error)}: {what}") from error
    finally:
        sys.dont_write_bytecode = not writes_bytecode
        for folder in search:
            sys.path.remove(folder)


def _place(path: Path, error: BaseException) -> str:
    """Return ``file:line`` of the innermost line of the user's code."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{_shown(Path(error.filename))}:{error.lineno}"
    frames = [f for f in traceback.extract_tb(error.__traceback__) if Path(f.filename) == path or is_local(f.filename)]
    return f"{_shown(Path(frames[-1].filename))}:{frames[-1].lineno}" if frames else _shown(path)


def _shown(path: Path) -> str:
    """Return a path relative to the working directory if possible."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
