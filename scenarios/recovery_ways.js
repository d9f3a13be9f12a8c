// scenarios/recovery_ways.js   @title Recovery compared: TCP and UDP, passive open and handshake   @minutes 10   @needs 15 processes   @experiment E17
// SPDX-License-Identifier: GPL-3.0-or-later
// One, two and three data buckets of a group with k = 3 fail at once (demo of 2004, table 3; report of 2003, section 5.3), and
// the slices of their recovery travel in the ways that there are. The times are those of the recovery manager: total, work,
// waiting for transfers. Then what a client sees: searches in a bucket that is not there, and how long a failure lasts.
const p = lab.params({ records: 125000, repetitions: 5, slice: 3125, searches: 4000, parts: 'recovery felt searches' });
const bucket = Math.floor(p.records / 4);
const ways = [
    { title: 'Recovery over open TCP connections', way: 'open', transport: 'tcp', tcp: 'passive', words: 'One to three of buckets 0, 1, 2 and 3 are ended at a time, and recovered over open TCP connections.' },
    { title: 'Recovery over TCP, each connection asked for', way: 'asked for', transport: 'tcp', tcp: 'handshake', words: 'Again one to three buckets are ended. Now two datagrams ask for each TCP connection. They are not drawn here.' },
    { title: 'Recovery by UDP datagrams', way: 'datagrams', transport: 'udp', tcp: 'passive', words: 'Again one to three buckets are ended. Now the slices that recover them are UDP datagrams. They are drawn alike.' },
    { title: 'Recovery by Reed-Solomon decoding alone', way: 'decoding alone', transport: 'tcp', tcp: 'passive', decode: 'rs', words: 'Again one to three buckets are ended. Now even one bucket is decoded by Reed-Solomon, not by XOR.' }
];
const eventOf = (kind, since, where) => lab.events({ kind: kind, since: since }).filter(where || (() => true))[0];
// A caption said there stands before this event is seen.
const ahead = event => event && Object.assign({}, event, { eventIndex: event.eventIndex - 1, t_s: event.t_s - 1e-6 });
const seconds = figure => figure.median.toFixed(4) + ' s';

// What a client has done in all is counted; a count comes a little later. It may be lost: then the picture lags, and nothing else.
function showOperations(since, name, operations) {
    try {
        lab.waitFor('Gauges', { where: e => e.process === name && e.operations === operations, since: since });
    } catch (late) {
        lab.print('the picture lags:', late.message);
    }
}

function fill(options, words) {
    lab.cluster(Object.assign({ m: 4, k: 3, b: Math.ceil(bucket * 1.6), recordBytes: 100, slice: p.slice, timeout: 60 }, options));
    const client = lab.client('filler');
    lab.camera({ fit: 'file', speed: 4 });
    lab.say(words || 'Records are inserted, and the file is split into four buckets.');
    // Split while they are small: then no bucket overflows, however fast the others are filled.
    client.run({ do: 'insert', count: bucket, window: 64 });
    lab.settle();
    while (lab.file().M < 4)
        lab.split();
    client.run({ do: 'insert', count: bucket * 3, window: 64 });
    lab.settle();
    lab.expectEqual([lab.file().M, lab.file().records], [4, bucket * 4], 'four data buckets hold the records');
    lab.dwell(2.5); // the paths of the inserts fade
    lab.camera({ speed: 2 });
    return client;
}

// A search in a bucket that has just ended, with its messages.
function showFirstAnswer(client) {
    const key = lab.keysFor(lab.data(2), 1, { existing: true })[0], since = lab.here();
    lab.say('Bucket 2 ends, and the client asks for one of its records. Meanwhile bucket 2 is recovered.');
    const fault = lab.kill(lab.data(2)), found = client.search(key, { timeout: 20 });
    lab.expectEqual([found.result, found.valueIsRight], ['found', true], 'the right record');
    const sentOf = what => ahead(eventOf('MessageSent', since, e => e.client === 'filler' && e.what === what));
    const search = sentOf('search'), answer = eventOf('OperationDone', since, e => e.client === 'filler'), computed = eventOf('RecordRecovered', since);
    lab.waitFor('RecoveryFinished', { since: since, timeout: 60 });
    whole();
    if (search && answer) { // events may be lost
        lab.say('That was fast, so once more: when did the client have its answer?');
        lab.camera({ speed: 1 });
        lab.replay({ from: since, to: answer, at: [
            [search, 'The client asks bucket 2, and asks again: it does not answer. Others miss it, too.'],
            [sentOf('alarm'), 'So the client sends the coordinator an alarm.'],
            [eventOf('BucketFailed', since), 'Bucket 2 stays silent, so it has failed. Changes wait until the others agree on one state.'],
            [sentOf('member_read'), (computed ? 'P' + computed.place.replace(' ', ' bucket ').slice(1) : 'A parity bucket') + ' computes the one record that the client asks for.'],
            [answer, found.path === 'record recovery' ? 'The client has its record, before bucket 2 is back.'
                : 'The client has its record. Bucket 2, by now recovered on a spare, has answered.']].filter(one => one[0] && one[0].eventIndex <= answer.eventIndex) });
        lab.camera({ speed: 2 });
    }
    lab.restart(fault);
    lab.settle();
}

