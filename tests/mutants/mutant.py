"""What a mutant is: a piece of a source file, what stands there instead, and the tests that must fail then."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

COMPILED = "compiled"


@dataclass(frozen=True)
class Mutant:
    """`file` is below src/bunraku and holds `old` exactly once; `tests` are ids below tests/.

    plain: they run with NUMBA_DISABLE_JIT=1, so that nothing is compiled."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]
    plain: bool = True

    @property
    def folder(self) -> str:
        """The first part of the file's path."""
        return self.file.split("/")[0]

    def put_into(self, package: Path) -> str:
        """Change the file in a copy of the package; returns the text that stood there."""
        path = package / self.file
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(self.old, self.new), encoding="utf-8")
        return text

    def trouble(self, root: Path) -> str:
        """Why it cannot be tried in the repository at `root`; "" where it can."""
        path = root / "src/bunraku" / self.file
        if not path.is_file():
            return f"{self.name}: there is no file src/bunraku/{self.file}."
        count = path.read_text(encoding="utf-8").count(self.old)
        if count != 1:
            return f"{self.name}: src/bunraku/{self.file} has {count} times {self.old!r}, not once."
        if self.old == self.new or not self.tests:
            return f"{self.name}: it changes nothing, or names no test."
        for test in self.tests:
            file, _, function = test.partition("::")
            path = root / "tests" / file
            name = function.split("[")[0]
            if not path.is_file() or (name and f"def {name}(" not in path.read_text(encoding="utf-8")):
                return f"{self.name}: there is no test tests/{test}."
        return ""


def mutants(*rows: tuple[str, ...]) -> tuple[Mutant, ...]:
    """Rows (name, file, old, new, tests), tests separated by blanks; a sixth word, COMPILED, lets kernels be compiled:
    for mutants outside of them, whose tests are long."""
    return tuple(
        Mutant(name, file, old, new, tuple(tests.split()), COMPILED not in options)
        for name, file, old, new, tests, *options in rows
    )
