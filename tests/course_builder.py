# Builds a course in a folder, file by file, and the site from it with the real MkDocs in a process of its own.
# Chainable: `CourseBuilder(tmp_path).lesson("p/01-x.md", body).build()`.
from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Self

ROOT = Path(__file__).resolve().parents[1]
FRONT = "---\ntitle: {title}\nsummary: A lesson.\ndifficulty: easy\ntopic: Tests\nminutes: 5\n{more}---\n"
CONFIG = """\
site_name: Test course
site_url: https://example.org/course/
use_directory_urls: true
theme:
  name: material
  font: false
plugins: [search]
hooks: ["{hook}"]
markdown_extensions: [admonition, tables, toc, pymdownx.superfences, "pymdownx.tabbed": {{alternate_style: true}}]
extra:
  labsheet: {{jobs: 2}}
"""


@dataclass(frozen=True)
class Built:
    """What a build said and left."""

    status: int
    output: str
    site: Path


class CourseBuilder:
    """A course in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file("mkdocs.yml", CONFIG.format(hook=(ROOT / "hooks" / "lessons.py").as_posix()))
        self.file("docs/index.md", "# Home\n\nWelcome.\n")
        self.path("p")

    def file(self, name: str, text: str | bytes) -> Self:
        """Writes a file."""
        place = self.folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode() if isinstance(text, str) else text)
        return self

    def path(self, name: str, more: str = "") -> Self:
        """Writes a path's index.md."""
        return self.file(
            f"lessons/{name}/index.md", f"---\ntitle: Path {name}\nsummary: A path.\norder: 1\n{more}---\n"
        )

    def lesson(self, name: str, body: str, more: str = "") -> Self:
        """Writes a lesson with front matter."""
        return self.file(f"lessons/{name}", FRONT.format(title=f"Lesson {name}", more=more) + body)

    def build(
        self,
        *arguments: str,
        cwd: Path | None = None,
        env: dict[str, str] | None = None,
        python: str = sys.executable,
        engine: str = "mkdocs",
    ) -> Built:
        """Runs `mkdocs build` on the course."""
        command = [python, "-m", engine, "build", "-f", str(self.folder / "mkdocs.yml"), *arguments]
        environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", **(env or {})}
        done = subprocess.run(
            command, cwd=cwd or self.folder, env=environment, capture_output=True, text=True, timeout=600, check=False
        )
        return Built(done.returncode, done.stdout + done.stderr, self.folder / "site")
