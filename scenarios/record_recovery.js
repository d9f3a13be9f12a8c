// scenarios/record_recovery.js   @title Records of a lost bucket, computed one by one   @minutes 5   @needs 13 processes   @experiment E9
// SPDX-License-Identifier: GPL-3.0-or-later
// 125,000 records on four data buckets; one bucket is gone, and 1,000 to 25,000 of its records are computed one by one by
// a parity bucket, for a client that knows that the bucket is not there: without the client's time-out, as in the report (2003,
// tables 53 to 58). Before each measurement one such search is shown with its messages.
const p = lab.params({ records: 125000, counts: '1000 5000 10000 15000 20000 25000', repetitions: 3, fields: '16 8' });
const bucket = Math.floor(p.records / 4), counts = p.counts.split(' ').map(Number);

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

const eventOf = (kind, since) => lab.events({ kind: kind, since: since })[0];
// A caption said there stands before this event is seen.
const ahead = event => event && Object.assign({}, event, { eventIndex: event.eventIndex - 1, t_s: event.t_s - 1e-6 });
const sentOf = (what, since) => ahead(lab.events({ kind: 'MessageSent', since: since }).find(e => e.what === what));

// Says each caption at its event, in the order of the events. An event may be lost: then its caption is not said.
function sayAt(captions) {
    for (const [event, words] of captions.filter(one => one[0]).sort((one, other) => one[0].t_s - other[0].t_s))
        lab.say(words, { at: event });
}

// The first search: its bucket is silent, and the reader has to find that out.
function showFirst(client, key) {
    const since = lab.here();
    lab.recovery('onAlarm'); // else the group may miss it before the reader does
    lab.kill(lab.data(2));
    lab.say('Bucket 2 is ended, and no spare is left.');
    lab.waitFor('MessageSent', { since: lab.here() }); // the run goes on: the end is seen before the search
    const found = client.search(key, { timeout: 20 });
    sayAt([
        [sentOf('search', since), 'The reader asks bucket 2 three times in all: it does not answer. The parity buckets miss it, too.'],
        [sentOf('alarm', since), 'So the reader sends the coordinator an alarm.'],
        [ahead(eventOf('MemberSuspected', since)), 'The coordinator asks all members, and the reader asks once more. Bucket 2 stays silent: it has failed.'],
        [sentOf('member_read', since), 'Parity bucket 0.0 reads the other records of the same rank. It computes the lost one, and sends it.']]);
    lab.recovery('automatic');
    lab.expectEqual([found.result, found.path], ['found', 'record recovery'], 'the first search is answered by a parity bucket');
}

// A search as those that are measured: the reader knows that the bucket is gone.
function showOne(client, key, scheme, words) {
    const since = lab.here();
    lab.say(words);
    const found = client.search(key);
    sayAt([[sentOf('member_read', since), scheme === 'rs' ? 'Parity bucket 0.1 reads the other records of the same rank. It multiplies and adds to compute the lost one.'
        : 'Parity bucket 0.0 reads the other records of the same rank. It computes the lost one by XOR.']]);
    return found;
}

