# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulated cluster that Python drives: the same program and seed give the same bytes, at every speed and on a busy
machine."""
import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
import unittest.mock

import rig

rig.require(("zmq", "python3-zmq"), ("google.protobuf", "python3-protobuf"))
sys.path.insert(0, str(rig.ROOT / "proto/python"))

from lhrs_lab import Lab  # noqa: E402

# A program as a user would write it, with pauses of real time (NAPS_S) in between and, with BUSY, a thread that uses
# the processor.
PROGRAM = r"""
import json, os, pathlib, sys, threading, time
sys.path.insert(0, os.environ["PACKAGE"])
from lhrs_lab import Lab

out, naps = pathlib.Path(os.environ["OUT"]), float(os.environ["NAPS_S"])
is_over = threading.Event()

def work():
    while not is_over.wait(0.002):  # else each word of the other threads would wait for a turn of this one
        sum(range(50_000))

if os.environ.get("BUSY"):
    threading.Thread(target=work, daemon=True).start()
with Lab.start(m=2, k=1, b=10, record_bytes=30, simulated=True, seed=7, speed=float(os.environ["SPEED"]),
               bin_dir=os.environ["BIN"], spares={"data": 24, "parity": 16}) as lab:
    lab.parameters["records"] = 40
    alice, bob = lab.client("alice"), lab.client("bob")
    said = {"inserts": [alice.insert(key, "x" * key).as_dict() for key in (1, 2, 3)]}
    time.sleep(naps)
    lab.measure("inserts", lambda case: alice.run("insert", count=10, window=case["window"]), factors={"window": [1, 4]},
                repetitions=2, after=lambda _: time.sleep(naps))
    lab.settle()
    lab.net(receiver=lab.data(0), drop=0.2, jitter_ms=3, lease=3600)
    beside = bob.start("insert", count=30, window=2)
    mixed = alice.run("mixed", count=60, window=3, mix={"insert": 2, "search": 2, "update": 1, "delete": 1}, times_every=1)
    said["mixed"], said["beside"] = mixed.as_dict(), beside.wait(60).as_dict()
    said["healed"] = lab.heal()
    time.sleep(naps)
    since = lab.here()
    fault = lab.kill([lab.data(1), lab.parity(1, 0)])
    said["fault"], said["at"] = fault.as_dict(), []
    said["during"] = [alice.search(key).as_dict() for key in (1, 3, 5)]
    for _ in range(2):
        told = lab.wait_for_all("RecoveryFinished", 1, since=since)[0]
        said["at"].append([told.t_s, told.place, told.fields])
    try:
        lab.wait_for("GroupLost", timeout=0.7)
    except Exception as error:
        said["in vain"] = str(error)
    said["back"] = lab.restart(fault)
    said["settled"] = lab.settle().as_dict()
    lab.row("recovery_times", lab.recoveries(since=since)[0])
    said["recoveries"] = [one.as_dict() for one in lab.recoveries()]
    lab.pause(lab.data(0), lease=0.5)
    said["waited"] = alice.search(lab.keys_for(lab.data(0), existing=True)[0]).as_dict()
    lab.partition(alice, lab.data(1), lease=0.3)
    said["apart"] = alice.run("search", keys=[1, 2, 3], window=3).as_dict()
    lab.kill(lab.coordinator())
    said["restarted"], said["again"] = lab.restart(lab.coordinator()), lab.settle().as_dict()
    lab.gate()
    last = alice.start("search", keys=[1, 2])
    said["held"] = [one.as_dict() for one in lab.wait_until(lambda: [one for one in lab.held() if one.kind == "search"])]
    said["released"] = [one.as_dict() for one in lab.release(9, clock=True)]
    lab.gate(False)
    said["last"] = last.wait(60).as_dict()
    said["audit"], said["verified"] = lab.audit().as_dict(), alice.verify().as_dict()
    said["events"] = [(one.t_s, one.kind, one.process, one.sequence) for one in lab.events()]
    said["lost"], said["processes"] = lab.lost_events(), [process.number for process in lab.processes()]
    said["drawn"], said["now"] = lab.random.random(), lab.now()
    said["clock"] = lab.clock()["virtual_s"]
    lab.write(out)
