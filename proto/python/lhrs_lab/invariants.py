# SPDX-License-Identifier: GPL-3.0-or-later
"""The invariants, and the recording of a run. A separate lhrs-play checks and records them while it watches (see
watcher)."""
import dataclasses
import os
import pathlib
import warnings
from typing import Any, Optional, Sequence, Union

from . import play
from .bounds import bounded
from .context import Context
from .errors import LabError
from .values import Row, Target
from .watcher import EXIT_VIOLATED, Watcher, call, scenario_of, target_text

_ANSWER_S = 15.0
_CONNECT_S = 20.0


@dataclasses.dataclass(frozen=True)
class Invariant(Row):
    """An invariant of the file, as far as this run has exercised it."""

    id: str        # 'I1' to 'I22'
    state: str     # 'holds', 'violated' (permanent), 'pending' (a change is under way), 'not checked'
    checks: int
    words: str     # 'at most 2 forwards, image never ahead'
    detail: str    # '412 checks, last 12.043 s', or why it does not hold


@dataclasses.dataclass
class Question:
    """A question of ``lab.predict``."""

    _calls: "InvariantCalls"
    _number: int

    def reveal(self, index: int, why: str = "") -> None:
        """States which choice was right, from 0, and why."""
        self._calls._narrate(f"kept.q{self._number}.reveal({int(index)}, {call('String', why)})")


