"""`python -m bunraku` is `bunraku`."""

import sys

from bunraku.cli import main

sys.exit(main())
