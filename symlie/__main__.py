"""``python -m symlie`` is the command ``symlie``."""

import sys

from symlie.cli import main

if __name__ == "__main__":
    sys.exit(main())
