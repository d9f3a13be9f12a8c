// tests/bench/forwards.js   @title How often a warm client is forwarded among 1,000 buckets   @minutes 5   @needs a simulated cluster
// SPDX-License-Identifier: GPL-3.0-or-later
// ./run bench plays it with --sim. It only counts, so the speed of the machine does not matter.
const p = lab.params({ repetitions: 5, buckets: 1000, searches: 20000 });
const batch = Math.ceil(p.buckets / 10);
const servers = p.buckets + 2 * batch, first = Math.min(servers, 1000); // the most that may be requested at once
lab.cluster({ m: 32, k: 0, b: 8, recordBytes: 8, recovery: 'off', spares: { data: first, parity: 0 } });
if (servers > first)
    lab.addSpares({ data: servers - first, timeout: 600 });
lab.detail('counts');
lab.clock({ speed: 0 });
const client = lab.client('reader');
while (lab.file().M < p.buckets) {
    client.run({ do: 'insert', count: batch, window: 8 });
    lab.settle({ timeout: 600 });
}
client.run({ do: 'search', keys: 'present', count: p.searches, window: 16 });
for (let repetition = 0; repetition < p.repetitions; ++repetition) {
    const done = client.run({ do: 'search', keys: 'present', count: p.searches, window: 16 });
    lab.expectEqual([done.results.ok, done.unanswered], [p.searches, 0], 'every search finds its record');
    lab.row('forwards', { buckets: lab.file().M, forwards: done.forwards, operations: done.operations });
}
