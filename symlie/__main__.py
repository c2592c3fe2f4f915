"""The process of the command ``symlie``, which is ``python -m symlie``, too."""

import gc
import sys

from symlie.cli import main


def process() -> int:
    """Run the command that the process was started for, and return its exit code."""
    try:
        return main()
    finally:
        # What is left ends with the process: nothing is gained by a look for cycles in all of SymPy.
        gc.freeze()


if __name__ == "__main__":
    sys.exit(process())
