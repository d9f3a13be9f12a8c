# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings (.lhrun, SQLite) as tables. This needs no cluster and no program of the lab."""
import hashlib
import os
import pathlib
import sqlite3
from typing import Any, Mapping, Optional, Sequence, Union

from .errors import LabError
from .shown import Shown

_APPLICATION = 0x4C485253   # "LHRS"
_VERSIONS = (2, 3)  # file versions with the tables that are read here
_WITH_LOG = 2               # byte 18 of the file: a log belongs to it, as while it is being written
#: The views of a recording; scenarios/DATA.md explains their columns.
VIEWS = ("operation", "message", "split", "merge", "parity_creation", "recovery", "failure", "fault")


class RecordedTable(Shown):
    """Rows of a recording, each a dict. A notebook displays it, and ``to_pandas()`` returns a DataFrame."""

    def __init__(self, name: str, columns: Sequence[str], rows: list[dict[str, Any]]) -> None:
        self.name = name
        self.rows = rows
        self._columns = list(columns)

    @property
    def columns(self) -> list[str]:
        """The columns, in order."""
        return list(self._columns)


class Recording:
    """A recorded run, opened for reading: ``Recording("run.lhrun")``, also as a context manager.

    LabError BadArgument: the file is not a recording, or its version has no views (lhrs-gui --export reads those);
    Refused: it has no end, because its program was killed (open it in the window and save it: that makes the
    tables).
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"]) -> None:
        self.path = pathlib.Path(path)
        try:
            with self.path.open("rb") as file:
                header = file.read(100)
        except OSError as error:
            raise LabError("BadArgument", f"{self.path} cannot be read: {error.strerror}.") from None
        if header[:16] != b"SQLite format 3\0" or int.from_bytes(header[68:72], "big") != _APPLICATION:
            raise LabError("BadArgument", f"{self.path} is not a recording.")
        version = int.from_bytes(header[60:64], "big")
        if version not in _VERSIONS:
            raise LabError("BadArgument", f"{self.path} is a recording of version {version}; versions {_VERSIONS[0]} and {_VERSIONS[1]} have the tables.",
                           "lhrs-gui --export FILE --out DIR writes CSV files of any version.")
        if header[18] == _WITH_LOG:
            raise LabError("Refused", f"{self.path} has no end, or is being written.",
                           "Open it with lhrs-gui --export FILE --out DIR: that reads it as far as it goes.")
        # immutable: the file is not written, so no file is made beside it and a read-only folder is enough.
        self._base = sqlite3.connect(self.path.resolve().as_uri() + "?immutable=1", uri=True)
        self._base.execute("PRAGMA trusted_schema = OFF")

    def __enter__(self) -> "Recording":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file; tables that were read stay valid."""
        self._base.close()

    @property
    def meta(self) -> dict[str, str]:
        """Where and how it was recorded: program, machine, started_utc, seed, ..."""
        return dict(self._run("SELECT key, value FROM meta ORDER BY key").fetchall())

    def table(self, name: str) -> RecordedTable:
        """A view (VIEWS) or any other table of the file by its name."""
        known = [row[0] for row in self._run("SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name")]
        if name not in known:
            raise LabError("BadArgument", f"{self.path} has no table {name!r}.", f"It has {', '.join(known)}.")
        return self.sql(f'SELECT * FROM "{name}"', name=name)

    def sql(self, query: str, parameters: Union[Sequence[Any], Mapping[str, Any]] = (), name: str = "query") -> RecordedTable:
        """The rows of a SELECT. LabError BadArgument: SQLite does not understand it, or the file is damaged there."""
        cursor = self._run(query, parameters)
        columns = [column[0] for column in cursor.description or ()]
        try:
            return RecordedTable(name, columns, [dict(zip(columns, row)) for row in cursor])
        except sqlite3.Error as error:
            raise LabError("BadArgument", f"{self.path}: {error}.") from None

    def damage(self) -> Optional[str]:
        """How the file differs from what was written, in one sentence; None: it does not differ. Reads the whole
        file."""
        said: dict[str, list[tuple[int, int, int, str]]] = {}
        try:
            for name, first, last, rows, total in self._base.execute("SELECT name, first, last, rows, sum FROM segment"):
                said.setdefault(name, []).append((first, last, rows, total))
            words = [] if said else ["its checksums are gone"]
            for (name,) in self._base.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'segment' ORDER BY name").fetchall():
                words += self._difference(name, said.get(name, []))
        except sqlite3.Error as error:
            words = [str(error)]
        return f"{self.path} is damaged: {'; '.join(words)}." if words else None

    def _difference(self, table: str, parts: list[tuple[int, int, int, str]]) -> list[str]:
        columns = [row[1] for row in self._base.execute(f'PRAGMA table_info("{table}")')]
        cells = " || ',' || ".join("CASE typeof(value) WHEN 'real' THEN printf('%.12e', value) ELSE quote(value) END" if column == "value"
                                   else f"quote({column})" for column in columns)
        there, changed, missing = 0, 0, 0
        for first, last, rows, total in parts:
            lines = [line for (line,) in self._base.execute(f'SELECT {cells} FROM "{table}" NOT INDEXED WHERE rowid BETWEEN ? AND ? ORDER BY rowid', (first, last))]
            there += len(lines)
            missing += max(0, rows - len(lines))
            if hashlib.blake2b(";".join(lines).encode("utf-8"), digest_size=20).hexdigest() != total:
                changed += len(lines)
        words = []
        if missing:
            words.append(f"the table {table} lacks {missing} of {sum(part[2] for part in parts)} rows")
        if changed:
            words.append(f"the table {table} has changes among {changed} rows")
        foreign = self._base.execute(f'SELECT count(*) FROM "{table}" NOT INDEXED').fetchone()[0] - there
        if foreign:
            words.append(f"the table {table} has {foreign} rows that the recording did not write")
        return words

    def _run(self, query: str, parameters: Union[Sequence[Any], Mapping[str, Any]] = ()) -> sqlite3.Cursor:
        try:
            return self._base.execute(query, parameters)
        except sqlite3.Error as error:
            raise LabError("BadArgument", f"{self.path}: {error}.") from None