// The last repair is over when all members are back.
function whole() {
    lab.waitUntil(() => lab.group(0).state === 'up' && lab.group(0).kEffective === 3, { timeout: 60 });
    lab.settle();
}

const steps = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
const took = []; // for one bucket and for three, in each way
for (const way of p.parts.includes('recovery') ? ways : []) {
    lab.step(steps.shift(), way.title);
    fill({ recovery: 'automatic', recoveryTransport: way.transport, tcp: way.tcp, decode: way.decode || 'auto', spares: { data: 7, parity: 4 } });
    lab.say(way.words);
    let fault = null, before = null;
    const table = lab.measure({
        name: 'recovery_ways', constants: { gf: 16, bucket_records: bucket, way: way.way, transport: way.transport, tcp: way.tcp, decode: way.decode || 'auto' },
        factors: { failed_buckets: [1, 2, 3] }, repetitions: p.repetitions,
        run: c => {
            const victims = lab.data(lab.shuffle([0, 1, 2, 3]).slice(0, c.failed_buckets));
            before = lab.witness(victims);
            const since = lab.here();
            fault = lab.kill(victims);
            lab.waitFor('RecoveryFinished', { since: since, timeout: 60 });
            const timing = lab.recoveries({ since: since })[0];
            whole();
            const events = lab.events({ kind: 'EpochChanged', since: since });
            return Object.assign({ full_k_s: events[events.length - 1].t_s - fault.begin_s }, timing);
        },
        after: c => {
            const same = before.compare();
            lab.expectEqual([same.equal, same.changed + same.missing + same.extra], [c.failed_buckets * bucket, 0], 'recovered records equal the lost ones');
            lab.restart(fault); // comes back as an empty spare
            lab.settle();
        }
    });
    // The table has the rows of the ways before, too.
    const rows = table.summary().filter(r => r.way === way.way);
    const row = failed => rows.find(r => r.failed_buckets === failed);
    const times = [seconds(row(1).total_s), seconds(row(3).total_s)];
    lab.say('Median times: ' + times[0] + ' for one bucket, ' + times[1] + ' for three' + (lab.simulated && took.length === 0 ? ': in a simulated run, computing takes no time.' : '.') + (took.length > 0 ? ' Over open connections: ' + took[0][0] + ' and ' + took[0][1] + '.' : ''));
    took.push(times);
}

if (p.parts.includes('recovery')) {
    lab.step(steps.shift(), 'The four ways compared');
    lab.say('Three buckets took ' + took[0][1] + ' over open connections, ' + took[1][1] + ' where each was asked for, ' + took[2][1] + ' by datagrams.');
    lab.chart({ table: 'recovery_ways', x: 'way', y: 'total_s', by: ['failed_buckets'], title: 'Recovery of one, two and three buckets, in four ways' });
    lab.say('The last way always decodes. In the other three, one bucket is recovered by XOR, more are decoded.');
    if (lab.simulated)
        lab.say('This run is simulated: decoding takes no time, so only the messages differ.');
}

