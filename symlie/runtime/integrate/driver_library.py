"""Library of a model with the time loop of a method."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence

from symlie.compile.cache import compiled_library
from symlie.compile.headers import with_headers
from symlie.compile.library import Library
from symlie.contract.constants import LARGEST_NARROW_BANDWIDTH, constants_header
from symlie.contract.sets import ADJOINT, discrete_gradient_set, kernel_set
from symlie.runtime.integrate.iteration import matrix_of
from symlie.runtime.kernels.bernstein import BERNSTEIN, CHECKS, CUBIC, NODES
from symlie.runtime.kernels.c_library import c_files
from symlie.runtime.kernels.c_text import c_integers, c_matrix, c_vector
from symlie.runtime.kernels.iteration_tables import newton_sets
from symlie.runtime.layout.layout import Layout
from symlie.runtime.methods.family import Method
from symlie.runtime.methods.programs.method import ProgrammedMethod
from symlie.runtime.steps.adjoint.text import adjoint_header
from symlie.runtime.steps.program import features_of
from symlie.runtime.system.mechanics import Mechanics
from symlie.runtime.system.system import System


def driver_library(system: System, method: Method) -> tuple[Library, float]:
    """Library of a model with the time loop of a method, and its compile time in s."""
    _ = system.prepared  # raises, before compilation, if the code of a file must not run
    start = time.perf_counter()
    path, compiled = compiled_library(driver_files(system, method), "driver.c", system.optimize, takes_steps=True)
    library = Library(path, system.layout.interface_hash)
    return library, time.perf_counter() - start if compiled else 0.0


def driver_files(system: System, method: Method) -> dict[str, str]:
    """Source files of a model with the time loop of a method by name; ``driver.c`` includes the others."""
    source = driver_source(method, system.mechanics, kernel_sets(method, system.layout))
    for name in kernel_sets(method, system.layout):
        source |= {n: text for n, text in system.sets.files(name).items() if n.endswith(".h")}
    if (matrix := matrix_of(system, method)) is not None:
        source |= matrix.files
    source["driver.c"] = _bandwidth(system.layout) + source["driver.c"]
    return with_headers({**c_files(system.files, system.layout.name), **source})


def lanes_library(system: System, method: Method, lanes: int) -> tuple[Library, float]:
    """Library of a model with the steps of a method for a number of SIMD lanes, and its compile time in s."""
    start = time.perf_counter()
    path, compiled = compiled_library(lanes_files(system, method, lanes), "lanes.c", system.optimize, takes_steps=True)
    library = Library(path, system.layout.interface_hash)
    return library, time.perf_counter() - start if compiled else 0.0


def lanes_files(system: System, method: Method, lanes: int) -> dict[str, str]:
    """Source files for SIMD lanes by name; ``lanes.c`` includes the others."""
    layout, sets = system.layout, kernel_sets(method, system.layout)
    source = driver_source(method, system.mechanics)
    for name in sets:
        source |= {n: text for n, text in system.sets.files(name).items() if n.endswith(".h")}
    if (matrix := matrix_of(system, method)) is not None:
        source |= matrix.files
    includes = ["interface.h", f"{layout.name}.h", *(f"{layout.name}_{name}.h" for name in sets), "constants.h"]
    includes += [system.mechanics.algebra_header, "tableau.h", "method.h", method.header, "side_by_side.h"]
    source["lanes.c"] = _bandwidth(system.layout) + "\n".join(
        [
            f"#define SYMLIE_LANES {lanes}",
            *(f'#include "{name}"' for name in includes),
            f'const char *symlie_interface_hash(void) {{ return "{layout.interface_hash}"; }}',
            "",
        ]
    )
    del source["driver.c"]
    return with_headers({**c_files(system.files, layout.name), **source})


def tangents_library(system: System, method: Method, tangents: int) -> tuple[Library, float]:
    """Library of a model with the time loop of a method for numbers with tangents, and its compile time in s."""
    _ = system.prepared
    start, files = time.perf_counter(), tangents_files(system, method, tangents)
    path, compiled = compiled_library(files, "tangents.cpp", system.optimize, takes_steps=True, is_cpp=True)
    library = Library(path, system.layout.interface_hash)
    return library, time.perf_counter() - start if compiled else 0.0


def tangents_files(system: System, method: Method, tangents: int) -> dict[str, str]:
    """Source files for numbers with tangents by name; ``tangents.cpp`` includes the others. Exports are those of C.
    Code with Newton's method for the end of a step is preceded by the same code for numbers without tangents."""
    source = driver_files(system, method)
    lines = source.pop("driver.c").splitlines()
    omitted = {f'#include "{name}"' for name in ("members.h", "shorter_steps.h")}
    body = [line for line in lines if line not in omitted]
    head = [f"#define SYMLIE_TANGENTS {tangents}"]
    if "implicit_step.h" in source:
        own = [line for line in body if line != '#include "driver.h"']
        head = [*_values(source, own), "#define VALUES_FIRST 1", *head]
        method_header = f'#include "{method.header}"'
        body = [x for line in body for x in (['#include "value_steps.h"', line] if line == method_header else [line])]
    head += _INTERFACE_OF_CPP
    source["tangents.cpp"] = "\n".join([*head, *body, '#include "differentiate.h"', ""])
    return with_headers(source)


