"""``python -m evaluator`` is ``touchstone-eval``."""

import sys

from evaluator.cli import main

if __name__ == "__main__":
    sys.exit(main())
