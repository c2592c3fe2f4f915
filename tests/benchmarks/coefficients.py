"""Cost of the coefficient functions c1 c2 c3 c2_1 c3_1 g0 g1 together, against the switched pairs of the papers.

    python tests/benchmarks/coefficients.py

Prints nanoseconds for all seven at angles of several sizes: one call after the other waits for its predecessor
(latency), calls do not wait (throughput), and all values of an array; ours then are the emitted functions
``PREFIX_c2_array`` of `symlie operators`. The switched pairs take ω = √z, as the papers do, and their closed forms
share sin ω and cos ω.
"""

from __future__ import annotations

import ctypes
import statistics
import tempfile
from pathlib import Path

import numpy as np
from handwritten import stay_on_one_processor

from symlie.certify.source_text import function_text
from symlie.certify.subjects import named_subject
from symlie.compile.compiler import flags, run_compiler
from symlie.derive.operators.group import group_operators
from symlie.emit.operators.files import emit_operators
from symlie.groups.standard import group_from_name

KINDS = ("switched", "ours")
NAMES = ("c1", "c2", "c3", "c2_1", "c3_1", "g0", "g1")

CLOCK = """
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}
"""

SWITCHED = """
static inline void switched(double z, double *out)
{
    const double w = sqrt(z), s = sin(w), c = cos(w);
    out[0] = w < 1e-4 ? 1 - z / 6 : s / w;
    out[1] = w < 1e-2 ? 0.5 - z / 24 + z * z / 720 : (1 - c) / z;
    out[2] = w < 1e-4 ? 1.0 / 6 - z / 120 + z * z / 5040 : (w - s) / (w * z);
    out[3] = w < 1e-1 ? -(1.0 / 12 - z / 180 + z * z / 6720 - z * z * z / 453600) : -(2 - 2 * c - w * s) / (z * z);
    out[4] = w < 1e-1 ? -(1.0 / 60 - z / 1260 + z * z / 60480 - z * z * z / 4989600)
                      : -(w * (2 + c) - 3 * s) / (w * z * z);
    out[5] = w < 1e-2 ? 1.0 / 12 + z / 720 + z * z / 30240 : (1 - w / 2 * s / (1 - c)) / z;
    out[6] = w < 1e-1 ? 1.0 / 360 + z / 7560 + z * z / 201600 : (w * s + 4 * c + z - 4) / (2 * z * z * (1 - c));
}
"""

LOOPS = """
double time_latency_NAME(const double *z, double *all, long long n)
{
    double out[7], chain = 0;
    const double t = now();
    for (long long i = 0; i < n; i++) {
        NAME(z[i] + 0 * chain, out);
        chain = out[0] + out[1] + out[2] + out[3] + out[4] + out[5] + out[6];
    }
    all[0] = chain;
    return (now() - t) / n;
}
double time_throughput_NAME(const double *z, double *all, long long n)
{
    double sum = 0;
    const double t = now();
    for (long long i = 0; i < n; i++) {
        double out[7];
        NAME(z[i], out);
        sum += out[0] + out[1] + out[2] + out[3] + out[4] + out[5] + out[6];
    }
    all[0] = sum;
    return (now() - t) / n;
}
"""

ARRAYS = """
double time_array_switched(const double *restrict z, double *restrict all, long long n)
{
    const double t = now();
    for (long long i = 0; i < n; i++) {
        double out[7];
        switched(z[i], out);
        for (int k = 0; k < 7; k++) all[k * n + i] = out[k];
    }
    return (now() - t) / n;
}
double time_array_ours(const double *z, double *all, long long n)
{
    const double t = now();
    ARRAY_CALLS
    return (now() - t) / n;
}
"""

COUNT = 4096
REPETITIONS = 41


def source() -> str:
    """C of both, with the loops that time them."""
    lines = ["#define _POSIX_C_SOURCE 199309L", "#include <math.h>", "#include <stddef.h>", "#include <time.h>"]
    lines += ["#define SYMLIE_COLD __attribute__((noinline, cold)) static"]
    lines += ["#define SYMLIE_UNLIKELY(x) __builtin_expect(!!(x), 0)"]
    lines += [function_text(named_subject(n).source, f"symlie_{n}") for n in NAMES]
    calls = " ".join(f"out[{k}] = symlie_{n}(z);" for k, n in enumerate(NAMES))
    lines.append(f"static inline void ours(double z, double *out) {{ {calls} }}")
    stand_alone = emit_operators(group_operators(group_from_name("SE3")), "c", "se3")["se3.c"]
    lines.append(stand_alone.replace('#include "se3.h"', ""))
    lines += [CLOCK, SWITCHED, *(LOOPS.replace("NAME", kind) for kind in KINDS)]
    calls = " ".join(f"se3_{n}_array((size_t)n, z, all + {k} * n);" for k, n in enumerate(NAMES))
    return "\n".join([*lines, ARRAYS.replace("ARRAY_CALLS", calls)]) + "\n"


def main() -> None:
    """Compile, time, and print."""
    stay_on_one_processor()
    generator = np.random.default_rng(1)
    angles = {
        "1e-8 … 1e-4": 10 ** generator.uniform(-8, -4, COUNT),
        "1e-4 … 1e-2": 10 ** generator.uniform(-4, -2, COUNT),
        "1e-2 … 0.1": 10 ** generator.uniform(-2, -1, COUNT),
        "0.1 … π": generator.uniform(0.1, np.pi, COUNT),
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "bundle.c")
        path.write_text(source())
        run_compiler(path, Path(folder, "bundle.so"), flags("default"))
        library = ctypes.CDLL(str(Path(folder, "bundle.so")))
        work = np.empty(7 * COUNT)
        print("| ω in rad | loop | thresholds, ns | symlie, ns | ratio |\n|---|---|---|---|---|")
        for label, omega in angles.items():
            z = np.ascontiguousarray(omega**2)
            for loop in ("latency", "throughput", "array"):
                times: dict[str, list[float]] = {k: [] for k in KINDS}
                for _ in range(REPETITIONS):
                    for kind in KINDS:
                        call = getattr(library, f"time_{loop}_{kind}")
                        call.restype = ctypes.c_double
                        pointers = (ctypes.c_void_p(z.ctypes.data), ctypes.c_void_p(work.ctypes.data))
                        times[kind].append(call(*pointers, ctypes.c_longlong(COUNT)))
                a, b = (statistics.median(times[k]) for k in KINDS)
                print(f"| {label} | {loop} | {a:.1f} | {b:.1f} | {a / b:.2f} |", flush=True)


if __name__ == "__main__":
    main()
