# SPDX-License-Identifier: GPL-3.0-or-later
"""The structure of the file, the contents of its places, and events."""
import dataclasses
from typing import Any, Callable, Optional, TypeVar, Union

from . import messages as pb
from .bounds import bounded
from .context import AGAIN_S, ASK_S, Context
from .errors import LabError
from .events import Event, Gap, Here, Where, body_of, fits, told_by
from .frames import Rows
from .ring import Ring, RingCalls
from .timing import Timing, timing_of_parity
from .values import DETAILS, GROUP_STATE_WORDS, STATE_WORDS, Row, Target, member_place, seconds, text_of

T = TypeVar("T")
_PAGE = 1024
_FRESH_KEYS = 900_000_000_000   # keys that are chosen here begin at this number, far from those that clients draw next
_MOST_RECORDS = 2**32 - 1        # of a bucket: its ranks are numbers of 32 bits
_MASK = (1 << 64) - 1


@dataclasses.dataclass(frozen=True)
class FileState(Row):
    """The state of the file: M = 2^i + n data buckets, intended availability K."""

    i: int
    n: int
    M: int
    K: int
    records: Optional[int]           # None while a bucket does not answer, because the sum is then unknown
    load_factor: Optional[float]     # records / (M b)
    splits_owed: int
    recruiting: str                  # 'multicast', or 'registry' where no multicast arrives
    groups: int


@dataclasses.dataclass(frozen=True)
class Group(Row):
    """A bucket group. ``state``: 'up', 'frozen', 'degraded', 'lost', or that of a member that is not up."""

    number: int
    k: int
    k_effective: int                 # failures that it still survives
    state: str
    failed: list[str]                # places that are down
    epoch: int
    data: list[int]
    parity: list[int]


@dataclasses.dataclass(frozen=True)
class Bucket(Row):
    """A bucket. What only its process can report is None while the process does not answer."""

    role: str
    number: int                      # bucket number, or parity column
    group: int
    position: int
    level: Optional[int]
    records: Optional[int]
    capacity: Optional[int]          # b, in records
    state: str
    incarnation: int
    epoch: Optional[int]
    process: str
    lease_s: Optional[float] = None  # left for answering reads unless the lease is renewed; None: none is needed


@dataclasses.dataclass(frozen=True)
class Split(Row):
    """A completed split."""

    bucket: int
    new_bucket: int
    level: int
    moved: int                       # records
    total_s: float


