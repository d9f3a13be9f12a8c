# SPDX-License-Identifier: GPL-3.0-or-later
"""Recoveries and parity creations: their times, as measured by the process that rebuilds; and recoveries by command."""
import dataclasses
from typing import Any, Optional, Union

from . import messages as pb
from .bounds import bounded
from .context import Context
from .errors import LabError
from .events import Event, Here
from .frames import Rows
from .values import GROUP_STATE_WORDS, Row, place_name, seconds

_BETWEEN_QUESTIONS_S = 0.05


@dataclasses.dataclass(frozen=True)
class Timing(Row):
    """Times of a bucket recovery or a parity creation, in seconds on the clock of the process that rebuilds.

    ``total_s`` = ``process_s`` (at least one of its threads computes) + ``comm_s`` (none computes and a transfer is
    outstanding) + ``other_s``. ``transfer_s``: some transfer is outstanding, overlapped or not. ``detect_s`` is the
    time from the end of a process until its bucket is declared failed; ``whole_s`` is the time from the first
    suspicion until the buckets are enabled. Both are the coordinator's and never part of ``total_s``. None: not
    known, or not of this kind.
    """

    what: str                            # 'bucket recovery', 'parity creation'
    group: int
    records: Optional[int] = None
    bytes: Optional[int] = None
    total_s: Optional[float] = None
    process_s: Optional[float] = None
    comm_s: Optional[float] = None
    other_s: Optional[float] = None
    transfer_s: Optional[float] = None
    whole_s: Optional[float] = None
    detect_s: Optional[float] = None
    failed_buckets: Optional[int] = None  # lost data buckets
    failed: tuple[str, ...] = ()          # places that were declared failed, including parity buckets
    manager: Optional[int] = None         # parity column of the recovery manager
    survivors: tuple[str, ...] = ()       # places that gave their records
    slice: Optional[int] = None           # ranks of a slice
    slices: Optional[int] = None
    decode: Optional[str] = None          # 'xor', 'rs'
    transport: Optional[str] = None       # 'tcp', 'udp'
    tcp: Optional[str] = None             # 'passive', 'handshake'
    column: Optional[int] = None          # of a new parity bucket
    k: Optional[int] = None               # afterwards


def timing_of_parity(made: Any, filled: Event) -> Timing:
    """Makes it from ParityResult and the event ParityBucketFilled."""
    return Timing("parity creation", made.group, filled.records, filled.bytes, filled.total_s, filled.process_s,
                  filled.communication_s, filled.other_s, filled.transfer_s, column=made.column, k=made.k)