const steps = ['a', 'b', 'c', 'd'], fields = p.fields.split(' ').map(Number);
for (const field of fields)
    for (const scheme of ['xor', 'rs']) {
        const isFirst = steps[0] === 'a';
        lab.step(steps.shift(), (scheme === 'xor' ? 'XOR' : 'Reed-Solomon decoding') + ' in GF(2^' + field + ')');
        // No spare: the bucket stays away. Without parity column 0 it takes multiplications.
        lab.cluster({ m: 4, k: 2, b: Math.ceil(bucket * 1.6), field: field, recordBytes: 100, recovery: 'automatic', decode: scheme === 'rs' ? 'rs' : 'auto', spares: { data: 4, parity: 2 } });
        lab.detail('counts');
        const client = lab.client('reader');
        lab.camera({ fit: 'file', speed: 4 });
        lab.say(isFirst ? 'Records are inserted, and the file is split into four buckets. The inserts are only counted.' : 'A new file is filled and split in the same way.');
        const begun = lab.here();
        client.run({ do: 'insert', count: bucket, window: 64 });
        lab.settle();
        showCounts(begun, [0], bucket);
        while (lab.file().M < 4)
            lab.split();
        const before = lab.here();
        client.run({ do: 'insert', count: bucket * 3, window: 64 });
        lab.settle();
        lab.expectEqual([lab.file().M, lab.file().records, lab.spares().data], [4, bucket * 4, 0], 'four data buckets hold the records, and there is no spare');
        showCounts(before, [0, 1, 2, 3], bucket);
        lab.dwell(1.5); // what is said of the last split fades
        const keys = lab.keysFor(lab.data(2), Math.min(bucket, Math.max(...counts)), { existing: true });
        lab.camera({ speed: 1 });
        let newest = null;
        if (isFirst) {
            lab.detail('full');
            showFirst(client, keys[0]);
            lab.detail('counts'); // one more search, until the reader knows that bucket 2 is gone
        } else {
            lab.say(scheme === 'rs' ? 'Bucket 2 is ended, and parity bucket 0.0 with it: XOR is not possible now.' : 'Bucket 2 is ended again. No spare is left.');
            lab.kill(scheme === 'rs' ? [lab.data(2), lab.parity(0, 0)] : lab.data(2));
        }
        const lone = lab.here();
        lab.waitUntil(() => lab.group(0).state === 'degraded' && (newest = client.search(keys[0], { timeout: 20 })).path === 'record recovery', { timeout: 30 });
        if (field === fields[0]) {
            lab.detail('full');
            newest = showOne(client, keys[1], scheme, isFirst ? 'Now the reader knows that bucket 2 is gone. It asks the coordinator at once.'
                : 'The reader asks the coordinator for a record of bucket 2.');
            lab.detail('counts');
        }
        showOperations(lone, 'reader', newest.op); // the searches until now are not among those that are counted next
        lab.say('The reader asks for ' + (counts.length > 1 ? counts[0] + ' to ' : '') + Math.max(...counts) + ' records of bucket 2. ' + (isFirst ? 'They are computed alike, and only counted.' : 'They are only counted.'));
        const counted = lab.here();
        let made = newest.op; // operations of the reader so far
        const table = lab.measure({
            name: 'record_recovery', constants: { gf: field, scheme: scheme }, factors: { records: counts }, order: 'given', repetitions: p.repetitions, warmUp: 0,
            run: c => {
                const wanted = [];
                for (let i = 0; i < c.records; ++i)
                    wanted.push(keys[i % keys.length]);
                const done = client.run({ do: 'search', keys: wanted, count: c.records, window: 1 });
                made += done.operations;
                lab.expectEqual([done.results.ok, done.wrong + done.missing], [c.records, 0], 'each search finds its record');
                return { total_s: done.total_s, ms_per_record: done.per_op_ms, p50_ms: done.p50_ms, p99_ms: done.p99_ms };
            }
        });
        showOperations(counted, 'reader', made);
        const median = (gf, by) => table.summary().find(row => row.gf === gf && row.scheme === by && row.records === Math.max(...counts)).ms_per_record.median.toFixed(3) + ' ms';
        lab.say(scheme === 'xor' ? 'By XOR, a record of bucket 2 took ' + median(field, 'xor') + '.'
            : 'By Reed-Solomon decoding, a record of bucket 2 took ' + median(field, 'rs') + '; by XOR, ' + median(field, 'xor') + '.'
                + (lab.simulated ? ' Simulated computing takes no time.' : ''));
    }

lab.step(steps.shift() || 'e', 'Here, and in 2003');
for (const row of lab.paper('printed_averages', { scenario: 'record_recovery' }))
    lab.print('2003:', 'GF(2^' + row.gf + '),', row.scheme + ':', row.value, row.unit, 'a record (configuration ' + row.config + ')');
lab.say(lab.simulated ? 'One record in GF(2^' + fields[0] + '), by XOR and by Reed-Solomon decoding. Simulated computing takes no time, so both cost about the same.'
    : 'Here, the time of a record by XOR and by Reed-Solomon decoding, in both fields.');
lab.chart({ table: 'record_recovery', x: 'scheme', y: 'ms_per_record', by: ['gf'], where: lab.simulated ? { gf: fields[0] } : {}, title: 'The time of a record, by XOR and by Reed-Solomon decoding' });
const then = scheme => lab.paper('printed_averages', { scenario: 'record_recovery', config: 2, gf: 16, scheme: scheme })[0].value;
lab.say('In 2003, in GF(2^16), a record took ' + then('xor') + ' ms by XOR and ' + then('rs') + ' ms by Reed-Solomon decoding.');
if (lab.simulated) { // simulated times compare with none: 2003 alone
    for (const scheme of ['xor', 'rs']) {
        const row = lab.paper('printed_averages', { scenario: 'record_recovery', config: 2, gf: 16, scheme: scheme })[0];
        lab.row('record_recovery_2003', { source: row.source, gf: row.gf, scheme: row.scheme, ms_per_record: row.value });
    }
    lab.chart({ table: 'record_recovery_2003', x: 'scheme', y: 'ms_per_record', by: ['gf'], title: 'The time of a record in 2003' });
}
