# SPDX-License-Identifier: GPL-3.0-or-later
"""What a neighbour without a key can do by sending as many datagrams to one server as the system takes: how long searches of
that server's bucket take meanwhile, and whether all records are still there afterwards. The neighbour is on the same
computer, so it also takes a processor from the cluster."""
import contextlib
import pathlib
import subprocess
import time
from typing import Iterator

from measures import M, MEASURES, Measure, Seen, Settings, Target, _check, _cluster, _fill
from peers import NotMeasured

_RECORDS = 4_000
_WITHIN = 3.0
_PLACE = "all processors of this machine"
_SECONDS, _BRIEFLY = 30.0, 3.0  # how long the first flood of each kind lasts, and the others

_TARGETS = (
    Target("flood_garbage", "p99 of searches, 8 at once, while datagrams that are none of the cluster flood in / in quiet", _WITHIN, True),
    Target("flood_forged", "p99 of searches, 8 at once, while forged and damaged datagrams flood in / in quiet", _WITHIN, True))


@contextlib.contextmanager
def _flooded(program: pathlib.Path, port: int, cluster: int) -> Iterator[list[str]]:
    """Floods this port until the end; then the list has what the neighbour said of its rate."""
    words: list[str] = []
    with subprocess.Popen([str(program), str(port), "1000000000", "1", str(cluster)], stdout=subprocess.PIPE, text=True) as neighbour:
        try:
            yield words
        finally:
            neighbour.terminate()
            words.append((neighbour.communicate()[0] or "").strip())


def _flood(s: Settings) -> Iterator[Seen]:
    count = s.count(40_000, 10_000)
    with _cluster(s, 2, _RECORDS + 2 * M + count, keys=True) as lab:
        client = _fill(lab, _RECORDS)
        target = lab.data(1)
        server = next(p for p in lab.processes() if p.name == lab.bucket(target).process)
        port, cluster = server.address.udp_port, next(p for p in lab.processes() if p.kind == "coordinator").address.udp_port
        keys = lab.keys_for(target, 1_000, existing=True)

        def p99() -> float:
            return float(_check(client.run("search", count, window=8, keys=(keys * count)[:count]), count).p99_ms)

        program = s.programs / "lhrs-flood"
        if not program.exists():
            raise NotMeasured(f"There is no program {program}.")
        def worst_p99(seconds: float) -> float:
            end, worst = time.monotonic() + seconds, 0.0
            while time.monotonic() < end:
                worst = max(worst, p99())
            return worst

        said = []
        p99()  # warms up
        for repetition in range(s.repetitions):
            for row, named in (("flood_garbage", 0), ("flood_forged", cluster)):
                quiet = p99()
                with _flooded(program, port, named) as words:
                    loud = worst_p99(_SECONDS if repetition == 0 and not s.quick else _BRIEFLY)
                said.append(f"{row}: {words[-1]}")
                yield Seen(row, loud / quiet, loud, quiet, "ms", _PLACE)
        checked = client.verify()
        if checked.equal != checked.keys:
            raise NotMeasured(f"After the floods {checked.equal} of {checked.keys} records were as they should be.")
        s.notes.append(f"Flood: {'; '.join(said)}")


MEASURES.append(Measure("flood", _TARGETS, _flood))
