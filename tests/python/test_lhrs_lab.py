# SPDX-License-Identifier: GPL-3.0-or-later
"""proto/python with real clusters of small files."""
import contextlib
import csv
import importlib.util
import os
import pathlib
import re
import select
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import unittest
import unittest.mock

import rig

rig.require(("zmq", "python3-zmq"), ("google.protobuf", "python3-protobuf"))
sys.path.insert(0, str(rig.ROOT / "proto/python"))

from lhrs_lab import Lab, Rows  # noqa: E402
from lhrs_lab.state import address_of  # noqa: E402


def start(**options) -> Lab:
    """A small cluster, with longer timeouts if its programs are slow."""
    return Lab.start(bin_dir=str(rig.PROGRAMS), timeout=rig.PATIENCE_S, timers="classroom" if rig.IS_SLOW else "default", **options)


class Cluster(rig.Coded):
    """One cluster for all tests; each test leaves it at rest."""

    @classmethod
    def setUpClass(cls):
        cls.lab = start(m=4, k=2, b=20, record_bytes=40, spares={"data": 14, "parity": 7})
        cls.addClassCleanup(cls.lab.close)
        cls.alice = cls.lab.client("alice")
        cls.alice.run("insert", count=60, window=8)
        cls.lab.settle()

    def test_unused_keys_are_counted_from_where_one_says(self):
        stored = {row["key"] for row in self.lab.records(self.lab.data(0), values=False)}
        keys = self.lab.keys_for(self.lab.data(0), 30, first=0) + self.lab.keys_for(self.lab.data(0), 2, first=0)
        self.assertEqual((len(set(keys)), set(keys) & stored, keys), (32, set(), sorted(keys)))
        most = (len(stored) + len(keys)) * 2 * self.lab.file().M
        self.assertLess(keys[-1], most)  # no key was skipped without a reason
        self.assertIn("either existing or first", self.assertCode("BadArgument", self.lab.keys_for, self.lab.data(0), existing=True, first=0))

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
        self.assertCode("BadArgument", self.alice.run, "search", count=8, window=4, batch=5)
        self.assertEqual(self.alice.run("search", count=10, window=4, batch=4).results, {"ok": 10})
        mixed = self.alice.run("mixed", count=40, mix={"update": 1, "search": 1})
        self.assertEqual((mixed.operations, mixed.wrong, mixed.complete), (40, 0, True))
        self.assertEqual(mixed.update_operations + mixed.search_operations, 40)
        self.assertEqual((mixed.insert_operations, mixed.insert_p50_ms), (0, None))
        self.assertEqual(max(mixed.update_max_ms, mixed.search_max_ms), mixed.max_ms)
        eve = self.lab.client("eve")
        self.assertIn("after 0 of 5", self.assertCode("Refused", eve.run, "delete", count=5))
        self.assertEqual((eve.run("delete", count=5, partial=True).complete, eve.run("mixed", count=20, mix={"insert": 1, "delete": 3}).operations), (False, 20))
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
        self.assertEqual(handle.wait(rig.PATIENCE_S).operations, 5)

    def test_recovery_waits_for_an_order_and_its_manager_is_chosen(self):
        lab = self.lab
        lab.settle()
        self.assertEqual(lab.recovery("manual"), "automatic")
        self.assertEqual(lab.recovery(), "manual")
        before = lab.witness(lab.data([0, 1]))
        fault = lab.kill(lab.data(1))
        self.assertCode("BadArgument", lab.recovery, "never")
        self.assertIn("does not exist", self.assertCode("Refused", lab.recover, 0, manager=7))
        self.assertEqual(lab.recover(0, manager=1, timeout=rig.PATIENCE_S).manager, 1)
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

    def test_the_parity_can_be_recomputed_with_what_the_document_says(self):
        text = (rig.ROOT / "proto/README.md").read_text()
        code = re.search(r"```python\n(def parity_of.*?)```", text, re.DOTALL).group(1)
        said: dict = {}
        exec(code, said)  # pylint: disable=exec-used  # the document itself is tested
        with start(m=3, k=3, b=1000, field=8, record_bytes=21, spares={"data": 4, "parity": 3}) as small:
            small.split()
            small.split()
            small.client("bob").run("insert", count=60)
            small.settle()
            for lab, bits, group_count in ((self.lab, 16, 1), (small, 8, 1)):
                lab.settle()
                compared = columns = 0
                for rank in range(1, 6):
                    group = lab.record_group(0, rank)
                    records = {row["bucket"] % lab.config.m: row["value"] for row in group["data"]}
                    for parity in group["parity"]:
                        compared += len(records) > 1
                        columns |= 1 << parity["column"]
                        self.assertEqual(said["parity_of"](bits, parity["column"], records), parity["parity"].rstrip(b"\0"))
                self.assertGreater(compared, 3)
                self.assertEqual(columns, (1 << lab.config.availability) - 1)

    def test_two_killed_buckets_come_back_with_all_their_records(self):
        lab = self.lab
        lab.settle()
        begin, records = lab.here(), lab.file().records
        fault = lab.kill(lab.data([0, 1]))
        self.assertEqual(len(fault.victims), 2)
        lab.wait_for("RecoveryFinished", timeout=rig.PATIENCE_S)
        self.assertEqual(lab.settle(rig.PATIENCE_S).records, records)
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

    def test_charts_are_drawn_by_the_programs_of_the_lab_and_follow_their_table(self):
        lab = self.lab
        lab.row("drawn", {"place": "here", "total_s": 0.5})
        with unittest.mock.patch.dict(os.environ, {"LHRS_BIN_DIR": "/nowhere"}):  # bin_dir has priority
            chart = lab.chart("drawn", x="place", y="total_s")
            lab.row("drawn", {"place": "there", "total_s": 0.25})
            self.assertEqual([(row["place"], row["median"], row["n"]) for row in chart.rows], [("here", 0.5, 1), ("there", 0.25, 1)])
            with tempfile.TemporaryDirectory() as directory:
                written = {path.name: path.read_text() for path in lab.write(directory)}
        self.assertEqual(written["drawn_chart.svg"], chart.svg())
        self.assertIn(f"LIVE  ·  run {lab.tables['drawn'].run}", chart.svg())
        self.assertIn("Did you mean total_s", self.assertCode("BadArgument", lab.chart, "drawn", "place", "totals"))

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not installed (./run test installs it)")
    def test_what_calls_return_is_a_data_frame_as_well(self):
        lab, alice = self.lab, self.alice
        done = alice.run("search", count=5).to_pandas()
        self.assertEqual((done.shape[0], done.operations[0]), (1, 5))
        found = Rows([alice.search(key) for key in lab.keys_for(lab.data(0), 2, existing=True)]).to_pandas(["result", "time_ms"])
        self.assertEqual((found.result.tolist(), str(found.time_ms.dtype)), (["found"] * 2, "float64"))
        events = lab.events("OperationDone").to_pandas()
        self.assertEqual(set(events.event_kind), {"OperationDone"})
        self.assertGreater(events.time_s.min(), 0)
        self.assertEqual(lab.records(lab.data(0), count=3).to_pandas()["rank"].tolist(), [row["rank"] for row in lab.records(lab.data(0), count=3)])

    def test_another_lab_connects_to_it_and_may_not_touch_its_processes(self):
        with Lab.connect(self.lab.endpoint, key_file=self.lab.key_file) as other:
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


