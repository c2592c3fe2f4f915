"""Model files that state something else than a model."""

from __future__ import annotations

import random

from tests.mistakes.case import POINT, Case

JUNK = (
    "None", "True", "'text'", "''", "[]", "{}", "()", "object()", "lambda: 0", "1j", "nan", "inf", "10**400",
    "-10**400",
    "'x' * 10000", "'\\0'", "sl.vector()", "sl.vector(1, 2)", "sl.vector(1, 2, 3, 4)", "q", "q.x", "q.x[0]", "q.x_dot",
    "q.x_dot[0] ** 2", "q.x[0] ** (10**6)", "q.x[0] ** (10**400)", "10**400 * q.x[0]", "nested(3000, q.x[0])",
    "nested(40, q.x[0])", "q.x[5]", "q.x[-1]", "q.x['0']", "q.y", "m", "sl", "sl.sin", "sl.sin(q.x)", "sl.sqrt(-1)",
    "1 / (q.x[0] - q.x[0])", "q.x[0] / 0", "sl.log(0) * q.x[0]", "math.sin(q.x[0])", "np.array([1.0])", "np.eye(3)",
    "np.array([object()])", "np.nan * q.x[0]", "q.x[0] > 0", "q.x + 1", "q.x * q.x", "u", "u[0]", "k", "k[0]", "m.t",
    "sum(q.x[0] ** n for n in range(300))", "sympy.Symbol('stray')", "sympy.oo", "sympy.zoo", "sympy.I * q.x[0]",
    "sympy.Function('f')(q.x[0])", "sympy.Integral(q.x[0], q.x[0])", "sympy.Piecewise((1, q.x[0] > 0))",
    "sympy.Matrix(0, 0, [])", "sympy.gamma(q.x[0])", "b'bytes'", "range(10**9)", "iter([])", "float", "...",
)  # fmt: skip
"""Expressions that serve nowhere, or not everywhere."""

NAMES = (
    "None", "''", "'a b'", "'1'", "'q'", "'push'", "'stiffness'", "'x' * 3000", "'\\0'", "'double'", "'def'", "'t'",
    "'ü'", "'a\\nb'", "3", "['a']", "'../x'", "'__'",
)  # fmt: skip

STATEMENTS = (
    "m.kinetic_energy({junk})", "m.potential_energy({junk})", "m.dissipation({junk})", "m.parameter({name}, {junk})",
    "m.parameter({name}, 1.0, unit={junk})", "m.input({name}, {junk})", "m.input({name})",
    "m.constraint({name}, {junk})",
    "m.nonholonomic_constraint({name}, {junk})", "m.output({name}, {junk})", "m.event({name}, {junk})",
    "m.initial(q, x={junk})", "m.initial(q, {{{name}: 1.0}})", "m.initial({junk}, x=[1])", "m.node({name}, {junk})",
    "m.node({name}, 'SE3').x", "m.node('z', 'x'.join(['SO3'] * 300))", "m.node_array({name}, 'R3', {junk})",
    "m.force({junk}, at={junk})", "m.torque({junk}, on={junk})", "m.generalized_force({junk}, x_dot={junk})",
    "m.prescribe({junk}, {junk})", "m.add({junk}, {junk})", "sl.ElementType({name}, node={junk})",
    "sl.Model({junk})", "sl.lie_group({name}, {junk})", "sl.group_from_name({junk})",
    "sl.CosseratRod(m, {name}, {junk})",
    "sl.select({junk}, {junk}, {junk})", "sl.vector({junk})", "m.derive().compile(backend={junk})", "m.{junk}",
    "sl.solve(m.derive().compile(backend='numpy'), {junk})",
    "sl.solve(m.derive().compile(backend='numpy'), 0.1, h={junk})",
    "sl.solve(m.derive().compile(backend='numpy'), 0.1, rtol={junk})",
    "sl.solve(m.derive().compile(backend='numpy'), 0.1, method={junk})",
    "sl.solve(m.derive().compile(backend='numpy'), 0.1, t_eval={junk})",
    "sl.solve(m.derive().compile(backend='numpy'), 0.1, h=0.1, record_every={junk})",
    "m.derive().compile(backend='numpy').with_parameters(stiffness={junk})",
    "m.derive().compile(backend='numpy').with_initial('q', x={junk})",
    "m.derive().compile(backend='numpy').with_input('push', times={junk}, values={junk})",
)  # fmt: skip

