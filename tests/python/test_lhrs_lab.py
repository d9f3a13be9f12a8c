# SPDX-License-Identifier: GPL-3.0-or-later
"""proto/python against a real cluster of small files."""
import ast
import contextlib
import csv
import inspect
import json
import os
import pathlib
import re
import select
import sqlite3
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

from lhrs_lab import Lab, LabError, messages as pb  # noqa: E402
from lhrs_lab import chart, clients, lamps, measure, witness  # noqa: E402
from lhrs_lab.audit import Field, _difference  # noqa: E402
from lhrs_lab.events import EventLog  # noqa: E402
from lhrs_lab.measure import cases_of, numbers_of  # noqa: E402
from lhrs_lab.state import address_of  # noqa: E402
from lhrs_lab.wire import Process, Wire  # noqa: E402

PATIENCE = 120 if rig.IS_SLOW else 20


def start(**options) -> Lab:
    """A small cluster, patient where its programs are slow."""
    return Lab.start(bin_dir=str(rig.PROGRAMS), timeout=PATIENCE, timers="classroom" if rig.IS_SLOW else "default", **options)


class Words(unittest.TestCase):
    """What needs no cluster."""

    def test_the_thread_may_be_awake_when_it_is_told_to_stop(self):
        wire, write = Wire(EventLog(keep=10)), os.write
        wire.repeat("busy", 0, lambda: None)

        def late(descriptor, data):
            time.sleep(1)  # more than the time after which the thread looks by itself
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
            self.assertTrue(asked.wait(PATIENCE))
            wire.close()
        failed.assert_not_called()
        self.assertCode("NoCluster", chore)

    def test_a_thread_that_fails_closes_what_it_has(self):
        wire = Wire(EventLog(keep=10))
        future = wire.call("tcp://127.0.0.1:1", pb.Command(list_processes=pb.ListProcesses()))
        with unittest.mock.patch("threading.excepthook") as failed:
            wire.repeat("fails", 0, lambda: [].pop())
            self.assertIn("meanwhile", self.assertCode("NoCluster", future.result, PATIENCE))
            self.assertCode("NoCluster", wire.close)
            wire._thread.join(PATIENCE)
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
        self.assertEqual(told(2), [1, 2])  # it listens, and names itself only then
        self.assertEqual(told(1, 2), [1, 2])
        self.assertEqual(told(1), [1])
        self.assertEqual(told(2), [2])
        self.assertEqual(told(1, 2), [1, 2])

    def assertCode(self, code, call, *arguments, **options):
        with self.assertRaises(LabError) as caught:
            call(*arguments, **options)
        self.assertEqual(caught.exception.code, code, str(caught.exception))
        return str(caught.exception)

    def test_a_wrong_option_is_named_and_nothing_is_started(self):
        self.assertIn("on_alarm", self.assertCode("BadArgument", Lab.start, recovery="always"))
        self.assertIn("at least k", self.assertCode("BadArgument", Lab.start, k=2, spares={"parity": 1}))
        self.assertIn("lhrs-node", self.assertCode("NoCluster", Lab.start, bin_dir="/nowhere"))

    def test_nobody_at_an_endpoint_is_no_cluster(self):
        self.assertIn("127.0.0.1:1", self.assertCode("NoCluster", Lab.connect, "127.0.0.1:1", timeout=0.1))

    def test_the_parity_matrix_is_the_printed_one(self):
        gf = Field(16)
        printed = [[0x0001, 0x0001], [0x0001, 0xEB9B], [0x0001, 0x2284], [0x0001, 0x9E44]]
        self.assertEqual([[gf.coefficient(q, p) for p in range(2)] for q in range(4)], printed)

    def test_the_audit_sees_a_wrong_symbol_and_a_wrong_key_list(self):
        gf, data = Field(16), {q: pb.AuditPage.Rank(rank=1, digest=0x1234 + q, keys=[q], lengths=[4]) for q in range(2)}
        digest = gf.scaled(0x1234, gf.coefficient(0, 1)) ^ gf.scaled(0x1235, gf.coefficient(1, 1))
        right = pb.AuditPage.Rank(rank=1, digest=digest, keys=[0, 1], positions=[0, 1], lengths=[4, 4])
        self.assertEqual(_difference(gf, 1, right, data), "")
        wrong = pb.AuditPage.Rank(rank=1, digest=digest ^ 1, keys=[0, 1], positions=[0, 1], lengths=[4, 4])
        self.assertIn("not what the data encode to", _difference(gf, 1, wrong, data))
        self.assertIn("key list", _difference(gf, 1, pb.AuditPage.Rank(digest=digest), data))
        self.assertIn("no parity record", _difference(gf, 1, None, data))

    def test_lost_events_are_counted_and_told_from_late_joining(self):
        log = EventLog(1000)

        def batch(first, count):
            log.take(pb.EventHeader(process=5, name="data-1", first_sequence=first, count=count, wall_ns=1),
                     pb.EventBatch(events=[pb.Event(sequence=first + i, members_answered=pb.MembersAnswered()) for i in range(count)]))
        batch(3, 2)
        batch(5, 1)
        batch(9, 2)
        batch(9, 2)  # again: nothing new
        self.assertEqual([(gap.first, gap.last, gap.reason) for gap in log.gaps()], [(1, 2, "joined late"), (6, 8, "lost")])
        self.assertEqual(log.committed, 5)
        self.assertEqual([event.sequence for event in log.matching(0, "members_answered", None)], [3, 4, 5, 9, 10])
        batch(11, 2000)
        self.assertEqual(log.committed, 2005)
        self.assertEqual(log.forgotten() + len(log.raw_since(0)[1]), 2005)
        self.assertLessEqual(len(log.raw_since(0)[1]), 1000)

    def test_factors_are_multiplied_and_a_result_without_numbers_is_refused(self):
        self.assertEqual(cases_of({"k": [0, 1], "window": [1, 8]}),
                         [{"k": 0, "window": 1}, {"k": 0, "window": 8}, {"k": 1, "window": 1}, {"k": 1, "window": 8}])
        self.assertCode("BadArgument", cases_of, {"k": "01"})
        self.assertCode("BadArgument", numbers_of, {"word": "fast"})
        self.assertEqual(numbers_of({"word": "fast", "is": True, "n": 2}), {"n": 2})

    def test_a_chart_is_to_the_byte_the_one_that_a_scenario_draws(self):
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
                drawn = chart.made(f"r_chart_{number}" if number > 1 else "r_chart", table, one["x"], one["y"], one.get("by", ()), one.get("paper"),
                                   one.get("where"), one.get("title"), one.get("log", False), False)
                self.assertEqual(drawn.svg(), directory.joinpath(f"{drawn.name}.svg").read_text(), drawn.name)
                xml.dom.minidom.parseString(drawn.write(directory / "out").read_text())
        self.assertCode("BadArgument", chart.made, "c", table, "slices", "total_s", (), None, None, None, False, False)
        self.assertCode("BadArgument", chart.made, "c", table, "slice", [], (), None, None, None, False, False)

    def test_published_values_are_as_printed_and_doubtful_ones_are_left_out(self):
        rows = Lab.paper("bucket_recovery", {"config": 2})
        self.assertEqual((len(rows), rows[0]["source"], rows[0]["slice"]), (30, "lhrs2003", 1250))
        self.assertGreater(len(Lab.paper("record_recovery", suspect=True)), len(Lab.paper("record_recovery")))
        self.assertIn("Did you mean search", self.assertCode("BadArgument", Lab.paper, "serch"))
        self.assertIn("has no column", self.assertCode("BadArgument", Lab.paper, "search", {"nothing": 1}))

    def test_every_call_of_a_scenario_is_here_or_the_readme_says_where(self):
        reference = json.loads((rig.ROOT / "gui/lab/lab_reference.json").read_text())["calls"]
        table = (rig.ROOT / "proto/python/README.md").read_text().split("## What differs")[1].split("\n## ")[0]
        told = {word for line in table.splitlines() if line.startswith("| `") for word in re.findall("`([^`]+)`", line.split("|")[1])}
        owners = {"lab": Lab, "client": clients.Client, "handle": clients.Handle, "table": measure.Table, "witness": witness.Witness,
                  "question": lamps.Question}
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

    def test_without_a_watcher_lamps_and_captions_say_what_they_need(self):
        class Alone(lamps.LampCalls):
            def __init__(self):  # no connections: nothing is asked
                pass
        self.assertIn("watch=True", self.assertCode("Unsupported", Alone().lamps))
        self.assertIn("record=", self.assertCode("Unsupported", Alone().say, "Look."))
        self.assertIn("no window", self.assertCode("Unsupported", Alone().highlight, "data 0"))

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


