# SPDX-License-Identifier: GPL-3.0-or-later
"""What keys cost: the same work in two clusters on the same processor, one with keys and one without, in turn."""
from typing import Iterator

from measures import M, ONE_CORE, RECORD_BYTES, MEASURES, Measure, Seen, Settings, Target, _check, _cluster, _fill, _rate, _us, one_core

_RECORDS = 10_000
_WITHIN = 1.15

_TARGETS = (
    Target("keys_search", "synchronised search, one client: with keys / without, medians", _WITHIN, True),
    Target("keys_insert", "acknowledged insert k=2, one client: with keys / without, medians", _WITHIN, True),
    Target("keys_window", "searches, window 16: rate with keys / without", 1 / _WITHIN, False))


def _keys(s: Settings) -> Iterator[Seen]:
    count = s.count(20_000, 4_000)
    room = _RECORDS + 2 * M + count * (s.repetitions + 2)
    with one_core(), _cluster(s, 2, room, keys=True) as keyed, _cluster(s, 2, room, keys=False) as plain:
        clients = [_fill(lab, _RECORDS) for lab in (keyed, plain)]
        for repetition in range(s.repetitions + 1):  # the first one warms up
            order = clients if repetition % 2 else clients[::-1]  # neither is always first
            done = {client: [_check(client.run("search", count), count), _check(client.run("insert", count // 4), count // 4),
                             _check(client.run("search", 4 * count, window=16), 4 * count)] for client in order}
            if not repetition:
                continue
            (search, insert, window), (plain_search, plain_insert, plain_window) = (done[client] for client in clients)
            yield Seen("keys_search", _us(search) / _us(plain_search), _us(search), _us(plain_search), "us", ONE_CORE)
            yield Seen("keys_insert", _us(insert) / _us(plain_insert), _us(insert), _us(plain_insert), "us", ONE_CORE)
            yield Seen("keys_window", _rate(window) / _rate(plain_window), _rate(window), _rate(plain_window), "1/s", ONE_CORE)
    s.notes.append(f"Keys: a value of {RECORD_BYTES} bytes; a tag of 200 bytes alone: bench_kernels --benchmark_filter=tag.")


MEASURES.append(Measure("keys", _TARGETS, _keys))
