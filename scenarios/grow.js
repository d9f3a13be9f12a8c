// scenarios/grow.js   @title A file grows: splits, forwards, parity   @minutes 6   @needs 19 processes
// SPDX-License-Identifier: GPL-3.0-or-later
// Step (a) of the demo of 2004: creation of a K-available file, how a bucket is split, how updates reach the parity;
// then the beginning of step (b), a further parity bucket for a live group.
const p = lab.params({ b: 40, recordBytes: 100, repetitions: 5 });

lab.cluster({ m: 4, k: 1, b: p.b, recordBytes: p.recordBytes, spares: { data: 10, parity: 6 } });
const alice = lab.client('alice'), bob = lab.client('bob');

lab.step('a', 'A file with availability 1 is created');
lab.camera({ fit: 'file', layers: { deltas: true, ranks: true, spares: true } });
lab.say('A file begins with one data bucket and, for availability 1, one parity bucket. The other servers are spares in two multicast groups.');
lab.expectEqual([lab.file().M, lab.group(0).data.length, lab.group(0).parity.length], [1, 1, 1], 'one data bucket and one parity bucket');
lab.expectEqual(lab.spares(), { data: 9, parity: 5 }, 'one server of each pool has become a bucket');

lab.step('b', 'The first record, and its way into the parity');
lab.highlight(lab.parity(0, 0), { text: 'gets the delta' });
const first = alice.insert();
lab.expectEqual(first.result, 'inserted', 'the first record is stored');
lab.waitFor('DeltaApplied', { where: { place: 'parity 0.0', key: first.key } });
lab.say('Bucket 0 gave the record rank 1 and sent the change, its delta, to the parity bucket. Alice was answered after the parity bucket had it.');
const group = lab.recordGroup(0, first.rank);
lab.expectEqual(group.parity.length, 1, 'one parity record covers rank 1');
lab.expectEqual(group.parity[0].hex, group.data[0].hex, 'with a single record in the group, the parity field is a copy of it');
const here = lab.here();
alice.insert();
const sent = lab.counters({ by: 'kind', since: here });
lab.print('one insert:', sent.insert.messages, 'insert,', sent.delta.messages, 'delta,', sent.delta_ack.messages, 'delta ack,', sent.reply.messages, 'reply');
lab.note('An insert costs 2 + 2k messages, a search 2, whatever the size of the file.');

lab.step('c', 'A bucket overflows and is split');
const beforeSplit = lab.here();
lab.say('A bucket holds ' + p.b + ' records. One more, and bucket 0 reports to the coordinator. The record is stored all the same: b is a soft limit.');
alice.run({ do: 'insert', count: p.b - 1 });
lab.waitFor('BucketOverflowed', { where: { place: 'data 0' }, since: beforeSplit });
lab.say('The coordinator invites a spare. Several offer themselves; the first is confirmed, the others are told that they may go on waiting.');
const split = lab.waitFor('SplitFinished', { where: { bucket: 0, newBucket: 1 }, since: beforeSplit });
lab.say('The records whose key ends in a one bit have moved to bucket 1. Both buckets have level 1 now, and both told the parity bucket what changed.');
lab.print(split.moved, 'records moved in', (1000 * split.total_s).toFixed(1), 'ms');
lab.settle();
lab.expectEqual([lab.bucket(lab.data(0)).level, lab.bucket(lab.data(1)).level], [1, 1], 'both buckets have level 1');
lab.expectEqual(lab.bucket(lab.data(0)).records + lab.bucket(lab.data(1)).records, p.b + 1, 'no record was lost or doubled');