class Cluster(unittest.TestCase):
    """One cluster for all; each test leaves it at rest."""

    assertCode = Words.assertCode

    @classmethod
    def setUpClass(cls):
        cls.lab = start(m=4, k=2, b=20, record_bytes=40, spares={"data": 9, "parity": 5})
        cls.addClassCleanup(cls.lab.close)
        cls.alice = cls.lab.client("alice")
        cls.alice.run("insert", count=60, window=8)
        cls.lab.settle()

    def test_each_operation_says_what_became_of_it(self):
        key = self.lab.keys_for(self.lab.data(0))[0]
        done = self.alice.insert(key, "seven")
        self.assertEqual((done.result, done.bucket, done.key), ("inserted", 0, key))
        self.assertEqual(self.alice.insert(key, "eight").result, "duplicate")
        self.assertEqual(self.alice.search(key).text, "seven")
        self.assertEqual(self.alice.update(key, b"\xff\0").result, "updated")
        found = self.alice.search(key)
        self.assertEqual((found.result, found.value, found.text), ("found", b"\xff\0", None))
        self.assertEqual(self.alice.delete(key).result, "deleted")
        self.assertEqual(self.alice.search(key).result, "not found")
        self.assertCode("BadArgument", self.alice.search, -1)

    def test_a_workload_is_counted_and_read_back(self):
        before = self.lab.file().records
        done = self.alice.run("insert", count=20, window=4, times_every=1)
        self.assertEqual((done.operations, done.results, done.wrong, len(done.times_ms)), (20, {"ok": 20}, 0, 20))
        self.assertGreaterEqual(done.messages, 40)
        self.assertEqual(self.lab.settle().records, before + 20)
        mixed = self.alice.run("mixed", count=40, mix={"update": 1, "search": 1})
        self.assertEqual((mixed.operations, mixed.wrong), (40, 0))
        verified = self.alice.verify()
        self.assertEqual((verified.equal, verified.missing, verified.wrong), (verified.keys, 0, 0))
        self.assertCode("BadArgument", self.alice.run, "insert")
        handle = self.alice.start("search", count=10_000_000, window=1)
        self.lab.wait_until(lambda: handle.progress().done > 0)
        stopped = handle.stop()
        self.assertLess(stopped.operations, 10_000_000)
        self.assertEqual(stopped.wrong, 0)

    def test_operations_have_due_times_keys_are_popular_and_a_bucket_is_read_back_alone(self):
        done = self.alice.run("search", count=20, keys="zipf", skew=1.2, rate=400)
        self.assertEqual((done.results, done.wrong), ({"ok": 20}, 0))
        self.assertGreater(done.total_s, 0.045)  # the last one is due after 47.5 ms
        self.assertGreaterEqual(done.behind_ms, 0)
        self.assertIsNone(self.alice.run("search", count=1).behind_ms)
        self.lab.settle()
        alone = self.alice.verify(self.lab.data(0))
        self.assertEqual((alone.equal, alone.older), (alone.keys, 0))
        self.assertLess(alone.keys, self.alice.verify().keys)
        self.assertAlmostEqual(self.alice.wait_for_answers(0.4), 0.4)
        self.assertGreater(self.alice.wait_for_answers(None), 0.1)
        self.assertIn("half", self.assertCode("BadArgument", self.alice.wait_for_answers, 1e6))
        self.alice.hold()
        handle = self.alice.start("search", count=5)
        self.assertEqual(handle.progress().done, 0)
        self.alice.hold(False)
        self.assertEqual(handle.wait(PATIENCE).operations, 5)

    def test_recovery_waits_for_an_order_and_its_manager_is_chosen(self):
        lab = self.lab
        lab.settle()
        self.assertEqual(lab.recovery("manual"), "automatic")
        self.assertEqual(lab.recovery(), "manual")
        before = lab.witness(lab.data([0, 1]))
        fault = lab.kill(lab.data(1))
        self.assertCode("BadArgument", lab.recovery, "never")
        self.assertIn("does not exist", self.assertCode("Refused", lab.recover, 0, manager=7))
        self.assertEqual(lab.recover(0, manager=1, timeout=PATIENCE).manager, 1)
        compared = before.compare()
        self.assertEqual((compared.equal, compared.extra, compared.first), (compared.records, 0, None))
        self.assertGreater(compared.records, 0)
        self.assertEqual(lab.recovery("automatic"), "manual")
        lab.settle()
        lab.restart(fault)

    def test_a_split_is_told_by_its_events_and_moves_the_split_pointer(self):
        before = self.lab.settle()
        split = self.lab.split()
        told = self.lab.wait_for("SplitFinished", where={"bucket": split.bucket})
        self.assertEqual((told.new_bucket, told.moved), (split.new_bucket, split.moved))
        self.assertGreater(told.total_s, 0)
        after = self.lab.settle()
        self.assertEqual((after.M, after.records), (before.M + 1, before.records))
        for bucket in range(after.M):
            for record in self.lab.records(self.lab.data(bucket), values=False):
                self.assertEqual(address_of(record["key"], after.i, after.n), bucket)
        self.assertCode("BadArgument", self.lab.wait_for, "SplitFinished", where={"buckets": 1})
        self.assertIn("Did you mean SplitFinished", self.assertCode("BadArgument", self.lab.wait_for, "SplitFinish"))
        self.assertIn("seen were", self.assertCode("Timeout", self.lab.wait_for, "GroupLost", timeout=0.01,
                                                   since=type(self.lab.here())(0, 0)))

    def test_the_parity_is_what_the_data_encode_to(self):
        self.lab.settle()
        audit = self.lab.audit()
        self.assertEqual((audit.unequal, audit.first), (0, None))
        self.assertGreater(audit.ranks, 0)
        self.assertCode("BadArgument", self.lab.audit, 99)
        group = self.lab.record_group(0, 1)
        self.assertEqual([row["column"] for row in group["parity"]], [0, 1])
        self.assertEqual([one["key"] for one in group["parity"][0]["members"]], [row["key"] for row in group["data"]])

    def test_two_killed_buckets_come_back_with_all_their_records(self):
        lab = self.lab
        lab.settle()
        begin, records = lab.here(), lab.file().records
        fault = lab.kill(lab.data([0, 1]))
        self.assertEqual(len(fault.victims), 2)
        lab.wait_for("RecoveryFinished", timeout=PATIENCE)
        self.assertEqual(lab.settle(PATIENCE).records, records)
        timings = lab.recoveries(since=begin)
        self.assertEqual(sum(timing.failed_buckets for timing in timings), 2)
        for timing in timings:
            self.assertAlmostEqual(timing.total_s, timing.process_s + timing.comm_s + timing.other_s, 6)
            self.assertGreater(timing.detect_s, 0)
            self.assertGreaterEqual(timing.whole_s, timing.total_s)
        self.assertEqual((lab.group(0).state, lab.group(0).k_effective), ("up", 2))
        self.assertEqual(self.alice.verify().wrong + self.alice.verify().missing, 0)
        self.assertEqual(lab.audit(0).unequal, 0)
        self.assertCode("Refused", lab.heal, fault)
        self.assertEqual(sorted(lab.restart(fault)), sorted(fault.victims))

    def test_a_paused_process_goes_on_by_resume_or_by_its_lease(self):
        spare = self.lab.spare("data")
        fault = self.lab.pause(spare, lease=60)
        self.assertEqual(self.lab.faults()[-1]["kind"], "pause")
        self.lab.resume(fault)
        self.assertEqual(self.lab.faults(), [])
        self.assertCode("Refused", self.lab.resume, fault)
        self.lab.pause(fault.victims[0], lease=0.05)
        self.lab.wait_until(lambda: not self.lab.faults())
        self.assertCode("BadArgument", self.lab.kill, "nobody")

    def test_a_network_fault_is_seen_at_work_and_healed(self):
        lab = self.lab
        lab.settle()
        fault = lab.net(sender=self.alice, kinds=["search"], delay_ms=30)
        self.assertGreater(self.alice.search(self.lab.keys_for(lab.data(0), existing=True)[0]).time_ms, 29)
        armed = lab.faults()
        self.assertEqual([(row["kind"], row["processes"]) for row in armed], [("net", ["alice"])])
        self.assertGreaterEqual(armed[0]["achieved"]["delayed"], 1)
        self.assertEqual(lab.heal(fault), 1)
        lab.partition(self.alice, lab.data(0), direction="a_to_b")
        self.assertEqual(lab.heal(), 1)
        self.assertEqual(lab.faults(), [])
        self.assertGreater(lab.counters(by="kind")["insert"]["messages"], 0)

    def test_a_measurement_is_a_csv_file_with_the_runs_identity_in_every_row(self):
        lab = self.lab
        keys = lab.keys_for(lab.data(1), 4, existing=True)
        table = lab.measure("search_time", factors={"window": [1, 4]}, constants={"k": 2}, repetitions=2,
                            run=lambda case: self.alice.run("search", keys=keys, window=case["window"]))
        with tempfile.TemporaryDirectory() as directory:
            path = table.write_csv(directory)
            text = path.read_bytes().decode()
            with path.open(newline="") as file:
                rows = list(csv.DictReader(file))
            with path.with_name("search_time_summary.csv").open(newline="") as file:
                summary = list(csv.DictReader(file))
        self.assertEqual(list(rows[0])[:7], ["run", "simulated", "detail", "repetition", "warm_up", "window", "k"])
        self.assertEqual(list(rows[0])[-2:], ["faults", "machine"])
        self.assertEqual([(row["warm_up"], row["simulated"], row["detail"], row["operations"]) for row in rows],
                         [(w, "false", "counts", "4") for w in ["true", "true", "false", "false", "false", "false"]])
        self.assertEqual({row["run"] for row in rows}, {rows[0]["run"]})
        self.assertTrue(text.endswith("\r\n"))
        self.assertEqual([row["n"] for row in summary], ["2", "2"])
        measured = sorted(float(row["total_s"]) for row in rows if row["window"] == "4" and row["warm_up"] == "false")
        told = next(row for row in summary if row["window"] == "4")
        self.assertAlmostEqual(float(told["total_s_median"]), sum(measured) / 2, 9)

    def test_another_lab_connects_to_it_and_may_not_touch_its_processes(self):
        with Lab.connect(self.lab.endpoint) as other:
            self.assertEqual(other.file().M, self.lab.file().M)
            bob = other.client("alice")
            self.assertGreater(bob.run("search", count=5).operations, 4)
            other.wait_for("OperationDone", where=lambda event: event.client == "alice" and event.result == "OK")
            self.assertGreater(other.lost_events()["joined_late"], 0)
            self.assertEqual(other.lost_events()["lost"], 0)
            self.assertCode("NotAllowed", other.kill, other.data(0))
            self.assertCode("NotAllowed", other.client, "carol")
        self.assertCode("NoCluster", other.file)

    def test_calls_may_come_from_several_threads(self):
        keys = self.lab.keys_for(self.lab.data(0), 2, existing=True)
        results = []
        threads = [threading.Thread(target=lambda key=key: results.append(self.alice.search(key).result)) for key in keys]
        threads.append(threading.Thread(target=lambda: results.append(self.lab.group(0).state)))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(results), ["found", "found", "up"])

    def test_a_workload_that_is_refused_leaves_the_one_before_it_alone(self):
        handle = self.alice.start("search", count=10_000_000, window=1)
        self.assertCode("Refused", self.alice.run, "search", count=1)
        before = handle.progress().done
        self.lab.wait_until(lambda: handle.progress().done > before)
        self.assertCode("Timeout", handle.wait, 0.01)
        handle.stop()


