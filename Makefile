# The commands of the project. Each does its own set-up, which costs nothing where nothing changed.
# Relative paths only: the checkout may lie below a folder with spaces or umlauts in its name.

# A Python 3.11 to 3.13 to build .venv with; without it python3, else whichever of them is on PATH.
PYTHON ?=
# Material prints a banner about the next MkDocs at each start; the answer is in the README.
export NO_MKDOCS_2_WARNING = 1

starter = $(or $(PYTHON),python3)
set_up = @command -v "$(starter)" > /dev/null || { \
	echo "set-up: there is no $(starter) here" >&2; \
	echo "    Install a Python 3.11 to 3.13, or name one: make $@ PYTHON=/path/to/python3" >&2; exit 1; }; \
	"$(starter)" .ci/set_up.py
# Fences in lessons are laid out by their authors, for readers; ruff would format those in Markdown as well.
lint = .venv/bin/ruff check . && .venv/bin/ruff format --check . && .venv/bin/mypy --strict runner hooks

.PHONY: site test serve lint bench clean

site:
	$(set_up) site "$(PYTHON)"
	.venv/bin/mkdocs build --strict

test:
	$(set_up) test "$(PYTHON)"
	$(lint)
	CHROMIUM="$${CHROMIUM:-$$(cat .venv/set-up-chromium)}" .venv/bin/pytest

serve:
	$(set_up) site "$(PYTHON)"
	.venv/bin/mkdocs serve

lint:
	$(set_up) lint "$(PYTHON)"
	$(lint)

bench:
	$(set_up) site "$(PYTHON)"
	.venv/bin/python tests/bench/price_of_a_job.py

# .venv itself stays: it is gigabytes. Without its stamps the next make looks it over again.
clean:
	rm -rf site .cache build dist labsheet.egg-info .mypy_cache .ruff_cache .pytest_cache
	rm -f .venv/set-up-*
	find . -name .venv -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +
