# SPDX-License-Identifier: GPL-3.0-or-later
"""A ring that walks, used from Python: with real and with simulated processes."""
import csv
import pathlib
import sys
import tempfile
import unittest

import rig

rig.require(("zmq", "python3-zmq"), ("google.protobuf", "python3-protobuf"))
sys.path.insert(0, str(rig.ROOT / "proto/python"))

from lhrs_lab import Lab, Recording  # noqa: E402


def start(**options) -> Lab:
    """A small ring."""
    return Lab.start(system="walk", bin_dir=str(rig.PROGRAMS), timeout=rig.PATIENCE_S,
                     **{"nodes": 4, "outside": 2, "record_bytes": 30, "speed": 0, **options})


class Ring(rig.Coded):
    """Its calls, with both kinds of processes."""

    def use(self, lab: Lab) -> None:
        """Tests keys, a join and a leave under load, and every key from every node."""
        ring = lab.ring()
        self.assertEqual((len(ring.nodes), len(ring.outside), ring.bits, ring.keys, ring.at_rest, ring.broken), (4, 2, 32, 0, True, None))
        ids = [node.id for node in ring.nodes]
        self.assertEqual(ids, sorted(ids))
        self.assertEqual([(node.begins_after, node.successor) for node in ring.nodes],
                         [(ids[at - 1], ring.nodes[(at + 1) % 4].name) for at in range(4)])
        alice = lab.client("alice")
        self.assertEqual([alice.insert(7, "seven").result, alice.update(7, "VII").result, alice.search(7).text], ["inserted", "updated", "VII"])
        found = alice.look_up(7)
        self.assertEqual((found.result, found.text, found.key), ("found", "VII", 7))
        at = next(place for place, node in enumerate(ring.nodes) if node.name == found.owner)
        since = lab.here()
        self.assertEqual(alice.look_up(7, via=lab.process(ring.nodes[(at + 1) % 4].name)).steps, 3)
        # Other events may arrive later.
        passed = lab.wait_for_all("QueryPassed", 3, where={"client": "alice", "op": 5}, since=since)
        self.assertEqual({event.steps for event in passed}, {1, 2, 3})
        everywhere = alice.look_up_all([7, 8])
        self.assertEqual((everywhere.nodes, everywhere.look_ups, everywhere.found, everywhere.missing, everywhere.steps, everywhere.steps_most),
                         (4, 8, 4, 4, 1.5, 3))
        work = alice.start("insert", count=1500, rate=1500)
        joined, since = lab.join(), lab.here()
        left = lab.leave(found.owner)
        self.assertEqual((left.node, left.change), (found.owner, joined.change + 1))
        self.assertLess(work.progress().done, 1500)
        self.assertEqual(lab.wait_for("NodeLeft", since=since).fields["keys"], left.keys)
        self.assertEqual(work.wait(60).results, {"ok": 1500})
        settled, verified = lab.settle(), alice.verify()
        self.assertEqual((len(settled.nodes), settled.keys, settled.changes), (4, 1501, left.change))
        self.assertEqual((verified.keys, verified.equal, verified.missing), (1501, 1501, 0))
        self.assertCode("Refused", lab.leave, found.owner)
        self.assertCode("BadArgument", lab.leave, "alice")

    def test_of_real_processes(self):
        with start() as lab:
            self.use(lab)
            self.assertIn("master of a ring", self.assertCode("Refused", lab.restart, lab.coordinator()))

    def test_simulated(self):
        with start(simulated=True, seed=7) as lab:
            self.use(lab)

    def test_connected(self):
        with start() as lab:
            lab.client("alice").insert(1, "one")
            with Lab.connect(lab.endpoint, key_file=lab.key_file) as other:
                self.assertEqual((other.system, other.ring().keys), ("walk", 1))
                self.assertEqual(other.client("alice").look_up(1).text, "one")

    def test_what_is_of_the_other_system_is_refused(self):
        self.assertIn("k, merges is for a file", self.assertCode("BadArgument", start, k=2, merges=True))
        self.assertIn("for a ring", self.assertCode("BadArgument", Lab.start, nodes=4))
        self.assertCode("BadArgument", Lab.start, system="chord")
        self.assertCode("BadArgument", start, nodes=301)
        with start(simulated=True, nodes=2, outside=0) as lab:
            for call in (lab.file, lab.spares, lambda: lab.bucket(lab.data(0)), lambda: lab.kill(lab.data(0))):
                self.assertIn("this cluster is a ring", self.assertCode("ClusterMismatch", call))
            self.assertCode("Refused", lab.split)
        with Lab.start(m=2, k=0, b=10, spares={"data": 2, "parity": 0}, simulated=True, speed=0, bin_dir=str(rig.PROGRAMS)) as lab:
            alice = lab.client("alice")
            for call in (lab.ring, lab.join, lambda: lab.leave("data-1"), lambda: alice.look_up(1), lambda: alice.look_up_all([1])):
                self.assertIn("this cluster is a file", self.assertCode("ClusterMismatch", call))

    def test_a_run_is_measured_written_and_recorded(self):
        with tempfile.TemporaryDirectory() as name:
            directory = pathlib.Path(name)
            with start(simulated=True, record=directory / "run.lhrun", speed=1) as lab:
                alice = lab.client("alice")
                alice.run("insert", count=30)
                lab.measure("steps", lambda case: {"steps": alice.run("search", count=20).forwards / 20}, repetitions=2)
                lab.join()
                lab.write(directory / "out")
            with (directory / "out/clusters.csv").open(newline="") as file:
                row = next(csv.DictReader(file))
            self.assertEqual((row["system"], row["nodes"], row["outside"], row["bits"], row["record_bytes"]), ("walk", "4", "2", "32", "30"))
            recording = Recording(directory / "run.lhrun")
            self.assertIsNone(recording.damage())
            kinds = {one["name"] for one in recording.sql("SELECT DISTINCT name FROM event JOIN event_kind USING (kind)").rows}
            self.assertLessEqual({"JoinOrdered", "NodeJoined", "RangeTaken", "KeyStored"}, kinds)


if __name__ == "__main__":
    rig.main()
