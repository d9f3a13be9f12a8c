// scenarios/grow.js   @title A file grows: splits, forwards, parity   @minutes 5   @needs 19 processes   @lecture 2
// SPDX-License-Identifier: GPL-3.0-or-later
// Step (a) of the demo of 2004: creation of a K-available file, how a bucket is split, how updates reach the parity;
// then the beginning of step (b), a further parity bucket for a live group.
const p = lab.params({ b: 40, recordBytes: 100, repetitions: 5 });

lab.cluster({ m: 4, k: 1, b: p.b, recordBytes: p.recordBytes, spares: { data: 10, parity: 6 } });
const alice = lab.client('alice'), bob = lab.client('bob');
const eventOf = (kind, since, where) => lab.events({ kind: kind, since: since }).filter(where || (() => true))[0];

// A caption said there stands before this event is seen.
const ahead = event => event && Object.assign({}, event, { eventIndex: event.eventIndex - 1, t_s: event.t_s - 1e-6 });

// What a client has done in all is counted; a count comes a little later. It may be lost: then the picture lags, and nothing else.
function showOperations(since, name, operations) {
    try {
        lab.waitFor('Gauges', { where: e => e.process === name && e.operations === operations, since: since });
    } catch (late) {
        lab.print('the picture lags:', late.message);
    }
}

lab.step('a', 'A file with availability 1 is created');
lab.camera({ fit: 'file', layers: { deltas: true, ranks: true, spares: true } });
lab.note('Each card is a process of its own, with its own memory. Spares wait in two multicast groups, one for data, one for parity.');
lab.say('The file begins as bucket 0. Parity bucket 0.0 stands beside it, in case a bucket fails.');
lab.say('The servers below are spares: they wait to become buckets.');
lab.expectEqual([lab.file().M, lab.group(0).data.length, lab.group(0).parity.length], [1, 1, 1], 'one data bucket and one parity bucket');
lab.expectEqual(lab.spares(), { data: 9, parity: 5 }, 'one server of each pool has become a bucket');

lab.step('b', 'The first record, and its way into the parity');
lab.say('Alice asks the coordinator where bucket 0 is, and inserts a record. See what bucket 0 sends to parity bucket 0.0.');
lab.highlight(lab.parity(0, 0), { text: 'gets the delta' });
const first = alice.insert();
lab.expectEqual(first.result, 'inserted', 'the first record is stored');
lab.waitFor('DeltaApplied', { where: { place: 'parity 0.0', key: first.key } });
lab.say('The change, called the delta, went to parity bucket 0.0. Alice was answered after that.');
const group = lab.recordGroup(0, first.rank);
lab.expectEqual(group.parity.length, 1, 'one parity record covers rank 1');
lab.expectEqual(group.parity[0].hex, group.data[0].hex, 'with a single record in the group, the parity field is a copy of it');
lab.say('Another insert: the record, the delta, its acknowledgement, the answer. With one parity bucket, four messages.');
const here = lab.here();
alice.insert();
const sent = lab.counters({ by: 'kind', since: here });
lab.print('one insert:', sent.insert.messages, 'insert,', sent.delta.messages, 'delta,', sent.delta_ack.messages, 'delta ack,', sent.reply.messages, 'reply');
lab.note('An insert costs 2 + 2k messages, a search 2, whatever the size of the file.');

lab.step('c', 'A bucket overflows and is split');
const beforeSplit = lab.here();
lab.say('Bucket 0 has room for ' + p.b + ' records. Alice inserts until it has one more.');
alice.run({ do: 'insert', count: p.b - 1 });
const overflow = lab.waitFor('BucketOverflowed', { where: { place: 'data 0' }, since: beforeSplit });
const split = lab.waitFor('SplitFinished', { where: { bucket: 0, newBucket: 1 }, since: beforeSplit });
lab.say('Bucket 0 is full, and tells the coordinator. The record is stored nevertheless.', { at: overflow });
lab.say('The coordinator invites the spares. The first that offers itself becomes bucket 1.', { at: eventOf('InvitationSent', beforeSplit) });
lab.say('Bucket 0 splits: the records whose key is odd move to bucket 1.', { at: eventOf('NodeRecruited', beforeSplit) });
lab.say('Now j is 1 in both: one bit of a key tells buckets 0 and 1 apart.', { at: split });
lab.print(split.moved, 'records moved in', (1000 * split.total_s).toFixed(1), 'ms');
lab.settle();
lab.expectEqual([lab.bucket(lab.data(0)).level, lab.bucket(lab.data(1)).level], [1, 1], 'both buckets have level 1');
lab.expectEqual(lab.bucket(lab.data(0)).records + lab.bucket(lab.data(1)).records, p.b + 1, 'no record was lost or duplicated');