_INTERFACE_OF_CPP = ['#include "real.h"', 'extern "C" {', '#include "interface.h"', "}"]
"""Lines that declare the exports of C++ as those of C."""


def adjoint_library(
    system: System, method: ProgrammedMethod, tangents: int = 0, *, is_projected: bool = False
) -> tuple[Library, float]:
    """Library of a model with the adjoint of the steps of a method, which may be projected, for numbers with some
    tangents, and its compile time in s."""
    _ = system.prepared
    start, files = time.perf_counter(), adjoint_files(system, method, tangents, is_projected=is_projected)
    main = "adjoint.cpp" if tangents else "adjoint.c"
    path, compiled = compiled_library(files, main, system.optimize, takes_steps=True, is_cpp=bool(tangents))
    library = Library(path, system.layout.interface_hash)
    return library, time.perf_counter() - start if compiled else 0.0


def adjoint_files(
    system: System, method: ProgrammedMethod, tangents: int = 0, *, is_projected: bool = False
) -> dict[str, str]:
    """Source files with the adjoint of the steps of a method, which may be projected, by name; ``adjoint.c`` includes
    the others, or ``adjoint.cpp`` for numbers with tangents."""
    layout, features = system.layout, features_of(system.mechanics, compiled=True)
    source, sets = driver_source(method, system.mechanics), (*kernel_sets(method, system.layout), ADJOINT)
    if method.element_set is not None and (stated := kernel_set(method.element_set).discrete) is not None:
        sets += (discrete_gradient_set(stated).name,)
    source = {name: source[name] for name in ("constants.h", "tableau.h")}
    for name in sets:
        source |= {n: text for n, text in system.sets.files(name).items() if n.endswith(".h")}
    if (matrix := matrix_of(system, method)) is not None:
        source |= matrix.files
    start = method.start_program(features)
    starter = method.substeps(features)
    program, first = method.known_program(features), method.first_values(features)
    kind = {"is_composed": method.composition is not None, "is_projected": is_projected and features.constrained}
    source["adjoint_step.h"] = adjoint_header(program, method.name, first, start, starter, **kind)
    of_model = f"{layout.name}.h", *(f"{layout.name}_{name}.h" for name in sets)
    includes = ["interface.h", *of_model, "constants.h", system.mechanics.algebra_header]
    includes += ["tableau.h", "method.h", "adjoint_step.h", "reverse.h"]
    head = [f"#define SYMLIE_TANGENTS {tangents}", *_INTERFACE_OF_CPP] if tangents else []
    source["adjoint.cpp" if tangents else "adjoint.c"] = _bandwidth(layout) + "\n".join(
        [
            *head,
            *([] if len(sets) > 1 or method.own else ["#define SYMLIE_EXPLICIT_STEPS"]),
            *(f'#include "{name}"' for name in includes),
            f'const char *symlie_interface_hash(void) {{ return "{layout.interface_hash}"; }}',
            "",
        ]
    )
    return with_headers({**c_files(system.files, layout.name), **source})


_GUARD = re.compile(r"^#ifndef (\w+)\n#define \1\n", re.MULTILINE)


