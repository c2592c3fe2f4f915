"""Entry point of ``python -m symlie.certify.checker FILE``."""

import sys

from symlie.certify.checker.check import main

sys.exit(main())