is_over.set()
(out / "said.json").write_text(json.dumps(said, default=repr, indent=1))
"""


class Repeated(unittest.TestCase):
    """The same program, run repeatedly."""

    def play(self, directory: pathlib.Path, name: str, speed: float, naps_s: float, **more: str) -> dict[str, bytes]:
        """Runs the program; returns the files that it wrote."""
        script = directory / "program.py"
        script.write_text(PROGRAM)
        out = directory / name
        done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False, env={
            **os.environ, "PACKAGE": str(rig.ROOT / "proto/python"), "BIN": str(rig.PROGRAMS), "OUT": str(out), "SPEED": str(speed),
            "NAPS_S": str(naps_s), **more})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return {path.name: path.read_bytes() for path in sorted(out.iterdir())}

    def test_one_seed_gives_the_same_bytes_at_every_speed_and_on_a_busy_machine(self):
        with tempfile.TemporaryDirectory() as name:
            directory = pathlib.Path(name)
            first = self.play(directory, "first", 0, 0)
            self.assertEqual(sorted(first), ["clusters.csv", "inserts.csv", "inserts_summary.csv", "recovery_times.csv",
                                             "recovery_times_summary.csv", "runs.csv", "said.json"])
            for number, (speed, naps_s, more) in enumerate(((0, 0.11, {"BUSY": "1"}), (50, 0.02, {}))):
                again = self.play(directory, f"again-{number}", speed, naps_s, **more)
                for file, data in first.items():
                    self.assertMultiLineEqual(again[file].decode(), data.decode(), f"{file} at speed {speed}")


def start(**options) -> Lab:
    """A small simulated cluster."""
    return Lab.start(m=2, k=1, b=10, record_bytes=30, simulated=True, bin_dir=str(rig.PROGRAMS), timeout=rig.PATIENCE_S,
                     **{"speed": 0, "spares": {"data": 6, "parity": 3}, **options})


class Clock(rig.Coded):
    """Virtual time that waits for calls."""

    def test_time_passes_in_steps_and_calls_alone_and_time_outs_are_virtual(self):
        with start(seed=3, recovery="manual") as lab:
            alice, bob = lab.client("alice"), lab.client("bob")
            alice.run("insert", count=5)
            before = lab.clock()
            self.assertFalse(before["paused"])
            self.assertEqual((lab.now(), lab.file().records), (before["virtual_s"], 5))  # queries take no time
            self.assertEqual(lab.clock(), before)
            self.assertEqual(lab.clock(step="ms", count=500), {**before, "now_s": lab.now(), "virtual_s": lab.now()})
            self.assertAlmostEqual(lab.now() - before["now_s"], 0.5, 9)
            self.assertIn("after 0.3 s", self.assertCode("Timeout", lab.wait_for, "GroupLost", timeout=0.3))
            self.assertCode("Timeout", lab.wait_until, lambda: False, timeout=0.4)
            self.assertAlmostEqual(lab.now() - before["now_s"], 1.2, 9)
            lab.pause(lab.data(0), lease=5)
            self.assertIn("0 of 2", self.assertCode("Timeout", alice.run, "insert", keys=[1000, 1002], timeout=0.5))
            handle = bob.start("search", keys=[0])
            self.assertCode("Timeout", handle.wait, 0.5)
            self.assertAlmostEqual(lab.now() - before["now_s"], 2.2, 9)
            self.assertEqual(handle.wait(rig.PATIENCE_S).operations, 1)
            lab.clock(paused=True)
            lab.gate()
            now = lab.now()
            handle = bob.start("search", keys=[1])
            self.assertCode("Timeout", handle.wait, 0.01)  # real time: virtual time stands still
            self.assertCode("Refused", lab.measure, "held", lambda _: {"n": 1}, repetitions=1)
            self.assertEqual(lab.clock(step="ms", count=1)["paused"], True)
            self.assertIn("search", [one.kind for one in lab.held()])
            lab.clock(speed=1)
            self.assertCode("Timeout", handle.wait, 0.5)  # virtual time advances, and the message waits at its gate
            self.assertCode("Refused", lab.measure, "held", lambda _: {"n": 1}, repetitions=1)
            lab.gate(False)
            self.assertEqual(handle.wait(rig.PATIENCE_S).operations, 1)
            self.assertGreater(lab.now(), now)

    def test_a_hold_lasts_until_it_is_ended_and_calls_may_come_from_several_threads(self):
        with start(seed=3) as lab:
            clients = [lab.client(name) for name in ("alice", "bob")]
            self.assertEqual(lab.hold_workload(), 2)
            handle = clients[0].start("insert", count=3)
            lab.clock(step="ms", count=20_000)  # longer than the lease that is renewed for real processes
            self.assertEqual(handle.progress().done, 0)
            lab.hold_workload(False)
            self.assertEqual(handle.wait(rig.PATIENCE_S).operations, 3)
            done, since = [], lab.here()
            calls = [lambda one=one: one.run("insert", count=30).operations for one in clients]
            calls.append(lambda: lab.wait_for_all("OperationDone", 60, since=since, timeout=60)[-1].kind)
            threads = [threading.Thread(target=lambda call=call: done.append(call())) for call in calls]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(sorted(map(str, done)), ["30", "30", "OperationDone"])
            self.assertCode("Unsupported", lab.watch)
            self.assertEqual(lab.lost_events(), {"lost": 0, "joined_late": 0, "forgotten": 0, "unreadable": 0})

    def test_another_lab_that_joins_it_lets_its_time_pass_likewise(self):
        with start(seed=3) as lab:
            lab.client("alice").run("insert", count=5)
            begun = lab.clock()["virtual_s"]
            with Lab.connect(lab.endpoint, timeout=rig.PATIENCE_S) as other:
                self.assertTrue(other.simulated)
                self.assertGreater(other.lost_events()["joined_late"], 0)
                self.assertEqual(other.clock()["virtual_s"], begun)
                self.assertEqual(other.client("bob").run("insert", count=5).results, {"ok": 5})
                self.assertEqual((other.settle().records, other.spares()), (10, lab.spares()))
                self.assertEqual(len(other.events("OperationDone")), 5)
                self.assertGreater(other.clock()["virtual_s"], begun)
                self.assertCode("Timeout", other.wait_for, "GroupLost", timeout=0.2)
            told = [event.client for event in lab.events("OperationDone")]
            self.assertEqual(told.count("bob"), 5)
            with Lab.connect(lab.endpoint, timeout=rig.PATIENCE_S) as other:
                fault = lab.kill(lab.data(0))
                self.assertEqual(other.wait_for("RecoveryFinished", timeout=60).group, 0)
                self.assertNotIn(fault.numbers[0], [process.number for process in other.processes()])
            self.assertEqual(len(lab.recoveries()), 1)

    def test_the_end_of_the_simulator_is_the_end_of_all_its_processes(self):
        with start(seed=3) as lab:
            alice = lab.client("alice")
            handle = alice.start("search", count=1, keys=[1])
            lab.gate()
            os.kill(lab.processes()[0].pid, signal.SIGKILL)
            self.assertIn("simulator has ended", self.assertCode("Unreachable", handle.wait, 600))
            self.assertEqual(lab.processes(), [])
            self.assertCode("Unreachable", alice.search, 1)
            self.assertCode("Unreachable", lab.clock)

    def test_a_run_of_the_same_inputs_is_the_same_run(self):
        with tempfile.TemporaryDirectory() as directory, contextlib.ExitStack() as ends:
            labs = [ends.enter_context(start(seed=seed)) for seed in (3, 3, 4)]
            labs.append(ends.enter_context(Lab.connect(labs[0].endpoint)))
            runs = [lab.measure("x", lambda _: {"value": 1}, repetitions=1).run for lab in labs]
            self.assertEqual(len(set(runs)), 4)  # the second run of a program has another id
            for lab, run in zip(labs, runs):
                self.assertRegex(run, "^sim-[0-9a-f]{16}$" if lab is not labs[3] else r"^20\d{6}T")
                lab.write(directory, append=True)
            labs[0].row("x", {"value": 2})
            labs[0].write(directory, append=True)
            path = pathlib.Path(directory, "x.csv")
            before = path.read_bytes()
            with unittest.mock.patch("lhrs_lab.results._written", set()):  # as in another program
                labs[0].write(directory, append=True)
                self.assertEqual(path.read_bytes(), before)
            with unittest.mock.patch("lhrs_lab.results._written", set()):
                labs[0].row("x", {"value": 3})
                self.assertIn("lab.parameters", self.assertCode("BadArgument", labs[0].write, directory, append=True))
            self.assertEqual(path.read_bytes(), before)


if __name__ == "__main__":
    rig.main()
