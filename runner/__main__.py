# `python -m runner` is the `labsheet` command.
# It stands here, since a package is run by this name.
from __future__ import annotations

from runner.cli import main

if __name__ == "__main__":
    main()