def _values(source: Mapping[str, str], lines: Sequence[str]) -> list[str]:
    """Lines that define the steps of a method for numbers without tangents in a namespace."""
    guards = {guard for text in with_headers(source).values() for guard in _GUARD.findall(text)}
    outside = [f"#include <{name}>" for name in ("math.h", "string.h", "float.h", "limits.h", "stdint.h", "stdlib.h")]
    return [
        *outside,
        "#define restrict __restrict__",
        "#define _Static_assert static_assert",
        "#define SYMLIE_VALUES 1",
        "namespace without_tangents {",
        *lines,
        "}",
        "#undef SYMLIE_VALUES",
        *(f"#undef {name}" for name in (*sorted(guards), "HAS_TANGENTS", "VALUES_FIRST")),
    ]


def _bandwidth(layout: Layout) -> str:
    """Bandwidth of the Schur complement of a chain as a compile-time constant, for an unrolled elimination.

    It depends on the model definition only, so other topologies use the same library.
    """
    rows = 0 if layout.is_fixed else max((e.rows for e in layout.elements), default=0)
    bandwidth = 2 * rows - 1
    return f"#define NARROW_BANDWIDTH {bandwidth}\n" if 0 < bandwidth <= LARGEST_NARROW_BANDWIDTH else ""


def kernel_sets(method: Method, layout: Layout) -> tuple[str, ...]:
    """Kernel sets that the time loop of a method includes."""
    of_nodes = (method.kernel_set,) if method.kernel_set else ()
    if method.element_set is not None:
        return (*of_nodes, method.element_set, *(["tangent"] if method.takes_element_matrix else []))
    if method.iteration(layout) is None:
        return of_nodes
    return (*of_nodes, *newton_sets(layout), "tangent")


def driver_source(method: Method, mechanics: Mechanics, sets: Sequence[str] = ()) -> dict[str, str]:
    """Source files that add the time loop of a method to a model: tableau, step, and the file to compile."""
    features = features_of(mechanics, compiled=True)
    lines = [
        f"/* Coefficients of {method.name}. {method.tableau.source} */",
        f"#define STARTS_FROM_MULTIPLIERS {int(method.starts_from_multipliers(features))}",
        *method.own_constants(),
        *method.composition_constants(),
        *method.constants(),
    ]
    if method.steps_over(mechanics.layout):
        lines += ["#define STEPS_CONTACTS 1", f"#define OWN_CHANGES {int(len(mechanics.layout.changes) > 0)}"]
        if not method.locates_events(mechanics.layout):
            lines += ["#undef HAS_EVENTS", "#define HAS_EVENTS 0"]
        rows = mechanics.open_rows
        lines.append(f"#define HAS_CONTACTS_ALONE {int(features.has_contacts_alone)}")
        lines.append(f"#define OPEN_SOLVES {int(rows.uses_complement)}")
        if rows.uses_complement and not mechanics.layout.is_fixed:
            lines.append(c_integers("OPEN_TYPE", [int(not found) for found in rows.of_layout.types_of_contacts]))
    further = [f"{mechanics.layout.name}_{name}.h" for name in sets]
    after = [
        "constants.h",
        mechanics.algebra_header,
        "tableau.h",
        "method.h",
        method.header,
        "driver.h",
        "members.h",
        "shorter_steps.h",
    ]
    includes = [f"{mechanics.layout.name}.c", *further, *after]
    defined = ["#define SYMLIE_TIME_LOOP"]
    if not (sets or method.own):
        defined.append("#define SYMLIE_EXPLICIT_STEPS")
    samples = [
        f"#define EVENT_SAMPLES {len(NODES)}",
        c_vector("EVENT_NODE", NODES),
        c_matrix("BERNSTEIN", BERNSTEIN),
        f"#define EVENT_CHECKS {len(CHECKS)}",
        c_vector("EVENT_CHECK", CHECKS),
        c_vector("CUBIC", CUBIC),
    ]
    return {
        **constants_header(),
        **method.step_files(features),
        "tableau.h": "\n".join(lines) + "\n",
        "event_tables.h": "\n".join(samples) + "\n",
        "driver.c": "\n".join([*defined, *(f'#include "{name}"' for name in includes), ""]),
    }