class Watched(unittest.TestCase):
    """A small cluster whose messages can be held, which lhrs-play watches and records."""

    assertCode = Words.assertCode

    def test_messages_are_held_let_through_and_lost_and_no_clock_goes_meanwhile(self):
        with start(m=2, k=1, b=20, gate=True, spares={"data": 1, "parity": 1}) as lab:
            alice = lab.client("alice")
            alice.run("insert", count=3)
            lab.settle()
            self.assertIn("is open", self.assertCode("Refused", lab.held))
            self.assertTrue(lab.gate(within=PATIENCE)["closed"])
            handle = alice.start("insert", count=1)
            request = lab.wait_until(lambda: [one for one in lab.held() if one.kind == "insert"], PATIENCE)[0]
            self.assertEqual((request.sender, request.receiver), ("alice", "data-1"))
            self.assertEqual(lab.release(message=request)[0].id, request.id)
            delta = lab.wait_until(lambda: [one for one in lab.held() if one.kind == "delta"], PATIENCE)[0]
            self.assertEqual((delta.sender, delta.receiver), ("data-1", "parity-1"))
            self.assertEqual(lab.file().records, 4)  # stored, and not acknowledged
            self.assertEqual([one.kind for one in lab.release(message=delta, drop=True)], ["delta"])
            self.assertNotIn("delta", [one.kind for one in lab.held()])
            again = []  # nothing else brings the change to the parity bucket but a clock that goes on to the resend
            while not again:
                again = [one for one in lab.release(clock=True) if one.kind == "delta"]
            self.assertEqual(handle.progress().done, 0)
            self.assertCode("Refused", lab.measure, "held", lambda _: {"n": 1}, repetitions=1)
            self.assertFalse(lab.gate(False)["closed"])
            self.assertEqual(handle.wait(PATIENCE).results, {"ok": 1})
            self.assertGreater(lab.wait_for("GateOpened", where={"process": "data-1"}, since=type(lab.here())(0, 0)).released, 0)
            self.assertEqual(lab.hold_workload(), 1)
            bob = lab.client("bob")
            two = [client.start("insert", count=1) for client in (alice, bob)]
            self.assertEqual([handle.progress().done for handle in two], [0, 0])
            self.assertEqual(lab.hold_workload(False), 0)
            self.assertEqual([handle.wait(PATIENCE).operations for handle in two], [1, 1])

    def test_the_lamps_are_lit_by_what_is_done_here_and_the_run_is_recorded(self):
        with tempfile.TemporaryDirectory() as directory:
            record = pathlib.Path(directory, "run.lhrun")
            with start(m=2, k=1, b=10, record_bytes=20, recovery="manual", spares={"data": 6, "parity": 3}, record=record) as lab:
                lab.step("a", "Growth")
                lab.say('"Quoted", and\nin two lines.')
                question = lab.predict("Which bucket is split?", ["0", "1"])
                alice = lab.client("alice")
                alice.run("insert", count=25, window=4)
                question.reveal(0, "The split pointer decides.")
                lab.settle()
                self.assertEqual({one.id: one.state for one in lab.lamps()}["I1"], "not checked")
                self.assertIn("I1", self.assertCode("ExpectationFailed", lab.expect_lamps, ["I1"], checked=True, timeout=0))
                before = lab.witness(lab.data(0), pin=[1])
                lab.kill(lab.data(0))
                self.assertEqual(lab.recover(0, decode="xor", timeout=PATIENCE).decode, "xor")
                compared = before.compare()
                self.assertEqual((compared.equal, [one["equal"] for one in compared.pinned]), (compared.records, [True]))
                self.assertEqual(len(compared.pinned[0]["before"]), 20)
                verified = alice.verify()
                self.assertEqual((verified.keys, verified.equal, verified.lost), (25, 25, 0))
                self.assertEqual(alice.verify(lab.data(1)).missing, 0)
                lab.settle()
                self.assertEqual(lab.audit().unequal, 0)
                lab.expect_lamps(["I1", "I2", "I5", "I6", "I7", "I13", "I22"], checked=True)
                self.assertEqual([one.id for one in lab.lamps() if one.state == "violated"], [])
                self.assertEqual(lab.in_scenario("lab.file().records + 1"), 26)
                self.assertCode("NotAllowed", lab.in_scenario, "lab.kill(lab.data(0))")
                self.assertCode("Refused", lab.watch)
            with sqlite3.connect(record) as file:
                self.assertEqual(file.execute("SELECT step, text FROM caption WHERE kind = 'step'").fetchall(), [("a", "Growth")])
                self.assertEqual(file.execute("SELECT text, answer FROM question").fetchall(), [("Which bucket is split?", 0)])
                self.assertIn(("I13", "holds"), file.execute("SELECT invariant, state FROM lamp").fetchall())
                self.assertGreater(file.execute("SELECT count(*) FROM operation").fetchone()[0], 25)
            file.close()
            self.assertCode("BadArgument", start, m=1, k=0, spares={"data": 1, "parity": 0}, record=record)

    def test_expectations_are_kept_with_how_they_came_out(self):
        with start(m=1, k=0, simulated=True, speed=10, spares={"data": 2, "parity": 0}) as lab:
            lab.expect(True, "one is one")
            lab.expect_equal([1, 2], [1, 2], "lists are equal")
            lab.expect_within(2, 1, 3, "two lies between")
            self.assertIn("got 1, wanted 2", self.assertCode("ExpectationFailed", lab.expect_equal, 1, 2, "one is two"))
            self.assertEqual(lab.expect_error("BadArgument", lambda: lab.bucket(lab.data(9))).code, "BadArgument")
            self.assertCode("ExpectationFailed", lab.expect_error, "Refused", lab.file)
            lab.split()
            lab.expect_none("GroupLost")
            self.assertCode("ExpectationFailed", lab.expect_none, "SplitFinished")
            self.assertEqual([one.held for one in lab.expectations], [True, True, True, False, True, False, True, False])


