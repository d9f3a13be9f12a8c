// scenarios/recovery_tables.js   @title Recovery by slice size, field and decoder (2003, tables 19 to 38)   @minutes 12   @needs 15 processes   @experiment E4 E5 E6 E7 E8 E15
// SPDX-License-Identifier: GPL-3.0-or-later
// One, two and three data buckets of 31,250 records of 100 bytes are recovered in slices of 1,250 to 31,250 ranks, in both
// fields, one bucket by XOR and by Reed-Solomon decoding. The times are those of the recovery manager: total, work, waiting
// for transfers. Each recovered record is compared with the lost one.
const p = lab.params({ records: 125000, repetitions: 5, fields: '16 8', parts: '25 10 5 2 1' });
const bucket = Math.floor(p.records / 4);

const parts = p.parts.split(' ').map(Number), middle = Math.round(bucket / parts[Math.floor(parts.length / 2)]);
const cases = [];
for (const part of parts) {
    const slice = Math.round(bucket / part);
    cases.push({ scheme: 'xor', failed_buckets: 1, slice: slice });
    for (const failed of [1, 2, 3])
        cases.push({ scheme: 'rs', failed_buckets: failed, slice: slice });
}

// What counts say comes a little later. An event may be lost: then the picture lags, and nothing else.
function showCounts(since, buckets, records) {
    try {
        for (const a of buckets)
            lab.waitFor('Gauges', { where: e => e.place === 'data ' + a && e.records === records, since: since });
    } catch (late) {
        lab.print('the picture lags:', late.message);
    }
}

let table = null;
for (const field of p.fields.split(' ').map(Number)) {
    const isFirst = table === null;
    lab.step(isFirst ? 'a' : 'b', 'Recovery in GF(2^' + field + ')');
    lab.cluster({ m: 4, k: 3, b: Math.ceil(bucket * 1.6), field: field, recordBytes: 100, recovery: 'manual', spares: { data: 7, parity: 4 } });
    lab.detail('counts');
    const filler = lab.client('filler');
    lab.camera({ fit: 'file', speed: 4 });
    lab.say(isFirst ? 'Records are inserted, and the file is split into four buckets. The inserts are only counted.'
        : 'The same in GF(2^' + field + '): a new file is filled and split.');
    const begun = lab.here();
    // Split while they are small: then no bucket overflows, however fast the others are filled.
    filler.run({ do: 'insert', count: bucket, window: 64 });
    lab.settle();
    showCounts(begun, [0], bucket);
    while (lab.file().M < 4)
        lab.split();
    const whole = lab.here();
    filler.run({ do: 'insert', count: bucket * 3, window: 64 });
    lab.settle();
    lab.expectEqual([lab.file().M, lab.file().records], [4, bucket * 4], 'four data buckets hold the records before the first failure');
    showCounts(whole, [0, 1, 2, 3], bucket);
    lab.dwell(1.5); // what is said of the last split fades
    lab.camera({ speed: 2 });
    lab.say((isFirst ? 'One' : 'Again one') + ' to three buckets are ended at a time, and recovered by XOR or by decoding, in slices of ' + (parts.length > 1 ? 'several sizes.' : middle + ' ranks.'));
    let fault = null, before = null, victims = null;
    table = lab.measure({
        name: 'bucket_recovery', constants: { gf: field, bucket_records: bucket }, cases: cases, repetitions: p.repetitions,
        before: c => {
            victims = lab.data(lab.shuffle([0, 1, 2, 3]).slice(0, c.failed_buckets));
            before = lab.witness(victims);
            fault = lab.kill(victims);
        },
        run: c => lab.recover({ group: 0, slice: c.slice, decode: c.scheme }),
        after: c => {
            const same = before.compare();
            lab.expectEqual([same.equal, same.changed + same.missing + same.extra], [c.failed_buckets * bucket, 0], 'recovered records equal the lost ones');
            lab.restart(fault); // comes back as an empty spare
            lab.settle();
        }
    });
    const took = (scheme, failed) => table.summary().find(r => r.gf === field && r.scheme === scheme && r.failed_buckets === failed && r.slice === middle).total_s.median;
    const words = (scheme, failed) => lab.simulated ? (1000 * took(scheme, failed)).toFixed(2) + ' ms' : took(scheme, failed).toFixed(4) + ' s';
    lab.say(lab.simulated ? 'One bucket took ' + words('xor', 1) + ', three ' + words('rs', 3) + ', about the same: simulated computing takes no time, and messages go side by side.'
        : 'In slices of ' + middle + ' ranks: one bucket ' + words('xor', 1) + ' by XOR and ' + words('rs', 1) + ' by decoding, three ' + words('rs', 3) + '.');
}

lab.step(p.fields.includes(' ') ? 'c' : 'b', lab.simulated ? 'What the report of 2003 measured' : 'Ours, and those of 2003');
const rows = table.summary();
for (const failed of [1, 2, 3])
    for (const row of rows.filter(r => r.failed_buckets === failed && r.scheme === 'rs' && r.gf === 16 && r.slice === Math.round(bucket / 10)))
        lab.print(failed, 'of four buckets, slices of', row.slice + ':', (1000 * row.total_s.median).toFixed(0), 'ms,', (1000 * row.process_s.median).toFixed(0), 'work,', (1000 * row.comm_s.median).toFixed(0), 'waiting');
for (const published of lab.paper('demo_2004', { item: 'bucket_recovery', quantity: 'total_time' }))
    lab.print('2004:', published.failed_buckets, 'of four,', published.scheme + ':', published.value, 's (1.8 GHz, 1 Gb/s)');
const field = p.fields.split(' ').includes('16') ? 16 : 8;
// Of the report: the mean over its slices.
function then(failed, scheme, column) {
    const rows = lab.paper('bucket_recovery', { config: 2, gf: field, failed_buckets: failed, scheme: scheme });
    return (rows.reduce((sum, row) => sum + row[column], 0) / rows.length).toFixed(2) + ' s';
}
if (lab.simulated) // simulated times compare with none
    for (const row of lab.paper('bucket_recovery', { config: 2, gf: field }))
        lab.row('bucket_recovery_2003', { source: row.source, gf: row.gf, scheme: row.scheme, failed_buckets: row.failed_buckets, slice: row.slice,
            total_s: row.total_s, process_s: row.process_s, comm_s: row.comm_s });
const lines = { x: 'slice', by: ['failed_buckets', 'scheme'] };
const chart = (y, what) => lab.chart(Object.assign(lab.simulated ? { table: 'bucket_recovery_2003', y: y, title: 'Recovery in 2003 by slice size: ' + what }
    : { table: 'bucket_recovery', y: y, log: true, paper: 'bucket_recovery', where: { config: 2, gf: field }, title: 'Recovery by slice size, ours and 2003: ' + what }, lines));
lab.say(lab.simulated ? 'Simulated times are not comparable. Here is 2003 alone, in GF(2^' + field + '): the more buckets were lost, the longer it took.'
    : 'The whole time by slice size, ours and, dashed, that of 2003 for buckets of 31250 records. In 2003, the more were lost, the longer it took.');
chart('total_s', 'the whole');
lab.say('Work (process): in 2003, ' + then(1, 'xor', 'process_s') + ' for one bucket by XOR, ' + then(3, 'rs', 'process_s') + ' for three by decoding.');
chart('process_s', 'the work');
lab.say('Waiting (comm): in 2003, ' + then(1, 'xor', 'comm_s') + ' for one bucket, ' + then(3, 'rs', 'comm_s') + ' for three: it grew much less.');
chart('comm_s', 'the waiting');