if (p.parts.includes('felt')) {
    lab.step(steps.shift(), 'How long a failure is felt');
    const alice = fill({ recovery: 'automatic', spares: { data: 7, parity: 4 } });
    let down = null, noticed = 1; // the least share of that time until the failure was noticed
    showFirstAnswer(alice);
    lab.say('That is measured now, for one bucket and for three at once. Requests are only counted.');
    const felt = lab.measure({
        name: 'first_answer', constants: { bucket_records: bucket }, repetitions: p.repetitions, order: 'given',
        cases: [{ failed_buckets: 1, failure: 'one bucket' }, { failed_buckets: 3, failure: 'three buckets' }],
        run: c => {
            const numbers = lab.shuffle([0, 1, 2, 3]).slice(0, c.failed_buckets);
            const key = lab.keysFor(lab.data(numbers[0]), 1, { existing: true })[0];
            const since = lab.here();
            down = lab.kill(lab.data(numbers));
            const found = alice.search(key, { timeout: 20 });
            const first = lab.now() - down.begin_s;
            lab.expectEqual([found.result, found.valueIsRight], ['found', true], 'the right record');
            lab.waitFor('RecoveryFinished', { since: since, timeout: 60 });
            whole();
            const events = lab.events({ kind: 'EpochChanged', since: since });
            const back = events[events.length - 1].t_s - down.begin_s;
            noticed = Math.min(noticed, lab.recoveries({ since: since })[0].detect_s / back);
            return { first_answer_s: first, by_record_recovery: found.path === 'record recovery' ? 1 : 0, full_k_s: back };
        },
        after: () => { lab.restart(down); lab.settle(); }
    });
    const one = felt.summary().find(r => r.failed_buckets === 1);
    lab.say('One bucket lost: first answer after ' + seconds(one.first_answer_s) + ', all back ("full k") after ' + seconds(one.full_k_s) + '.');
    lab.chart({ table: 'first_answer', x: 'failure', y: ['first_answer_s', 'full_k_s'], title: 'How long a failure is felt' });
    if (one.by_record_recovery.median === 0 && one.first_answer_s.median > one.full_k_s.median)
        lab.say((p.repetitions > 1 ? 'In most measured runs' : 'In the measured run') + ' the bucket was back before the client asked again. So the bucket itself answered.');
    const three = felt.summary().find(r => r.failed_buckets === 3);
    lab.say('Three lost: first answer after ' + seconds(three.first_answer_s) + ', all back after ' + seconds(three.full_k_s) + '.'
        + (three.first_answer_s.median > three.full_k_s.median ? ' So a rebuilt bucket answered.' : ''));
    if (noticed > 0.5)
        lab.say('Most of that is the wait until the failure is noticed. It varies from run to run, with one bucket as with three.');
}

if (p.parts.includes('searches')) {
    lab.step(steps.shift(), 'Searches in a bucket that is not there');
    const bob = fill({ recovery: 'automatic', spares: { data: 4, parity: 3 } }, 'A new file is filled, and split into four buckets.'); // no spare: it stays away
    const keys = lab.keysFor(lab.data(2), 1000, { existing: true });
    const search = { do: 'search', keys: keys, count: p.searches, window: 1 };
    const latency = (what, newest) => {
        const since = lab.here();
        showOperations(since, 'filler', newest.op); // the run goes on: what was said stands before only counts come
        let made = newest.op; // operations of the client so far
        const table = lab.measure({
            name: 'degraded_search', factors: { answered_by: [what] }, repetitions: p.repetitions,
            run: () => {
                const done = bob.run(search);
                made += done.operations;
                lab.expectEqual([done.results.ok, done.wrong + done.missing], [p.searches, 0], 'each search finds its record');
                return { p50_ms: done.p50_ms, p99_ms: done.p99_ms, per_op_ms: done.per_op_ms };
            }
        });
        showOperations(since, 'filler', made);
        return table.summary().find(row => row.answered_by === what);
    };
    lab.camera({ speed: 0.6 });
    lab.say('First, searches in bucket 2 while it is there: one after the other.');
    let newest = null;
    for (const key of keys.slice(0, 4))
        newest = bob.search(key);
    lab.settle();
    lab.say('Now the same is measured, and only counted.');
    const direct = latency('bucket', newest);
    lab.camera({ speed: 2 });
    lab.say('Now bucket 2 is ended, and the client misses it. No spare is left, so it stays gone.');
    lab.kill(lab.data(2));
    lab.waitUntil(() => lab.group(0).state === 'degraded' && bob.search(keys[0], { timeout: 20 }).path === 'record recovery', { timeout: 20 });
    lab.camera({ speed: 1 });
    lab.say('From now on each record of bucket 2 is computed for the client that asks.');
    newest = bob.search(keys[1], { timeout: 20 });
    lab.say('Now the same is measured, and only counted.');
    const computed = latency('record recovery', newest);
    lab.expect(computed.per_op_ms.median > direct.per_op_ms.median, 'a record that is computed takes longer than one that is read');
    const before = direct.per_op_ms.median.toFixed(3), now = computed.per_op_ms.median.toFixed(3);
    lab.say('A search took ' + before + ' ms before, and ' + now + ' ms now: ' + (now / before).toFixed(1) + ' times as long, but every record is found.');
    lab.chart({ table: 'degraded_search', x: 'answered_by', y: ['per_op_ms', 'p99_ms'], title: 'Searches in one bucket, by what answers them (one in a hundred takes longer than p99)' });
}
