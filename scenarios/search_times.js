// scenarios/search_times.js   @title Key searches, one at a time and in parallel (2003, tables 60 to 62)   @minutes 4   @needs 7 processes   @experiment E10
// SPDX-License-Identifier: GPL-3.0-or-later
// 10,000 to 100,000 searches among 125,000 records on four data buckets: each after the answer to the one before, and in
// parallel. The report sent its parallel searches without flow control and lost answers; here a window keeps them.
const p = lab.params({ records: 125000, counts: '10000 20000 30000 40000 50000 60000 70000 80000 90000 100000', repetitions: 3, window: 64 });
const bucket = Math.floor(p.records / 4);

// What counts say comes a little later. An event may be lost: then the picture lags, and nothing else.
function showCounts(since) {
    try {
        for (const a of [0, 1, 2, 3])
            lab.waitFor('Gauges', { where: e => e.place === 'data ' + a && e.records === bucket, since: since });
    } catch (late) {
        lab.print('the picture lags:', late.message);
    }
}

lab.cluster({ m: 4, k: 0, b: Math.ceil(bucket * 1.6), recordBytes: 100, recovery: 'off', spares: { data: 4, parity: 0 } });
lab.detail('counts');
const client = lab.client('reader');
lab.step('file', 'A file of ' + p.records + ' records');
lab.camera({ fit: 'file', speed: 2 });
lab.say('The reader inserts records, and the file is split into four buckets.');
client.run({ do: 'insert', count: bucket, window: 64 });
lab.settle();
while (lab.file().M < 4)
    lab.split();
const before = lab.here();
client.run({ do: 'insert', count: bucket * 3, window: 64 });
lab.settle();
lab.expectEqual([lab.file().M, lab.file().records], [4, bucket * 4], 'four data buckets hold the records');
showCounts(before);

lab.step('search', 'Searches, synchronised and in parallel');
lab.camera({ fit: 'file' });
lab.say('The reader searches: first one at a time, then ' + p.window + ' at a time. No answer is lost.');
const table = lab.measure({
    name: 'search', factors: { searches: p.counts.split(' ').map(Number), window: [1, p.window] }, order: 'given', repetitions: p.repetitions,
    run: c => {
        const done = client.run({ do: 'search', keys: 'present', count: c.searches, window: c.window });
        lab.expectEqual([done.results.ok, done.unanswered, done.wrong + done.missing], [c.searches, 0, 0], 'every search is answered, and finds its record');
        return { total_s: done.total_s, ms_per_record: done.per_op_ms, replies: done.results.ok, p50_ms: done.p50_ms, p99_ms: done.p99_ms };
    }
});
const most = Math.max(...p.counts.split(' ').map(Number)), rows = table.summary().filter(row => row.searches === most);
const one = rows.find(row => row.window === 1).ms_per_record.median, many = rows.find(row => row.window === p.window).ms_per_record.median;
lab.print('ours:', one.toFixed(4), 'ms one at a time,', many.toFixed(4), 'ms in parallel, ratio', (one / many).toFixed(1));
lab.chart({ table: 'search', x: 'searches', y: ['ms_per_record', 'p50_ms', 'p99_ms'], by: ['window'], title: 'Key search, synchronised and in parallel' });
lab.say('A search of the reader took ' + one.toFixed(3) + ' ms alone, and ' + many.toFixed(3) + ' ms in parallel.');
for (const item of ['search_individual', 'search_bulk'])
    lab.print('2004:', item + ':', lab.paper('demo_2004', { item: item })[0].value, 'ms (1.8 GHz, 1 Gb/s)');
const then = item => lab.paper('demo_2004', { item: item })[0].value.toFixed(3) + ' ms';
lab.say('In 2004 it took ' + then('search_individual') + ' alone, and ' + then('search_bulk') + ' in parallel.');
