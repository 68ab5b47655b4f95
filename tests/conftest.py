# What all tests share: the switch that rewrites expected texts, and the way to import helpers that stand beside tests.
# Nothing here touches the network; every engine is closed by the fixture that opened it.
from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from runner.jobs.engine import Engine
from runner.jobs.engines import make_engine

sys.path.insert(0, str(Path(__file__).parent))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-goldens", action="store_true", help="Rewrite expected texts.")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--update-goldens") and os.environ.get("CI"):
        raise pytest.UsageError("--update-goldens is refused in CI")


@pytest.fixture
def update_goldens(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-goldens"))


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    engine = make_engine(slots=2)
    yield engine
    engine.close()
