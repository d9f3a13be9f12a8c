// scenarios/file_creation.js   @title Making a file of 25,000 records, and bulk insert (2003, tables 63 to 68)   @minutes 8   @needs 12 processes   @experiment E11 E12 E13 E14 E15
// SPDX-License-Identifier: GPL-3.0-or-later
// 25,000 acknowledged inserts, buckets of 10,000 records, the file ends with four data buckets: with k = 0, 1 and 2 and in
// both fields; the time of each insert along the run, with the stalls at splits; then bulk insert without
// acknowledgements, which loses records, as in the report.
const p = lab.params({ records: 25000, b: 10000, repetitions: 5, fields: '16 8', parts: 'creation trace bulk' });

// What is to be seen is told once for each kind of file.
const told = {};
const parity = k => k === 0 ? 'without parity' : k === 1 ? 'with one parity bucket' : 'with two parity buckets';

// What counts say comes a little later. An event may be lost: then the picture lags, and nothing else.
function showWhole(since, operations) {
    try {
        for (let a = 0; a < lab.file().M; ++a) {
            const records = lab.bucket(lab.data(a)).records;
            lab.waitFor('Gauges', { where: e => e.place === 'data ' + a && e.records === records, since: since });
        }
        if (operations)
            lab.waitFor('Gauges', { where: e => e.process === 'writer' && e.operations === operations, since: since });
    } catch (late) {
        lab.print('the picture lags:', late.message);
    }
}

function make(k, field, words) {
    lab.cluster({ m: 4, k: k, b: p.b, field: field, recordBytes: 100, recovery: 'manual', spares: { data: 5, parity: 3 } });
    lab.detail('counts');
    const client = lab.client('writer');
    lab.camera({ fit: 'file', speed: words && !told[words] ? 2 : 4 });
    if (words && !told[words])
        lab.say(words);
    told[words] = true;
    return client;
}

if (p.parts.includes('creation')) {
    lab.cluster({ m: 4, k: 2, b: p.b, recordBytes: 100, recovery: 'manual', spares: { data: 5, parity: 3 } });
    const writer = lab.client('writer');
    lab.settle();
    lab.step('a', 'An acknowledged insert');
    lab.camera({ fit: 'file' });
    lab.say('The writer inserts a record into bucket 0, which tells parity buckets 0.0 and 0.1.');
    lab.expectEqual(writer.insert().result, 'inserted', 'the first record is acknowledged');
    lab.say('Both parity buckets have acknowledged, then bucket 0. Only now is the next record inserted.');
    lab.expectEqual(writer.insert().result, 'inserted', 'the second record is acknowledged');
    lab.settle();

    lab.step('b', 'Files with k = 0, 1 and 2 parity buckets');
    const fields = p.fields.split(' ').map(Number), kinds = 3 * fields.length;
    let files = 0;
    const table = lab.measure({
        name: 'file_creation', factors: { gf: fields, k: [0, 1, 2] }, constants: { records: p.records }, repetitions: p.repetitions, warmUp: lab.simulated ? 0 : 1,
        run: c => {
            const words = files === 0 ? kinds + ' kinds of file are made. Full buckets are split, and counts come late. Here: GF(2^' + c.gf + '), ' + parity(c.k) + '.'
                : files < kinds ? 'Now in GF(2^' + c.gf + '), ' + parity(c.k) + '.'
                : files === kinds && !lab.simulated ? 'That was the warm-up. Now all ' + kinds + ' are made again' + (p.repetitions > 1 ? ', ' + p.repetitions + ' times' : '') + ', and measured.'
                : 'Once more in GF(2^' + c.gf + '), ' + parity(c.k) + '.';
            ++files;
            const writer = make(c.k, c.gf, words), begun = lab.here();
            const done = writer.run({ do: 'insert', count: p.records, window: 1 });
            lab.settle();
            showWhole(begun, p.records);
            if (files <= kinds)
                lab.dwell(1.5); // the whole file is seen
            lab.expectEqual([done.results.ok, lab.file().records], [p.records, p.records], 'every insert was acknowledged, and is there');
            return { total_s: done.total_s, ms_per_record: done.per_op_ms, p50_ms: done.p50_ms, p99_ms: done.p99_ms, buckets: lab.file().M };
        }
    });
    const rows = table.summary(), of = k => rows.find(row => row.k === k).ms_per_record.median;
    lab.say((lab.simulated ? 'In GF(2^' + fields[0] + ') an' : 'An') + ' insert of the writer took ' + of(0).toFixed(3) + ' ms without parity, ' + of(1).toFixed(3) + ' ms with one parity bucket, ' + of(2).toFixed(3) + ' ms with two.');
    lab.chart({ table: 'file_creation', x: 'k', y: 'ms_per_record', by: ['gf'], where: lab.simulated ? { gf: fields[0] } : {}, title: 'An acknowledged insert, by the number of parity buckets' });
    const then = k => lab.paper('demo_2004', { item: 'insert', k: k })[0].value;
    const dearer = (of(2).toFixed(3) / of(0).toFixed(3)).toFixed(1), before = (then(2) / then(0)).toFixed(1); // ours: of what is shown
    lab.say(lab.simulated ? 'With two parity buckets it took ' + dearer + ' times as long as without. These are simulated delays: do not compare them with real computers.'
        : 'With two parity buckets it took ' + dearer + ' times as long as without; in 2004, ' + before + ' times.');
}

