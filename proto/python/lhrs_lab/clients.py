# SPDX-License-Identifier: GPL-3.0-or-later
"""Clients and their workloads."""
import concurrent.futures
import dataclasses
import math
from typing import TYPE_CHECKING, Any, Iterable, Mapping, Optional, Union

from . import messages as pb
from .bounds import bounded
from .errors import LabError
from .ring import RingClientCalls
from .values import PATH_WORDS, RESULT_WORDS, Row, Target, seconds, text_of
from .watcher import target_text, text

if TYPE_CHECKING:
    from .lab import Lab

_KINDS = {"insert": pb.INSERT, "update": pb.UPDATE, "delete": pb.DELETE, "search": pb.SEARCH}
_DONE = {pb.INSERT: "inserted", pb.UPDATE: "updated", pb.DELETE: "deleted", pb.SEARCH: "found"}
_MODES = {"adjusting": pb.ADJUSTING, "frozen": pb.FROZEN, "exact": pb.EXACT}
_ORDERS = {"next": pb.NEXT, "present": pb.PRESENT, "uniform": pb.UNIFORM, "zipf": pb.ZIPF}
_WINDOW_MAX = 65_536
_GRACE_S = 2.0
_Bytes = bytes   # used where ``bytes`` is the name of a count


@dataclasses.dataclass(frozen=True)
class Operation(Row):
    """One key operation. ``result``: 'inserted', 'duplicate', 'updated', 'deleted', 'found', 'not found', 'lost'.
    ``path``: how it was answered. 'direct': by the first bucket that was asked; 'forwarded': by another bucket, to
    which it was forwarded; 'coordinator': by a bucket whose location the client had to ask the coordinator for, for
    example a bucket that was recovered on a spare; 'record recovery': by a parity bucket that computed the record
    while its bucket was unavailable."""

    op: int
    key: int
    result: str
    value: Optional[bytes]       # of a search that found the record
    value_is_right: bool         # a generated value was returned as this client wrote it
    bucket: int
    rank: int
    forwards: int
    iam: bool                    # the image was adjusted (image adjustment message)
    path: str
    alarm: bool                  # the coordinator was told that the bucket does not answer
    resends: int
    time_ms: float

    @property
    def text(self) -> Optional[str]:
        """The value as text; None: there is no value, or it is not text."""
        return None if self.value is None else text_of(self.value)


@dataclasses.dataclass(frozen=True)
class Workload(Row):
    """The result of a workload. ``results`` counts by result ('ok', 'not found', 'exists', ...)."""

    operations: int
    results: dict[str, int]
    unanswered: int
    refused_full: int            # of the unanswered: refused because the memory of a server is at its limit
    full: list[str]              # these servers
    wrong: int                   # values that are not those written
    missing: int                 # keys that were stored and are not found
    forwards: int
    iams: int                    # image adjustments
    resends: int
    messages: Optional[int]      # sent and received by this client
    total_s: float
    per_op_ms: float
    p50_ms: float
    p99_ms: float
    max_ms: float
    times_ms: list[float]        # of every ``times_every``-th operation
    done: int
    of: int
    lost: int                    # with acks=False: number of lost requests
    lost_keys: list[int]
    sending_s: Optional[float]   # with acks=False: until the last request was sent
    behind_ms: Optional[float]   # with a rate: how long after its due time the latest operation began
    complete: bool = True        # False: it ended early, for the reason ``why``
    why: Optional[str] = None
    # Of a mix: the number of operations of each kind, and their times.
    insert_operations: Optional[int] = None
    insert_p50_ms: Optional[float] = None
    insert_p99_ms: Optional[float] = None
    insert_max_ms: Optional[float] = None
    update_operations: Optional[int] = None
    update_p50_ms: Optional[float] = None
    update_p99_ms: Optional[float] = None
    update_max_ms: Optional[float] = None
    delete_operations: Optional[int] = None
    delete_p50_ms: Optional[float] = None
    delete_p99_ms: Optional[float] = None
    delete_max_ms: Optional[float] = None
    search_operations: Optional[int] = None
    search_p50_ms: Optional[float] = None
    search_p99_ms: Optional[float] = None
    search_max_ms: Optional[float] = None


@dataclasses.dataclass(frozen=True)
class Verified(Row):
    """The result of reading back all records of a client."""

    keys: int
    equal: int
    newer: int                   # values that another client wrote
    older: int                   # values that this client wrote before the last one
    missing: int
    lost: int
    wrong: int
    unanswered: int


