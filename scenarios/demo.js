// scenarios/demo.js   @title The demonstration of 2004, steps (a) to (f)   @minutes 6   @needs 21 processes   @experiment E19   @lecture 1
// SPDX-License-Identifier: GPL-3.0-or-later
// The demo outline of the paper of 2004 in its order, with the further functions it names: normal search, updates and their
// propagation, contents of buckets, recovery of a record and of a bucket by datagrams, statistics. Told for somebody who has never
// heard of it: what is to be seen, the picture, what it meant. Headless it is a test.
const B = 40, SLICE = 5, RECORD = 100;
const p = lab.params({ buckets: 8 });

lab.cluster({ m: 4, k: 1, b: B, recordBytes: RECORD, slice: SLICE, recovery: 'onAlarm', recoveryTransport: 'udp', spares: { data: 11, parity: 6 } });
const alice = lab.client('alice'), bob = lab.client('bob');
const text = (ms, digits) => ms.toFixed(digits) + ' ms';
const eventOf = (kind, since, where) => lab.events({ kind: kind, since: since }).filter(where || (() => true))[0];
// A caption said there stands before this event is seen.
const ahead = event => event && Object.assign({}, event, { eventIndex: event.eventIndex - 1, t_s: event.t_s - 1e-6 });
const sentOf = (what, since) => ahead(eventOf('MessageSent', since, e => e.what === what));

lab.step('a', 'A file with availability 1 is created and grows');
lab.camera({ fit: 'file', layers: { deltas: true, ranks: true, spares: true } });
lab.note('Each card is a process of its own, with its own memory. Spares wait in two multicast groups, one for data, one for parity.');
lab.say('The file is bucket 0, with parity bucket 0.0 beside it. All other servers are spares.');
lab.say('K = 1: any one bucket may be lost. That is what parity bucket 0.0 is for, so k = 1.');
lab.say('Alice asks where bucket 0 is, and inserts a record. Its rank is its place there. Parity has it before she is answered.');
const first = alice.insert();
lab.expectEqual(first.result, 'inserted', 'the first record is stored');
lab.expectEqual(lab.recordGroup(0, first.rank).parity.length, 1, 'one parity record covers it');
lab.say('Bucket 0 has room for ' + B + ' records. One more is too many.');
const growth = lab.here();
alice.run({ do: 'insert', count: B });
const split = lab.waitFor('SplitFinished', { where: { bucket: 0, newBucket: 1 }, since: growth });
lab.say('Overflow. The coordinator invites a spare to become bucket 1.', { at: eventOf('BucketOverflowed', growth) });
lab.say('Bucket 0 splits: half of its records move to bucket 1.', { at: eventOf('NodeRecruited', growth) });
lab.print('split of bucket 0:', split.moved, 'records moved in', text(1000 * split.total_s, 1));
lab.settle();
lab.say('Alice was not told of bucket 1. Bucket 0 passes her next record on, and the answer adjusts her image.');
alice.insert(lab.keysFor(lab.data(1), 1, { first: 0 })[0]);
const q = lab.predict({ text: 'Now bucket 1 will overflow. Which bucket is split?', choices: ['bucket 0', 'bucket 1'] });
const second = lab.here();
alice.run({ do: 'insert', keys: lab.keysFor(lab.data(1), B + 1 - lab.bucket(lab.data(1)).records, { first: 0 }) });
const order = lab.waitFor('SplitOrdered', { since: second });
lab.say('Bucket 1 is full, and says so. Watch which bucket is split.', { at: eventOf('BucketOverflowed', second) });
lab.settle();
const other = eventOf('SplitFinished', second);
q.reveal(order.bucket, 'The split pointer decides, not the bucket that is full: it stood at bucket 0.', { at: other });
lab.expectEqual(order.bucket, 0, 'the bucket at the split pointer is split');
lab.say('So two numbers, i and n, tell where every key belongs.');
const two = lab.file(), key = lab.keysFor(lab.data(2), 5, { existing: true })[4], span = 2 ** two.i;
lab.say('Key ' + key + ' with i = ' + two.i + ', n = ' + two.n + ': ' + key + ' mod ' + span + ' = ' + key % span
    + ' is below n, so ' + key + ' mod ' + 2 * span + ' = ' + key % (2 * span) + ' counts: bucket 2.');
