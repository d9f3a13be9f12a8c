// scenarios/search_times.js   @title Key searches, one at a time and in parallel (2003, tables 60 to 62)   @minutes 4   @needs 7 processes   @experiment E10
// SPDX-License-Identifier: GPL-3.0-or-later
// 10,000 to 100,000 searches among 125,000 records on four data buckets: each after the answer to the one before, and in
// parallel. The report sent its parallel searches without flow control and lost answers; here a window keeps them.
const p = lab.params({ records: 125000, counts: '10000 20000 30000 40000 50000 60000 70000 80000 90000 100000', repetitions: 3, window: 64 });
const bucket = Math.floor(p.records / 4);

// What counts say comes a little later. An event may be lost: then the picture lags, and nothing else.
function showCounts(since, buckets, records) {
    try {
        for (const a of buckets)
            lab.waitFor('Gauges', { where: e => e.place === 'data ' + a && e.records === records, since: since });
    } catch (late) {
        lab.print('the picture lags:', late.message);
    }
}

// Likewise what a client has done in all.
function showOperations(since, name, operations) {
    try {
        lab.waitFor('Gauges', { where: e => e.process === name && e.operations === operations, since: since });
    } catch (late) {
        lab.print('the picture lags:', late.message);
    }
}

lab.cluster({ m: 4, k: 0, b: Math.ceil(bucket * 1.6), recordBytes: 100, recovery: 'off', spares: { data: 4, parity: 0 } });
lab.detail('counts');
const client = lab.client('reader');
let made = 0; // operations of the reader so far
const run = o => {
    const done = client.run(o);
    made += done.operations;
    return done;
};
lab.step('a', 'A file of ' + p.records + ' records');
lab.camera({ fit: 'file', speed: 4 });
lab.say('The inserts of the reader are only counted. The file is split into four buckets.');
const begun = lab.here();
run({ do: 'insert', count: bucket, window: 64 });
lab.settle();
showCounts(begun, [0], bucket);
while (lab.file().M < 4)
    lab.split();
const before = lab.here();
run({ do: 'insert', count: bucket * 3, window: 64 });
lab.settle();
lab.expectEqual([lab.file().M, lab.file().records], [4, bucket * 4], 'four data buckets hold the records');
showCounts(before, [0, 1, 2, 3], bucket);

lab.step('b', 'A search is two messages');
lab.camera({ fit: 'file' });
lab.detail('full');
const shown = a => {
    lab.expectEqual(client.search(lab.keysFor(lab.data(a), 1, { existing: true })[0]).result, 'found', 'bucket ' + a + ' has answered');
    ++made;
};
lab.say('The reader asks bucket 1 for a record, and bucket 1 answers: two messages.');
shown(1);
lab.say('One at a time: the next request is sent when the answer to the one before is there.');
for (const a of [3, 0, 2])
    shown(a);
lab.camera({ speed: 0.3 });
lab.say('In parallel: ' + p.window + ' requests are under way at a time. Eight of them are drawn.');
run({ do: 'search', keys: 'present', count: p.window, window: p.window });
lab.settle();
lab.detail('counts');

lab.step('c', 'Searches, one at a time and in parallel');
lab.camera({ fit: 'file' });
lab.say('Now searches are only counted: one at a time, then ' + p.window + ' at once.');
const counted = lab.here();
const counts = p.counts.split(' ').map(Number), cases = [];
for (const searches of counts)
    for (const window of [1, p.window])
        cases.push({ searches: searches, window: window, under_way: window + ' at a time' });
const table = lab.measure({
    name: 'search', cases: cases, order: 'given', repetitions: p.repetitions,
    run: c => {
        const done = run({ do: 'search', keys: 'present', count: c.searches, window: c.window });
        lab.expectEqual([done.results.ok, done.unanswered, done.wrong + done.missing], [c.searches, 0, 0], 'every search is answered, and finds its record');
        return { total_s: done.total_s, ms_per_record: done.per_op_ms, replies: done.results.ok, p50_ms: done.p50_ms, p99_ms: done.p99_ms };
    }
});
showOperations(counted, 'reader', made);
const most = Math.max(...counts), rows = table.summary().filter(row => row.searches === most);
const one = rows.find(row => row.window === 1), many = rows.find(row => row.window === p.window);
const ms = figure => figure.median.toPrecision(4);
const ratio = (ms(one.ms_per_record) / ms(many.ms_per_record)).toFixed(1); // of what is shown
lab.print('ours:', one.ms_per_record.median.toFixed(4), 'ms one at a time,', many.ms_per_record.median.toFixed(4), 'ms in parallel, ratio', ratio);
lab.say('The whole divided by the searches: ' + ms(one.ms_per_record) + ' ms one at a time, ' + ms(many.ms_per_record) + ' ms in parallel, ' + ratio + ' times less.');
const axis = counts.length > 1 ? { table: 'search', x: 'searches', by: ['under_way'] } : { table: 'search', x: 'under_way' };
lab.chart(Object.assign({ y: 'ms_per_record', title: 'Key search: the whole time divided by the searches' }, axis));
for (const item of ['search_individual', 'search_bulk'])
    lab.print('2004:', item + ':', lab.paper('demo_2004', { item: item })[0].value, 'ms (1.8 GHz, 1 Gb/s)');
const then = item => lab.paper('demo_2004', { item: item })[0].value;
lab.say('In 2004 likewise: ' + then('search_individual').toFixed(4) + ' ms one at a time, ' + then('search_bulk').toFixed(4) + ' ms in parallel, '
    + (then('search_individual') / then('search_bulk')).toFixed(1) + ' times less. ' + (lab.simulated ? 'Ours are simulated: do not compare them.' : 'Here it was ' + ratio + ' times.'));
lab.say('From request to answer, the median (p50) was ' + ms(one.p50_ms) + ' ms one at a time, ' + ms(many.p50_ms) + ' ms in parallel. One in a hundred took longer than p99.');
lab.chart(Object.assign({ y: ['p50_ms', 'p99_ms'], title: 'From request to answer: p50 (median), p99' }, axis));
if (many.p50_ms.median > one.p50_ms.median)
    lab.say('In parallel each search waits in a queue behind others: it takes longer, and all together take less.');