lab.step('d', 'Which bucket is split?');
lab.say('Alice was not told of bucket 1. Bucket 0 passes her next record on, and the answer adjusts her image.');
alice.insert(lab.keysFor(lab.data(1), 1, { first: 0 })[0]);
const q = lab.predict({ text: 'Now bucket 1 will overflow. Which bucket is split?', choices: ['bucket 0', 'bucket 1'] });
const beforeSecond = lab.here();
lab.highlight(lab.data(1), { text: 'will overflow', for: 3 });
alice.run({ do: 'insert', keys: lab.keysFor(lab.data(1), p.b + 1 - lab.bucket(lab.data(1)).records, { first: 0 }) });
const full = lab.waitFor('BucketOverflowed', { since: beforeSecond });
const order = lab.waitFor('SplitOrdered', { since: beforeSecond });
lab.say('Bucket 1 is full, and says so.', { at: full });
lab.settle();
q.reveal(order.bucket, 'The split pointer decides, not the bucket that is full: it stood at bucket 0.', { at: eventOf('SplitFinished', beforeSecond) });
lab.expectEqual([full.place, order.bucket, order.newBucket], ['data 1', 0, 2], 'bucket 1 is full, bucket 0 is split');
lab.say('Buckets are split in turn. The two numbers i and n, shown above, locate every key.');
lab.expectEqual([lab.file().i, lab.file().n, lab.file().M], [1, 1, 3], 'three buckets: i is 1 and the split pointer n is 1');

lab.step('e', 'The file grows to eight buckets in two groups');
const growth = lab.here();
lab.camera({ fit: 'file', speed: 2 });
lab.say('Alice goes on inserting. Each split moves the split pointer on; bucket 1 is overfull until its turn comes.');
alice.run({ do: 'insert', keys: Array.from({ length: 4 * p.b }, (_, i) => 100 + i), window: 4 });
lab.settle();
const grown = lab.file();
while (lab.file().M < 8)
    lab.split();
lab.settle();
const opens = eventOf('NodeRecruited', growth, e => e.place === 'parity 1.0' || e.place === 'data 4');
if (opens)
    lab.say('Four data buckets are a group. Bucket 4 opens group 1, so a parity bucket comes with it.', { at: ahead(opens) });
lab.say('Buckets 5, 6 and 7 follow, each by a split.', { at: eventOf('GroupCreated', growth) });
lab.say('Eight data buckets in two groups, each with parity of its own.');
lab.print('after', grown.records, 'records the file has', grown.M, 'data buckets, load factor', grown.loadFactor.toFixed(2));
lab.expectWithin(grown.M, 3, 8, 'it grew no further than its records need');
lab.expectEqual(lab.file().groups, 2, 'eight data buckets form two groups');
lab.expectEqual([lab.group(0).k, lab.group(1).k], [1, 1], 'each group has one parity bucket');
lab.expectNone('SplitUndone', { since: beforeSplit });
lab.expectEqual(lab.audit().unequal, 0, 'the parity of both groups encodes the data');

lab.step('f', 'A client that knows little');
// A new bucket answers reads when its parity bucket has granted it a lease: a tenth of a second after it was made.
lab.waitFor('Gauges', { where: e => e.place === 'data 7', since: lab.here(), count: 2 });
lab.camera({ speed: 0.7 });
const far = lab.keysFor(lab.data(7), 1, { existing: true })[0];
lab.say('Bob is new: he believes that the file is bucket 0 alone. He wants a key of bucket 7.');
const guess = lab.predict({ text: 'How many times is his request passed on?', choices: ['never', 'once', 'twice', 'seven times'] });
const beyond = lab.here(), seen = bob.search(far);
guess.reveal(seen.forwards, 'From bucket 0 to bucket 3' + (eventOf('MessageSent', beyond, e => e.what === 'where_is' && e.process !== 'bob') ? ', whose address the coordinator gave,' : ',')
    + ' and from 3 to bucket 7. Never more than two, in a file of any size.');
