# SPDX-License-Identifier: GPL-3.0-or-later
"""A second watcher of the same cluster: an lhrs-play that judges the invariants from the events, and records the run
on request. It is queried line by line, in the language of scenarios."""
import json
import os
import pathlib
import select
import subprocess
import tempfile
import threading
import time
from typing import Any, Optional, Sequence

from . import messages as pb, run_clock
from .errors import CODES, LabError

_END_S = 30.0      # seconds; a recording gets its indexes at its end
_LINE_MAX = 1 << 20
_LINES_KEPT = 50

_EXITS = {2: "BadArgument", 3: "NoCluster"}   # of lhrs-play, as errors
EXIT_VIOLATED = 5  # an invariant was violated, and no expectation checked it


def scenario_of(config: Any, record_bytes: int) -> str:
    """A scenario that joins a cluster with these parameters (a FileConfig; None: a ring)."""
    words: dict[str, Any] = {"system": "walk", "recordBytes": record_bytes} if config is None else {
        "m": config.m, "k": config.availability, "b": config.b, "field": 8 if config.field == pb.GF_8 else 16, "recordBytes": record_bytes,
        "slice": config.slice or "auto", "split": "parallel" if config.parallel_splits else "serial", "rerank": "keep" if config.rerank == pb.KEEP else "fill",
        "thresholds": [one.buckets for one in config.thresholds],
        "recovery": {pb.RECOVERY_OFF: "off", pb.RECOVERY_ON_ALARM: "onAlarm", pb.RECOVERY_MANUAL: "manual"}.get(config.recovery, "automatic"),
        "decode": "rs" if config.decode == pb.DECODE_RS else "auto",
        "recoveryTransport": "udp" if config.recovery_transport == pb.RECOVERY_UDP else "tcp",
        "tcp": "handshake" if config.tcp_mode == pb.TCP_HANDSHAKE else "passive", "galois": config.galois or "simd",
        "logPrecalculus": not config.no_log_precalculus, "pureRs": config.pure_rs, "mixKeys": config.mix_keys, "merges": config.merges,
        "loadControl": config.load_control / 1000 if config.load_control else None}
    return ("// watch.js   @title Beside a script in Python   @minutes 1   @needs a cluster that runs\n"
            "// SPDX-License-Identifier: GPL-3.0-or-later\n"
            f"lab.cluster({json.dumps(words)});\n"
            "var kept = {};\n")