class Ends(unittest.TestCase):
    """Clusters of their own, because they end."""

    def test_a_simulated_cluster_that_was_started_here_is_broken_like_a_real_one(self):
        with start(m=2, k=1, b=10, simulated=True, speed=20, seed=7, spares={"data": 5, "parity": 2}, watch=True) as lab:
            alice = lab.client("alice")
            self.assertEqual(alice.run("insert", count=15).results, {"ok": 15})
            before = lab.settle()
            fault = lab.kill([lab.data(1)], at="RecordRead", lease=3600)  # virtual seconds; nobody searches
            lab.kill(lab.manager(0))
            lab.wait_for("EpochChanged", timeout=PATIENCE)
            self.assertEqual(lab.settle(PATIENCE), before)
            self.assertEqual(lab.heal(fault), 1)
            fault = lab.kill(lab.data([0, 1]))
            lab.wait_for("GroupLost", timeout=PATIENCE)
            self.assertEqual(sorted(lab.restart(fault)), sorted(fault.victims))
            lab.acknowledge_loss(0)
            self.assertEqual(lab.settle(PATIENCE).records, 0)
            spare = lab.spare("data")
            paused = lab.pause(spare, lease=3600)
            self.assertEqual([row["kind"] for row in lab.faults()], ["pause"])
            lab.resume(paused)
            self.assertEqual(lab.faults(), [])
            lab.gate()
            handle = alice.start("insert", count=1)
            passed = []
            while "insert" not in passed:  # leases are asked for meanwhile
                passed += [one.kind for one in lab.release()]
            self.assertEqual(handle.progress().done, 0)
            Words.assertCode(self, "Unsupported", lab.held)
            lab.gate(False)
            self.assertEqual(handle.wait(PATIENCE).operations, 1)
            lab.expect_lamps(["I5", "I18"], checked=False)

    def test_a_coordinator_that_was_killed_finds_its_file_again_and_a_hand_recovers(self):
        with start(m=2, k=1, b=10, recovery="manual", spares={"data": 5, "parity": 2}) as lab:
            client = lab.client()
            client.run("insert", count=15)
            before = lab.settle()
            self.assertIn("nothing has failed", Words.assertCode(self, "Refused", lab.recover, 0))
            self.assertEqual(lab.recovery("on_alarm"), "manual")
            lab.kill(lab.coordinator())
            self.assertEqual(lab.restart(lab.coordinator(), timeout=PATIENCE), ["coordinator"])
            self.assertEqual(lab.settle(PATIENCE), before)
            self.assertEqual(lab.recovery("manual"), "on_alarm")  # it has learned of it from the buckets
            lab.kill(lab.data(1))
            timing = lab.recover(0, slice=2, timeout=PATIENCE)
            self.assertEqual((timing.failed, timing.slice, timing.decode), (("data 1",), 2, "xor"))
            self.assertEqual(lab.settle(PATIENCE), before)

    def test_a_simulated_cluster_is_joined_like_any_other(self):
        with subprocess.Popen([str(rig.PROGRAMS / "lhrs-sim"), "--die-with-parent", "--speed", "10", "-b", "10", "-k", "1"],
                              stdout=subprocess.PIPE, text=True) as simulator, contextlib.ExitStack() as ends:
            ends.callback(simulator.kill)  # before it is waited for, whatever fails
            words = dict(word.split("=", 1) for word in simulator.stdout.readline().split() if "=" in word)
            with Lab.connect(words["control"], timeout=PATIENCE) as lab:
                self.assertTrue(lab.simulated)
                self.assertEqual(lab.client("alice").run("insert", count=30, window=4).results, {"ok": 30})
                self.assertEqual((lab.settle().records, lab.audit().unequal), (30, 0))
                self.assertGreater(len(lab.events("SplitFinished")), 1)
                self.assertTrue(lab.clock(step="ms", count=5)["paused"])
                self.assertEqual(lab.clock(speed=10)["speed"], 10)
                spares = lab.spares()["data"]
                self.assertEqual(lab.add_spares(data=2)["data"], spares + 2)
            simulator.terminate()

    def test_no_process_outlives_a_python_that_is_killed(self):
        program = ("import sys; sys.path.insert(0, sys.argv[1])\n"
                   "from lhrs_lab import Lab\n"
                   "lab = Lab.start(m=1, k=0, bin_dir=sys.argv[2], timeout=float(sys.argv[3]), spares={'data': 1, 'parity': 0})\n"
                   "print(*[process.pid for process in lab.processes()], flush=True)\n"
                   "sys.stdin.read()\n")
        with subprocess.Popen([sys.executable, "-c", program, str(rig.ROOT / "proto/python"), str(rig.PROGRAMS), str(PATIENCE)],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE) as python:
            pids = [int(word) for word in python.stdout.readline().split()]
            self.assertEqual(len(pids), 2)
            descriptors = [os.pidfd_open(pid) for pid in pids]
            python.kill()
            for descriptor in descriptors:
                self.assertTrue(select.select([descriptor], [], [], 10)[0], "a process outlived its Python")
                os.close(descriptor)


if __name__ == "__main__":
    rig.main()