lab.step('d', 'Which bucket is split?');
const q = lab.predict({ text: 'Now bucket 1 will overflow. Which bucket is split?', choices: ['bucket 0', 'bucket 1'] });
const beforeSecond = lab.here();
lab.highlight(lab.data(1), { text: 'will overflow' });
alice.run({ do: 'insert', keys: lab.keysFor(lab.data(1), p.b + 1 - lab.bucket(lab.data(1)).records) });
const full = lab.waitFor('BucketOverflowed', { since: beforeSecond });
const order = lab.waitFor('SplitOrdered', { since: beforeSecond });
q.reveal(order.bucket, 'The split pointer decides, not the bucket that is full.');
lab.expectEqual([full.place, order.bucket, order.newBucket], ['data 1', 0, 2], 'bucket 1 is full, bucket 0 is split');
lab.say('That is linear hashing: buckets are split in turn. So two small numbers, i and n, say where every key belongs, and nobody needs a table.');
lab.settle();
lab.expectEqual([lab.file().i, lab.file().n, lab.file().M], [1, 1, 3], 'three buckets: i is 1 and the split pointer n is 1');

lab.step('e', 'The file grows to eight buckets in two groups');
lab.camera({ fit: 'file' });
alice.run({ do: 'insert', count: 4 * p.b, window: 4 });
lab.settle();
lab.print('after', lab.file().records, 'records the file has', lab.file().M, 'data buckets, load factor', lab.file().loadFactor.toFixed(2));
lab.expectWithin(lab.file().M, 3, 8, 'it grew no further than its records need');
lab.say('Bucket 4 opens a new bucket group, and a new group comes with its own parity bucket, from the other pool.');
while (lab.file().M < 8)
    lab.split();
lab.settle();
lab.expectEqual(lab.file().groups, 2, 'eight data buckets form two groups');
lab.expectEqual([lab.group(0).k, lab.group(1).k], [1, 1], 'each group has one parity bucket');
lab.expectNone('SplitUndone', { since: beforeSplit });
lab.expectEqual(lab.audit().unequal, 0, 'the parity of both groups encodes the data');

lab.step('f', 'A client that knows little');
lab.camera({ view: 'image', fit: bob });
const far = lab.keysFor(lab.data(7), 1, { existing: true })[0];
lab.say('Bob has just arrived and believes that the file has one bucket. He asks bucket 0 for a key of bucket 7.');
const guess = lab.predict({ text: 'How many times is his request passed on?', choices: ['not at all', 'once', 'twice', 'seven times'] });
const seen = bob.search(far);
guess.reveal(seen.forwards, 'Bucket 0 sends it to 3, bucket 3 to 7. Two is the most that can happen, in a file of any size.');
lab.expectEqual([seen.result, seen.forwards, seen.iam], ['found', 2, true], 'found after two forwards, and his image is adjusted');
lab.expectEqual(bob.image().behind, 0, 'one answer was enough: he now knows all eight buckets');
lab.expectEqual(bob.search(far).forwards, 0, 'the same key again goes straight to its bucket');
lab.print('alice inserted', lab.file().records, 'records and believes in', alice.image().M, 'buckets');

lab.step('g', 'Updates and deletes reach the parity, too');
const record = lab.records(lab.data(2), { count: 1 })[0];
lab.camera({ fit: lab.data(2), record: { group: 0, rank: record.rank } });
const parityBefore = lab.recordGroup(0, record.rank).parity[0].hex;
alice.update(record.key);
const updated = lab.recordGroup(0, record.rank);
lab.say('An update sends old XOR new. The parity bucket adds that to its field and never sees the other records of the rank.');
lab.expect(updated.parity[0].hex !== parityBefore, 'the parity field of that rank has changed');
lab.expectEqual(lab.audit(0).unequal, 0, 'and it is what the new data encode to');
alice.delete(record.key);
const rest = lab.recordGroup(0, record.rank);
lab.say('A delete is an update to zero: the key leaves the key list, and its share leaves the parity field.');
lab.expect(!rest.parity[0].members.some(m => m.key === record.key), 'the key has left the key list');
lab.expectEqual(alice.search(record.key).result, 'not found', 'the record is gone');
lab.expectEqual(lab.audit(0).unequal, 0, 'the parity agrees');

lab.step('h', 'What an insert costs');
const fresh = [];
for (const a of [0, 1, 2, 3, 4, 5, 6, 7])
    fresh.push(...lab.keysFor(lab.data(a), 2));