if (p.parts.includes('trace')) {
    lab.step('c', 'The time of each insert along the run');
    let stalls = [];
    for (const k of [0, 1, 2]) {
        const writer = make(k, 16, k === 0 ? 'Now each insert is timed, first without parity. When a bucket is full, some wait for the split.' : 'The same ' + parity(k) + '.');
        const begun = lab.here(), done = writer.run({ do: 'insert', count: p.records, window: 1, timesEvery: 1 });
        lab.settle();
        showWhole(begun, p.records);
        lab.dwell(1.5);
        const times = done.times_ms, sorted = times.slice().sort((a, b) => a - b);
        const length = Math.max(1, Math.round(p.records / 50));
        for (let from = 0; from < times.length; from += length) {
            const part = times.slice(from, from + length);
            lab.row('insert_time', { k: k, acked_from: from + 1, acked_to: from + part.length, mean_ms: part.reduce((a, b) => a + b, 0) / part.length, max_ms: Math.max(...part) });
        }
        lab.row('insert_stalls', { k: k, p50_ms: sorted[Math.ceil(sorted.length * 0.5) - 1], p999_ms: sorted[Math.ceil(sorted.length * 0.999) - 1], max_ms: sorted[sorted.length - 1],
            max_at: times.indexOf(sorted[sorted.length - 1]) + 1 });
        stalls = [sorted[Math.ceil(sorted.length * 0.5) - 1], sorted[sorted.length - 1]];
        lab.print('k =', k + ': the usual insert', stalls[0].toFixed(3), 'ms, the slowest', stalls[1].toFixed(3), 'ms');
    }
    lab.say('With k = 2 the usual insert of the writer took ' + stalls[0].toFixed(3) + ' ms, the slowest ' + stalls[1].toFixed(3) + ' ms.');
    lab.chart({ table: 'insert_time', x: 'acked_from', y: ['mean_ms', 'max_ms'], by: ['k'], title: 'The time of an insert along the run' });
}

if (p.parts.includes('bulk')) {
    lab.step('d', 'Bulk insert without acknowledgements');
    let files = 0;
    const table = lab.measure({
        name: 'bulk_insert', factors: { k: [0, 1] }, constants: { records: p.records }, repetitions: p.repetitions,
        run: c => {
            const words = files === 0 ? 'As in 2003: all records are sent at once, none is acknowledged; full buckets are split. Counts come late. Here ' + parity(c.k) + '.'
                : files === 1 ? 'The same ' + parity(c.k) + '.' : 'Once more ' + parity(c.k) + '.';
            ++files;
            const client = make(c.k, 16, words), begun = lab.here();
            const done = client.run({ do: 'insert', count: p.records, window: 64, acks: false });
            lab.settle({ timeout: 60 });
            showWhole(begun, 0);
            if (files <= 4)
                lab.dwell(1.5);
            lab.expect(done.lost + lab.file().records >= p.records, 'what is not there is counted as lost');
            return { total_s: done.total_s, lost: done.lost, stored: lab.file().records, buckets: lab.file().M };
        }
    });
    const worst = Math.max(...table.rows.map(row => row.lost));
    lab.say(worst > 0 ? 'In the worst run the writer lost ' + worst + ' of ' + p.records + ' records. It is no way to keep data.'
        : 'Here no run lost any of its ' + p.records + ' records. But the writer counts no operation as done: it would not have been told of a loss.');
    if (worst > 0)
        lab.chart({ table: 'bulk_insert', x: 'k', y: ['stored', 'lost'], title: 'Bulk insert without acknowledgements: records' });
}

lab.step('e', lab.simulated ? 'What the papers measured' : 'Ours, and those of the papers');
for (const k of [0, 1, 2]) {
    const total = lab.paper('demo_2004', { item: 'file_creation', k: k })[0], each = lab.paper('demo_2004', { item: 'insert', k: k })[0];
    lab.print('2004: k =', k + ':', total.value, 's for the file,', each.value, 'ms an insert (1.8 GHz, 1 Gb/s)');
}
const lines = { x: 'k', y: 'total_s', by: ['gf'] };
if (lab.simulated) {
    for (const row of lab.paper('file_creation', { config: 2 }).filter(one => one.scheme !== 'rs')) // with k = 1: by XOR, as here
        lab.row('file_creation_2003', { source: row.source, gf: row.gf, k: row.k, total_s: row.total_s });
    lab.say('Ours is simulated: neither its times nor their ratios are comparable. So here is 2003 alone, with files of 25000 records.');
    lab.chart(Object.assign({ table: 'file_creation_2003', title: 'Creating a file of 25000 records in 2003' }, lines));
} else if (p.parts.includes('creation')) {
    lab.say('The whole file: ours of ' + p.records + ' records and, dashed, that of 2003 of 25000. Compare the ratios, not the seconds.');
    lab.chart(Object.assign({ table: 'file_creation', paper: 'file_creation', where: { config: 2 }, title: 'Creating a file of ' + p.records + ' records, ours and 2003' }, lines));
}
const ratioOf2003 = k => {
    const of = n => lab.paper('file_creation', { config: 2, gf: 16, k: n }).find(one => one.scheme !== 'rs').total_s;
    return (of(k) / of(0)).toFixed(2) + ' times';
};
lab.say('In 2003 a file with one parity bucket took ' + ratioOf2003(1) + ' as long as without, with two ' + ratioOf2003(2) + '.');