@bounded
class TimingCalls(Context):
    """See the module."""

    def recoveries(self, group: Optional[int] = None, since: Optional[Here] = None) -> Rows[Timing]:
        """The bucket recoveries so far (or since ``lab.here()``), in order; of one group or of all."""
        self._catch_up()
        timings: Rows[Timing] = Rows()
        failed: dict[int, list[Any]] = {}  # by group, since its last recovery
        for _, event in self._log.raw_since(0 if since is None else self._since(since))[1]:
            if event.HasField("bucket_failed"):
                failed.setdefault(event.bucket_failed.group, []).append(event)
            elif event.HasField("recovery_finished"):
                done = event.recovery_finished
                of = failed.pop(done.group, [])
                if group is None or group == done.group:
                    timings.append(self._recovery_timing(done, of))
        return timings

    def _recovery_timing(self, done: Any, failed: list[Any]) -> Timing:
        return Timing(
            "bucket recovery", done.group, done.records, done.bytes, seconds(done.rebuild_ns), seconds(done.process_ns),
            seconds(done.communication_ns), seconds(done.other_ns), seconds(done.transfer_ns), seconds(done.total_ns),
            self._detection(failed), len(done.buckets), tuple(_place_of(event.bucket_failed) for event in failed),
            done.manager, tuple(map(place_name, done.survivors)), done.slice, done.slices, "xor" if done.is_xor else "rs",
            "udp" if done.transport == pb.RECOVERY_UDP else "tcp",
            "handshake" if done.tcp_mode == pb.TCP_HANDSHAKE else "passive")

    def _detection(self, failed: list[Any]) -> Optional[float]:
        longest: Optional[float] = None
        for event in failed:
            process = self._wire.find(event.bucket_failed.process)
            if process is None or process.ended_wall_ns == 0 or process.ended_wall_ns > event.wall_ns:
                return None
            longest = max(longest or 0.0, seconds(event.wall_ns - process.ended_wall_ns))
        return longest

    def recover(self, group: int = 0, slice: Union[int, str] = "auto",  # pylint: disable=redefined-builtin
                decode: str = "auto", wait: bool = True, timeout: float = 60, manager: Optional[int] = None) -> Timing:
        """Checks a group and recovers those of its members that do not answer, as a file with recovery='manual'
        requires. ``slice``: ranks; ``decode``: 'auto', 'rs', or 'xor', which is refused afterwards if XOR was not
        enough; ``manager``: parity column of the recovery manager, refused if that is not up (None: the first that
        is). Returns when the group is whole (``timeout`` in seconds), or at once without ``wait``. LabError Refused
        (nothing failed; lost), NoSpares, Timeout."""
        if decode not in ("auto", "xor", "rs"):
            raise LabError("BadArgument", f"decode is 'auto', 'xor' or 'rs', not {decode!r}.")
        if slice != "auto" and not (isinstance(slice, int) and slice >= 1):
            raise LabError("BadArgument", f"slice is a number of ranks, at least 1, or 'auto', not {slice!r}.")
        before = self._group_of(self._describe_file(), group)
        if before.view.state == pb.GROUP_LOST:
            raise _lost(group)
        self._changing()
        order = pb.RecoverGroup(group=group, slice=0 if slice == "auto" else slice,
                                decode=pb.DECODE_RS if decode == "rs" else pb.DECODE_AUTO,
                                manager=0 if manager is None else manager + 1)
        self._ask(self._coordinator(), recover_group=order)
        report = _RecoveryReport(group, before.view.state != pb.GROUP_UP)
        if not wait:
            return Timing("bucket recovery", group)
        cursor, deadline, again = self._cursor, self._deadline(timeout), self._deadline(0)
        while True:
            # Events tell when a query is useful: each query would take processor time from the measured recovery.
            cursor = self._tell(report, cursor)
            if report.finished is None and again.left() > 0 and deadline.left() > 0:
                self._wait_beyond(cursor, deadline, again.left())
                continue
            again = self._deadline(_BETWEEN_QUESTIONS_S)
            now = self._group_of(self._describe_file(), group)
            if report.was_ill and _is_whole(now):
                self._catch_up()  # the last events were published before that answer
                self._tell(report, cursor)
                if manager is not None and report.finished is not None and report.finished.manager != manager:
                    raise LabError("Refused", f"The members of group {group} are back, but parity bucket {group}.{manager} was not "
                                   f"the recovery manager: it was lost, too. It was parity bucket {group}.{report.finished.manager}.")
                failed = tuple(_place_of(event.bucket_failed) for event in report.failed)
                if decode == "xor" and not (report.finished is not None and report.finished.is_xor):
                    raise LabError("Refused", f"The members of group {group} are back, but not by XOR: that is enough for one data bucket "
                                   f"while parity column 0 lives, and here {', '.join(failed)} were lost.",
                                   "decode='auto' takes XOR where it is enough.")
                return (self._recovery_timing(report.finished, report.failed) if report.finished is not None
                        else Timing("bucket recovery", group, failed=failed))
            if deadline.left() <= 0:
                raise LabError("Timeout", f"Group {group} is not whole after {timeout:g} s: it is "
                               f"{GROUP_STATE_WORDS.get(now.view.state, 'in an unknown state')}.")
            self._wait_beyond(cursor, deadline, again.left())

    def _tell(self, report: "_RecoveryReport", cursor: int) -> int:
        after, page = self._log.raw_since(cursor)
        for _, event in page:
            report.take(event)
        return after

    def recovery(self, policy: Optional[str] = None) -> str:
        """Sets what makes the coordinator check a silent bucket from now on: 'automatic', 'on_alarm' or 'manual';
        also for a coordinator that starts later. Returns the former policy; without an argument, the present one.
        LabError Refused, Timeout."""
        if policy is None:
            return _POLICIES[self._describe_file().config.recovery]
        ways = {word: way for way, word in _POLICIES.items() if way != pb.RECOVERY_OFF}
        if policy not in ways:
            raise LabError("BadArgument", f"A policy is one of {', '.join(ways)}, not {policy!r}.")
        self._changing()
        return _POLICIES[self._ask(self._coordinator(), 30, set_recovery=pb.SetRecovery(recovery=ways[policy])).recovery.former]

    def acknowledge_loss(self, group: int, timeout: float = 20) -> dict[str, Any]:
        """Acknowledges, for a person, that a group is lost, and confirms that the processes of its lost members have
        ended: the lost buckets come back empty. Returns {'group', 'buckets'}. LabError Refused, NoSpares, Timeout
        (seconds)."""
        self._changing()
        file = self._describe_file()
        buckets = [group * file.config.m + member.index for member in self._group_of(file, group).view.members
                   if member.role == pb.DATA and member.state == pb.MEMBER_LOST]
        self._ask(self._coordinator(), timeout, acknowledge_loss=pb.AcknowledgeLoss(group=group))
        return {"group": group, "buckets": buckets}