class Watcher:
    """A running lhrs-play. Its calls may come from several threads; one query is under way at a time."""

    def __init__(self, program: pathlib.Path, endpoint: str, scenario: str, record: Optional[pathlib.Path], timeout: float,
                 key_file: Optional[pathlib.Path] = None) -> None:
        self.record = record
        self._directory = tempfile.TemporaryDirectory(prefix="lhrs-watch-")
        script = pathlib.Path(self._directory.name, "watch.js")
        script.write_text(scenario, encoding="utf-8")
        arguments = [str(program), "--connect", endpoint.split("://")[-1], "--answer"]
        if record is not None:
            arguments += ["--record", str(record)]
        if key_file is not None:
            arguments += ["--key-file", str(key_file)]
        self._said: list[str] = []     # what it printed, the newest lines
        self._asked = self._answered = 0
        self._lock = threading.Lock()
        self._rest = b""
        self._errors = open(pathlib.Path(self._directory.name, "errors"), "w+b")  # pylint: disable=consider-using-with
        try:
            self._popen = subprocess.Popen(  # pylint: disable=consider-using-with
                [*arguments, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, process_group=0,
                env=run_clock.environment())
        except OSError as error:
            self._errors.close()
            self._directory.cleanup()
            raise LabError("Unsupported", f"{program} cannot be started: {error.strerror}.") from None
        try:
            self.ask("lab.here() >= 0", timeout)
        except BaseException:
            self.close()
            raise

    def ask(self, line: str, timeout: float = 10) -> Any:
        """Carries out one line in the language of scenarios; returns its value. LabError as it says, or Timeout
        (seconds)."""
        with self._lock:
            assert self._popen.stdin is not None
            try:
                self._popen.stdin.write(line.encode() + b"\n")
                self._popen.stdin.flush()
            except (BrokenPipeError, ValueError):
                raise self._ended() from None
            self._asked += 1
            deadline = time.monotonic() + timeout
            while True:
                answer = json.loads(self._next_answer(deadline, line))
                self._answered += 1
                if self._answered < self._asked:  # the answer to a query that is no longer awaited
                    continue
                if "error" in answer:
                    raise _error_of(answer["error"])
                return answer.get("value")

    def _next_answer(self, deadline: float, line: str) -> bytes:
        output = self._popen.stdout
        assert output is not None
        while True:
            first, separator, rest = self._rest.partition(b"\n")
            if separator:
                self._rest = rest
                if first.startswith(b"answer "):
                    return first[len(b"answer "):]
                self._said = [*self._said[1 - _LINES_KEPT:], first.decode(errors="replace")]
                continue
            if not select.select([output], [], [], max(0.0, deadline - time.monotonic()))[0]:
                raise LabError("Timeout", f"lhrs-play, which watches beside, does not answer {line[:80]!r} in time.")
            part = os.read(output.fileno(), _LINE_MAX)
            if not part:
                raise self._ended()
            self._rest += part

    def _last_word(self) -> str:
        self._errors.flush()
        self._errors.seek(0)
        lines = [*self._said, *self._errors.read().decode(errors="replace").splitlines()]
        return next((line.strip() for line in reversed(lines) if line.strip()), "it says nothing")

    def _ended(self) -> LabError:
        code = self._popen.wait()
        return LabError(_EXITS.get(code, "Unreachable"), f"The watching lhrs-play has ended with exit code {code}: {self._last_word()}")

    def close(self) -> tuple[int, str]:
        """Ends it: returns (exit code, its last output). A recording is complete when this returns; a second call
        has no effect."""
        if self._popen.stdin is not None and not self._popen.stdin.closed:
            try:
                self._popen.stdin.close()
            except BrokenPipeError:
                pass  # it has ended; its exit code tells why
        said = b""
        if self._popen.stdout is not None and not self._popen.stdout.closed:
            deadline = time.monotonic() + _END_S
            while select.select([self._popen.stdout], [], [], max(0.0, deadline - time.monotonic()))[0]:
                part = os.read(self._popen.stdout.fileno(), _LINE_MAX)
                if not part:
                    break
                said = (said + part)[-_LINE_MAX:]
            self._said += [line for line in said.decode(errors="replace").splitlines() if line]
            self._popen.stdout.close()
        try:
            self._popen.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._popen.kill()
            self._popen.wait()
        if self._errors.closed:
            return self._popen.returncode, ""
        word = self._last_word()
        violated = [line.strip() for line in self._said if line.strip().startswith("VIOLATED ")]
        self._errors.close()
        self._directory.cleanup()
        return self._popen.returncode, "; ".join(violated) if violated else word


def _error_of(told: dict[str, str]) -> LabError:
    code = told.get("code", "")
    return LabError(code if code in CODES else "BadArgument", told.get("message", ""), told.get("hint", ""))


def text(value: Any) -> str:
    """A value in the language of scenarios, made of strings, numbers, lists and dicts."""
    return json.dumps(value)


def call(name: str, *arguments: Any) -> str:
    """A call in that language, such as lab.step("a", "Growth")."""
    return f"{name}({', '.join(map(text, arguments))})"


def target_text(role: str, numbers: Sequence[int], group: int) -> str:
    """lab.data([0, 1]), lab.parity(0, [1])."""
    return f"lab.data({list(numbers)})" if role == "data" else f"lab.parity({group}, {list(numbers)})"


__all__ = ["EXIT_VIOLATED", "Watcher", "call", "scenario_of", "target_text", "text"]
