"""The process of the command ``symlie``, which is ``python -m symlie``, too."""

import gc
import sys

MANY_OBJECTS = 300_000
"""Between two looks for cycles: more than SymPy's modules and the derivation of a model, in which none are found."""


def process() -> int:
    """Run the command that the process was started for, and return its exit code."""
    gc.set_threshold(MANY_OBJECTS, *gc.get_threshold()[1:])
    from symlie.cli import main

    try:
        return main()
    finally:
        # What is left ends with the process: nothing is gained by a last look for cycles in all of it.
        gc.freeze()


if __name__ == "__main__":
    sys.exit(process())
