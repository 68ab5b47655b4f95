# Finds a Python that Labsheet runs on and hands the set-up to it: `set_up.py site|lint|test [PYTHON]`.
# Old syntax and no annotations throughout, so that any Python answers with a sentence and not with a SyntaxError.
# ruff: noqa: ANN001, ANN201, PTH100, PTH118, PTH120
import os
import subprocess
import sys

OLDEST = (3, 11)
NEWEST = (3, 13)
OTHERS = ["python3.13", "python3.12", "python3.11"]


def find_version(command):
    """The (major, minor) of a Python command; None where it does not run."""
    program = "import sys; sys.stdout.write(' '.join(str(part) for part in sys.version_info[:2]))"
    try:
        child = subprocess.Popen([command, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except OSError:
        return None
    words = child.communicate()[0].split()
    return tuple(int(word) for word in words) if child.returncode == 0 and len(words) == 2 else None


def choose_python(candidates, find):
    """The first command whose version fits, or None; and (command, version) of those before it that do not fit."""
    unfit = []
    for command in candidates:
        version = find(command)
        if version is not None and OLDEST <= version <= NEWEST:
            return command, unfit
        unfit.append((command, version))
    return None, unfit


def describe_unfit(unfit):
    """What stands in the way of each command, as one line."""
    words = []
    for command, version in unfit:
        fault = "does not run" if version is None else "is " + ".".join(str(part) for part in version)
        words.append(command + " " + fault)
    return ", ".join(words)


def main(arguments):
    """Looks for a Python and lets it do the set-up; returns the exit status, 1 where there is none."""
    level = arguments[0] if arguments else ""
    if level not in ("site", "lint", "test"):
        sys.stderr.write("set-up: say what it is for: set_up.py site|lint|test [PYTHON]\n")
        return 2
    given = arguments[1] if len(arguments) > 1 else ""
    chosen, unfit = choose_python([given or sys.executable] + OTHERS, find_version)  # noqa: RUF005
    if chosen is None:
        sys.stderr.write("set-up: Labsheet needs a Python 3.11 to 3.13: " + describe_unfit(unfit) + "\n")
        sys.stderr.write(
            "    Install one (Debian, Ubuntu: python3 and python3-venv; macOS: brew install python@3.13)\n"
        )
        sys.stderr.write("    or name one: make site PYTHON=/path/to/python3\n")
        return 1
    if unfit:
        sys.stderr.write("set-up: " + describe_unfit(unfit) + "; taking " + chosen + "\n")
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "environment.py")
    # A Python that was asked for by name replaces another in .venv; one that was merely found does not.
    wish = "given" if given and chosen == given else "found"
    return subprocess.call([chosen, program, level, wish])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
