"""Files of tableaux that hold none."""

from __future__ import annotations

import random
import re

from tests.mistakes.case import TABLEAU, Case

JUNK = (
    '""', '"x"', '"1/0"', '"1e400"', '"1.0e999"', '"' + "9" * 5000 + '"', '"1/' + "9" * 5000 + '"', "9" * 5000,
    '"sqrt(-1)"', '"sqrt(4)"', '"sqrt(' + "7" * 60 + ')"', '"sqrt(99999999999999977)"', '"1.' + "3" * 5000 + '"', "nan",
    "inf", "-inf", "1e308", "true", "[]", "[[]]", "[[[]]]", "{}", '[["1/2"]]', '["1", "2", "3"]', "1979-05-27", "-1",
    "0", "999999999", "1.5", '"' + "1+" * 3000 + '1"', '"0.' + "0" * 400 + '1"', '"1e-400"', '"\\u0000"', '"../../x"',
    '"' + "x" * 5000 + '"', "[" * 500 + "]" * 500, '"1/3 + sqrt(2) + sqrt(3)"', '"-7*sqrt(3)/108"', "0x10",
    '"0.1e99999"',
)  # fmt: skip

LINES = (
    'family = "half_explicit"\ns = 2\nd = ["0", "1"]', 'family = "commutator_free"\nstages = [{}]\nresult = {}',
    'family = "crouch_grossman"', "commutators = 999999999", "commutators = -1", "brackets = [1]", "brackets = 3",
    'brackets = [{row = 3, weight = "1", first = 1, second = 2}]', "other = 1", "s = 99", "c = [0, 1]",
    'stages = [{from = "Y9", exps = [["1"]]}]', "a = []", "b = []",
)  # fmt: skip


def bad_tableau(draw: random.Random) -> Case:
    """A tableau with some values changed, checked or run."""
    lines = TABLEAU.splitlines()
    for _ in range(draw.choice((1, 1, 2, 3))):
        place = draw.randrange(len(lines))
        change = draw.randrange(5)
        if change == 0:
            lines[place] = re.sub(r"=.*", lambda _: "= " + draw.choice(JUNK), lines[place])
        elif change == 1:
            lines[place] = re.sub(r'"[^"]*"', lambda _: draw.choice(JUNK), lines[place], count=1)
        elif change == 2:
            added = draw.choice(LINES)
            keys = [line.split(" ")[0] for line in added.splitlines()]
            lines = [line for line in lines if line.split(" ")[0] not in keys] + added.splitlines()
        elif change == 3 and len(lines) > 1:
            del lines[place]
        else:
            lines[place] = lines[place][: draw.randrange(1 + len(lines[place]))]
    content: str | bytes = "\n".join(lines)
    if draw.random() < 0.1:
        content = bytes(draw.randrange(256) for _ in range(draw.choice((0, 10, 1000))))
    run = ("run", "point.py", "--backend", "numpy", "--h", "0.1", "--t-end", "0.2", "--method", "bad.toml")
    return Case(draw.choice((("order", "bad.toml", "--exact-only"), run)), {"bad.toml": content})