class Watched(rig.Coded):
    """A small cluster whose messages can be held, which lhrs-play watches and records."""

    def test_messages_are_held_let_through_and_lost_and_no_clock_goes_meanwhile(self):
        with start(m=2, k=1, b=20, gate=True, spares={"data": 1, "parity": 1}) as lab:
            alice = lab.client("alice")
            alice.run("insert", count=3)
            lab.settle()
            self.assertIn("is open", self.assertCode("Refused", lab.held))
            self.assertTrue(lab.gate(within=rig.PATIENCE_S)["closed"])
            handle = alice.start("insert", count=1)
            request = lab.wait_until(lambda: [one for one in lab.held() if one.kind == "insert"], rig.PATIENCE_S)[0]
            self.assertEqual((request.sender, request.receiver), ("alice", "data-1"))
            self.assertEqual(lab.release(message=request)[0].id, request.id)
            delta = lab.wait_until(lambda: [one for one in lab.held() if one.kind == "delta"], rig.PATIENCE_S)[0]
            self.assertEqual((delta.sender, delta.receiver), ("data-1", "parity-1"))
            self.assertEqual(lab.file().records, 4)  # stored, and not acknowledged
            self.assertEqual([one.kind for one in lab.release(message=delta, drop=True)], ["delta"])
            self.assertNotIn("delta", [one.kind for one in lab.held()])
            again = []  # only a clock that advances to the retransmission brings the change to the parity bucket
            while not again:
                again = [one for one in lab.release(clock=True) if one.kind == "delta"]
            self.assertEqual(handle.progress().done, 0)
            self.assertCode("Refused", lab.measure, "held", lambda _: {"n": 1}, repetitions=1)
            self.assertFalse(lab.gate(False)["closed"])
            self.assertEqual(handle.wait(rig.PATIENCE_S).results, {"ok": 1})
            self.assertGreater(lab.wait_for("GateOpened", where={"process": "data-1"}, since=type(lab.here())(0, 0)).released, 0)
            self.assertEqual(lab.hold_workload(), 1)
            bob = lab.client("bob")
            two = [client.start("insert", count=1) for client in (alice, bob)]
            self.assertEqual([handle.progress().done for handle in two], [0, 0])
            self.assertEqual(lab.hold_workload(False), 0)
            self.assertEqual([handle.wait(rig.PATIENCE_S).operations for handle in two], [1, 1])

    def test_the_invariants_are_checked_by_what_is_done_here_and_the_run_is_recorded(self):
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
                self.assertEqual({one.id: one.state for one in lab.invariants()}["I1"], "not checked")
                self.assertIn("I1", self.assertCode("ExpectationFailed", lab.expect_invariants, ["I1"], checked=True, timeout=0))
                before = lab.witness(lab.data(0), pin=[1])
                lab.kill(lab.data(0))
                self.assertEqual(lab.recover(0, decode="xor", timeout=rig.PATIENCE_S).decode, "xor")
                compared = before.compare()
                self.assertEqual((compared.equal, [one["equal"] for one in compared.pinned]), (compared.records, [True]))
                self.assertEqual(len(compared.pinned[0]["before"]), 20)
                verified = alice.verify()
                self.assertEqual((verified.keys, verified.equal, verified.lost), (25, 25, 0))
                self.assertEqual(alice.verify(lab.data(1)).missing, 0)
                lab.settle()
                self.assertEqual(lab.audit().unequal, 0)
                lab.expect_invariants(["I1", "I2", "I5", "I6", "I7", "I13", "I22"], checked=True)
                self.assertEqual([one.id for one in lab.invariants() if one.state == "violated"], [])
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


