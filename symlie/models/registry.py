"""Models by name or by file, and their options.

A model file is plain Python that exposes ``build(**options)`` and returns a `Model`. It may list the allowed values of
options in ``OPTIONS = {"group": ["SO3", "S3"]}``; the first sentence of its docstring is its summary. A known solution
stands beside it, as ``NAME_reference.json`` beside ``NAME.py``.
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
from symlie.stages import stage

if TYPE_CHECKING:
    from symlie.derive.equations import Equations
    from symlie.modeling.model import Model

MINIMAL = "minimal"
"""Value of the option ``coordinates`` that turns any model into `minimal_coordinates`."""

FOLDER = Path(__file__).parent
"""Where the ready-made models are."""


def model_names() -> tuple[str, ...]:
    """Names of the ready-made models."""
    files = sorted(FOLDER.glob("*.py"))
    return tuple(f.stem for f in files if "\ndef build(" in f.read_text(encoding="utf-8"))


def model_path(model: str) -> Path:
    """The file of a model, given by the name of a ready-made one or by its path.

    Raises
    ------
    UnknownNameError
        There is no such model.
    """
    if model.endswith(".py") or os.sep in model:
        with contextlib.suppress(OSError, RuntimeError):  # a link to itself, or no home
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
    """Whether a model is one of the package's own, so that its options determine it."""
    return model_path(model).parent == FOLDER


@dataclass(frozen=True, eq=False)
class ModelFile:
    """An imported model file."""

    name: str
    """As the user called it."""
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
        """Allowed values of those options that list them.

        Raises
        ------
        ModelError
            ``OPTIONS`` of the file is something else.
        """
        stated = getattr(self.module, "OPTIONS", {})
        if not isinstance(stated, Mapping) or not all(isinstance(v, Sequence) for v in stated.values()):
            raise ModelError(
                f'OPTIONS of {_shown(self.path)} must list values by option, such as {{"group": ["SO3", "S3"]}}.'
            )
        return {name: list(values) for name, values in stated.items()}

    @property
    def defaults(self) -> dict[str, object]:
        """Options that have a default, with it; an option whose default is None is not there unless it is given."""
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
        """Options with defaults filled in.

        Raises
        ------
        UnknownNameError
            An option or its value does not exist; the message lists those that do.
        ModelError
            An option without default is missing.
        """
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
        """Whether minimal coordinates are asked for, which every model with joints has."""
        return options.get("coordinates") == MINIMAL and MINIMAL not in self.choices.get("coordinates", ())

    def _allowed(self, name: str, value: object, allowed: list[object]) -> object:
        # Values from a command line may have become numbers although the model lists texts.
        for choice in allowed:
            if value == choice or str(value) == str(choice):
                return choice
        raise UnknownNameError(
            f"Option '{name}' of model '{self.name}' can not be {value!r}; use one of: {', '.join(map(str, allowed))}."
        )

    def build(self, options: Mapping[str, object]) -> Model:
        """Call ``build`` with complete options.

        Raises
        ------
        ModelError
            The file failed, or did not return a model; the message says where.
        """
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
    """Import the file of a model.

    Raises
    ------
    UnknownNameError
        There is no such model.
    ModelError
        The file can not be imported, or has no ``build``.
    """
    path = model_path(model)
    if is_ready_made(model):
        return ModelFile(model, path, importlib.import_module(f"symlie.models.{path.stem}"))
    module = import_file(path)
    if not callable(getattr(module, "build", None)):
        raise ModelError(f"{_shown(path)} has no function build(**options) that returns a model.")
    return ModelFile(path.stem, path, module)


def option_names(model: str) -> list[str]:
    """Names of the options of a model; the file of a ready-made one is read, and not imported.

    Raises
    ------
    UnknownNameError
        There is no such model.
    ModelError
        The file can not be imported, or has no ``build``.
    """
    if not is_ready_made(model):
        return open_model(model).option_names
    statements = ast.parse(model_path(model).read_text(encoding="utf-8")).body
    build = next(s for s in statements if isinstance(s, ast.FunctionDef) and s.name == "build")
    return [argument.arg for argument in (*build.args.args, *build.args.kwonlyargs)]


def import_file(path: Path) -> ModuleType:
    """Import a Python file of the user's.

    Raises
    ------
    ModelError
        It can not be imported; the message says where.
    """
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
    """A model, its complete options, and the files of the user's own modules that stated it."""

    model: Model
    options: Mapping[str, object]
    files: tuple[str, ...]

    def derive(self, freeze: str | Sequence[str] = ()) -> Equations:
        """The equations, with the options recorded as they go into a manifest.

        Parameters
        ----------
        freeze
            Parameters that are constants in them, as in `Equations.compile`.
        """
        from symlie.api import derive

        options = tuple((name, plain(value)) for name, value in sorted(self.options.items()))
        return derive(self.model, options, freeze=freeze)


def build_model(model: str, options: Mapping[str, object]) -> BuiltModel:
    """Import a model's file and build the model.

    Raises
    ------
    UnknownNameError, ModelError
        See `open_model`, `ModelFile.complete` and `ModelFile.build`.
    """
    # Those of ready-made models are all of this package.
    none = contextlib.nullcontext[list[str]]([])
    with none if is_ready_made(model) else imported_files(model_path(model)) as files, stage("build", model):
        file = open_model(model)
        complete = file.complete(options)
        built = file.build(complete)
    return BuiltModel(built, complete, tuple(files))


def plain(value: object) -> object:
    """The value of an option as JSON has it; as text where it has not."""
    try:
        return json.loads(json.dumps(value))
    except (TypeError, ValueError):
        return str(value)


@contextlib.contextmanager
def _running(path: Path) -> Iterator[None]:
    """Run code of a model file: its folder is searched for imports, what it prints goes to stderr, errors are named.

    No byte code is written, because byte code of the same second and size would hide an edit.
    """
    search = [str(path.parent)] if path.parent != FOLDER else []
    sys.path[:0] = search
    writes_bytecode, sys.dont_write_bytecode = not sys.dont_write_bytecode, True
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    except KeyboardInterrupt:
        raise
    except SymlieError as error:
        raise type(error)(f"{_place(path, error)}: {error}") from error
    except BaseException as error:  # SystemExit too: a model that ends the process would end it without a result
        message = error.msg if isinstance(error, SyntaxError) else " ".join(str(error).split())
        what = ": ".join(filter(None, (type(error).__name__, message)))
        raise ModelError(f"{_place(path, error)}: {what}") from error
    finally:
        sys.dont_write_bytecode = not writes_bytecode
        for folder in search:
            sys.path.remove(folder)


def _place(path: Path, error: BaseException) -> str:
    """``file:line`` of the innermost line of the user's own code."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{_shown(Path(error.filename))}:{error.lineno}"
    frames = [f for f in traceback.extract_tb(error.__traceback__) if Path(f.filename) == path or is_local(f.filename)]
    return f"{_shown(Path(frames[-1].filename))}:{frames[-1].lineno}" if frames else _shown(path)


def _shown(path: Path) -> str:
    """A path as a user would type it."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
