# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes through a door with the Redis client of Python, waits for a word on stdin after the first half, and reads
everything back. What the store asks to try again is tried again; every other error ends the program."""

import sys

import redis

COUNT = 2000
client = redis.Redis(port=int(sys.argv[1]))


def again(call):
    for _ in range(1000):
        try:
            return call()
        except redis.ResponseError as error:
            # "TRYAGAIN": not carried out. An outcome that is unknown may be repeated, because a SET has the same effect
            # twice.
            if not str(error).startswith("TRYAGAIN") and "unknown whether" not in str(error):
                raise
    raise SystemExit("the store never answered")


def write(numbers):
    for start in numbers[::50]:
        block = {f"key-{i}": f"value-{i}" * (i % 20) for i in range(start, start + 50)}
        assert again(lambda: client.mset(block)) is True


assert client.ping()
write(range(0, COUNT // 2))
print("half", flush=True)
sys.stdin.readline()
write(range(COUNT // 2, COUNT))
for start in range(0, COUNT, 100):
    keys = [f"key-{i}" for i in range(start, start + 100)]
    values = again(lambda: client.mget(keys))
    assert values == [(f"value-{i}" * (i % 20)).encode() for i in range(start, start + 100)], start
assert again(lambda: client.get("key-17")) == b"value-17" * 17
assert again(lambda: client.delete("key-17", "key-18")) == 2
assert again(lambda: client.exists("key-17", "key-19")) == 1
found = set(again(lambda: list(client.scan_iter("key-*", count=100))))
assert len(found) == COUNT - 2, len(found)
pipe = client.pipeline(transaction=False)
for i in range(300):
    pipe.set("one key", i)
    pipe.get("one key")
replies = pipe.execute()
assert replies[1::2] == [str(i).encode() for i in range(300)], replies
print("all right", flush=True)