lab.highlight(lab.data(2), { text: 'key ' + key + ' is here', for: 8 });
lab.expect(key % span < two.n && key % (2 * span) === 2, 'i and n give the bucket that the key is in');
const more = lab.here();
lab.camera({ speed: 2 });
lab.say('Each split moves the pointer by one, and at the end of a round back to 0. Bucket 1 is overfull until its turn comes.');
alice.run({ do: 'insert', keys: Array.from({ length: 2 * B }, (_, i) => 100 + i), window: 2 });
lab.settle();
while (lab.file().M < p.buckets)
    lab.split();
lab.settle();
const opens = eventOf('NodeRecruited', more, e => e.place === 'parity 1.0' || e.place === 'data 4');
if (opens)
    lab.say('Four data buckets are a group. Bucket 4 opens group 1, so a parity bucket comes with it.', { at: ahead(opens) });
lab.say('Buckets 5, 6 and 7 follow, each by a split.', { at: eventOf('GroupCreated', more) });
lab.say('Eight data buckets, two groups, each with parity of its own.');
lab.expectEqual([lab.file().M, lab.file().groups], [p.buckets, Math.ceil(p.buckets / 4)], 'eight data buckets form two groups');
lab.expectEqual(lab.audit().unequal, 0, 'the parity of both groups encodes the data');

lab.step('a2', 'Key search and update, as a client sees them');
// A new bucket answers reads when its parity bucket has granted it a lease: a tenth of a second after it was made.
lab.waitFor('Gauges', { where: e => e.place === 'data ' + (p.buckets - 1), since: lab.here(), count: 2 });
const far = lab.keysFor(lab.data(p.buckets - 1), 1, { existing: true })[0];
lab.say('Bob is new: his image of the file is one bucket. He searches for a key of bucket ' + (p.buckets - 1) + '.');
const beyond = lab.here(), seen = bob.search(far);
const passed = eventOf('OperationForwarded', beyond), whereIs = ahead(eventOf('MessageSent', beyond, e => e.what === 'where_is' && e.process !== 'bob'));
if (passed && whereIs && whereIs.eventIndex < passed.eventIndex)
    lab.say('Not a key of bucket ' + passed.from + ', so it asks the coordinator for the address of bucket ' + passed.to + ', and passes the request on.', { at: whereIs });
lab.expect(seen.result === 'found' && seen.iam && seen.forwards >= 1 && seen.forwards <= 2, 'a new client is forwarded at most twice and its image is adjusted');
lab.say('Passed on ' + (seen.forwards === 1 ? 'once' : 'twice') + '; never more than twice. The answer adjusted Bob\'s image.');
lab.say('The same key again goes straight to its bucket.');
const direct = bob.search(far);
lab.expectEqual([direct.forwards, direct.path], [0, 'direct'], 'the same key again goes straight to its bucket');
const changed = lab.records(lab.data(2), { count: 1 })[0];
const parityBefore = lab.recordGroup(0, changed.rank).parity[0].hex;
lab.say('Alice updates a record of bucket 2. Only the difference goes to parity bucket 0.0.');
const since = lab.here();
alice.update(changed.key);
const sent = lab.counters({ by: 'kind', since: since });
lab.say('The other records of the same rank were not read: the parity changes by the difference alone.');
lab.expect(lab.recordGroup(0, changed.rank).parity[0].hex !== parityBefore, 'the parity record of that rank has changed');
lab.expectEqual([sent.delta.messages, sent.delta_ack.messages], [1, 1], 'one delta, one acknowledgement: k is 1');

lab.step('b', 'Group 0 gets a second parity bucket');
lab.say('Group 0 is to survive two failures. A spare asks each data bucket for its contents.');
lab.expectEqual(lab.raiseAvailability(2), { K: 2, pending: false }, 'K is 2 at once, because the split pointer is at bucket 0');
const made = lab.addParity(0);
lab.print('parity creation:', text(1000 * made.total_s, 1), 'for', made.records, 'record groups;', text(1000 * made.process_s, 1), 'work,', text(1000 * made.comm_s, 1), 'waiting for transfers');
lab.row('parity_creation', made);
lab.settle();
lab.say('Parity bucket 0.0 is plain XOR. Parity bucket 0.1 multiplies each record in GF(2^16) before it adds.');
lab.expectEqual([lab.group(0).k, lab.group(1).k], [2, 1], 'group 0 survives two failures now, group 1 still one');
lab.expectEqual(lab.audit(0).unequal, 0, 'the new parity encodes the data');