@dataclasses.dataclass(frozen=True)
class Image(Row):
    """What a client believes about the file: level i, split pointer n, M buckets; ``behind``: how many buckets it
    does not know."""

    i: int
    n: int
    M: int
    behind: int


@dataclasses.dataclass(frozen=True)
class Scan(Row):
    """The result of a scan. ``guaranteed``: the end was not only concluded from silence."""

    records: int
    bytes: int
    buckets: int
    complete: bool
    guaranteed: bool
    missing: list[int]
    lost: list[int]
    messages: int
    resends: int
    restarts: int
    time_ms: float
    found: list[tuple[int, _Bytes]]  # (key, value) of at most ``keep``


@bounded
class Client(RingClientCalls):
    """A client, which is a separate process. Made by ``lab.client(NAME)``."""

    def __init__(self, lab: "Lab", name: str, number: int) -> None:
        self._lab = lab
        self.name = name
        self.number = number

    def __repr__(self) -> str:
        return f"Client({self.name!r})"

    # ---- single operations

    def insert(self, key: Optional[int] = None, value: Union[bytes, str, None] = None, timeout: float = 10) -> Operation:
        """Inserts a record; answered when all parity buckets of its group have it. Without a key: the next unused
        key; without a value: a value made from key and version. LabError Timeout (seconds), BadArgument."""
        return self._operate(pb.INSERT, key, value, timeout)

    def update(self, key: int, value: Union[bytes, str, None] = None, timeout: float = 10) -> Operation:
        """Gives the record a new value. LabError as insert."""
        return self._operate(pb.UPDATE, key, value, timeout)

    def delete(self, key: int, timeout: float = 10) -> Operation:
        """Deletes the record. LabError as insert."""
        return self._operate(pb.DELETE, key, None, timeout)

    def search(self, key: int, timeout: float = 10) -> Operation:
        """Looks for the record. LabError as insert."""
        return self._operate(pb.SEARCH, key, None, timeout)

    def _operate(self, kind: int, key: Optional[int], value: Union[bytes, str, None], timeout: float) -> Operation:
        lab = self._lab
        lab._changing()
        if key is None:
            key = self._describe().next_key
        if not isinstance(key, int) or not 0 <= key < 1 << 64:
            raise LabError("BadArgument", f"A key is a whole number from 0 to 2^64 - 1, not {key!r}.")
        order = pb.Operate(kind=kind, key=key)
        if value is not None:
            order.value = value.encode() if isinstance(value, str) else value
        elif kind in (pb.INSERT, pb.UPDATE):
            order.generate_value, order.length = True, lab._record_bytes
        done = lab._ask(self.number, timeout, operate=order).operation
        if done.result == pb.INVALID:
            raise LabError("BadArgument", done.text)
        if done.result in (pb.RETRY, pb.UNKNOWN_OUTCOME):
            raise LabError("Timeout", f"{pb.OperationKind.Name(kind).lower()} of key {key}: {RESULT_WORDS[done.result]} after "
                           f"{seconds(done.time_ns):g} s. {done.text}".strip())
        word = _DONE[kind] if done.result == pb.OK else "duplicate" if done.result == pb.EXISTS else \
            RESULT_WORDS.get(done.result, "no result")
        return Operation(done.operation.number, done.key, word,
                         done.value if kind == pb.SEARCH and done.result == pb.OK else None, done.value_is_right, done.bucket,
                         done.rank, done.forwards, done.image_adjusted, PATH_WORDS.get(done.path, ""), done.alarm, done.resends,
                         done.time_ns / 1e6)

    # ---- workloads

    def run(self, do: str = "insert", count: Optional[int] = None, keys: Union[str, Iterable[int], None] = None,
            window: Optional[float] = None, mix: Optional[Mapping[str, float]] = None, check: bool = True, acks: bool = True,
            key_space: int = 1_000_000, times_every: int = 0, rate: Optional[float] = None, skew: float = 0.99,
            timeout: float = 600, batch: int = 1, partial: bool = False) -> Workload:
        """Runs a workload and waits for its end.

        ``do``: 'insert', 'update', 'delete', 'search' or 'mixed' with the weights of ``mix``. ``keys``: 'next'
        (inserts), 'present', 'uniform' below ``key_space``, 'zipf' (of the stored keys, the first is the most
        popular, by 1 / rank^``skew``), or a list. ``window``: the most operations under way (None: 1; math.inf:
        parallel). ``rate``: operations per second; each is due at its time, whatever happened to earlier ones. Times
        count from the due time, and the window is unbounded unless given. ``batch``: this many operations begin
        together, once this many places of the window are free. ``check``: compare the values that searches return.
        ``acks=False``: bulk insert without acknowledgements, an experiment. ``partial``: the workload may end early
        when no key is left to update, delete or search. In a mix, inserts have keys that were never used. LabError
        Timeout (seconds; the workload is then ended), Refused (also if it ended early), BadArgument."""
        handle = self._begin(do, count, keys, window, mix, check, acks, key_space, times_every, rate, skew,
                             batch, partial, timeout)
        try:
            return handle.wait(timeout)
        except (LabError, KeyboardInterrupt) as error:
            if getattr(error, "code", "Timeout") == "Timeout":  # a workload that was refused is not ours to end
                handle._end()
            raise

    def start(self, do: str = "insert", count: Optional[int] = None, keys: Union[str, Iterable[int], None] = None,
              window: Optional[float] = None, mix: Optional[Mapping[str, float]] = None, check: bool = True, acks: bool = True,
              key_space: int = 1_000_000, times_every: int = 0, rate: Optional[float] = None, skew: float = 0.99,
              batch: int = 1, partial: bool = False) -> "Handle":
        """As run, but returns at once; the Handle waits, reports progress, or ends the workload."""
        handle = self._begin(do, count, keys, window, mix, check, acks, key_space, times_every, rate, skew,
                             batch, partial, None)
        self._lab._hear_out()  # the workload is ordered before any later command
        return handle

    def _begin(self, do: str, count: Optional[int], keys: Union[str, Iterable[int], None], window: Optional[float],
               mix: Optional[Mapping[str, float]], check: bool, acks: bool, key_space: int, times_every: int,
               rate: Optional[float], skew: float, batch: int, partial: bool, timeout: Optional[float]) -> "Handle":
        """``timeout``: waits for the end at once, at most this long; None: the caller waits later."""
        lab = self._lab
        lab._changing()
        if window is None:
            window = 1 if rate is None else math.inf
        order = pb.RunWorkload(seed=lab._next_workload_seed(), key_space=key_space, length=lab._record_bytes,
                               window=int(min(window, _WINDOW_MAX)) if window >= 1 else 1, unchecked=not check,
                               record_times_every=times_every, without_acknowledgement=not acks, rate=rate or 0, skew=skew, batch=batch)
        if do == "mixed":
            weights = dict(mix or {"search": 1})
            if set(weights) - set(_KINDS) or not all(math.isfinite(one) and one >= 0 for one in weights.values()):
                raise LabError("BadArgument", "mix names weights of insert, update, delete and search, such as "
                               "{'insert': 1, 'search': 3}.")
            order.mix.extend(round(weights.get(name, 0) * 1000) for name in _KINDS)
        elif do in _KINDS:
            order.kind = _KINDS[do]
        else:
            raise LabError("BadArgument", f"do is one of {', '.join(_KINDS)} and mixed, not {do!r}.")
        if keys is None:
            keys = "next" if do == "insert" else "present"
        if isinstance(keys, str):
            if keys not in _ORDERS:
                raise LabError("BadArgument", f"keys is one of {', '.join(_ORDERS)}, or a list of keys, not {keys!r}.")
            order.keys = _ORDERS[keys]
            if count is None:
                raise LabError("BadArgument", "A workload needs a count, or a list of keys.")
        else:
            order.keys = pb.LISTED
            order.key_list.extend(keys)
        order.count = len(order.key_list) if count is None else count
        before, command = self._messages(), pb.Command(run_workload=order)
        future = lab._send(self.number, command if timeout is None else lab._awaited(command, timeout))
        return Handle(self, future, before, rate is not None, partial, timeout is not None)

    def verify(self, place: Optional[Target] = None, window: int = 64, timeout: float = 600) -> Verified:
        """Reads back every record that this client stored, or those of one data bucket, and compares. LabError
        Timeout (seconds)."""
        order = pb.Verify(window=window)
        if place is not None:
            _, bucket = self._lab._one_place(place, "client.verify")
            if bucket.role != pb.DATA:
                raise LabError("BadArgument", f"client.verify needs a data bucket, not {place}.")
            order.only_bucket, order.bucket = True, bucket.number
            order.file.CopyFrom(self._lab._describe_file().file)
        self._lab._changing()
        options = {"window": window, "timeout": timeout}
        judged = self._lab._judge(f"lab.client({text(self.name)}).verify(Object.assign({text(options)}, "
                                  f"{{ place: {'null' if place is None else target_text('data', [order.bucket], 0)} }}))", timeout)
        if judged is not None:
            return Verified(**{field.name: int(judged[field.name]) for field in dataclasses.fields(Verified)})
        done = self._lab._ask(self.number, timeout, verify=order).workload
        ok = done.results["OK"] if "OK" in done.results else 0
        return Verified(done.operations, ok - min(ok, done.wrong + done.newer), done.newer, done.older, done.missing,
                        done.results["LOST"] if "LOST" in done.results else 0, done.wrong - done.older, done.unanswered)

    def scan(self, contains: Union[bytes, str] = b"", termination: str = "deterministic", keep: int = 0,
             partial: bool = False, timeout: float = 10) -> Scan:
        """Finds all records whose value contains these bytes. ``termination='probabilistic'`` concludes the end from
        silence and is not guaranteed. LabError Timeout (seconds) when buckets are missing, unless ``partial``."""
        if termination not in ("deterministic", "probabilistic"):
            raise LabError("BadArgument", f"termination is 'deterministic' or 'probabilistic', not {termination!r}.")
        self._lab._changing()
        order = pb.RunScan(contains=contains.encode() if isinstance(contains, str) else contains, keep=keep,
                           probabilistic=termination == "probabilistic", timeout_ms=max(1, int(timeout * 1000)))
        done = self._lab._ask(self.number, timeout + _GRACE_S, run_scan=order).scan
        if done.result == pb.RETRY and not partial:
            raise LabError("Timeout", f"The scan is not complete after {timeout:g} s: nothing came from bucket "
                           f"{', '.join(map(str, done.missing))}.", "partial=True gives what has come.")
        return Scan(done.records, done.bytes, done.buckets, done.complete, done.guaranteed, list(done.missing), list(done.lost),
                    done.messages, done.resends, done.restarts, done.total_ns / 1e6, [(one.key, one.value) for one in done.found])

    # ---- the image

    def image(self) -> Image:
        """What the client believes about the file."""
        image = self._describe().image
        M = (1 << image.i) + image.n
        return Image(image.i, image.n, M, self._lab._describe_file().buckets - M)

    def forget(self) -> Image:
        """Resets the image to (0, 0); its mode stays."""
        return self._set_image(self._describe().mode, True)

    def treat_image(self, mode: str) -> Image:
        """'adjusting' (LH*), 'frozen' (never adjusted) or 'exact' (asks the coordinator each time)."""
        if mode not in _MODES:
            raise LabError("BadArgument", f"An image is {', '.join(_MODES)}, not {mode!r}.")
        return self._set_image(_MODES[mode], False)

    def wait_for_answers(self, seconds_: Optional[float]) -> float:
        """Sets how long a request waits for its answer, including retransmissions, before the coordinator is asked;
        None: as the file's timers say (0.21 by default). Returns the seconds in force. LabError BadArgument: more
        than half an operation's deadline."""
        self._lab._changing()
        order = pb.SetPatience(request_ms=0 if seconds_ is None else max(1, round(seconds_ * 1000)))
        return float(self._lab._ask(self.number, set_patience=order).client.request_ms) / 1000

    def hold(self, on: bool = True, lease: float = 60) -> None:
        """Stops beginning new operations, or resumes: operations under way end, commanded ones wait, a workload
        stands still. Ends by itself after ``lease`` seconds. These are real seconds, also in a simulated cluster,
        where a call should end the hold."""
        self._lab._changing()
        self._lab._ask(self.number, hold_workload=pb.HoldWorkload(is_held=on, lease_ms=max(1, round(lease * 1000))))

    def _set_image(self, mode: int, forget: bool) -> Image:
        self._lab._changing()
        self._lab._ask(self.number, set_image=pb.SetImage(mode=mode, forget=forget))
        return self.image()

    def _describe(self) -> Any:
        return self._lab._ask(self.number, describe_client=pb.DescribeClient()).client

    def _messages(self) -> int:
        gauges = self._lab._ask(self.number, statistics=pb.Statistics()).gauges
        return int(gauges.messages_in + gauges.messages_out)

    def _await_registered(self, timeout: float) -> None:
        """A client refuses workloads until the coordinator has sent it the parameters of the file; an empty workload
        tests this."""
        deadline = self._lab._deadline(timeout)
        while True:
            try:
                self._lab._ask(self.number, run_workload=pb.RunWorkload(kind=pb.SEARCH, keys=pb.LISTED))
                return
            except LabError as error:
                if error.code != "Refused" or deadline.left() <= 0:
                    raise LabError(error.code, f"The client {self.name} is not ready: {error.message}") from None
            self._lab._wait_beyond(self._lab._log.committed, deadline, 0.01)


