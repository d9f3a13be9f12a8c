// scenarios/record_recovery.js   @title Records recovered one by one (2003, tables 53 to 58)   @minutes 5   @needs 13 processes   @experiment E9
// SPDX-License-Identifier: GPL-3.0-or-later
// 125,000 records on four data buckets; one bucket is gone, and 1,000 to 25,000 of its records are computed one by one by
// a parity bucket, for a client that knows that the bucket is not there: without the client's time-out, as in the report.
const p = lab.params({ records: 125000, counts: '1000 5000 10000 15000 20000 25000', repetitions: 3, fields: '16 8' });
const bucket = Math.floor(p.records / 4), counts = p.counts.split(' ').map(Number);

// What counts say comes a little later. An event may be lost: then the picture lags, and nothing else.
function showCounts(since) {
    try {
        for (const a of [0, 1, 2, 3])
            lab.waitFor('Gauges', { where: e => e.place === 'data ' + a && e.records === bucket, since: since });
    } catch (late) {
        lab.print('the picture lags:', late.message);
    }
}

for (const field of p.fields.split(' ').map(Number))
    for (const scheme of ['xor', 'rs']) {
        lab.step(scheme + ', field ' + field, 'Records by ' + (scheme === 'xor' ? 'XOR' : 'Reed-Solomon decoding'));
        // No spare: the bucket stays away. Without parity column 0 it takes multiplications.
        lab.cluster({ m: 4, k: 2, b: Math.ceil(bucket * 1.6), field: field, recordBytes: 100, recovery: 'automatic', decode: scheme === 'rs' ? 'rs' : 'auto', spares: { data: 4, parity: 2 } });
        lab.detail('counts');
        const client = lab.client('reader');
        lab.camera({ fit: 'file', speed: 4 });
        lab.say('Records are inserted, and the file is split into four buckets.');
        client.run({ do: 'insert', count: bucket, window: 64 });
        lab.settle();
        while (lab.file().M < 4)
            lab.split();
        const before = lab.here();
        client.run({ do: 'insert', count: bucket * 3, window: 64 });
        lab.settle();
        lab.expectEqual([lab.file().M, lab.file().records, lab.spares().data], [4, bucket * 4, 0], 'four data buckets hold the records, and there is no spare');
        showCounts(before);
        const keys = lab.keysFor(lab.data(2), Math.min(bucket, Math.max(...counts)), { existing: true });
        lab.camera({ speed: 1 });
        lab.say(scheme === 'rs' ? 'Bucket 2 is ended, and parity bucket 0.0 with it. No spare is left to recover bucket 2.'
            : 'Bucket 2 is ended. No spare is left, so it stays gone.');
        lab.kill(scheme === 'rs' ? [lab.data(2), lab.parity(0, 0)] : lab.data(2));
        lab.waitUntil(() => lab.group(0).state === 'degraded' && client.search(keys[0], { timeout: 20 }).path === 'record recovery', { timeout: 30 });
        lab.say('The reader asks for keys of bucket 2. Each record is computed from the others of its rank.');
        const table = lab.measure({
            name: 'record_recovery', constants: { gf: field, scheme: scheme }, factors: { records: counts }, order: 'given', repetitions: p.repetitions, warmUp: 0,
            run: c => {
                const wanted = [];
                for (let i = 0; i < c.records; ++i)
                    wanted.push(keys[i % keys.length]);
                const done = client.run({ do: 'search', keys: wanted, count: c.records, window: 1 });
                lab.expectEqual([done.results.ok, done.wrong + done.missing], [c.records, 0], 'each search finds its record');
                return { total_s: done.total_s, ms_per_record: done.per_op_ms, p50_ms: done.p50_ms, p99_ms: done.p99_ms };
            }
        });
        const most = table.summary().find(row => row.gf === field && row.scheme === scheme && row.records === Math.max(...counts));
        lab.say('By ' + (scheme === 'xor' ? 'XOR' : 'multiplying') + ', a record of bucket 2 took ' + most.ms_per_record.median.toFixed(3) + ' ms.');
    }

lab.step('result', 'Ours, and those of 2003');
for (const row of lab.paper('printed_averages', { scenario: 'record_recovery' }))
    lab.print('2003:', 'GF(2^' + row.gf + '),', row.scheme + ':', row.value, row.unit, 'a record (configuration ' + row.config + ')');
lab.chart({ table: 'record_recovery', x: 'records', y: ['ms_per_record', 'p99_ms'], by: ['gf', 'scheme'], title: 'Records recovered one by one' });
const then = scheme => lab.paper('printed_averages', { scenario: 'record_recovery', config: 2, gf: 16, scheme: scheme })[0].value;
lab.say('In 2003 it took ' + then('xor') + ' ms by XOR, ' + then('rs') + ' ms by multiplying.'
    + (lab.simulated ? ' A simulated computation takes no time.' : ''));