lab.step('c', 'Two buckets of group 0 fail');
const lostRecord = lab.records(lab.data(1), { count: 1 })[0];
const before = lab.witness(lab.data([1, 2]), { pin: [lostRecord.rank] });
const calm = lab.here();
lab.say('Now the processes of buckets 1 and 2 are ended, and their memory with them.');
const victims = lab.kill(lab.data([1, 2]));
lab.say('No message announces it.');
lab.waitUntil(() => sentOf('suspect', calm), { timeout: 10 });
lab.say('The others miss them soon, and tell the coordinator. But here, as in 2004, it waits for a client.', { at: sentOf('suspect', calm) });
lab.expectNone('BucketFailed', { since: calm });

lab.step('d', 'A key search in an unavailable bucket');
const guess = lab.predict({ text: 'Alice searches for a key of bucket 1, which is gone. What does she get?', choices: ['an error', 'not found', 'the record'] });
lab.camera({ speed: 4 });
const start = lab.here();
const found = alice.search(lostRecord.key, { timeout: 20 });
const done = lab.waitFor('RecoveryFinished', { where: { group: 0 }, since: start, timeout: 30 });
lab.waitFor('SliceStored', { count: 2 * done.slices, since: start });
lab.settle();
const alarms = lab.events({ kind: 'MessageSent', since: start }).filter(e => e.what === 'alarm' && e.client === 'alice').length;
const missed = sentOf('suspect', start), alarm = sentOf('alarm', start), isMissedFirst = missed && alarm && missed.eventIndex < alarm.eventIndex;
const computed = eventOf('RecordRecovered', start), answered = eventOf('OperationDone', start, e => e.client === 'alice');
guess.reveal(2, 'It was computed, and then both failed buckets, too. That was fast, so once more:');
lab.camera({ speed: 1 });
lab.replay({ from: start, to: answered, at: [
    [sentOf('search', start), 'Alice asks bucket 1, and twice more: it does not answer.'],
    [isMissedFirst && missed, 'The others miss buckets 1 and 2, too. But the coordinator waits for a client.'],
    [alarm, isMissedFirst ? 'Here it is: Alice sends the coordinator an alarm.' : 'So Alice sends the coordinator an alarm, and this is what it waited for.'],
    [ahead(eventOf('MemberSuspected', start)), 'The coordinator asks all members of group 0.'
        + (alarms > 1 ? ' Meanwhile Alice sends another alarm, and asks bucket 1 again, in vain.' : ' Which of them answer?')],
    [eventOf('BucketFailed', start), 'Buckets 1 and 2 stay silent: they have failed. Changes wait until the others agree on one state.'],
    [sentOf('member_read', start) || computed, 'P' + computed.place.replace(' ', ' bucket ').slice(1) + ' reads the other members of the same rank, and computes this one record.'],
    [answered, 'Alice has her record, before its bucket is back.']]
    .filter(one => one[0]).sort((one, other) => one[0].t_s - other[0].t_s) }); // an event may be lost, or not happen
lab.say('By now buckets 1 and 2 are back, too. Next: how that happened.');
lab.expectEqual([found.result, found.path, found.valueIsRight], ['found', 'record recovery', true], 'found, byte for byte, though its bucket is not there');
lab.print('answered after', text(found.time_ms, 0) + ', most of it the time-out');