@bounded
class InvariantCalls(Context):
    """See the module."""

    _watcher: Optional[Watcher] = None
    _watch_bin: Optional[str] = None
    _kept = 0

    def watch(self, record: Union[str, "os.PathLike[str]", None] = None, timeout: float = _CONNECT_S) -> None:
        """Starts an lhrs-play that watches the cluster from now on: it judges the invariants (``lab.invariants``)
        and writes the recording ``record``. That is a file NAME.lhrun which must not exist yet and is complete after
        ``lab.close()``. Earlier events do not count for the invariants, so begin with ``Lab.start(watch=True)`` or
        ``Lab.start(record=...)``. It is one more process that receives all events. LabError Refused (it watches
        already), Unsupported (there is no lhrs-play, or virtual time waits for calls), Timeout (seconds),
        BadArgument (the file)."""
        if self._watcher is not None:
            raise LabError("Refused", "lhrs-play watches this cluster already.")
        if self._clock is not None:  # virtual time waits, and lhrs-play does not ask the coordinator repeatedly
            raise LabError("Unsupported",
                           "Virtual time waits for calls here, and lhrs-play would not hear of processes that start later.",
                           "Lab.start(watch=True) lets virtual time go on by itself.")
        path = pathlib.Path(record) if record is not None else None
        if path is not None and path.exists():
            raise LabError("BadArgument", f"{path} exists already, and a recording is never overwritten.", "Name another file.")
        program = play.program(self._watch_bin, "which judges the invariants and writes recordings")
        config = self._describe_file().config if self.system == "lhrs" else None
        endpoint = self._process(self._coordinator()).control
        self._watcher = Watcher(program, endpoint, scenario_of(config, self._record_bytes), path, timeout, self.key_file)

    def _watching(self) -> Watcher:
        if self._watcher is None:
            raise LabError("Unsupported", "The invariants of this run are not judged: an lhrs-play that watches would do that.",
                           "Lab.start(watch=True), or lab.watch() before anything happens.")
        return self._watcher

    def in_scenario(self, line: str, timeout: float = 10) -> Any:
        """Carries out one line of JavaScript as in a scenario (scenarios/README.md), in the lhrs-play that watches,
        and returns its value: ``lab.in_scenario("lab.bucket(lab.data(0))")``. It does not control processes
        (lab.kill is NotAllowed). LabError as the line says, Unsupported (no lhrs-play watches), Timeout (seconds)."""
        if "\n" in line:
            raise LabError("BadArgument", "lab.in_scenario carries out one line; this text has several.")
        return self._watching().ask(line, timeout)

    # ---- the invariants

    def invariants(self) -> list[Invariant]:
        """The present state of the invariants I1 to I22. Most are judged from events of operations (detail 'full' or
        'operations'); I1 to I4 by ``lab.audit``, I7 and I19 by ``c.verify``, I13 by a witness that is compared after
        a recovery. An invariant that was not exercised is 'not checked', never 'holds'. LabError Unsupported: no
        lhrs-play watches, see ``lab.watch``."""
        return [Invariant(one["id"], one["state"], int(one["checks"]), one["words"], one["detail"])
                for one in self._watching().ask("lab.invariants()", _ANSWER_S)]

    def expect_invariants(self, ids: Optional[Sequence[str]] = None, checked: bool = False, timeout: float = 5) -> None:
        """Expects that none of these invariants (None: of all) is violated; with ``checked`` also that each of them
        was checked and holds. ``timeout``: seconds to wait for pending ones. LabError ExpectationFailed names those
        that are wrong; BadArgument, Unsupported."""
        options = {"ids": None if ids is None else list(ids), "checked": checked, "timeout": timeout}
        self._watching().ask(call("lab.expectInvariants", options), timeout + _ANSWER_S)

    def lamps(self, *_: Any, **__: Any) -> None:
        """The former name of ``lab.invariants``. LabError BadArgument says so."""
        raise LabError("BadArgument", "lab.lamps is now called lab.invariants.")

    def expect_lamps(self, *_: Any, **__: Any) -> None:
        """The former name of ``lab.expect_invariants``. LabError BadArgument says so."""
        raise LabError("BadArgument", "lab.expect_lamps is now called lab.expect_invariants.")

    def _judge(self, line: str, timeout: float) -> Any:
        """Carries the check out in the lhrs-play that watches too: only then do its findings count for the
        invariants. None: no lhrs-play watches."""
        return None if self._watcher is None else self._watcher.ask(line, timeout + _ANSWER_S)

    def _judge_witness(self, target: Target) -> str:
        """The name of a witness that is also taken in the lhrs-play that watches; empty: none watches."""
        if self._watcher is None:
            return ""
        self._kept += 1
        name = f"kept.w{self._kept}"
        self._watcher.ask(f"void ({name} = lab.witness({target_text(target.role, target.numbers, target.group)}))", _ANSWER_S)
        return name

    # ---- narration, which goes into the recording

    def _narrate(self, line: str) -> Any:
        if self._watcher is None or self._watcher.record is None:
            raise LabError("Unsupported", "There is no window here and no recording that this could go into.",
                           "Lab.start(record='run.lhrun') makes one, and lhrs-gui --open run.lhrun shows it; print() says something here.")
        return self._watcher.ask(line, _ANSWER_S)

    def step(self, id: str, title: str) -> None:  # pylint: disable=redefined-builtin
        """Begins a chapter of the recording. LabError Unsupported: there is no recording (the same for the calls
        below)."""
        self._narrate(call("lab.step", id, title))

    def say(self, text: str) -> None:
        """Adds a caption to the recording."""
        self._narrate(call("lab.say", text))

    def note(self, text: str) -> None:
        """Adds a note for the presenter to the recording."""
        self._narrate(call("lab.note", text))

    def mark(self, text: str) -> None:
        """Adds a marker to the recording."""
        self._narrate(call("lab.mark", text))

    def predict(self, text: str, choices: Sequence[str]) -> Question:
        """A question that the recording asks when it is shown; ``q.reveal`` answers it. There is no audience here,
        so no votes."""
        self._kept += 1
        self._narrate(f"void (kept.q{self._kept} = {call('lab.predict', {'text': text, 'choices': list(choices)})})")
        return Question(self, self._kept)

    def camera(self, **options: Any) -> None:
        """What the window shows at this point of the recording: the options of lab.camera in scenarios/README.md."""
        self._narrate(call("lab.camera", options))

    def highlight(self, *_: Any, **__: Any) -> None:
        """A ring around something in the window: LabError Unsupported, because there is no window, and recordings
        store no rings."""
        raise LabError("Unsupported", "There is no window here, and a recording stores no rings.",
                       "A caption can say where to look: lab.say(...).")

    def exercise(self, *_: Any, **__: Any) -> None:
        """A task that a person does by hand in the window: LabError Unsupported, because there is no window and no
        person here."""
        raise LabError("Unsupported", "An exercise waits for a person at the window, or for a script of its language.",
                       "lhrs-play --exercise EXERCISE SCRIPT judges a script.")

    # ---- end

    def _end_watch(self) -> None:
        watcher, self._watcher = self._watcher, None
        if watcher is None:
            return
        code, word = watcher.close()
        if code == EXIT_VIOLATED:
            warnings.warn(f"An invariant was violated in this run: {word}", RuntimeWarning, stacklevel=3)
        elif code not in (0, 1):  # 1: an expectation failed, which its caller was told
            warnings.warn(f"The watching lhrs-play ended with exit code {code}: {word}", RuntimeWarning, stacklevel=3)


__all__ = ["Invariant", "InvariantCalls", "Question"]