@bounded
class Handle:
    """A workload that runs in the background."""

    def __init__(self, client: Client, future: "concurrent.futures.Future[Any]", messages_before: int, has_rate: bool,
                 may_end_early: bool, is_awaited: bool) -> None:
        self._client = client
        self._is_awaited = is_awaited  # the command itself waits, where virtual time waits for commands
        self._may_end_early = may_end_early
        self._has_rate = has_rate
        self._future = future
        self._before = messages_before

    def progress(self) -> Workload:
        """The progress: ``done`` of ``of``."""
        if self._future.done():
            return self.wait(0.001)
        return self._so_far()

    def _so_far(self) -> Workload:
        reply = self._client._lab._ask(self._client.number, workload_progress=pb.WorkloadProgress())
        return _workload(reply.workload, None, self._has_rate)

    def wait(self, timeout: float = 600) -> Workload:
        """Waits for the end. LabError Timeout (seconds): it still runs; Refused: it ended early, without
        ``partial``."""
        lab = self._client._lab
        try:
            reply = lab._result(self._future, timeout, self._client.name) if self._is_awaited \
                else lab._await(self._future, timeout)
        except LabError as error:
            if error.code != "Timeout":
                raise
            now = self._so_far()
            raise LabError("Timeout", f"The workload of {self._client.name} is not done after {timeout:g} s: {now.done} of "
                           f"{now.of} operations are.") from None
        done = reply.workload
        if done.ended_early and not self._may_end_early:
            raise LabError("Refused", f"The workload of {self._client.name} ended after {done.operations} of {done.of} operations: "
                           f"{done.ended_early}.", "With partial=True that is not an error.")
        return _workload(done, self._client._messages() - self._before, self._has_rate)

    def stop(self, timeout: float = 30) -> Workload:
        """Ends the workload; operations under way are still answered. LabError Timeout (seconds)."""
        self._may_end_early = True
        self._end()
        return self.wait(timeout)

    def _end(self) -> None:
        try:
            self._client._lab._send(self._client.number, pb.Command(stop_workload=pb.StopWorkload()))
            self._client._lab._hear_out()
        except LabError:  # the client has ended, and its workload with it
            return


