# SPDX-License-Identifier: GPL-3.0-or-later
"""What a neighbour without a key can do by sending as many datagrams to one server as the system takes: how long searches of
that server's bucket take meanwhile, and whether all records are still there afterwards. The neighbour is on the same
computer, so it also takes a processor from the cluster."""
import pathlib
import re
import statistics
import subprocess
import time
from typing import Iterator

from measures import M, MEASURES, Measure, Seen, Settings, Target, _check, _cluster, _fill
from peers import NotMeasured

_RECORDS = 4_000
_WITHIN = 3.0
_RATE = 1_000_000  # of a flood of garbage
_PLACE = "all processors of this machine"
_SECONDS, _BRIEFLY = 30.0, 3.0  # how long a flood lasts

_TARGETS = (
    Target("flood_garbage", "p99 of searches, 8 at once, while datagrams that are none of the cluster flood in / in quiet", _WITHIN, True),
    Target("flood_rate", "such datagrams in a second", _RATE, False),
    Target("flood_forged", "p99 of searches, 8 at once, while forged and damaged datagrams flood in / in quiet", _WITHIN, True),
    Target("flood_lost", "records that are not as they were stored, after all floods", 0, True))


class _Neighbour:
    """Floods this port until the end; then `rate` is what it has sent in a second."""

    rate = 0.0

    def __init__(self, program: pathlib.Path, port: int, cluster: int) -> None:
        # pylint: disable-next=consider-using-with
        self._process = subprocess.Popen([str(program), str(port), "10000000000", "1", str(cluster)], stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> "_Neighbour":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        said = (self._process.communicate()[0] or "").strip()
        found = re.fullmatch(r"sent (\d+) datagrams in [\d.]+ s, (\d+) per second, (\d+) failed", said)
        if self._process.returncode != 0 or not found or int(found[1]) < 2 * int(found[3]):
            raise NotMeasured(f"The neighbour did not flood: it ended with {self._process.returncode} and said {said!r}.")
        self.rate = float(found[2])


def _flood(s: Settings) -> Iterator[Seen]:
    count = s.count(40_000, 10_000)
    with _cluster(s, 2, _RECORDS + 2 * M + count, keys=True) as lab:
        client = _fill(lab, _RECORDS)
        target = lab.data(1)
        server = next(p for p in lab.processes() if p.name == lab.bucket(target).process)
        port, cluster = server.address.udp_port, next(p for p in lab.processes() if p.kind == "coordinator").address.udp_port
        keys = lab.keys_for(target, 1_000, existing=True)

        def p99(seconds: float) -> float:
            end, seen = time.monotonic() + seconds, []
            while not seen or time.monotonic() < end:
                seen.append(float(_check(client.run("search", count, window=8, keys=(keys * count)[:count]), count).p99_ms))
            return statistics.median(seen)

        program = s.programs / "lhrs-flood"
        if not program.exists():
            raise NotMeasured(f"There is no program {program}.")
        p99(0)  # warms up
        for _ in range(s.repetitions):
            for row, named in (("flood_garbage", 0), ("flood_forged", cluster)):
                quiet = p99(_BRIEFLY)
                with _Neighbour(program, port, named) as neighbour:
                    loud = p99(_BRIEFLY if s.quick else _SECONDS)
                yield Seen(row, loud / quiet, loud, quiet, "ms", _PLACE)
                if row == "flood_garbage":
                    yield Seen("flood_rate", neighbour.rate, neighbour.rate, None, "1/s", _PLACE)
        checked = client.verify()
        yield Seen("flood_lost", checked.keys - checked.equal, checked.keys - checked.equal, None, f"of {checked.keys} records", _PLACE)


MEASURES.append(Measure("flood", _TARGETS, _flood))