lab.camera({ view: 'image', fit: bob, speed: 1 });
lab.expectEqual([seen.result, seen.forwards, seen.iam], ['found', 2, true], 'found after two forwards, and his image is adjusted');
lab.expectEqual(bob.image().behind, 0, 'one answer was enough: he now knows all eight buckets');
lab.say('The answer adjusted Bob\'s image. The same key again goes straight to bucket 7.');
lab.expectEqual(bob.search(far).forwards, 0, 'the same key again goes straight to its bucket');
lab.print('alice inserted', lab.file().records, 'records and knows of', alice.image().M, 'buckets');

lab.step('g', 'Updates and deletes reach the parity, too');
const record = lab.records(lab.data(2), { count: 1 })[0];
lab.camera({ record: { group: 0, rank: record.rank } });
lab.say('Framed in group 0: the records of one rank, and in parity bucket 0.0 their parity record.');
const parityBefore = lab.recordGroup(0, record.rank).parity[0].hex;
lab.say('Alice updates the record in bucket 2. Its difference goes to parity bucket 0.0.');
alice.update(record.key);
const updated = lab.recordGroup(0, record.rank);
lab.say('Parity bucket 0.0 added the difference. The other records of the same rank were not read.');
lab.expect(updated.parity[0].hex !== parityBefore, 'the parity field of that rank has changed');
lab.expectEqual(lab.audit(0).unequal, 0, 'and it is what the new data encode to');
lab.say('Alice deletes it. Its key and its share leave parity bucket 0.0.');
alice.delete(record.key);
const rest = lab.recordGroup(0, record.rank);
lab.expect(!rest.parity[0].members.some(m => m.key === record.key), 'the key has left the key list');
lab.say('A search for it says "not found".');
const gone = alice.search(record.key);
lab.expectEqual(gone.result, 'not found', 'the record is gone');
lab.expectEqual(lab.audit(0).unequal, 0, 'the parity agrees');

lab.step('h', 'What an insert costs');
const fresh = [];
for (const a of [0, 1, 2, 3, 4, 5, 6, 7])
    fresh.push(...lab.keysFor(lab.data(a), 2, { first: 501 }));
lab.say('Alice inserts ' + fresh.length + ' records, one after the other, and deletes them.' + (alice.image().behind > 0 ? ' On the way her old image is adjusted.' : ''));
let operations = gone.op; // operations of Alice so far
const run = (what, window) => {
    const done = alice.run({ do: what, keys: fresh, window: window });
    operations += done.operations;
    return done;
};
run('insert', 1);
run('delete', 1);
lab.say('Now she inserts and deletes the same records 16 at a time. Eight of them are drawn.');
run('insert', 16);
run('delete', 16);
lab.say('Now the same is measured, ' + p.repetitions + ' times each, and only counted.');
const counted = lab.here();
const table = lab.measure({
    name: 'insert_time', cases: [1, 16].map(window => ({ window: window, under_way: window + ' at a time' })), constants: { k: 1, record_bytes: p.recordBytes },
    order: 'given', repetitions: p.repetitions,
    run: c => {
        const done = run('insert', c.window);
        return { inserts: done.operations, total_s: done.total_s, per_op_ms: done.per_op_ms, p50_ms: done.p50_ms, p99_ms: done.p99_ms };
    },
    after: () => run('delete', 16)
});
showOperations(counted, 'alice', operations);
const published = lab.paper('demo_2004', { item: 'insert', k: 1 })[0];
for (const row of table.summary())
    lab.print('window', row.window + ':', row.per_op_ms.median.toFixed(3), 'ms per acknowledged insert (2004:', published.value, 'ms, 1.8 GHz, 1 Gb/s)');
lab.expectEqual(table.summary().length, 2, 'two cases are measured');
const each = table.summary().map(row => row.per_op_ms.median.toFixed(3) + ' ms');
lab.say((lab.simulated ? 'In simulated time an insert' : 'An insert') + ' took ' + each[0] + ' alone. 16 at a time it took ' + each[1] + ': the whole time, divided by the inserts.');
lab.chart({ table: 'insert_time', x: 'under_way', y: 'per_op_ms', title: 'An acknowledged insert, by how many are under way' });