def _full_words(full: Any) -> str:
    return f"parity bucket {full.number}.{full.column}" if full.role == pb.PARITY else f"data bucket {full.number}"


def _workload(done: Any, messages: Optional[int], has_rate: bool) -> Workload:
    results = {RESULT_WORDS.get(pb.ResultCode.Value(name), name) if name in pb.ResultCode.keys() else name: count
               for name, count in sorted(done.results.items())}  # a protobuf map has no order
    kinds: dict[str, Any] = {}
    for one in done.kinds:
        name = pb.OperationKind.Name(one.kind).lower()
        kinds[f"{name}_operations"] = one.operations
        for part in ("p50", "p99", "max"):
            kinds[f"{name}_{part}_ms"] = getattr(one, f"{part}_ns") / 1e6 if one.operations else None
    return Workload(
        done.operations, results, done.unanswered, done.refused_full, [_full_words(one) for one in done.full], done.wrong,
        done.missing, done.forwards, done.image_adjustments, done.resends,
        messages, seconds(done.total_ns), done.total_ns / 1e6 / done.operations if done.operations else 0.0, done.p50_ns / 1e6,
        done.p99_ns / 1e6, done.max_ns / 1e6, [one / 1e6 for one in done.times_ns], done.done, done.of, done.lost,
        list(done.lost_keys), seconds(done.sending_ns) if done.sending_ns else None, done.behind_max_ns / 1e6 if has_rate else None,
        not done.ended_early, done.ended_early or None, **kinds)
