// scenarios/network_speed.js   @title The same work over 100 Mb/s and 1 Gb/s   @minutes 3   @needs 15 processes   @experiment E18
// SPDX-License-Identifier: GPL-3.0-or-later
// The report of 2003 measured on two networks and two generations of computers. The computers cannot be had here, the
// networks can: each process is held to so many bytes a second by its transport. Recovery of one data bucket by XOR, and
// the making of a parity bucket, over a slow network, a fast one, and one without a limit: the bare loopback.
const p = lab.params({ records: 125000, repetitions: 3, slice: 6250 });
const bucket = Math.floor(p.records / 4);
const networks = [{ network: '100 Mb/s', rate: 12.5e6, words: 'over 100 Mb/s, that is 12 500 kB/s' }, { network: '1 Gb/s', rate: 125e6, words: 'over 1 Gb/s, that is 125 000 kB/s' },
    { network: 'no limit', rate: null, words: 'without a limit of the rate' }];

// What counts say comes a little later. An event may be lost: then the picture lags, and nothing else.
function showCounts(since, buckets, records) {
    try {
        for (const a of buckets)
            lab.waitFor('Gauges', { where: e => e.place === 'data ' + a && e.records === records, since: since });
    } catch (late) {
        lab.print('the picture lags:', late.message);
    }
}

// Two counts of bucket 0: the run goes on for at least a tenth of a second.
function showMoment() {
    try {
        lab.waitFor('Gauges', { where: e => e.place === 'data 0', since: lab.here(), count: 2 });
    } catch (late) {
        lab.print('the picture lags:', late.message);
    }
}

function fill(k, caption, speed) {
    lab.cluster({ m: 4, k: k, b: Math.ceil(bucket * 1.6), recordBytes: 100, slice: p.slice, recovery: 'manual', spares: { data: 6, parity: k + 2 } });
    lab.detail('counts');
    const filler = lab.client('filler');
    lab.camera({ fit: 'file', speed: caption ? speed : 4 });
    if (caption)
        lab.say(caption);
    const begun = lab.here();
    filler.run({ do: 'insert', count: bucket, window: 64 });
    lab.settle();
    showCounts(begun, [0], bucket);
    while (lab.file().M < 4)
        lab.split();
    const before = lab.here();
    filler.run({ do: 'insert', count: bucket * 3, window: 64 });
    lab.settle();
    lab.expectEqual([lab.file().M, lab.file().records], [4, bucket * 4], 'four data buckets hold the records');
    showCounts(before, [0, 1, 2, 3], bucket);
    if (caption)
        lab.dwell(1.5); // what is said of the last split fades
}

const median = values => values.slice().sort((a, b) => a - b)[Math.floor(values.length / 2)];
const words = seconds => seconds.toFixed(4) + ' s';

function limited(rate, f) {
    const limit = rate === null ? null : lab.net({ bytesPerSecond: rate, lease: 120 });
    const result = f();
    if (limit) {
        showMoment(); // else the limit were lifted in the picture while records still fly
        lab.heal(limit);
    }
    return result;
}

lab.step('a', 'Recovery of one bucket by XOR');
fill(1, 'Records are inserted, and the file is split into four buckets. The inserts are only counted.', 1);
const recovered = [], made = [];
for (const one of networks) {
    lab.say(one === networks[0] ? 'A bucket is ended, and recovered on a spare ' + one.words + '. Then others.'
        : one === networks[1] ? 'The same ' + one.words + '. The picture shows all recoveries at one pace.'
            : 'The same ' + one.words + '. How long each took is told next.');
    let fault = null, before = null;
    const table = lab.measure({
        name: 'network_recovery', factors: { network: [one.network] }, constants: { gf: 16, scheme: 'xor', slice: p.slice }, repetitions: p.repetitions,
        before: () => {
            const victim = lab.data(lab.randomInt(0, 3));
            before = lab.witness(victim);
            fault = lab.kill(victim);
        },
        run: () => limited(one.rate, () => lab.recover({ group: 0, decode: 'xor' })),
        after: () => {
            lab.expectEqual(before.compare().equal, bucket, 'recovered records equal the lost ones');
            lab.restart(fault);
            lab.settle();
        }
    });
    recovered.push(table.summary().find(row => row.network === one.network).total_s.median);
}
lab.expect(recovered[0] > recovered[1], 'a recovery takes longer over the slower network');
const times = (slow, fast) => (slow.toFixed(4) / fast.toFixed(4)).toFixed(1) + ' times'; // of what is shown
lab.say('Recovery: ' + words(recovered[0]) + ' at 100 Mb/s, ' + words(recovered[1]) + ' at 1 Gb/s, ' + words(recovered[2]) + ' without a limit.');
lab.chart({ table: 'network_recovery', x: 'network', y: 'total_s', title: 'Recovery of one bucket by XOR' });
lab.say('At a tenth of the rate it took ' + times(recovered[0], recovered[1]) + ' as long, not ten times: the rate changes nothing but the sending.');

lab.step('b', 'Making a parity bucket by XOR');
const kWhyAnew = 'A file gets this parity bucket only once. So a new file is filled each time.';
for (const one of networks) {
    const times = [];
    for (let repetition = 0; repetition < p.repetitions; ++repetition) {
        fill(0, repetition > 0 ? '' : one === networks[0] ? 'A new file is filled and split. It has no parity yet.'
            : one === networks[1] ? kWhyAnew : 'A new file without parity once more.', one === networks[0] ? 2 : 4);
        if (repetition === 0) {
            lab.camera({ speed: 0.7 });
            lab.say('A parity bucket is made ' + one.words + (one === networks[0] ? ': the four buckets send their records, and it adds them.' : '.'));
        }
        lab.raiseAvailability(1);
        const parity = limited(one.rate, () => lab.addParity(0));
        lab.row('network_creation', Object.assign({ network: one.network, scheme: 'xor' }, parity));
        times.push(parity.total_s);
        lab.settle();
        if (repetition === 0)
            lab.dwell(2); // the parity bucket is seen
        lab.expectEqual(lab.audit(0).unequal, 0, 'the parity encodes the data');
    }
    made.push(median(times));
}
lab.expect(made[0] > made[1], 'a parity bucket takes longer over the slower network');
lab.say('A parity bucket: ' + words(made[0]) + ' at 100 Mb/s, ' + words(made[1]) + ' at 1 Gb/s, ' + words(made[2]) + ' without a limit.');
lab.chart({ table: 'network_creation', x: 'network', y: 'total_s', title: 'Making a parity bucket by XOR' });
lab.say('At a tenth of the rate it took ' + times(made[0], made[1]) + ' as long. Again, only the sending is longer.');