ENDS = (
    "raise SystemExit", "raise SystemExit(0)", "sys.exit(0)", "sys.exit('text')", "raise GeneratorExit",
    "raise Own", "raise Own('x' * 100000)", "raise BaseException", "raise StopIteration",
    "raise ValueError('\\n' * 50)",
    "raise KeyError", "raise MemoryError", "raise OSError(28, 'No space left on device')", "quit()", "return 1",
    "return",
    "return sl.Model", "return build", "return [m]", "build()", "raise Exception('x\\0y')", "raise UnicodeError",
    "assert False", "yield m", "1 / 0", "del m; return m", "raise RecursionError", "raise ImportError",
    "raise BrokenPipeError", "raise FileNotFoundError(2, 'No such file', 'x' * 100000)",
)  # fmt: skip

TOPS = (
    "OPTIONS = None", "OPTIONS = []", "OPTIONS = 1", "OPTIONS = {'stiffness': 1}", "OPTIONS = {'stiffness': None}",
    "OPTIONS = {1: [2]}", "OPTIONS = {'stiffness': []}", "OPTIONS = {'stiffness': iter([1])}", "build = None",
    "build = 1",
    "del build", "build = lambda *a: None", "build = lambda a: None", "build = int", "build = sl.Model",
    "build = print",
    "__doc__ = 3", "import sys; sys.exit(0)", "raise SystemExit", "raise GeneratorExit", "raise KeyError", "(",
    "class Own(BaseException): ...\nraise Own", "import nowhere_at_all", "from symlie import nothing", "\tx = 1",
    "x = '\\ud800'", "def build(stiffness, other): ...", "sys = 1; sys.exit", "return",
)  # fmt: skip

HEAD = '''"""A model with a mistake."""
import math, sys
import numpy as np
import sympy
import symlie as sl
from math import inf, nan

class Own(BaseException): ...

def nested(depth, x):
    for _ in range(depth):
        x = sl.sin(x)
    return x

def build(stiffness=2.0):
    m = sl.Model("point")
    q = m.node("q", "R1")
    k = m.parameter("stiffness", stiffness)
    u = m.input("push")
    m.kinetic_energy(q.x_dot[0] ** 2 / 2)
    m.potential_energy(k * q.x[0] ** 2 / 2 - u * q.x[0])
    m.initial(q, x=[0.5])
'''


def bad_model_file(draw: random.Random) -> Case:
    """A model file, run."""
    kind = draw.randrange(10)
    text: str | bytes
    if kind < 6:
        statement = draw.choice(STATEMENTS)
        while "{junk}" in statement:
            statement = statement.replace("{junk}", draw.choice(JUNK), 1)
        statement = statement.replace("{name}", draw.choice(NAMES)).replace("{{", "**{").replace("}}", "}")
        text = f"{HEAD}    {statement}\n    return m\n"
    elif kind < 8:
        text = f"{HEAD}    {draw.choice(ENDS)}\n"
    elif kind == 8:
        text = f"{HEAD}    return m\n\n{draw.choice(TOPS)}\n"
    else:
        damaged = bytearray(POINT.encode())
        for _ in range(draw.choice((1, 3, 30))):
            damaged[draw.randrange(len(damaged))] = draw.randrange(256)
        text = bytes(damaged[: draw.choice((len(damaged), draw.randrange(len(damaged))))])
    words = ("run", "bad.py", "--backend", "numpy", "--h", "0.1", "--t-end", "0.2", "--out", "a.npz")
    return Case(words, {"bad.py": text})
