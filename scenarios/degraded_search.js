// scenarios/degraded_search.js   @title A search in a bucket that is not there   @minutes 4   @needs 8 processes   @lecture 5
// SPDX-License-Identifier: GPL-3.0-or-later
// Step (d) of the demo of 2004: a key search directed to an unavailable bucket. Nobody looks for failures by himself
// here: recovery begins with the alarm of a client that misses an answer.
lab.cluster({ m: 4, k: 1, b: 20, recordBytes: 100, slice: 5, recovery: 'onAlarm', spares: { data: 4, parity: 1 } });
const alice = lab.client('alice'), bob = lab.client('bob');
const eventOf = (kind, since, where) => lab.events({ kind: kind, since: since }).filter(where || (() => true))[0];
// A caption said there stands before this event is seen.
const ahead = event => event && Object.assign({}, event, { eventIndex: event.eventIndex - 1, t_s: event.t_s - 1e-6 });
const sentOf = (what, since) => ahead(eventOf('MessageSent', since, e => e.what === what));

// Says each caption at its event, in the order of the events. An event may be lost, or not happen: then its caption is not said.
function sayAt(captions) {
    for (const [event, words] of captions.filter(one => one[0]).sort((one, other) => one[0].t_s - other[0].t_s))
        lab.say(words, { at: event });
}

lab.step('a', 'Four data buckets, one parity bucket, no spare');
lab.camera({ fit: 'file', layers: { deltas: true, ranks: true, spares: true }, speed: 2 });
lab.say('The file begins as bucket 0, with parity bucket 0.0 beside it.');
lab.say('Alice inserts records. Each time a bucket is full, one is split, up to four buckets.');
for (let i = 0; i < 6; ++i) {
    alice.run({ do: 'insert', count: 10 });
    lab.settle();
}
while (lab.file().M < 4)
    lab.split();
lab.settle();
lab.expectEqual([lab.file().M, lab.spares().data], [4, 0], 'all data servers are in use');
lab.camera({ speed: 1 });
lab.say('Four data buckets are in use, and no data spare is left.');
lab.say('As in 2004, recovery waits for the alarm of a client.');

lab.step('b', 'Bucket 2 is not there any more');
const rows = lab.records(lab.data(2), { count: 3 });
const absent = 62, elsewhere = 63; // of buckets 2 and 3: as short as the others, so that the cells have room for all keys
const before = lab.witness(lab.data(2), { pin: [rows[0].rank] }), start = lab.here();
lab.say('Now the process of bucket 2 is ended, and its memory with it.');
lab.kill(lab.data(2));
lab.say('No message announces it: the coordinator knows nothing yet.');
lab.expectNone('BucketFailed', { since: start });

lab.step('c', 'A search for one of its records');
const guess = lab.predict({ text: 'Alice searches for a key of bucket 2. What does she get?', choices: ['an error', 'not found', 'the record'] });
lab.say('Alice asks bucket 2, and twice more: it does not answer.');
const asked = lab.here(), found = alice.search(rows[0].key);
sayAt([
    [sentOf('suspect', asked), 'Parity bucket 0.0 misses bucket 2, too. In this mode the coordinator waits for the alarm of a client.'],
    [sentOf('alarm', asked), 'Here it is: Alice sends the coordinator an alarm.'],
    [ahead(eventOf('MemberSuspected', asked)), 'The coordinator asks all members. Alice asks again meanwhile, and has to wait.'],
    [ahead(eventOf('BucketFailed', asked)), 'Bucket 2 stays silent, so it is declared failed.'],
    [sentOf('member_read', asked), 'Parity bucket 0.0 reads the other records of the same rank, and computes the lost one.']]);
guess.reveal(2, 'Alice has her record, though bucket 2 is still gone.');
lab.expectEqual([found.result, found.path, found.valueIsRight], ['found', 'record recovery', true], 'found, byte for byte, though its bucket is not there');
const answer = lab.waitFor('RecordRecovered', { where: { key: rows[0].key }, since: start });
lab.expectEqual([answer.place, answer.bucket, answer.rank], ['parity 0.0', 2, rows[0].rank], 'the parity bucket answered in the place of bucket 2');
lab.say('The parity record XOR the living ones is the lost record. The panel writes ^ for XOR.');
lab.camera({ view: 'decode', record: { group: 0, rank: rows[0].rank }, stage: 'bytes' });
lab.print('answered after', found.time_ms.toFixed(0), 'ms, most of it the time-out');

