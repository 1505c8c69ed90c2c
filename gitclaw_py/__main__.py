"""``python -m gitclaw_py``."""

import sys

from gitclaw_py.cli import main

sys.exit(main())
