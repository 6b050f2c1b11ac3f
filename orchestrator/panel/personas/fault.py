"""Faults of a template: where, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass, field

from orchestrator.core.errors import PersonaError


@dataclass(frozen=True, slots=True)
class Finding:
    """One place where a template breaks its format; the message says what to do."""

    path: str
    line: int | None  # 1-based; None when it concerns the whole file or folder
    message: str

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}, line {self.line}"
        return f"{place}: {self.message}"


@dataclass(slots=True)
class Findings:
    """The findings of one file, collected while it is read.

    A reader refuses on the first one; a checker lists them all.
    """

    path: str
    found: list[Finding] = field(default_factory=list)

    def add(self, line: int | None, message: str) -> None:
        self.found.append(Finding(self.path, line, message))

    def in_order(self) -> list[Finding]:
        return sorted(self.found, key=lambda finding: finding.line or 0)

    def refuse(self) -> None:
        """Raise `PersonaError` with the first finding in the file, if there is one."""
        if self.found:
            raise PersonaError(str(self.in_order()[0]), file=self.path)