def mix64(key: int) -> int:
    """The scrambling of keys in a file with ``mix_keys`` (the finalizer of SplitMix64)."""
    key = (key ^ key >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    key = (key ^ key >> 27) * 0x94D049BB133111EB & _MASK
    return key ^ key >> 31


def address_of(key: int, i: int, n: int) -> int:
    """LH*: the bucket of a key in a file with level i and split pointer n."""
    bucket = key & ((1 << i) - 1)
    return key & ((1 << (i + 1)) - 1) if bucket < n else bucket


@bounded
class StateCalls(RingCalls):
    """See the module."""

    _keys_given: set[int]

    # ---- structure

    def split(self, timeout: float = 20) -> Split:
        """Splits the bucket at the split pointer, as if some bucket had overflowed; returns after the commit.
        LabError Refused, NoSpares, Timeout."""
        self._changing()
        done = self._ask(self._coordinator(), timeout, force_split=pb.ForceSplit()).split
        return Split(done.bucket, done.new_bucket, done.level, done.moved, seconds(done.total_ns))

    def raise_availability(self, K: Optional[int] = None, timeout: float = 10) -> dict[str, Any]:
        """Raises the intended availability (None: by one). {'K', 'pending'}: pending until the split pointer is at bucket 0.
        LabError Refused, Timeout."""
        self._changing()
        wanted = self._describe_file().availability + 1 if K is None else K
        done = self._ask(self._coordinator(), timeout,
                         raise_availability=pb.RaiseAvailability(availability=wanted)).availability
        return {"K": done.availability, "pending": done.pending}

    def add_parity(self, group: int, timeout: float = 60) -> Timing:
        """Gives a group one more parity bucket now; the times are those of the new parity bucket. LabError Refused
        (k would exceed K), NoSpares, Timeout."""
        self._changing()
        deadline = self._deadline(timeout)
        made = self._ask(self._coordinator(), timeout, create_parity=pb.CreateParity(group=group)).parity
        filled = self.wait_for("ParityBucketFilled", where={"place": f"parity {group}.{made.column}"},
                               timeout=max(0.1, deadline.left()))
        return timing_of_parity(made, filled)

    def settle(self, timeout: float = 30) -> Union[FileState, Ring]:
        """Waits until no change is under way, no operation is open and all parity buckets have all changes; for a
        ring, until it is at rest. LabError Timeout says what is still open."""
        if self.system != "lhrs":
            return self._settle_ring(timeout)
        deadline = self._deadline(timeout)
        while (what := self._what_is_open()):
            left = deadline.left()
            if left <= 0:
                raise LabError("Timeout", f"Not at rest after {timeout:g} s: {what}.")
            try:
                self._ask(self._coordinator(), left + 1, await_rest=pb.AwaitRest(timeout_ms=max(1, int(left * 1000))))
            except LabError as error:
                if error.code != "Timeout":
                    raise
            self._wait_beyond(self._log.committed, deadline, AGAIN_S)
        return self.file()

    def _gauges(self, file: Any, with_parity: bool) -> list[Any]:
        return [reply.gauges for reply in self._ask_all(
            (self._process(member.holder.node).number, pb.Command(statistics=pb.Statistics()))
            for group in file.groups for member in group.view.members if member.role == pb.DATA or with_parity)]

    def _what_is_open(self) -> str:
        file = self._describe_file()
        if not file.at_rest:
            return file.under_way or f"{file.splits_owed} splits are owed"
        try:
            gauges = self._gauges(file, True)
        except LabError as error:
            if error.code == "Unreachable":
                return f"a member of the file is gone, and no process has missed it yet ({error.message})"
            raise
        waiting, held = sum(one.unacknowledged for one in gauges), sum(one.held for one in gauges)
        if waiting + held:
            return f"{waiting} messages wait for an acknowledgement, {held} are held"
        for process in self._wire.processes():
            if process.kind == "client":
                under_way = self._ask(process.number, describe_client=pb.DescribeClient()).client.under_way
                if under_way:
                    return f"{under_way} operations of {process.name} are under way"
        return ""

    def keys_for(self, target: Target, count: int = 1, existing: bool = False,
                 first: Optional[int] = None) -> list[int]:
        """Keys whose correct bucket is the target: unused keys, or with ``existing`` keys that are stored there.
        Unused keys are at least ``first`` (choose one that no workload reaches; None: far from all workloads).
        LabError BadArgument: fewer are stored, or both are given."""
        process, place = self._one_place(target, "lab.keys_for")
        if place.role != pb.DATA:
            raise LabError("BadArgument", f"lab.keys_for needs a data bucket, not {target}.")
        if existing and first is not None:
            raise LabError("BadArgument",
                           "lab.keys_for takes either existing or first: only unused keys are counted from first.")
        if existing:
            keys = [row["key"] for row in self.records(target, count=count, values=False)]
            if len(keys) < count:
                raise LabError("BadArgument", f"{process.name} stores {len(keys)} records, not {count}.")
            return keys
        file = self._describe_file()
        stored = set() if first is None else {row["key"] for row in self.records(target, count=_MOST_RECORDS, values=False)}
        keys, key = [], _FRESH_KEYS if first is None else first
        while len(keys) < count:
            addressed = mix64(key) if file.config.mix_keys else key
            if (address_of(addressed, file.file.i, file.file.n) == place.number
                    and key not in stored and key not in self._keys_given):
                keys.append(key)
            key += 1
        self._keys_given.update(keys)
        return keys

    # ---- state

    def file(self) -> FileState:
        """The state of the file."""
        file = self._describe_file()
        records: Optional[int] = None
        try:
            records = sum(gauges.records for gauges in self._gauges(file, False))
        except LabError as error:
            if error.code not in ("Unreachable", "Timeout"):
                raise
        room = file.buckets * file.config.b
        return FileState(file.file.i, file.file.n, file.buckets, file.availability, records,
                         records / room if records is not None and room else None, file.splits_owed,
                         "multicast" if file.recruiting == pb.MULTICAST else "registry", len(file.groups))

    def group(self, number: int) -> Group:
        """A bucket group. LabError BadArgument: there is no group with that number."""
        file = self._describe_file()
        group = self._group_of(file, number)
        data: list[int] = []
        parity: list[int] = []
        failed: list[str] = []
        state, parity_up, data_down = "up", 0, 0
        for member in group.view.members:
            is_down = member.state in (pb.FAILED, pb.MEMBER_LOST)
            if member.role == pb.DATA:
                data.append(number * file.config.m + member.index)
                data_down += is_down
            else:
                parity.append(member.index)
                parity_up += not is_down and member.state != pb.INIT
            if is_down:
                failed.append(member_place(number, file.config.m, member))
            elif member.state != pb.UP:
                state = STATE_WORDS.get(member.state, "in an unknown state")
        if group.view.state != pb.GROUP_UP:
            state = GROUP_STATE_WORDS.get(group.view.state, "in an unknown state")
        return Group(number, group.k, max(0, min(group.k, parity_up) - data_down), state, failed, group.view.epoch,
                     data, parity)

    def bucket(self, target: Target) -> Bucket:
        """One bucket. LabError BadArgument: it does not exist."""
        process, place = self._one_place(target, "lab.bucket")
        file = self._describe_file()
        m, is_data = max(1, file.config.m), place.role == pb.DATA
        group = place.number // m if is_data else place.number
        position = place.number % m if is_data else place.column
        member = next(one for one in self._group_of(file, group).view.members
                      if one.role == place.role and one.index == position)
        number = place.number if is_data else place.column
        is_down = member.state in (pb.FAILED, pb.MEMBER_LOST)
        if is_down or process.has_ended:  # no process can be asked; the coordinator's table is used
            return Bucket("data" if is_data else "parity", number, group, position, member.level if is_data else None,
                          None, file.config.b if is_data else None,
                          STATE_WORDS.get(member.state, "") if is_down else "process gone", member.holder.incarnation, None,
                          process.name)
        snapshot, statistics, watched = self._ask_all([
            (process.number, pb.Command(take_snapshot=pb.TakeSnapshot(without_records=True))),
            (process.number, pb.Command(statistics=pb.Statistics())), (process.number, pb.Command(watch=pb.Watch()))])
        told, sample = snapshot.snapshot, watched.sample
        return Bucket("data" if is_data else "parity", number, group, position, told.data.level if is_data else None,
                      statistics.gauges.records, file.config.b if is_data else None,
                      STATE_WORDS.get(told.data.state if is_data else told.parity.state, ""), told.incarnation,
                      told.view.epoch, process.name,
                      seconds(sample.lease_left_ns) if sample.grants_needed and not sample.core_is_busy else None)

    def records(self, target: Target, start: int = 1, count: int = 256, values: bool = True) -> Rows[dict[str, Any]]:
        """Records of a bucket in the order of their ranks, from rank ``start``: {rank, key, length (bytes), version,
        value, text (None: the bytes are not text)}; of a parity bucket {rank, members, parity}. LabError Refused."""
        process, _ = self._one_place(target, "lab.records")
        rows: list[dict[str, Any]] = []
        rank = start
        while rank and len(rows) < count:
            page = self._ask(process.number, read_contents=pb.ReadContents(
                rank_from=rank, count=min(count - len(rows), _PAGE), without_bytes=not values)).contents
            rows.extend(_record(record, values) for record in page.data)
            rows.extend(_parity_record(record, values) for record in page.parity)
            rank = page.next_rank
        return Rows(rows[:count])

    def record_group(self, group: int, rank: int) -> dict[str, list[dict[str, Any]]]:
        """The records of one rank in a group, with their parity records: {'data': [...], 'parity': [...]}."""
        file = self._describe_file()
        members = self._group_of(file, group).view.members
        replies = self._ask_all((self._process(member.holder.node).number,
                                 pb.Command(read_contents=pb.ReadContents(rank_from=rank, count=1))) for member in members)
        data, parity = [], []
        for reply in replies:
            place = reply.contents.place
            data += [{**_record(one, True), "bucket": place.number} for one in reply.contents.data if one.rank == rank]
            parity += [{**_parity_record(one, True), "column": place.column} for one in reply.contents.parity if one.rank == rank]
        return {"data": data, "parity": parity}

    def spares(self) -> dict[str, int]:
        """How many servers wait in the pools: {'data', 'parity'}."""
        file = self._describe_file()
        return {"data": file.data_spares, "parity": file.parity_spares}

    def counters(self, by: Optional[str] = None, since: Optional[Here] = None) -> dict[str, Any]:
        """Messages since the processes started: {'messages', 'dropped'}; by='process': a dict of these by process
        name, with received, memory_bytes and cpu_s; by='kind' (detail 'full' only): messages, bytes, retransmissions
        by kind, from the events."""
        if by == "kind":
            return self._counters_by_kind(since)
        if by not in (None, "process"):
            raise LabError("BadArgument", f"by is None, 'process' or 'kind', not {by!r}.")
        processes = self._wire.processes()
        replies = self._ask_all((process.number, pb.Command(statistics=pb.Statistics())) for process in processes)
        rows = {process.name: {"messages": reply.gauges.messages_out, "received": reply.gauges.messages_in,
                               "dropped": reply.gauges.dropped, "memory_bytes": reply.gauges.memory_bytes,
                               "cpu_s": seconds(reply.gauges.cpu_ns)} for process, reply in zip(processes, replies)}
        if by == "process":
            return rows
        return {"messages": sum(row["messages"] for row in rows.values()), "dropped": sum(row["dropped"] for row in rows.values())}

    def _counters_by_kind(self, since: Optional[Here]) -> dict[str, Any]:
        if self._detail != "full":
            raise LabError("Refused", "Messages can only be counted by kind while the detail is 'full'.", "lab.detail('full')")
        self._catch_up()
        sums: dict[str, dict[str, int]] = {}
        for _, event in self._log.raw_since(0 if since is None else self._since(since))[1]:
            if event.WhichOneof("body") == "message_sent":
                row = sums.setdefault(event.message_sent.kind, {"messages": 0, "bytes": 0, "resends": 0})
                row["messages"] += 1
                row["bytes"] += event.message_sent.bytes
                row["resends"] += event.message_sent.tries > 0
        return sums

    # ---- events

    def now(self) -> float:
        """Seconds since this Lab began. In a simulated cluster this is virtual time: that of the last event, or the
        present one if it waits for calls (then ``lab.wait_until`` advances it; a loop that only reads it does not)."""
        return self._log.now_s()

    def here(self) -> Here:
        """The present position in the order of events, for ``since``."""
        return Here(self._log.committed, self.now())

    def events(self, kind: Optional[str] = None, where: Where = None, since: Optional[Here] = None,
               limit: int = 10_000) -> Rows[Event]:
        """The newest ``limit`` events that fit, oldest first; all of them were published before the call. Events
        that never arrived are in ``gaps()``. ``to_pandas()`` makes a DataFrame of them."""
        self._catch_up()
        found = Rows(self._log.matching(0 if since is None else self._since(since), body_of(kind) if kind else None, where))
        return Rows(found[-limit:])

    def gaps(self) -> Rows[Gap]:
        """The gaps in the events: numbers that never arrived, with the reason."""
        return Rows(self._log.gaps())

    def lost_events(self) -> dict[str, int]:
        """How many events are missing: 'lost' on their way, 'joined_late' (published before this Lab subscribed),
        'forgotten' (older than the newest ``keep_events``), 'unreadable' messages."""
        gaps = self._log.gaps()
        count = {reason: sum(gap.last - gap.first + 1 for gap in gaps if gap.reason == reason) for reason in ("lost", "joined late")}
        return {"lost": count["lost"], "joined_late": count["joined late"], "forgotten": self._log.forgotten(),
                "unreadable": self._wire.unreadable}

    def wait_for(self, kind: str, where: Where = None, since: Optional[Here] = None, timeout: float = 10) -> Event:
        """The first event of that kind ('SplitFinished') that fits ``where`` (a dict of equal fields, or a function
        of the event), since the last changing call was sent, or since ``lab.here()``. So no event is missed between
        a call and its wait. LabError Timeout (seconds) says what was observed instead."""
        return self.wait_for_all(kind, 1, where, since, timeout)[0]

    def wait_for_all(self, kind: str, count: int, where: Where = None, since: Optional[Here] = None,
                     timeout: float = 10) -> Rows[Event]:
        """Like ``wait_for``, but returns the first ``count`` of them."""
        body, cursor, deadline = body_of(kind), self._since(since), self._deadline(timeout)
        found: Rows[Event] = Rows()
        seen: dict[str, int] = {}
        while True:
            cursor, page = self._log.raw_since(cursor)
            for process, message in page:
                name = told_by(message)[0] or "unknown"
                seen[name] = seen.get(name, 0) + 1
                if name == body and fits(event := self._log.shown(process, message), where):
                    found.append(event)
                    if len(found) == count:
                        return found
            if not self._wait_beyond(cursor, deadline):
                instead = sorted(seen.items(), key=lambda item: -item[1])[:6]
                unfit = seen.get(body, 0) - len(found)
                raise LabError("Timeout", f"{len(found)} of {count} {kind} after {timeout:g} s: "
                               + (f"{unfit} of that kind did not fit where, " if unfit else "")
                               + ("seen were " + ", ".join(f"{n} {name}" for name, n in instead) if instead else "no event was seen")
                               + ".")

    def wait_until(self, test: Callable[[], T], timeout: float = 10) -> T:
        """Calls ``test`` after each batch of events until it returns something true, and returns that. LabError
        Timeout (seconds)."""
        deadline = self._deadline(timeout)
        while True:
            index = self._log.committed
            value = test()
            if value:
                return value
            if deadline.left() <= 0:
                raise LabError("Timeout", f"The condition of lab.wait_until did not become true within {timeout:g} s; "
                               f"its last value is {value!r}.")
            self._wait_beyond(index, deadline, 0.1)

    def detail(self, level: str, sample: int = 100) -> str:
        """Sets the detail level of all processes: 'full', 'operations' (no messages), 'sampled' (one operation in
        ``sample``), 'records' (changes, in lists), 'counts'. Returns the former level. Processes that start later
        get the same level."""
        if level not in DETAILS:
            raise LabError("BadArgument", f"{level!r} is no level; they are {', '.join(DETAILS)}.")
        self._changing()
        former, self._detail, self._sample = self._detail, level, sample
        self._tell_detail([process.number for process in self._wire.processes()])
        return former

    _sample = 100

    def _tell_detail(self, numbers: list[int]) -> None:
        order = pb.SetDetail(detail=DETAILS[self._detail], sample=self._sample)
        self._ask_all(((number, pb.Command(set_detail=order)) for number in numbers), ASK_S)


def _record(record: Any, values: bool) -> dict[str, Any]:
    row: dict[str, Union[int, bytes, str, None]] = {"rank": record.rank, "key": record.key, "length": record.length,
                                                    "version": record.version}
    if values:
        row["value"], row["text"] = record.value, text_of(record.value)
    return row


def _parity_record(record: Any, values: bool) -> dict[str, Any]:
    row: dict[str, Any] = {"rank": record.rank, "members": [
        {"position": one.position, "key": one.key, "length": one.length, "version": one.version} for one in record.members]}
    if values:
        row["parity"] = record.parity
    return row
