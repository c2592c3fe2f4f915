"""Case k of a seed: which kind, and which mistake."""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.mistakes.case import Case
from tests.mistakes.command_lines import bad_command_line
from tests.mistakes.damaged_files import bad_file
from tests.mistakes.model_files import bad_model_file
from tests.mistakes.tableaux import bad_tableau

KINDS: dict[str, Callable[[random.Random], Case]] = {
    "command line": bad_command_line,
    "model file": bad_model_file,
    "tableau": bad_tableau,
    "file": bad_file,
}
"""Description of the mistake."""

_SHARES = ("command line", "model file", "command line", "tableau", "model file", "command line", "file", "model file")


def drawn_case(seed: int, number: int) -> Case:
    """The case ``SEED:NUMBER``."""
    return KINDS[_SHARES[number % len(_SHARES)]](random.Random(f"{seed}:{number}"))
