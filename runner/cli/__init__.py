# The `labsheet` command: arguments, progress, printing, exit codes.
# The only room that talks to the terminal; what it prints is computed elsewhere.
from __future__ import annotations

from runner.cli.command import main

__all__ = ["main"]