lab.step('e', 'Bucket recovery by slices, by UDP');
const cut = lab.waitFor('CutAgreed', { where: { group: 0 }, since: start });
lab.expectEqual(cut.positions, [1, 2], 'the survivors have agreed on one state of both lost buckets');
const begun = eventOf('RecoveryStarted', start), recruited = eventOf('NodeRecruited', start, e => e.place === 'data 1' || e.place === 'data 2');
const slices = lab.events({ kind: 'SliceRecovered', since: start });
const stored = lab.events({ kind: 'SliceStored', since: start });
lab.expect(slices.length > 1 && slices.length === done.slices, 'the contents came back slice by slice');
lab.camera({ layers: { spares: false } }); // the records that come back want the room
lab.say('Two spares became buckets 1 and 2. Here is how, once more and slowly.');
lab.replay({ from: ahead(recruited && recruited.eventIndex < begun.eventIndex ? recruited : begun), to: stored[stored.length - 1], at: [
    [begun, 'Parity bucket 0.' + begun.manager + ' manages the recovery. It asks the survivors for ' + SLICE + ' ranks at a time.'],
    [slices[0], 'Of each rank it has four members, and computes the two that are lost.'],
    [ahead(stored[0]), 'Each of the two stores its part, ' + SLICE + ' records at a time. Slices follow each other without waiting.'],
    [stored[stored.length - 1], 'All slices are stored: all records of buckets 1 and 2 are there again.']] });
const timing = lab.recoveries({ group: 0, since: start })[0];
lab.row('recovery', timing);
lab.print('recovered', done.records, 'records in', done.slices, 'slices:', text(1000 * timing.total_s, 1) + ',', text(1000 * timing.process_s, 1), 'work,', text(1000 * timing.comm_s, 1), 'waiting for transfers');
lab.settle();

lab.step('f', 'The recovered contents');
const same = before.compare();
lab.camera({ layers: { spares: true }, speed: 2 });
lab.expectEqual([same.equal, same.changed + same.missing + same.extra], [same.records, 0], 'all ' + same.records + ' records of both buckets are what was lost, byte for byte');
lab.say('Alice searches for the same key. She still asks the dead process, which is no longer drawn.');
const old = lab.here(), again = alice.search(lostRecord.key, { timeout: 20 });
if (sentOf('alarm', old))
    lab.say('It does not answer, so she asks the coordinator where bucket 1 is now.', { at: sentOf('alarm', old) });
lab.expectEqual([again.result, again.valueIsRight], ['found', true], 'the search of before finds the same record in the new bucket');
lab.camera({ speed: 1 });
lab.say('The answer came from the new bucket 1. The next search goes straight there.');
lab.expectEqual(alice.search(lostRecord.key).path, 'direct', 'and the next search goes straight to it');
lab.say('Alice reads all her records: none may be missing. Her image is old, so many requests are passed on.');
const reading = lab.here(), all = alice.verify();
if (sentOf('alarm', reading))
    lab.say('She also had the old address of bucket 2: once more the coordinator helps.', { at: sentOf('alarm', reading) });
lab.say('All ' + all.equal + ' records are there, and are what she wrote.');
lab.say('A record of bucket 1, before and now: byte for byte what was lost. So are all others.');
lab.camera({ view: 'compare', record: { group: 0, rank: lostRecord.rank } });
lab.expectEqual(all.missing + all.lost + all.wrong, 0, 'every acknowledged record is found');
lab.expectEqual([lab.group(0).state, lab.group(0).kEffective], ['up', 2], 'group 0 survives two failures again');
lab.expectEqual(lab.audit().unequal, 0, 'at rest, all parity encodes the data');

lab.step('f2', 'What it has cost');
lab.camera({ fit: 'file' });
lab.restart(victims);
lab.say('The two ended processes are started again, and wait as spares.');
lab.say('A search costs two messages: the question and the answer.');
const quiet = lab.here();
bob.search(far);
const search = lab.counters({ by: 'kind', since: quiet });
lab.say('An insert costs two, and two more for each parity bucket of its group.');
const ours = lab.here();
alice.insert(lab.keysFor(lab.data(0), 1, { first: 501 })[0]);
const insert = lab.counters({ by: 'kind', since: ours });
lab.print('messages of a search:', search.search.messages + search.reply.messages, ', of an insert with k = 2:', insert.insert.messages + insert.reply.messages + insert.delta.messages + insert.delta_ack.messages);
lab.expectEqual([search.search.messages + search.reply.messages, insert.insert.messages + insert.reply.messages + insert.delta.messages + insert.delta_ack.messages], [2, 6], 'a search costs 2 messages, an insert 2 + 2k, whatever the size of the file');
const published = lab.paper('demo_2004', { item: 'bucket_recovery' });
lab.expect(published.length > 0, 'the published figures are at hand');
lab.say('Each further failure to be survived costs two more messages per insert, whatever the size of the file.');