class Ends(rig.Coded):
    """Tests with their own clusters, because these end."""

    def test_a_simulated_cluster_that_was_started_here_is_broken_like_a_real_one(self):
        with start(m=2, k=1, b=10, simulated=True, speed=20, seed=7, spares={"data": 5, "parity": 2}, watch=True) as lab:
            alice = lab.client("alice")
            self.assertEqual(alice.run("insert", count=15).results, {"ok": 15})
            before = lab.settle()
            fault = lab.kill([lab.data(1)], at="RecordRead", lease=3600)  # virtual seconds; no client searches
            lab.kill(lab.manager(0))
            lab.wait_for("EpochChanged", timeout=rig.PATIENCE_S)
            self.assertEqual(lab.settle(rig.PATIENCE_S), before)
            self.assertEqual(lab.heal(fault), 1)
            fault = lab.kill(lab.data([0, 1]))
            lab.wait_for("GroupLost", timeout=rig.PATIENCE_S)
            self.assertEqual(sorted(lab.restart(fault)), sorted(fault.victims))
            lab.acknowledge_loss(0)
            self.assertEqual(lab.settle(rig.PATIENCE_S).records, 0)
            spare = lab.spare("data")
            paused = lab.pause(spare, lease=3600)
            self.assertEqual([row["kind"] for row in lab.faults()], ["pause"])
            lab.resume(paused)
            self.assertEqual(lab.faults(), [])
            lab.gate()
            handle = alice.start("insert", count=1)

            def held(kind):  # the client may have to ask for the address first, and the bucket for a lease
                return [one for one in lab.held() if one.kind == kind] or lab.release(clock=True) and None
            request = lab.wait_until(lambda: held("insert"), rig.PATIENCE_S)[0]
            self.assertEqual(lab.release(message=request), [request])
            self.assertNotIn(request, lab.held())
            lost = lab.wait_until(lambda: held("delta"), rig.PATIENCE_S)[0]
            self.assertEqual(lab.release(message=lost, drop=True), [lost])
            self.assertCode("Refused", lab.release, message=lost)
            self.assertEqual(handle.progress().done, 0)
            lab.gate(False)
            self.assertCode("Refused", lab.held)
            self.assertEqual(handle.wait(rig.PATIENCE_S).operations, 1)
            lab.expect_invariants(["I5", "I18"], checked=False)

    def test_a_coordinator_that_was_killed_finds_its_file_again_and_a_hand_recovers(self):
        with start(m=2, k=1, b=10, recovery="manual", spares={"data": 5, "parity": 2}) as lab:
            client = lab.client()
            client.run("insert", count=15)
            before = lab.settle()
            self.assertIn("nothing has failed", self.assertCode("Refused", lab.recover, 0))
            self.assertEqual(lab.recovery("on_alarm"), "manual")
            lab.kill(lab.coordinator())
            self.assertEqual(lab.restart(lab.coordinator(), timeout=rig.PATIENCE_S), ["coordinator"])
            self.assertEqual(lab.settle(rig.PATIENCE_S), before)
            self.assertEqual(lab.recovery("manual"), "on_alarm")  # it has learned this from the buckets
            lab.kill(lab.data(1))
            timing = lab.recover(0, slice=2, timeout=rig.PATIENCE_S)
            self.assertEqual((timing.failed, timing.slice, timing.decode), (("data 1",), 2, "xor"))
            self.assertEqual(lab.settle(rig.PATIENCE_S), before)

    def test_a_simulated_cluster_is_joined_like_any_other(self):
        with subprocess.Popen([str(rig.PROGRAMS / "lhrs-sim"), "--die-with-parent", "--speed", "10", "-b", "10", "-k", "1"],
                              stdout=subprocess.PIPE, text=True) as simulator, contextlib.ExitStack() as ends:
            ends.callback(simulator.kill)  # before waiting for it, whatever fails
            words = dict(word.split("=", 1) for word in simulator.stdout.readline().split() if "=" in word)
            with Lab.connect(words["control"], timeout=rig.PATIENCE_S) as lab:
                self.assertTrue(lab.simulated)
                self.assertEqual(lab.client("alice").run("insert", count=30, window=4).results, {"ok": 30})
                self.assertEqual((lab.settle().records, lab.audit().unequal), (30, 0))
                self.assertGreater(len(lab.events("SplitFinished")), 1)
                self.assertTrue(lab.clock(step="ms", count=5)["paused"])
                self.assertEqual(lab.clock(speed=10)["speed"], 10)
                spares = lab.spares()["data"]
                self.assertEqual(lab.add_spares(data=2)["data"], spares + 2)
            simulator.terminate()

    def test_an_end_is_seen_where_the_system_gives_no_descriptor_of_a_process(self):
        with unittest.mock.patch("os.pidfd_open", side_effect=PermissionError(1, "Operation not permitted")):
            with start(m=1, k=0, spares={"data": 2, "parity": 0}) as lab:
                spare = lab.spares()["data"]
                victim = next(process for process in lab.processes() if process.name == "data-2")
                os.kill(victim.pid, signal.SIGKILL)
                lab.wait_until(lambda: victim.number not in [process.number for process in lab.processes()], timeout=rig.PATIENCE_S)
                self.assertEqual((spare, lab._wire.find(victim.number).how_it_ended), (1, "signal 9"))

    def test_sigterm_leaves_no_process_and_no_log_and_the_recording_is_whole(self):
        program = ("import sys; sys.path.insert(0, sys.argv[1])\n"
                   "from lhrs_lab import Lab\n"
                   "lab = Lab.start(m=1, k=0, bin_dir=sys.argv[2], timeout=float(sys.argv[3]), spares={'data': 2, 'parity': 0}, record=sys.argv[4])\n"
                   "lab.pause(lab.spare('data'))\n"
                   "print(*[process.pid for process in lab.processes()], flush=True)\n"
                   "sys.stdin.read()\n")
        with tempfile.TemporaryDirectory() as directory:
            recording, temporary = pathlib.Path(directory, "run.lhrun"), pathlib.Path(directory, "tmp")
            temporary.mkdir()
            with subprocess.Popen([sys.executable, "-c", program, str(rig.ROOT / "proto/python"), str(rig.PROGRAMS), str(rig.PATIENCE_S), str(recording)],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "TMPDIR": str(temporary)}) as python:
                pids = [int(word) for word in python.stdout.readline().split()]
                self.assertEqual(len(pids), 3)
                descriptors = [os.pidfd_open(pid) for pid in pids]
                python.terminate()
                self.assertEqual(python.wait(rig.PATIENCE_S), -signal.SIGTERM)
                for descriptor in descriptors:
                    self.assertTrue(select.select([descriptor], [], [], 0)[0], "a process outlived its Python")
                    os.close(descriptor)
            self.assertEqual(list(temporary.iterdir()), [])
            base = sqlite3.connect(f"file:{recording}?mode=ro", uri=True)
            with contextlib.closing(base):
                # The recording is complete.
                self.assertEqual(base.execute("select value from meta where key = 'clean'").fetchone(), ("1",))
                self.assertFalse(recording.with_name("run.lhrun-wal").exists())

    def test_no_process_outlives_a_python_that_is_killed(self):
        program = ("import sys; sys.path.insert(0, sys.argv[1])\n"
                   "from lhrs_lab import Lab\n"
                   "lab = Lab.start(m=1, k=0, bin_dir=sys.argv[2], timeout=float(sys.argv[3]), spares={'data': 1, 'parity': 0})\n"
                   "print(*[process.pid for process in lab.processes()], flush=True)\n"
                   "sys.stdin.read()\n")
        with subprocess.Popen([sys.executable, "-c", program, str(rig.ROOT / "proto/python"), str(rig.PROGRAMS), str(rig.PATIENCE_S)],
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
