"""`python -m app.cli`, the same as the `waypost` command."""

import sys

from app.cli import main

if __name__ == "__main__":
    sys.exit(main())
