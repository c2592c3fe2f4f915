"""Compiling generated text manually: with given flags, and kernels individually."""

from __future__ import annotations

import functools
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from symlie.compile.compiler import find_compiler, flags, run_compiler
from symlie.compile.headers import with_headers
from symlie.derive.equations import Equations
from symlie.ir.kernels import Kernel
from symlie.publish.sets import generated_files, set_files
from symlie.runtime.integrate.driver_library import driver_source
from symlie.runtime.kernels.c_library import library_files
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.library import method
from tests.systems import (
    HEAVY_TOPS,
    chain_equations,
    heavy_top_equations,
    large_equations,
    polar_equations,
    spaghetti_equations,
)

GENERAL = ("large", "spaghetti")
"""Models whose topology is run-time data: a large one without elements, and a rod made of elements."""

MODELS = (*(f"heavy_top_{g}" for g in HEAVY_TOPS), "chain", "polar", *GENERAL)
"""Models whose text is tested: constant and varying mass, with and without constraints, moving constraints, fixed and
general topology."""


@functools.cache
def equations_of(model: str) -> Equations:
    """The equations of one of `MODELS`."""
    others = {
        "chain": chain_equations,
        "polar": polar_equations,
        "large": large_equations,
        "spaghetti": spaghetti_equations,
    }
    return others[model]() if model in others else heavy_top_equations(model.removeprefix("heavy_top_"))


@functools.cache
def files_of(model: str) -> Mapping[str, str]:
    """All generated files of one of `MODELS`."""
    return generated_files(equations_of(model))


def sources(model: str, method_name: str | None = None) -> dict[str, str]:
    """C source of a model, its library as ``library.c``, and a time loop as ``driver.c`` if a method is named."""
    name = equations_of(model).model.name
    algebra = "structured_algebra.h" if model in GENERAL else "fixed_algebra.h"
    text = library_files(files_of(model), name, algebra)
    if method_name is not None:
        chosen = method(method_name)
        text |= driver_source(chosen, equations_of(model).compile(backend="numpy").mechanics)
        if chosen.kernel_set:
            text |= set_files(equations_of(model), chosen.kernel_set)
    return with_headers(text)


def write(folder: Path, text: Mapping[str, str]) -> None:
    """Write source files."""
    for name, content in text.items():
        (folder / name).write_text(content, encoding="utf-8")


def compiler_output(folder: Path, arguments: Sequence[str]) -> str:
    """Run the compiler in a folder; its messages, and an assertion that it succeeded."""
    command = [*find_compiler().command, *arguments]
    result = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    assert result.returncode == 0, f"{' '.join(command)}\n{result.stderr[:4000]}"
    return result.stderr


class Exposed:
    """A model's kernels, each callable individually; in the package they are inline functions.

    Parameters
    ----------
    model
        One of `MODELS`.
    """

    def __init__(self, model: str) -> None:
        import cffi

        self.kernels = {k.signature.name: k for k in equations_of(model).emitted.kernels}
        prototypes, functions = [], []
        for kernel in self.kernels.values():
            signature = kernel.signature
            prototype = signature.prototype("double").replace("restrict ", "").replace("void ", "void exposed_", 1)
            names = ", ".join(a.name for a in signature.arguments)
            prototypes.append(f"{prototype};")
            functions.append(f"{prototype} {{ {signature.name}({names}); }}")
        headers = ["interface.h", f"{equations_of(model).model.name}.h"]
        main = "\n".join([*(f'#include "{h}"' for h in headers), *functions]) + "\n"
        self._ffi = cffi.FFI()
        self._ffi.cdef("\n".join(prototypes))
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write(folder, {**sources(model), "exposed.c": main})
            run_compiler(folder / "exposed.c", folder / "exposed.so", flags("default"))
            self._library = self._ffi.dlopen(str(folder / "exposed.so"))

    def __call__(self, name: str, inputs: Mapping[str, Any]) -> Array:
        """All output components of a kernel, concatenated."""
        outputs, converted = [], []
        for argument in self.kernels[name].signature.arguments:
            if argument.size is None:
                converted.append(float(inputs[argument.name]))
                continue
            array = np.empty(argument.size) if argument.is_output else np.ascontiguousarray(inputs[argument.name])
            assert array.shape == (argument.size,)
            if argument.is_output:
                outputs.append(array)
            converted.append(self._ffi.from_buffer("double[]", array))
        getattr(self._library, f"exposed_{name}")(*converted)
        return np.concatenate(outputs) if outputs else np.zeros(0)


@functools.cache
def exposed(model: str) -> Exposed:
    """The kernels of one of `MODELS`, compiled once."""
    return Exposed(model)


@functools.cache
def module_of(model: str) -> dict[str, Any]:
    """Names of the generated NumPy module of one of `MODELS`."""
    name = f"{equations_of(model).model.name}.py"
    scope: dict[str, Any] = {}
    exec(compile(files_of(model)[name], name, "exec"), scope)
    return scope


def numpy_values(model: str, kernel: Kernel, inputs: Mapping[str, Any]) -> Array:
    """All output components of a kernel of the NumPy module."""
    arguments = [inputs[a.name] for a in kernel.signature.arguments if not a.is_output]
    return np.array(module_of(model)[kernel.signature.name](*arguments), dtype=float)