_POLICIES = {pb.RECOVERY_OFF: "off", pb.RECOVERY_AUTOMATIC: "automatic", pb.RECOVERY_ON_ALARM: "on_alarm",
             pb.RECOVERY_MANUAL: "manual"}


class _RecoveryReport:
    """What the events report of an ordered recovery."""

    def __init__(self, group: int, was_ill: bool) -> None:
        self.group = group
        self.was_ill = was_ill  # the group has left the state UP, or was not in it
        self.finished: Any = None
        self.failed: list[Any] = []

    def take(self, event: Any) -> None:
        """Takes one event. LabError: the event says that the recovery does not continue."""
        kind = event.WhichOneof("body")
        body: Any = getattr(event, kind) if kind else None
        if kind == "epoch_changed" and body.view.group == self.group:
            self.was_ill = self.was_ill or body.view.state != pb.GROUP_UP
        elif kind == "spare_missing":
            raise LabError("NoSpares", f"No spare {'parity' if body.role == pb.PARITY else 'data'} server answers; it is wanted "
                           f"for {body.purpose}.", "lab.add_spares starts further servers; the recovery goes on then.")
        elif kind not in ("bucket_failed", "recovery_finished", "group_lost", "members_answered") or body.group != self.group:
            return
        elif kind == "bucket_failed":
            self.failed.append(event)
        elif kind == "recovery_finished":
            self.finished = body
        elif kind == "group_lost":
            raise _lost(self.group)
        elif not self.was_ill:
            raise LabError("Refused", f"All members of group {self.group} answer: nothing has failed.")


def _lost(group: int) -> LabError:
    return LabError("Refused", f"Group {group} is lost: more members failed than its parity replaces, so nothing can be computed.",
                    f"lab.acknowledge_loss({group}) brings its lost buckets back, empty.")


def _is_whole(group: Any) -> bool:
    members = group.view.members
    return (group.view.state == pb.GROUP_UP and sum(one.role == pb.PARITY for one in members) >= group.k
            and all(one.state == pb.UP for one in members))


def _place_of(failed: Any) -> str:
    return f"data {failed.index}" if failed.role == pb.DATA else f"parity {failed.group}.{failed.index}"
