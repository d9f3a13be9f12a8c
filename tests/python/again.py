# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables of a run, computed a second time directly from the bodies of a recording's events, for comparison with
the CSV files. It shares no code with the program that writes them, and imports protobuf when it is used."""
import bisect
import collections
import dataclasses
import math
import pathlib
import sqlite3
import sys
from typing import Any, Iterator, Optional

import rig

Row = dict[str, Any]
_LARGE = 1 << 64


@dataclasses.dataclass
class ProcessEvent:
    """An event of a process, on the run's clock."""

    cluster: int
    process: int
    ns: int
    event: Any

    @property
    def kind(self) -> str:
        """The name of its body."""
        return self.event.WhichOneof("body") or ""

    @property
    def body(self) -> Any:
        """Its body."""
        return getattr(self.event, self.kind)


class Run:
    """A recording."""

    def __init__(self, path: pathlib.Path) -> None:
        sys.path.insert(0, str(rig.ROOT / "proto/python"))
        from lhrs_lab import messages, values
        self.pb, self._values = messages, values
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as data:
            self._names = {process % _LARGE: name for process, name in data.execute("SELECT id, name FROM process")}
            lasts = [event for (event,) in data.execute("SELECT DISTINCT event FROM told WHERE kind = 'forgotten' AND event > 0 ORDER BY event")]
            self.begin_ns = data.execute("SELECT t_ns FROM event WHERE id = 1").fetchone()[0]
            self._ended: dict[tuple[int, int], int] = {}
            for event, process, ns in data.execute("SELECT event, process, t_ns FROM told WHERE kind = 'ended'"):
                self._end(1 + bisect.bisect_left(lasts, event), process % _LARGE, ns)
            self.events = []
            self._losses = []  # (begin, end) of each interval in which events of a process may have been lost
            last: dict[int, int] = {}
            for number, process, ns, body, kind in data.execute("SELECT id, process, t_ns, body, kind FROM event ORDER BY id"):
                if kind == 0:
                    self._losses.append((last.get(process, self.begin_ns), ns))
                last[process] = ns
                if kind == 0:
                    continue
                self.events.append(ProcessEvent(1 + bisect.bisect_left(lasts, number), process % _LARGE, ns, messages.Event.FromString(body)))
        for told in self.of("process_ended"):
            self._end(told.cluster, told.process, told.ns)

    def _end(self, cluster: int, process: int, ns: int) -> None:
        self._ended[cluster, process] = min(ns, self._ended.get((cluster, process), ns))

    def of(self, *kinds: str) -> Iterator[ProcessEvent]:
        """The events of these kinds, in order."""
        return (told for told in self.events if told.kind in kinds)

    def name(self, process: int) -> str:
        """The name of a process."""
        return self._names.get(process) or f"{process:x}"

    def at(self, ns: int) -> float:
        """Seconds of the run."""
        return (ns - self.begin_ns) / 1e9

    # ---- the tables

    def _acted(self) -> list[tuple[int, int, float]]:
        """(cluster, begin, end) of each injected fault; a kill is an instant."""
        faults: dict[tuple[int, int], list[float]] = {}
        for told in self.of("fault_begun", "fault_ended"):
            fault = told.body.fault
            known = faults.setdefault((told.cluster, fault.number), [told.ns, math.inf])
            if told.kind == "fault_ended" or fault.HasField("crash") and not fault.crash.at:
                known[1] = known[0] + 1 if told.kind == "fault_begun" else told.ns
        last: dict[int, int] = {}
        for told in self.events:
            last[told.cluster] = max(told.ns, last.get(told.cluster, told.ns))
        return [(cluster, int(begin), min(end, last[cluster])) for (cluster, _), (begin, end) in faults.items()]

    def operations(self) -> dict[tuple[Any, ...], Row]:
        """The operations by cluster, client and number."""
        of: dict[tuple[int, int, int], dict[str, Any]] = collections.defaultdict(lambda: {"sent": 0, "iam": False})
        for told in self.of("operation_started", "operation_done", "message_sent", "image_adjusted"):
            if not told.event.operation.client:
                continue
            one = of[told.cluster, told.event.operation.client, told.event.operation.number]
            if told.kind == "message_sent":
                one["sent"] += 1
            elif told.kind == "image_adjusted":
                one["iam"] = True
            else:
                one[told.kind] = told
        faults = self._acted()
        rows = {}
        for (cluster, client, number), one in of.items():
            if "operation_done" not in one:
                continue
            end, done = one["operation_done"].ns, one["operation_done"].body
            begin = one["operation_started"].ns if "operation_started" in one else end - done.time_ns
            rows[cluster, self.name(client), number] = {
                "kind": self.pb.OperationKind.Name(done.kind).lower(), "key": done.key, "begin_s": self.at(begin), "time_ms": done.time_ns / 1e6,
                "result": self._values.RESULT_WORDS[done.result], "place": f"data {done.bucket}", "rank": done.rank or None,
                "forwards": done.forwards, "iam": done.image_adjusted or one["iam"], "path": self._values.PATH_WORDS[done.path],
                "resends": done.resends, "messages_sent": one["sent"] or None,
                "faults": sum(of_cluster == cluster and from_ns <= end and to_ns >= begin for of_cluster, from_ns, to_ns in faults),
                "complete": "operation_started" in one and not any(from_ns <= end and to_ns >= begin for from_ns, to_ns in self._losses)}
        return rows

    def moved(self, ordered: str, finished: str, undone: str, target: str, level: str) -> dict[tuple[Any, ...], Row]:
        """Splits or merges, by cluster and identifier."""
        rows: dict[tuple[Any, ...], Row] = {}
        locks: dict[tuple[int, int], list[tuple[int, bool]]] = collections.defaultdict(list)
        for told in self.of("state_changed"):
            if told.event.place.role == self.pb.DATA:
                locks[told.cluster, told.event.place.number].append((told.ns, told.body.state in (self.pb.SPLITTING, self.pb.MERGING)))
        orders = list(self.of(ordered))
        for told in orders:
            order = told.body
            nexts = [other.ns for other in orders if other.cluster == told.cluster and other.body.bucket == order.bucket and other.ns > told.ns]
            changes = [one for one in locks[told.cluster, order.bucket] if told.ns <= one[0] < min(nexts, default=math.inf)]
            begin = next((ns for ns, is_locked in changes if is_locked), None)
            end = next((ns for ns, is_locked in changes if begin is not None and ns > begin and not is_locked), None)
            rows[told.cluster, order.split] = {
                "bucket": order.bucket, ("into" if target == "into" else "new_bucket"): getattr(order, target), level: order.level, "records_moved": None,
                "begin_s": self.at(told.ns), "locked_ms": None if begin is None or end is None else (end - begin) / 1e6, "total_s": None,
                "parity_batches": sum(one.cluster == told.cluster and one.body.split == order.split for one in self.of("batch_applied")),
                "outcome": "under way"}
        for told in self.of(finished, undone):
            row = rows[told.cluster, told.body.split]
            row["outcome"] = "finished" if told.kind == finished else f"undone: {told.body.reason}"
            if told.kind == finished:
                row.update(records_moved=told.body.moved, total_s=told.body.total_ns / 1e9)
        return rows

    def splits(self) -> dict[tuple[Any, ...], Row]:
        """See moved."""
        return self.moved("split_ordered", "split_finished", "split_undone", "new_bucket", "level")

    def merges(self) -> dict[tuple[Any, ...], Row]:
        """See moved."""
        return self.moved("merge_ordered", "merge_finished", "merge_undone", "into", "level_before")

    def parity_creations(self) -> list[Row]:
        """The parity creations, in order."""
        rows = []
        bits: dict[int, tuple[int, bool]] = {}
        for told in self.of("file_created", "parity_bucket_filled"):
            if told.kind == "file_created":
                bits[told.cluster] = 8 if told.body.config.field == self.pb.GF_8 else 16, told.body.config.pure_rs
                continue
            place, body = told.event.place, told.body
            rows.append({"cluster": told.cluster, "group": place.number, "column": place.column, "gf": bits[told.cluster][0],
                         "scheme": "rs" if place.column or bits[told.cluster][1] else "xor", "records": body.records, "bytes": body.bytes,
                         **self._times(body, body.total_ns)})
        return rows

    @staticmethod
    def _times(body: Any, total_ns: int) -> Row:
        assert total_ns == body.process_ns + body.communication_ns + body.other_ns, "total = process + communication + other, in ns"
        return {"total_s": total_ns / 1e9, "process_s": body.process_ns / 1e9, "comm_s": body.communication_ns / 1e9,
                "other_s": body.other_ns / 1e9, "transfer_s": body.transfer_ns / 1e9}

    def recoveries(self) -> dict[tuple[Any, ...], Row]:
        """The finished recoveries, by cluster and identifier."""
        begins = {(told.cluster, told.body.recovery): told.ns for told in reversed(list(self.of("recovery_started")))}
        failed: dict[tuple[int, int], list[ProcessEvent]] = collections.defaultdict(list)
        rows = {}
        for told in self.of("bucket_failed", "recovery_finished"):
            if told.kind == "bucket_failed":
                failed[told.cluster, told.body.group].append(told)
                continue
            body, detected = told.body, []
            for one in failed.pop((told.cluster, body.group), []):
                ended = self._ended.get((told.cluster, one.body.process))
                detected.append(None if ended is None or ended > one.ns else one.ns - ended)
            rows[told.cluster, body.recovery] = {
                "group": body.group, "failed_data": " ".join(map(str, body.buckets)), "manager": body.manager,
                "survivors": "; ".join(self._values.place_name(place) for place in body.survivors), "decode": "xor" if body.is_xor else "rs",
                "slice": body.slice, "slices": body.slices, "records": body.records, "bytes": body.bytes,
                "begin_s": self.at(begins[told.cluster, body.recovery]),
                "detect_s": None if not detected or None in detected else max(detected) / 1e9,
                **self._times(body, body.rebuild_ns), "whole_s": body.total_ns / 1e9, "outcome": "finished"}
        return rows

    def slices(self) -> dict[tuple[Any, ...], Row]:
        """The slices by cluster, recovery and number."""
        stored: dict[tuple[int, int, int], int] = {}
        for told in self.of("slice_stored"):
            key = told.cluster, told.body.recovery, told.body.number
            stored[key] = max(told.ns, stored.get(key, told.ns))
        rows = {}
        for told in self.of("slice_recovered"):
            body, key = told.body, (told.cluster, told.body.recovery, told.body.number)
            order = told.ns - body.computed_ns
            rows[key] = {"rank_first": body.rank_from, "ranks": body.rank_to - body.rank_from + 1, "requested_s": self.at(order + body.requested_ns),
                         "arrived_s": self.at(order + body.arrived_ns), "decoded_s": self.at(told.ns),
                         "stored_s": self.at(stored[key]) if key in stored else None, "in_bytes": body.in_bytes, "out_bytes": body.bytes}
        return rows


def interval_95(values: list[float]) -> Optional[tuple[float, float]]:
    """The 95 % interval of the median: the innermost pair of order statistics that covers it in 95 of 100 cases,
    computed with whole numbers."""
    count, best = len(values), None
    for rank in range(1, count // 2 + 1):
        outside = 2 * sum(math.comb(count, below) for below in range(rank))
        if 100 * outside <= 5 * 2 ** count:
            best = sorted(values)[rank - 1], sorted(values)[count - rank]
    return best