lab.step('d', 'The group is degraded, and says so');
const group = lab.group(0);
lab.expectEqual([group.state, group.k, group.kEffective, group.failed], ['degraded', 1, 0, ['data 2']], 'one bucket is down, and the group survives no further failure');
const invitations = lab.waitFor('InvitationSent', { since: lab.here(), count: 2 });
lab.say('Again and again the coordinator invites a spare to replace bucket 2. There is none.', { during: { from: ahead(invitations[0]), to: invitations[1] } });
lab.say('Alice searches for another key of bucket 2. After three requests, its record is computed in the same way.');
lab.expectEqual(alice.search(rows[1].key).path, 'record recovery', 'the next search is answered in the same way');
lab.dwell(2); // what is said of the key before fades
lab.say('Now a key that was never there. Parity bucket 0.0 knows all keys, and answers "not found".');
const nothing = alice.search(absent);
lab.expectEqual([nothing.result, nothing.path], ['not found', 'record recovery'], 'a key that was never there is not found: the key lists are complete');
lab.say('The other buckets work as before: Alice inserts a record into bucket 3.');
lab.expectEqual(alice.insert(elsewhere).result, 'inserted', 'the other buckets still take changes');

lab.step('e', 'An addressing error is not a failure');
const astray = lab.here();
lab.say('Bob knows of one bucket, and asks the coordinator where it is. Bucket 0 passes his request on to bucket 2, which is gone.');
const wrong = bob.search(rows[2].key);
lab.say('So Bob asks again, in vain. The coordinator asks the others from time to time whether they are there.', { at: sentOf('probe', astray) });
lab.say('The coordinator sees that Bob was wrong, and teaches him the file. Then his record is computed.', { at: ahead(eventOf('ImageAdjusted', astray)) });
lab.expectEqual([wrong.result, wrong.path], ['found', 'record recovery'], 'Bob gets the record, too');
lab.expectEqual(bob.image().behind, 0, 'and his image is right now');

lab.step('f', 'A spare comes, and the bucket is rebuilt');
lab.say('Alice wants to change a record of bucket 2, and asks the coordinator: a change has to wait.');
const handle = alice.start({ do: 'update', keys: [rows[0].key], count: 1 });
const spare = lab.here();
lab.say('A new data server comes as a spare. So bucket 2 can be recovered on it.');
lab.addSpares({ data: 1 });
const done = lab.waitFor('RecoveryFinished', { where: { group: 0 }, since: spare, timeout: 30 });
const waited = handle.wait({ timeout: 20 });
lab.settle();
lab.say('Parity bucket 0.0 manages the recovery. It asks the others for five ranks at a time.', { at: eventOf('RecoveryStarted', spare) });
lab.say('Bucket 2 is back in a new process. Now the change that waited is carried out.', { at: done });
lab.expectEqual(done.buckets, [2], 'bucket 2 is back');
lab.expectEqual([waited.results.ok, waited.unanswered], [1, 0], 'and the change that waited is carried out once');
const same = before.compare();
lab.expectEqual([same.records - same.equal, same.changed, same.missing, same.extra], [1, 1, 0, 0], 'all records are what they were, except the one that Alice has changed since');
lab.say('Alice\'s search goes straight to bucket 2 again.');
lab.expectEqual(alice.search(rows[1].key).path, 'direct', 'searches go straight to the bucket again');
lab.expectEqual([lab.group(0).state, lab.group(0).kEffective], ['up', 1], 'the group survives a failure again');
lab.say('Alice reads all her records.');
const all = alice.verify();
lab.expectEqual([all.equal, all.missing + all.lost + all.wrong], [all.keys, 0], 'no record is lost');
lab.expectEqual(lab.audit().unequal, 0, 'the parity encodes the data');
lab.say('While bucket 2 was gone, parity bucket 0.0 answered for it. When a spare came, bucket 2 was rebuilt.');
