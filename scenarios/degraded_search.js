// scenarios/degraded_search.js   @title A search in a bucket that is not there   @minutes 4   @needs 8 processes
// SPDX-License-Identifier: GPL-3.0-or-later
// Step (d) of the demo of 2004: a key search directed to an unavailable bucket. Nobody looks for failures by himself
// here: recovery begins with the alarm of a client that misses an answer.
lab.cluster({ m: 4, k: 1, b: 20, recordBytes: 100, slice: 5, recovery: 'onAlarm', spares: { data: 4, parity: 1 } });
const alice = lab.client('alice'), bob = lab.client('bob');

lab.step('a', 'Four data buckets, one parity bucket, no spare');
lab.camera({ fit: 'file', layers: { deltas: true, ranks: true, spares: true } });
for (let i = 0; i < 6; ++i) {
    alice.run({ do: 'insert', count: 10 });
    lab.settle();
}
while (lab.file().M < 4)
    lab.split();
lab.settle();
lab.expectEqual([lab.file().M, lab.spares().data], [4, 0], 'all data servers are in use');
lab.say('Recovery waits for an alarm here, as in 2004. And there is no spare, so that nothing can be rebuilt for the moment.');

lab.step('b', 'Bucket 2 is not there any more');
const rows = lab.records(lab.data(2), { count: 3 });
const absent = lab.keysFor(lab.data(2), 1)[0];
const before = lab.witness(lab.data(2), { pin: [rows[0].rank] }), start = lab.here();
lab.kill(lab.data(2));
lab.say('Its process has ended. Nobody says so: the others do not ask it, and the coordinator does not look.');
lab.expectNone('BucketFailed', { since: start });

lab.step('c', 'A search for one of its records');
const guess = lab.predict({ text: 'Alice searches for a key of bucket 2. What does she get?', choices: ['an error', 'not found', 'the record'] });
const found = alice.search(rows[0].key);
lab.say('Two resends, then she gives up and alarms the coordinator. It checks: is the address wrong, or the bucket unavailable?');
guess.reveal(2, 'The parity bucket looks the key up in its key lists, asks the living buckets for the other members of the rank, and computes the record.');
lab.expectEqual([found.result, found.path, found.valueIsRight], ['found', 'record recovery', true], 'found, byte for byte, though its bucket is not there');
const answer = lab.waitFor('RecordRecovered', { where: { key: rows[0].key }, since: start });
lab.expectEqual([answer.place, answer.bucket, answer.rank], ['parity 0.0', 2, rows[0].rank], 'the parity bucket answered in the place of bucket 2');
lab.camera({ view: 'decode', record: { group: 0, rank: rows[0].rank } });
lab.print('answered after', found.time_ms.toFixed(0), 'ms, most of it the time-out');

lab.step('d', 'The group is degraded, and says so');
const group = lab.group(0);
lab.expectEqual([group.state, group.k, group.kEffective, group.failed], ['degraded', 1, 0, ['data 2']], 'one bucket is down, and the group survives no further failure');
lab.expectEqual(alice.search(rows[1].key).path, 'record recovery', 'the next search is answered in the same way');
const nothing = alice.search(absent);
lab.expectEqual([nothing.result, nothing.path], ['not found', 'record recovery'], 'a key that was never there is not found: the key lists are complete');
const elsewhere = lab.keysFor(lab.data(3), 1)[0];
lab.expectEqual(alice.insert(elsewhere).result, 'inserted', 'the other buckets still take changes');
lab.say('Reads of the lost bucket are computed one by one. The other buckets work as before.');

lab.step('e', 'An addressing error is told from a failure');
const wrong = bob.search(rows[2].key);
lab.say('Bob believes in one bucket. Bucket 0 passes his request on to the dead one. The coordinator sees that his address was wrong, and teaches him the file first.');
lab.expectEqual([wrong.result, wrong.path], ['found', 'record recovery'], 'Bob gets the record, too');
lab.expectEqual(bob.image().behind, 0, 'and his image is right now');

lab.step('f', 'A spare comes, and the bucket is rebuilt');
const handle = alice.start({ do: 'update', keys: [rows[0].key], count: 1 });
lab.say('A change of the lost bucket has to wait for it. Alice keeps asking.');
const spare = lab.here();
lab.addSpares({ data: 1 });
const done = lab.waitFor('RecoveryFinished', { where: { group: 0 }, since: spare, timeout: 30 });
lab.expectEqual(done.buckets, [2], 'bucket 2 is back');
const waited = handle.wait({ timeout: 20 });
lab.expectEqual([waited.results.ok, waited.unanswered], [1, 0], 'and the change that waited is carried out once');
lab.settle();
const same = before.compare();
lab.expectEqual([same.records - same.equal, same.changed, same.missing, same.extra], [1, 1, 0, 0], 'all records are what they were, but for the one that Alice has changed since');
lab.expectEqual(alice.search(rows[1].key).path, 'direct', 'searches go straight to the bucket again');
lab.expectEqual([lab.group(0).state, lab.group(0).kEffective], ['up', 1], 'the group survives a failure again');
const all = alice.verify();
lab.expectEqual([all.equal, all.missing + all.lost + all.wrong], [all.keys, 0], 'no record is lost');
lab.expectEqual(lab.audit().unequal, 0, 'the parity encodes the data');
lab.say('One alarm was enough: the record first, then the whole bucket.');
