// SPDX-License-Identifier: GPL-3.0-or-later
// Key operations of one client over the network between hosts, one after the other and sixteen at a time. figures.sh puts
// the medians beside those of Redis over the same network.
const p = lab.params({ k: 1, records: 20000, operations: 10000, repetitions: 5 });
lab.cluster({ m: 4, k: p.k, b: p.records * 4, recordBytes: 100, spares: { data: 4, parity: 4 } });
lab.detail('counts');
const client = lab.client('client');
client.run({ do: 'insert', count: p.records / 4, window: 16 });
lab.settle();
while (lab.file().M < 4)
    lab.split();
client.run({ do: 'insert', count: p.records * 3 / 4, window: 16 });
lab.settle();
for (let r = 0; r <= p.repetitions; ++r) { // the first one warms up
    const search = client.run({ do: 'search', count: p.operations });
    const searches = client.run({ do: 'search', count: 4 * p.operations, window: 16 });
    const insert = client.run({ do: 'insert', count: p.operations / 4 });
    const inserts = client.run({ do: 'insert', count: p.operations, window: 16 });
    if (r > 0)
        for (const [name, ran] of Object.entries({ search, searches, insert, inserts }))
            lab.print('figure', name, Math.round(ran.operations / ran.total_s));
}
lab.expectEqual(lab.audit().unequal, 0, 'parity is equal');
