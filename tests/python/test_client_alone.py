# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of proto/python that need no cluster."""
import ast
import csv
import importlib.util
import inspect
import json
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock
import xml.dom.minidom

import rig

rig.require(("zmq", "python3-zmq"), ("google.protobuf", "python3-protobuf"))
sys.path.insert(0, str(rig.ROOT / "proto/python"))

import zmq  # noqa: E402
from lhrs_lab import Chart, Lab, Rows, messages as pb  # noqa: E402
from lhrs_lab import _generate, bounds, clients, endings, invariants, local, measure, play, shown, witness  # noqa: E402
from lhrs_lab.events import EventLog  # noqa: E402
from lhrs_lab.measure import cases_of, numbers_of  # noqa: E402
from lhrs_lab.wire import Process, Wire  # noqa: E402


NEEDS_PANDAS = unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not installed (./run test installs it)")
NEEDS_MATPLOTLIB = unittest.skipUnless(importlib.util.find_spec("matplotlib"), "matplotlib is not installed (./run test installs it)")


class FakeCluster(threading.Thread):
    """A file of one group, m = 2 and k = 2, behind one socket. It answers the queries of an audit. A digest is that
    of a record of one symbol."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._socket = zmq.Context.instance().socket(zmq.ROUTER)
        self.endpoint = f"tcp://127.0.0.1:{self._socket.bind_to_random_port('tcp://127.0.0.1')}"
        self.parity = {0: (0, [0, 1]), 1: (1 ^ 0xEB9B, [0, 1])}   # column: digest (the matrix has 1 and 0xeb9b there), keys
        self.held = 0
        self.start()

    def run(self) -> None:
        """Answers until the program ends."""
        while True:
            *who, body = self._socket.recv_multipart()
            command = pb.Command.FromString(body)
            self._socket.send_multipart([*who, self._reply(command).SerializeToString()])

    def _info(self, number: int) -> pb.ProcessInfo:
        return pb.ProcessInfo(node=number, name=f"p{number}", pid=os.getpid(), kind=pb.COORDINATOR if number == 1 else pb.NODE,
                              control_endpoint=self.endpoint, events_endpoint="tcp://127.0.0.1:1")

    def _reply(self, command: pb.Command) -> pb.CommandReply:
        reply = pb.CommandReply(ticket=command.ticket)
        body, place = command.WhichOneof("body"), command.process - 10   # 10, 11: data buckets; 12, 13: parity
        if body == "who_are_you":
            reply.process.CopyFrom(self._info(1))
        elif body == "list_processes":
            reply.processes.processes.extend(pb.ProcessList.Entry(process=self._info(number)) for number in (1, 10, 11, 12, 13))
        elif body == "describe_file":
            reply.file.CopyFrom(pb.FileDescription(exists=True, at_rest=True, buckets=2, config=pb.FileConfig(m=2, availability=2, b=10)))
            reply.file.file.i = 1
            members = reply.file.groups.add(k=2).view.members
            for number in range(4):
                members.add(role=pb.DATA if number < 2 else pb.PARITY, index=number % 2, state=pb.UP).holder.node = 10 + number
        elif body == "audit":
            reply.audit.CopyFrom(pb.AuditPage(held=self.held))
            if place < 2:
                reply.audit.ranks.add(rank=1, digest=1, keys=[place], lengths=[4])
            else:
                digest, keys = self.parity[place - 2]
                reply.audit.ranks.add(rank=1, digest=digest, keys=keys, positions=range(len(keys)), lengths=[4] * len(keys))
        else:
            reply.refusal = pb.REFUSED
        return reply


class Alone(rig.Coded):
    """Tests of the package itself."""

    def test_the_package_asks_for_a_protobuf_that_reads_what_this_protoc_writes(self):
        for version, wanted in (("libprotoc 3.20.3", "protobuf>=3.20"), ("libprotoc 3.21.12", "protobuf>=4.21"), ("libprotoc 25.1", "protobuf>=4.25"),
                                ("libprotoc 26.0", "protobuf>=5.26,<7"), ("libprotoc 29.3", "protobuf>=5.29,<7"),
                                ("libprotoc 33.0", "protobuf>=6.33,<8"), ("libprotoc 34.1", "protobuf>=7.34,<9")):
            self.assertEqual(_generate.requirement(version), wanted, version)
        with self.assertRaisesRegex(RuntimeError, "version of protoc is not known"):
            _generate.requirement("libprotoc")
        with unittest.mock.patch("shutil.which", return_value=None), self.assertRaisesRegex(RuntimeError, "protobuf-compiler"):
            _generate.requirement()
        self.assertIn("protobuf>=", _generate.requirement())  # of the installed protoc

    def test_message_classes_that_protobuf_refuses_are_told(self):
        with unittest.mock.patch("importlib.import_module", side_effect=TypeError("Descriptors cannot be created directly")):
            text = self.assertCode("Unsupported", __import__("lhrs_lab.messages", fromlist=["_load"])._load)
        self.assertIn("Descriptors cannot be created directly", text)

    def table(self, rows: int) -> measure.Table:
        table = measure.Table("times <1>", {"run": "r", "simulated": True, "machine": "m & m"})
        for number in range(rows):
            table.add("counts", number + 1, False, {"window": 16}, {"records": 10 + number, "total_s": 1 / 3 if number else None}, 0)
        return table

    def test_the_time_outs_follow_how_late_processes_are_woken(self):
        scales = [local.time_scale_for(late) for late in range(500)]
        self.assertEqual([scales[0], scales[5], scales[40], scales[80], scales[499]], [1, 1, 2, 4, 8])
        self.assertEqual(scales, sorted(scales))
        self.assertEqual(set(scales), {1, 2, 4, 8})
        self.assertEqual(local._scaled(["-m", "4"], 4), ["-m", "4", "--time-scale", "4"])
        self.assertEqual(local._scaled(["--time-scale", "5", "-m", "4"], 4), ["--time-scale", "20", "-m", "4"])

    def test_a_table_shows_itself_in_a_notebook(self):
        page = xml.dom.minidom.parseString(f"<x>{self.table(3)._repr_html_()}</x>")
        heads = [node.firstChild.data for node in page.getElementsByTagName("th")]
        self.assertEqual(heads, ["repetition", "records", "total_s"])   # the others are equal in all rows
        cells = [node.firstChild.data if node.firstChild else "" for node in page.getElementsByTagName("td")]
        self.assertEqual(cells, ["1", "10", "", "2", "11", "0.333333", "3", "12", "0.333333"])
        self.assertEqual(page.getElementsByTagName("caption")[0].firstChild.data, "times <1>: 3 rows")
        below = page.getElementsByTagName("p")[0].firstChild.data
        self.assertIn("machine = m & m", below)
        self.assertIn("window = 16", below)
        one = xml.dom.minidom.parseString(f"<x>{self.table(1)._repr_html_()}</x>")
        self.assertEqual(len(one.getElementsByTagName("th")), len(self.table(1).columns))
        many = xml.dom.minidom.parseString(f"<x>{self.table(shown._SHOWN + 5)._repr_html_()}</x>")
        self.assertEqual(len(many.getElementsByTagName("tr")), 1 + shown._SHOWN)
        self.assertIn("5 further rows", many.getElementsByTagName("p")[0].firstChild.data)
        xml.dom.minidom.parseString(f"<x>{measure.Table('none', {})._repr_html_()}</x>")

    @NEEDS_PANDAS
    def test_a_table_is_a_data_frame(self):
        import pandas
        table = self.table(2)
        table.add("counts", None, False, {"window": 1}, {"records": 9007199254740993}, 0)
        frame = table.to_pandas()
        self.assertEqual(list(frame.columns), table.columns)
        self.assertEqual(frame.records.tolist(), [10, 11, 9007199254740993])
        self.assertEqual(frame.total_s.isna().tolist(), [True, False, True])
        self.assertTrue(pandas.api.types.is_integer_dtype(frame.repetition.dtype))
        self.assertEqual(list(table.to_pandas(["records", "run"]).columns), ["records", "run"])
        self.assertIn("no column 'nothing'", self.assertCode("BadArgument", table.to_pandas, ["nothing"]))
        self.assertEqual(table.summary().to_pandas().records_median.tolist(), [10.5, 9007199254740993.0])

    @NEEDS_PANDAS
    def test_the_type_of_a_column_is_that_of_its_values_and_no_digit_is_lost(self):
        rows = Rows([{"key": 2**64 - 1, "time_ms": 2.0, "iam": True, "ranks": [1]}, {"key": None, "time_ms": 3, "iam": None, "ranks": []}, {"more": -1}])
        frame = rows.to_pandas()
        self.assertEqual({name: str(dtype) for name, dtype in frame.dtypes.items()},
                         {"key": "UInt64", "time_ms": "float64", "iam": "boolean", "ranks": "object", "more": "Int64"})
        self.assertEqual((int(frame.key[0]), frame.key.isna().tolist()), (2**64 - 1, [False, True, True]))
        self.assertEqual(rows.to_pandas(["more"]).shape, (3, 1))
        self.assertIn("'nothing'", self.assertCode("BadArgument", rows.to_pandas, ["nothing"]))
        self.assertEqual((Rows().to_pandas().shape, Rows().to_pandas(["key"]).shape), ((0, 0), (0, 1)))

    @NEEDS_PANDAS
    def test_events_and_gaps_are_data_frames_with_the_names_and_units_of_the_tables(self):
        log = EventLog(1000)
        bodies = [{"split_finished": pb.SplitFinished(split=2**63, bucket=1, new_bucket=5, total_ns=2_500_000_000)},
                  {"bucket_failed": pb.BucketFailed(group=1, process=9, reason="silent")}]
        log.take(pb.EventHeader(process=5, name="coordinator", first_sequence=4, count=2, simulated=True, wall_ns=1),
                 pb.EventBatch(events=[pb.Event(sequence=4 + i, wall_ns=10**9 * (i + 1), **body) for i, body in enumerate(bodies)]))
        events = Rows(log.matching(0, None, None))
        frame = events.to_pandas()
        self.assertEqual(list(frame.columns)[:7], ["t_s", "event_kind", "process", "place", "client", "op", "seq"])
        self.assertEqual(frame.event_kind.tolist(), ["SplitFinished", "BucketFailed"])
        self.assertEqual((frame.t_s.tolist(), frame.process.tolist(), frame.seq.tolist()), ([0.0, 1.0], ["coordinator"] * 2, [4, 5]))
        self.assertEqual((frame.total_s[0], int(frame.split[0]), int(frame.body_process[1]), frame.reason[1]), (2.5, 2**63, 9, "silent"))
        self.assertEqual(Rows(log.gaps()).to_pandas().to_dict("records"),
                         [{"process": "coordinator", "seq_first": 1, "seq_last": 3, "t_s": 0.0, "reason": "joined late"}])

    @NEEDS_MATPLOTLIB
    def test_a_figure_has_the_medians_as_a_line_and_every_run_as_a_dot(self):
        table = measure.Table("search_time", {"run": "r", "simulated": True, "machine": "m"})
        for window in (16, 1):
            for scheme in ("xor", "rs"):
                for number in range(4):
                    table.add("counts", number, number == 0, {"window": window, "k": 1, "scheme": scheme}, {"total_s": window + number, "n": 1}, 0)
        figure = table.figure()
        [axes] = figure.axes
        self.assertEqual((axes.get_xlabel(), axes.get_ylabel(), axes.get_ylim()[0]), ("window", "total (s)", 0))
        self.assertEqual([text.get_text() for text in axes.get_legend().get_texts()], ["scheme = rs", "scheme = xor"])
        self.assertEqual([(list(line.get_xdata()), list(line.get_ydata())) for line in axes.lines[:2]],
                         [([1, 16], [3, 18]), ([1] * 3 + [16] * 3, [2, 3, 4, 17, 18, 19])])
        self.assertIn("SIMULATED; k = 1, detail = counts", figure.get_suptitle() if hasattr(figure, "get_suptitle") else figure._suptitle.get_text())
        words = table.figure(["total_s", "n"], x="scheme", by=[], where={"window": 1}, log=True)
        self.assertEqual([tick.get_text() for tick in words.axes[0].get_xticklabels()], ["xor", "rs"])
        self.assertEqual([(one.get_xscale(), one.get_yscale()) for one in words.axes], [("linear", "log")] * 2)
        self.assertEqual(words.axes[1].get_legend().get_texts()[0].get_text(), "window = 1, k = 1, detail = counts")
        with tempfile.TemporaryDirectory() as directory:
            figure.savefig(pathlib.Path(directory, "x.svg"))
        self.assertIn("Did you mean total_s", self.assertCode("BadArgument", table.figure, "total"))
        self.assertIn("window = 2", self.assertCode("BadArgument", table.figure, where={"window": 2}))
        self.assertIn("no row", self.assertCode("BadArgument", measure.Table("none", {}).figure))

    def test_without_pandas_or_matplotlib_it_says_what_to_install(self):
        with unittest.mock.patch.dict(sys.modules, {"pandas": None, "matplotlib": None, "matplotlib.figure": None}):
            for call in (self.table(1).to_pandas, Rows([{"a": 1}]).to_pandas):
                text = self.assertCode("Unsupported", call)
                self.assertTrue("no pandas" in text and "apt install python3-pandas" in text and "lhrs_lab[frames]" in text, text)
            text = self.assertCode("Unsupported", self.table(1).figure)
            self.assertTrue("times <1>" in text and "apt install python3-matplotlib" in text and "lhrs_lab[figures]" in text, text)

    def test_sigterm_of_the_programs_own_is_left_alone(self):
        class One:
            def close(self):
                pass
        one, own, former = One(), (lambda number, frame: None), signal.getsignal(signal.SIGTERM)
        try:
            signal.signal(signal.SIGTERM, own)
            endings.close_at_the_end(one)
            self.assertIs(signal.getsignal(signal.SIGTERM), own)
            endings.is_closed(one)
            self.assertIs(signal.getsignal(signal.SIGTERM), own)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            endings.close_at_the_end(one)
            self.assertIs(signal.getsignal(signal.SIGTERM), endings._terminated)
            endings.is_closed(one)
            self.assertIs(signal.getsignal(signal.SIGTERM), signal.SIG_DFL)
        finally:
            signal.signal(signal.SIGTERM, former)

    def test_the_thread_may_be_awake_when_it_is_told_to_stop(self):
        wire, write = Wire(EventLog(keep=10)), os.write
        wire.repeat("busy", 0, lambda: None)

        def late(descriptor, data):
            time.sleep(1)  # longer than the interval after which the thread looks by itself
            return write(descriptor, data)
        with unittest.mock.patch("lhrs_lab.wire.os.write", late):
            wire.close()

    def test_a_chore_that_is_due_when_the_thread_is_told_to_stop_is_left(self):
        wire, asked = Wire(EventLog(keep=10)), threading.Event()

        def chore():
            wire.call("tcp://127.0.0.1:1", pb.Command(list_processes=pb.ListProcesses()))
            asked.set()
        with unittest.mock.patch("threading.excepthook") as failed:
            wire.repeat("asks", 0, chore)
            self.assertTrue(asked.wait(rig.PATIENCE_S))
            wire.close()
        failed.assert_not_called()
        self.assertCode("NoCluster", chore)

    def test_a_thread_that_fails_closes_what_it_has(self):
        wire = Wire(EventLog(keep=10))
        future = wire.call("tcp://127.0.0.1:1", pb.Command(list_processes=pb.ListProcesses()))
        with unittest.mock.patch("threading.excepthook") as failed:
            wire.repeat("fails", 0, lambda: [].pop())
            self.assertIn("meanwhile", self.assertCode("NoCluster", future.result, rig.PATIENCE_S))
            self.assertCode("NoCluster", wire.close)
            wire._thread.join(rig.PATIENCE_S)
        failed.assert_called_once()

    def test_who_was_never_listed_has_not_ended(self):
        def told(*numbers):
            entries = [pb.ProcessList.Entry(process=pb.ProcessInfo(node=number, name=f"p{number}", events_endpoint="tcp://127.0.0.1:1"))
                       for number in numbers]
            wire._learn(pb.CommandReply(processes=pb.ProcessList(processes=entries)))
            return [process.number for process in wire.processes()]

        wire = Wire(EventLog(keep=10))
        self.addCleanup(wire.close)
        wire.add(Process.of(pb.ProcessInfo(node=1, kind=pb.COORDINATOR, events_endpoint="tcp://127.0.0.1:1")))
        self.assertEqual(told(2), [1, 2])  # it listens, and lists itself only afterwards
        self.assertEqual(told(1, 2), [1, 2])
        self.assertEqual(told(1), [1])
        self.assertEqual(told(2), [2])
        self.assertEqual(told(1, 2), [1, 2])

    def test_who_registered_with_nonsense_ends_no_watcher(self):
        wire = Wire(EventLog(keep=10))
        self.addCleanup(wire.close)
        wire.follow("tcp://localhost:1")
        wire.repeat("nothing", 1, None)  # when this returns, it follows the coordinator
        good = {"control_endpoint": "tcp://127.0.0.1:2", "events_endpoint": "tcp://127.0.0.1:3", "pid": 7, "kind": pb.NODE}
        infos = [pb.ProcessInfo(node=1, **{**good, "kind": pb.COORDINATOR, "control_endpoint": "tcp://127.0.0.1:1"}), pb.ProcessInfo(node=2, **good)]
        for number, wrong in enumerate(({"events_endpoint": "nowhere"}, {"control_endpoint": "tcp://a:70000"}, {"pid": 2**31}, {"kind": pb.COORDINATOR}), start=3):
            infos.append(pb.ProcessInfo(node=number, **{**good, **wrong}))
        wire._learn(pb.CommandReply(processes=pb.ProcessList(processes=[pb.ProcessList.Entry(process=info) for info in infos])))
        self.assertEqual([process.number for process in wire.processes()], [1, 2])
        self.assertEqual(wire.unsound, 4)

    def test_too_many_processes_for_the_open_files_are_refused_with_the_number(self):
        with unittest.mock.patch("resource.getrlimit", return_value=(1024, 1024)):
            self.assertIn("2005 open files", self.assertCode("Unsupported", local.check_open_files, 2005, "401 processes"))
            local.check_open_files(500, "100 processes")
            with unittest.mock.patch("subprocess.Popen") as started:
                self.assertIn("401 processes", self.assertCode("Unsupported", Lab.start, spares={"data": 300, "parity": 100}, bin_dir=str(rig.PROGRAMS)))
            started.assert_not_called()

    def test_who_is_not_listed_for_a_while_and_runs_is_waited_for(self):
        def told(*entries):
            wire._learn(pb.CommandReply(processes=pb.ProcessList(processes=[pb.ProcessList.Entry(process=e) for e in entries])))

        wire = Wire(EventLog(keep=10))
        self.addCleanup(wire.close)
        slow = pb.ProcessInfo(node=2, pid=os.getpid(), kind=pb.CLIENT, events_endpoint="tcp://127.0.0.1:1",
                              control_endpoint="tcp://127.0.0.1:1")
        child = subprocess.Popen(["true"])
        child.wait()
        ended = pb.ProcessInfo(node=3, pid=child.pid, kind=pb.CLIENT, events_endpoint="tcp://127.0.0.1:1")
        told(slow, ended)
        told()
        self.assertFalse(wire.find(2).has_ended)
        self.assertTrue(wire.find(3).has_ended)
        told(slow)
        self.assertFalse(wire.find(2).has_ended)

    def test_a_wrong_option_is_named_and_nothing_is_started(self):
        self.assertIn("on_alarm", self.assertCode("BadArgument", Lab.start, recovery="always"))
        self.assertIn("k is a whole number from 0 to 8, not 9", self.assertCode("BadArgument", Lab.start, k=9))
        self.assertIn("at least k", self.assertCode("BadArgument", Lab.start, k=2, spares={"parity": 1}))
        self.assertIn("lhrs-node", self.assertCode("NoCluster", Lab.start, bin_dir="/nowhere"))

    def test_numbers_out_of_bounds_are_refused_before_anything_is_done(self):
        asked = {}  # by parameter: the calls that take a number with that name
        for cls in (Lab, clients.Client, clients.Handle):
            for call in [name for name in dir(cls) if not name.startswith("_")]:
                function = getattr(cls, call)
                if not inspect.isroutine(function):
                    continue
                for name, parameter in inspect.signature(function).parameters.items():
                    kinds = set(re.findall(r"\w+", str(parameter.annotation))) - {"Optional", "typing", "None", "class"}
                    if kinds and kinds <= {"int", "float"} and name not in ("low", "high", "got", "field"):  # any numbers; one of two words
                        asked.setdefault(name, []).append((cls, call))
        self.assertLessEqual(set(asked), set(bounds.BOUNDS), "a parameter without bounds in bounds.py")
        for name, calls in asked.items():
            low, high, is_whole = bounds.BOUNDS[name]
            for wrong in (float("nan"), -float("inf"), low - 1, "", "5 ms", "7", True, 10**300 if high < float("inf") else "inf", *([1.5] if is_whole else [])):
                for cls, call in calls:
                    function = getattr(cls, call)
                    own = [None] if "self" in inspect.signature(function).parameters else []
                    text = self.assertCode("BadArgument", function, *own, **{name: wrong})
                    self.assertIn(f"{name} is a ", text, call)
            bounds.check(name, low)
            self.assertTrue(high == float("inf") or bounds.check(name, high) is None)

    def test_what_is_no_address_is_said_at_once(self):
        for wrong in ("garbage", "", "127.0.0.1", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:70000", "1.2.3:4", "1.2.3.400:5", "x:y", "http://a:80", "ipc://x:1", "[::1]", "[::1]:0", "[:::]:5", "[127.0.0.1]:5", "::1:4000", None):
            self.assertIn("is not an address", self.assertCode("BadArgument", Lab.connect, wrong))

    def test_nobody_at_an_endpoint_is_no_cluster(self):
        for nobody in ("127.0.0.1:1", "[::1]:1"):
            self.assertIn(nobody, self.assertCode("NoCluster", Lab.connect, nobody, timeout=0.1))

    def test_the_audit_of_lhrs_play_sees_a_wrong_symbol_and_a_wrong_key_list(self):
        cluster = FakeCluster()

        def audit(group=None):
            return tuple(play.audit(str(rig.PROGRAMS), cluster.endpoint, group)[name] for name in ("ranks", "unequal", "first"))
        self.assertEqual(audit(), (2, 0, None))
        self.assertEqual(audit(0), (2, 0, None))
        cluster.parity[1] = (0xEB9B, [0, 1])
        self.assertEqual(audit(), (2, 1, "parity bucket 0.1, rank 1: the parity is not what the data encode to"))
        cluster.parity[0] = (0, [0, 7])
        self.assertEqual(audit(), (2, 2, "parity bucket 0.0, rank 1: the key list is not that of the data buckets"))
        cluster.held = 3
        self.assertIn("changes under way", self.assertCode("Refused", audit))
        self.assertIn("group 4 does not exist", self.assertCode("BadArgument", audit, 4))

    def test_without_lhrs_play_an_audit_and_a_chart_say_what_is_missing(self):
        for call, does in ((lambda: play.audit("/nowhere", "tcp://127.0.0.1:1", None), "checks the parity"),
                           (lambda: Chart("c", self.table(1), "window", "records", bin_dir="/nowhere"), "draws charts")):
            text = self.assertCode("Unsupported", call)
            self.assertTrue("lhrs-play" in text and "/nowhere" in text and does in text and "bin_dir" in text, text)
        self.assertEqual(play.program_facts("/nowhere"), {})

    def test_lost_events_are_counted_and_told_from_late_joining(self):
        log = EventLog(1000)

        def batch(first, count):
            log.take(pb.EventHeader(process=5, name="data-1", first_sequence=first, count=count, wall_ns=1),
                     pb.EventBatch(events=[pb.Event(sequence=first + i, members_answered=pb.MembersAnswered()) for i in range(count)]))
        batch(3, 2)
        batch(5, 1)
        batch(9, 2)
        batch(9, 2)  # repeated: nothing new
        self.assertEqual([(gap.first, gap.last, gap.reason) for gap in log.gaps()], [(1, 2, "joined late"), (6, 8, "lost")])
        self.assertEqual(log.committed, 5)
        self.assertEqual([event.sequence for event in log.matching(0, "members_answered", None)], [3, 4, 5, 9, 10])
        batch(11, 2000)
        self.assertEqual(log.committed, 2005)
        self.assertEqual(log.forgotten() + len(log.raw_since(0)[1]), 2005)
        self.assertLessEqual(len(log.raw_since(0)[1]), 1000)

    def test_events_that_wait_are_read_in_the_order_of_virtual_time_however_they_came(self):
        events = {process: [pb.Event(sequence=i + 1, wall_ns=1000 + i // 2 * 10 + process, members_answered=pb.MembersAnswered())
                            for i in range(1500)] for process in (1, 2)}
        told = []
        for batches in ([(1, 0, 1500), (2, 0, 1500)], [(2, 0, 700), (1, 0, 1500), (2, 700, 800)],
                        [(process, first, 100) for first in range(0, 1500, 100) for process in (2, 1)]):
            log = EventLog(1000)
            log.hold()
            for process, first, count in batches:
                self.assertEqual(log.committed, 0)
                log.take(pb.EventHeader(process=process, name=f"p{process}", first_sequence=first + 1, count=count, simulated=True),
                         pb.EventBatch(events=events[process][first:first + count]))
            self.assertTrue(log.wait_received(3000, 0))
            self.assertFalse(log.wait_received(3001, 0))
            log.commit(9_000, 1_000)
            kept = log.raw_since(0)[1]
            self.assertEqual([one[1].wall_ns for one in kept], sorted(one[1].wall_ns for one in kept))
            told.append((log.committed, log.forgotten(), log.now_s(), [(process, event.sequence) for process, event in kept]))
        self.assertEqual(told[0][:3], (3000, 2250, 8e-6))
        self.assertEqual([one == told[0] for one in told], [True] * 3)
        log.give_up(1, 1510)
        log.give_up(3, 20)
        self.assertEqual([(gap.process, gap.first, gap.last, gap.reason) for gap in log.gaps()],
                         [("p1", 1501, 1510, "lost"), ("3", 1, 20, "joined late")])
        self.assertEqual(log.received, 3010)  # events before the first received one of a process are not waited for

    def test_factors_are_multiplied_and_a_result_without_numbers_is_refused(self):
        self.assertEqual(cases_of({"k": [0, 1], "window": [1, 8]}),
                         [{"k": 0, "window": 1}, {"k": 0, "window": 8}, {"k": 1, "window": 1}, {"k": 1, "window": 8}])
        self.assertCode("BadArgument", cases_of, {"k": "01"})
        self.assertCode("BadArgument", numbers_of, {"word": "fast"})
        self.assertEqual(numbers_of({"word": "fast", "is": True, "n": 2}), {"n": 2})

    def test_a_chart_is_the_file_that_lhrs_play_writes_for_a_scenario(self):
        rows = [{"slice": s, "scheme": scheme, "gf": gf, "failed_buckets": failed, "total_s": (s * 7 + gf * failed + n) % 11 / 3 + 0.1, "process_s": 0.25}
                for s in (1250, 3125, 31250) for scheme in ("xor", "rs") for gf in (8, 16) for failed in (1, 2) for n in range(3)]
        rows += [{"slice": s, "scheme": "long", "gf": 8, "failed_buckets": 1, "total_s": s * 7919 % 997, "process_s": 0} for s in range(1, 1500)]
        orders = [
            {"table": "r", "x": "slice", "y": ["total_s", "process_s"], "by": ["gf", "failed_buckets", "scheme"], "paper": "bucket_recovery",
             "where": {"config": 2}, "title": "Ours & <2003>"},
            {"table": "r", "x": "slice", "y": "total_s", "by": ["scheme"], "log": True}, {"table": "r", "x": "scheme", "y": ["total_s", "gf"]},
            {"table": "r", "x": "slice", "y": "total_s", "where": {"scheme": "none"}}]
        with tempfile.TemporaryDirectory() as name:
            directory = pathlib.Path(name)
            directory.joinpath("paper").symlink_to(rig.ROOT / "scenarios/paper")
            directory.joinpath("s.js").write_text("// s.js\n" + f"for (const r of {json.dumps(rows)}) lab.row('r', r);\n"
                                                  + "".join(f"lab.chart({json.dumps(one)});\n" for one in orders))
            done = subprocess.run([str(rig.PROGRAMS / "lhrs-play"), "--csv", name, str(directory / "s.js")], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            with directory.joinpath("r.csv").open(newline="") as file:
                identity = {"run": next(csv.DictReader(file))["run"], "simulated": False, "machine": ""}
            table = measure.Table("r", identity)
            for row in rows:
                table.add("full", None, False, {"scheme": row["scheme"]}, {key: row[key] for key in row if key != "scheme"}, 0)
            for number, one in enumerate(orders, start=1):
                drawn = Chart(f"r_chart_{number}" if number > 1 else "r_chart", table, one["x"], one["y"], one.get("by", ()), one.get("paper"),
                              one.get("where"), one.get("title"), one.get("log", False), bin_dir=str(rig.PROGRAMS))
                self.assertEqual(drawn.write(directory / "out").read_bytes(), directory.joinpath(f"{drawn.name}.svg").read_bytes(), drawn.name)
                xml.dom.minidom.parseString(drawn._repr_svg_())

        def chart(*arguments, **options):
            return Chart("c", table, *arguments, **options, bin_dir=str(rig.PROGRAMS))
        points = chart("slice", "total_s", "scheme", where={"gf": 8, "failed_buckets": 1, "slice": 1250}).rows
        values = {scheme: [row["total_s"] for row in rows if (row["scheme"], row["gf"], row["failed_buckets"], row["slice"]) == (scheme, 8, 1, 1250)]
                  for scheme in ("long", "rs", "xor")}
        self.assertEqual([list(one.values()) for one in points], [
            ["here", scheme, 1250, "total_s", statistics.median(of), *((None, None) if len(of) == 1 else map(point.get, ("q1", "q3"))), len(of)]
            for point, (scheme, of) in zip(points, values.items())])
        self.assertEqual(list(points[0]), ["origin", "scheme", "slice", "quantity", "median", "q1", "q3", "n"])
        self.assertLess(points[1]["q1"], points[1]["q3"])
        self.assertIn("Did you mean slice", self.assertCode("BadArgument", chart, "slices", "total_s"))
        self.assertIn("option y of lab.chart", self.assertCode("BadArgument", chart, "slice", []))
        self.assertIn("Did you mean search", self.assertCode("BadArgument", chart, "slice", "total_s", paper="serch"))
        self.assertIn("search has no column slice", self.assertCode("BadArgument", chart, "slice", "total_s", "scheme", paper="search"))

    def test_published_values_are_as_printed_and_doubtful_ones_are_left_out(self):
        rows = Lab.paper("bucket_recovery", {"config": 2})
        self.assertEqual((len(rows), rows[0]["source"], rows[0]["slice"]), (30, "lhrs2003", 1250))
        self.assertGreater(len(Lab.paper("record_recovery", suspect=True)), len(Lab.paper("record_recovery")))
        self.assertIn("Did you mean search", self.assertCode("BadArgument", Lab.paper, "serch"))
        self.assertIn("has no column", self.assertCode("BadArgument", Lab.paper, "search", {"nothing": 1}))

    def test_every_call_of_a_scenario_is_here_or_the_readme_says_where(self):
        reference = [call for name in ("lab_reference", "walk/lab_ring")
                     for call in json.loads((rig.ROOT / f"gui/lab/calls/{name}.json").read_text())["calls"]]
        table = (rig.ROOT / "proto/python/README.md").read_text().split("## What differs")[1].split("\n## ")[0]
        told = {word for line in table.splitlines() if line.startswith("| `") for word in re.findall("`([^`]+)`", line.split("|")[1])}
        owners = {"lab": Lab, "client": clients.Client, "handle": clients.Handle, "table": measure.Table, "witness": witness.Witness,
                  "question": invariants.Question}
        options = {one["call"]: [option["name"] for option in one.get("options", [])] for one in reference}
        known, missing = set(), []
        for one in reference:
            owner, name = one["call"].split(".")
            member = Lab.start if one["call"] == "lab.cluster" else \
                getattr(owners[owner], re.sub("([A-Z])", r"_\1", name).lower(), None)
            known |= {one["call"], *(f"{one['call']} {option}" for option in options[one.get("optionsOf", one["call"])])}
            if member is None and one["call"] not in told and one["call"] not in ("lab.simulated", "table.rows"):  # attributes
                missing.append(one["call"])
            if callable(member):
                parameters = inspect.signature(member).parameters
                takes_all = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
                missing += [f"{one['call']} {option}" for option in options[one.get("optionsOf", one["call"])]
                            if not takes_all and re.sub("([A-Z])", r"_\1", option).lower() not in parameters
                            and f"{one['call']} {option}" not in told]
        self.assertEqual(missing, [])
        self.assertEqual(told - known, set())

    def test_without_a_watcher_invariants_and_captions_say_what_they_need(self):
        class Unwatched(invariants.InvariantCalls):
            def __init__(self):  # no connections: nothing is queried
                pass
        self.assertIn("watch=True", self.assertCode("Unsupported", Unwatched().invariants))
        self.assertIn("record=", self.assertCode("Unsupported", Unwatched().say, "Look."))
        self.assertIn("no window", self.assertCode("Unsupported", Unwatched().highlight, "data 0"))
        self.assertIn("waits for a person", self.assertCode("Unsupported", Unwatched().exercise, task="Split once."))

    def test_a_former_name_says_the_present_one(self):
        class Unwatched(invariants.InvariantCalls):
            def __init__(self):  # no connections: nothing is queried
                pass
        self.assertIn("lab.lamps is now called lab.invariants.", self.assertCode("BadArgument", Unwatched().lamps))
        self.assertIn("lab.expect_lamps is now called lab.expect_invariants.", self.assertCode("BadArgument", Unwatched().expect_lamps, ["I1"], checked=True))

    def test_every_public_function_is_annotated_and_told_in_a_sentence(self):
        untold = []
        for path in sorted((rig.ROOT / "proto/python/lhrs_lab").glob("*.py")):
            module = ast.parse(path.read_text())
            for parent in [module, *(node for node in module.body if isinstance(node, ast.ClassDef))]:
                for node in parent.body:
                    if not isinstance(node, (ast.FunctionDef, ast.ClassDef)) or node.name.startswith("_"):
                        continue
                    is_typed = isinstance(node, ast.ClassDef) or node.returns is not None and all(
                        one.annotation for one in node.args.args + node.args.kwonlyargs if one.arg not in ("self", "cls"))
                    if not ast.get_docstring(node) or not is_typed:
                        untold.append(f"{path.name}: {node.name}")
        self.assertEqual(untold, [])


if __name__ == "__main__":
    rig.main()