const table = lab.measure({
    name: 'insert_time', factors: { window: [1, 16] }, constants: { k: 1, record_bytes: p.recordBytes }, repetitions: p.repetitions,
    run: c => {
        const done = alice.run({ do: 'insert', keys: fresh, window: c.window });
        return { inserts: done.operations, total_s: done.total_s, per_op_ms: done.per_op_ms, p50_ms: done.p50_ms, p99_ms: done.p99_ms };
    },
    after: () => alice.run({ do: 'delete', keys: fresh, window: 16 })
});
const published = lab.paper('demo_2004', { item: 'insert', k: 1 })[0];
for (const row of table.summary())
    lab.print('window', row.window + ':', row.per_op_ms.median.toFixed(3), 'ms per acknowledged insert (2004:', published.value, 'ms, 1.8 GHz, 1 Gb/s)');
lab.expectEqual(table.summary().length, 2, 'two cases are measured');

lab.step('i', 'Group 0 gets a second parity bucket');
lab.camera({ fit: lab.parity(0, [0]) });
lab.expectEqual(lab.raiseAvailability(2), { K: 2, pending: false }, 'the intended availability is 2 at once, because the split pointer is at bucket 0');
lab.say('A spare of the parity pool asks each data bucket of the group for its contents and encodes them with a column of its own. Writes go on meanwhile.');
const made = lab.addParity(0);
lab.print('parity creation:', (1000 * made.total_s).toFixed(1), 'ms for', made.records, 'record groups');
lab.settle();
lab.expectEqual([lab.group(0).k, lab.group(1).k], [2, 1], 'group 0 has two parity buckets, group 1 still one: K or K - 1');
lab.expectEqual(lab.audit(0).unequal, 0, 'the new parity encodes the data');

lab.step('j', 'Nothing was lost');
lab.camera({ fit: 'file' });
const all = alice.verify();
lab.print(all.keys, 'records read back');
lab.expectEqual([all.missing, all.wrong, all.lost, all.equal], [0, 0, 0, all.keys], 'every acknowledged record is found as it was written');
lab.expectEqual(lab.audit().unequal, 0, 'at rest, all parity encodes the data');
lab.expectLamps({ ids: ['I1', 'I5', 'I6'], checked: true });
lab.say('Eight data buckets, three parity buckets, and two numbers that find every record.');

lab.step('k', 'The same file at the size of the papers: 25,000 records');
lab.cluster({ m: 4, k: 1, b: 10000, recordBytes: 100, spares: { data: 5, parity: 2 } });
lab.detail('operations'); // without the messages, so that the whole creation stays in memory
lab.camera({ fit: 'file' });
lab.say('A new file, with buckets of 10,000 records as in the report of 2003. Carol inserts 25,000 records of 100 bytes, each acknowledged before the next.');
const carol = lab.client('carol'), start = lab.here();
const created = carol.run({ do: 'insert', count: 25000, window: 1 });
lab.settle();
lab.row('file_creation', { records: 25000, k: 1, total_s: created.total_s, per_op_ms: created.per_op_ms, p99_ms: created.p99_ms });
const then = lab.paper('demo_2004', { item: 'file_creation', k: 1, quantity: 'total_time' })[0];
lab.print('25,000 acknowledged inserts:', created.total_s.toFixed(2), 's,', created.per_op_ms.toFixed(3), 'ms each (2004:', then.value, 's, 1.8 GHz, 1 Gb/s)');
lab.expectEqual(created.results.ok, 25000, 'every insert was acknowledged');
lab.expectEqual(lab.events({ kind: 'BucketOverflowed', since: start }).map(e => e.count), [10001, 10001, 10001], 'the first split at insert 10,001, two more from insert 20,001 on, as the report says');
lab.expectEqual([lab.file().M, lab.file().records], [4, 25000], 'four data buckets hold 25,000 records');
const read = carol.verify();
lab.expectEqual([read.keys, read.equal], [25000, 25000], 'all of them are found as they were written');
lab.expectEqual(lab.audit().unequal, 0, 'and the parity bucket encodes them');
lab.say('The same few rules at every size: 25,000 records, four data buckets, one parity bucket.');
