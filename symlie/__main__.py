"""Entry point of the command ``symlie`` and of ``python -m symlie``."""

import gc
import sys

MANY_OBJECTS = 300_000
"""Garbage collection threshold: more objects than SymPy's modules and a derivation create, which contain no cycles."""


def process() -> int:
    """Run the command of this process and return its exit code."""
    gc.set_threshold(MANY_OBJECTS, *gc.get_threshold()[1:])
    from symlie.cli import main

    try:
        return main()
    finally:
        # The process ends here, so a last garbage collection would only cost time.
        gc.freeze()


if __name__ == "__main__":
    sys.exit(process())
