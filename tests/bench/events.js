// tests/bench/events.js   @title What watching costs: windowed inserts with each change told, with each operation, with each message too, and with counts only   @minutes 1   @needs 7 processes
// SPDX-License-Identifier: GPL-3.0-or-later
// The levels take turns in the same file. ./run bench divides their rates.
const p = lab.params({ repetitions: 5, count: 100000 });
lab.cluster({ m: 4, k: 1, b: 1000000, recordBytes: 100, spares: { data: 4, parity: 1 } });
const client = lab.client('writer');
lab.detail('counts');
client.run({ do: 'insert', count: 1000, window: 64 });
lab.settle();
while (lab.file().M < 4)
    lab.split();

function rate(level) {
    lab.detail(level);
    client.run({ do: 'insert', count: p.count / 10, window: 64 }); // includes the snapshots that the change requests
    lab.settle();
    const done = client.run({ do: 'insert', count: p.count, window: 64 });
    lab.expectEqual([done.results.ok, done.unanswered], [p.count, 0], 'every insert was acknowledged');
    lab.settle();
    return done.operations / done.total_s;
}

for (let repetition = 0; repetition <= p.repetitions; ++repetition) {
    const counts = rate('counts'), records = rate('records'), operations = rate('operations'), full = rate('full');
    if (repetition > 0)
        lab.row('events', { counts_per_s: counts, records_per_s: records, operations_per_s: operations, full_per_s: full });
}