lab.step('i', 'Group 0 gets a second parity bucket');
lab.camera({ fit: 'file' });
lab.say('Group 0 is to survive two failures. A spare asks buckets 0, 1, 2 and 3 for their contents.');
lab.expectEqual(lab.raiseAvailability(2), { K: 2, pending: false }, 'the intended availability is 2 at once, because the split pointer is at bucket 0');
const made = lab.addParity(0);
lab.print('parity creation:', (1000 * made.total_s).toFixed(1), 'ms for', made.records, 'record groups');
lab.settle();
lab.say('Parity bucket 0.1 is there. It multiplies in GF(2^16), where parity bucket 0.0 only adds.');
lab.expectEqual([lab.group(0).k, lab.group(1).k], [2, 1], 'group 0 has two parity buckets, group 1 still one: K or K - 1');
lab.expectEqual(lab.audit(0).unequal, 0, 'the new parity encodes the data');

lab.step('j', 'Nothing was lost');
lab.camera({ fit: 'file' });
lab.say('Alice reads back every record that was acknowledged.');
const all = alice.verify();
lab.print(all.keys, 'records read back');
lab.expectEqual([all.missing, all.wrong, all.lost, all.equal], [0, 0, 0, all.keys], 'every acknowledged record is found as it was written');
lab.expectEqual(lab.audit().unequal, 0, 'at rest, all parity encodes the data');
lab.expectInvariants({ ids: ['I1', 'I5', 'I6'], checked: true });
lab.say('Eight data buckets, three parity buckets, and two numbers that find every record.');

lab.step('k', 'As large as in the papers: 25,000 records');
lab.cluster({ m: 4, k: 1, b: 10000, recordBytes: 100, spares: { data: 5, parity: 2 } });
lab.detail('operations'); // without the messages, so that the whole creation stays in memory
lab.camera({ fit: 'file', speed: 2 });
lab.say('A new file, as in 2003: a bucket holds 10,000 records.');
const carol = lab.client('carol'), start = lab.here();
lab.say('Carol inserts 25,000 records, each acknowledged before the next.');
const creating = carol.start({ do: 'insert', count: 25000, window: 1 });
// Asked for as they happen: at the end of so many inserts the first events are kept no longer.
const firstSplit = lab.waitFor('SplitFinished', { where: { bucket: 0, newBucket: 1 }, since: start, timeout: 60 });
const overflows = lab.waitFor('BucketOverflowed', { count: 3, since: start, timeout: 60 });
const created = creating.wait({ timeout: 60 });
lab.settle();
lab.say('Insert 10,001 is one too many for bucket 0, so it is split.', { at: overflows[0] });
lab.say('Half of its records have moved to bucket 1. Carol goes on inserting.', { at: firstSplit });
lab.say('From insert 20,001 on, two more splits make buckets 2 and 3.', { at: overflows[1] });
lab.row('file_creation', { records: 25000, k: 1, total_s: created.total_s, per_op_ms: created.per_op_ms, p99_ms: created.p99_ms });
const then = lab.paper('demo_2004', { item: 'file_creation', k: 1, quantity: 'total_time' })[0];
lab.print('25,000 acknowledged inserts:', created.total_s.toFixed(2), 's,', created.per_op_ms.toFixed(3), 'ms each (2004:', then.value, 's, 1.8 GHz, 1 Gb/s)');
lab.expectEqual(created.results.ok, 25000, 'every insert was acknowledged');
lab.expectEqual(overflows.map(e => e.count), [10001, 10001, 10001], 'the first split at insert 10,001, two more from insert 20,001 on, as the report says');
lab.expectEqual([lab.file().M, lab.file().records], [4, 25000], 'four data buckets hold 25,000 records');
lab.say('Carol reads all her records back.');
const read = carol.verify();
lab.expectEqual([read.keys, read.equal], [25000, 25000], 'all of them are found as they were written');
lab.expectEqual(lab.audit().unequal, 0, 'and the parity bucket encodes them');
lab.say('The same few rules at every size: 25,000 records, four data buckets, one parity bucket.');
