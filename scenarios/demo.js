// scenarios/demo.js   @title The demonstration of 2004, steps (a) to (f)   @minutes 9   @needs 21 processes   @experiment E19
// SPDX-License-Identifier: GPL-3.0-or-later
// The demo outline of the paper of 2004 in its order, with the further functions it names: normal search, updates and their
// propagation, contents of buckets, recovery of a record and of a bucket by datagrams, statistics. Told at talking speed it
// takes about nine minutes; headless it is a test.
const B = 40, SLICE = 5, RECORD = 100;
const p = lab.params({ buckets: 8 });

lab.cluster({ m: 4, k: 1, b: B, recordBytes: RECORD, slice: SLICE, recovery: 'onAlarm', recoveryTransport: 'udp', spares: { data: 11, parity: 6 } });
const alice = lab.client('alice'), bob = lab.client('bob');
const text = (ms, digits) => ms.toFixed(digits) + ' ms';

lab.step('a', 'A file with availability 1 is created and grows');
lab.camera({ fit: 'file', layers: { deltas: true, ranks: true, spares: true } });
lab.note('Each card is a process of its own, with its own memory. Spares wait in two multicast groups, one for data, one for parity.');
lab.say('One data bucket, one parity bucket. All other processes are spares: they wait in two multicast groups until somebody needs them.');
const first = alice.insert();
lab.expectEqual(first.result, 'inserted', 'the first record is stored');
lab.say('Bucket 0 stored the record under rank 1, sent the change to the parity bucket, and answered only after the parity bucket had it.');
lab.expectEqual(lab.recordGroup(0, first.rank).parity.length, 1, 'one parity record covers it');
const growth = lab.here();
alice.run({ do: 'insert', count: B });
lab.say('Record ' + (B + 1) + ' is one too many. Bucket 0 reports its overflow, the coordinator invites a spare, and half of the records move to it.');
const split = lab.waitFor('SplitFinished', { where: { bucket: 0, newBucket: 1 }, since: growth });
lab.print('split of bucket 0:', split.moved, 'records moved in', text(1000 * split.total_s, 1));
lab.settle();
const q = lab.predict({ text: 'Now bucket 1 will overflow. Which bucket is split?', choices: ['bucket 0', 'bucket 1'] });
const second = lab.here();
alice.run({ do: 'insert', keys: lab.keysFor(lab.data(1), B + 1 - lab.bucket(lab.data(1)).records) });
const order = lab.waitFor('SplitOrdered', { since: second });
q.reveal(order.bucket, 'The split pointer decides, not the bucket that is full. So two numbers, i and n, tell where every key belongs.');
lab.expectEqual(order.bucket, 0, 'the bucket at the split pointer is split');
lab.settle();
alice.run({ do: 'insert', count: 2 * B, window: 2 });
lab.settle();
lab.say('The fifth bucket opens a new group. A group has four data buckets and parity of its own, so a new parity bucket comes with it.');
while (lab.file().M < p.buckets)
    lab.split();
lab.settle();
lab.expectEqual([lab.file().M, lab.file().groups], [p.buckets, Math.ceil(p.buckets / 4)], 'eight data buckets form two groups');
lab.expectEqual(lab.audit().unequal, 0, 'the parity of both groups encodes the data');

lab.step('a2', 'Key search and update, as a client sees them');
lab.camera({ view: 'image', fit: bob });
const far = lab.keysFor(lab.data(p.buckets - 1), 1, { existing: true })[0];
const seen = bob.search(far);
lab.say('Bob has just come and believes in one bucket. His request is passed on, twice at most, and the answer brings him the image of the whole file.');
lab.expect(seen.result === 'found' && seen.iam && seen.forwards >= 1 && seen.forwards <= 2, 'a new client is forwarded at most twice and its image is adjusted');
const direct = bob.search(far);
lab.expectEqual([direct.forwards, direct.path], [0, 'direct'], 'the same key again goes straight to its bucket');
const changed = lab.records(lab.data(2), { count: 1 })[0];
const parityBefore = lab.recordGroup(0, changed.rank).parity[0].hex;
lab.camera({ fit: lab.data(2), record: { group: 0, rank: changed.rank } });
const since = lab.here();
alice.update(changed.key);
const sent = lab.counters({ by: 'kind', since: since });
lab.say('An update goes to its bucket, and the difference of old and new to the parity bucket. The other records of the rank are never read.');
lab.expect(lab.recordGroup(0, changed.rank).parity[0].hex !== parityBefore, 'the parity record of that rank has changed');
lab.expectEqual([sent.delta.messages, sent.delta_ack.messages], [1, 1], 'one delta, one acknowledgement: k is 1');

lab.step('b', 'Group 0 gets a second parity bucket');
lab.camera({ fit: 'file' });
lab.expectEqual(lab.raiseAvailability(2), { K: 2, pending: false }, 'K is 2 at once, because the split pointer is at bucket 0');
lab.say('The intended availability becomes 2. A spare of the parity group asks each data bucket: send me your contents.');
const made = lab.addParity(0);
lab.print('parity creation:', text(1000 * made.total_s, 1), 'for', made.records, 'record groups;', text(1000 * made.process_s, 1), 'work,', text(1000 * made.comm_s, 1), 'waiting for transfers');
lab.row('parity_creation', made);
lab.settle();
lab.say('It encodes them with its own column of the matrix. The first parity bucket is plain XOR; the second multiplies in GF(2^16).');
lab.expectEqual([lab.group(0).k, lab.group(1).k], [2, 1], 'group 0 survives two failures now, group 1 still one');
lab.expectEqual(lab.audit(0).unequal, 0, 'the new parity encodes the data');

lab.step('c', 'Two buckets of group 0 fail');
const lostRecord = lab.records(lab.data(1), { count: 1 })[0];
const before = lab.witness(lab.data([1, 2]), { pin: [lostRecord.rank] });
const calm = lab.here();
const victims = lab.kill(lab.data([1, 2]));
lab.say('Two processes are ended, and their memory with them. As in 2004 nobody looks for failures here: the file waits until somebody misses a record.');
lab.expectNone('BucketFailed', { since: calm });

lab.step('d', 'A key search directed to an unavailable bucket');
const guess = lab.predict({ text: 'Alice searches for a key of bucket 1, which is gone. What does she get?', choices: ['an error', 'not found', 'the record'] });
const start = lab.here();
const found = alice.search(lostRecord.key, { timeout: 20 });
guess.reveal(2, 'A parity bucket finds the rank in its key lists, asks the living members of that rank, and computes this one record.');
lab.say('Time-out at the client, alarm, check by the coordinator. Then one record is computed and sent to Alice straight away, ahead of its bucket.');
lab.expectEqual([found.result, found.path, found.valueIsRight], ['found', 'record recovery', true], 'found, byte for byte, though its bucket is not there');
lab.print('answered after', text(found.time_ms, 0) + ', most of it the time-out');

lab.step('e', 'Bucket recovery by slices, through UDP');
lab.camera({ fit: lab.data([1, 2]), speed: 0.5 });
const done = lab.waitFor('RecoveryFinished', { where: { group: 0 }, since: start, timeout: 30 });
const cut = lab.waitFor('CutAgreed', { where: { group: 0 }, since: start });
lab.expectEqual(cut.positions, [1, 2], 'the survivors have agreed on one state of both lost buckets');
lab.say('One parity bucket is the recovery manager. It asks the survivors for ' + SLICE + ' ranks at a time, computes both lost records of each, and sends them to two spares.');
const slices = lab.events({ kind: 'SliceRecovered', since: start });
lab.expect(slices.length > 1 && slices.length === done.slices, 'the contents came back slice by slice');
lab.waitFor('SliceStored', { count: 2 * done.slices, since: start });
const timing = lab.recoveries({ group: 0, since: start })[0];
lab.row('recovery', timing);
lab.print('recovered', done.records, 'records in', done.slices, 'slices:', text(1000 * timing.total_s, 1) + ',', text(1000 * timing.process_s, 1), 'work,', text(1000 * timing.comm_s, 1), 'waiting for transfers');
lab.camera({ speed: 1 });
lab.settle();

lab.step('f', 'The recovered contents');
lab.camera({ view: 'records', fit: lab.data(1), record: { group: 0, rank: lostRecord.rank } });
const same = before.compare();
lab.expectEqual([same.equal, same.changed + same.missing + same.extra], [same.records, 0], 'all ' + same.records + ' records of both buckets are what was lost, byte for byte');
const again = alice.search(lostRecord.key, { timeout: 20 });
lab.expectEqual([again.result, again.valueIsRight], ['found', true], 'the search of before finds the same record in the new bucket');
lab.say('Alice still had the address of the dead process; the coordinator told her the new one. From now on her searches go straight there.');
lab.expectEqual(alice.search(lostRecord.key).path, 'direct', 'and the next search goes straight to it');
const all = alice.verify();
lab.expectEqual(all.missing + all.lost + all.wrong, 0, 'every acknowledged record is found');
lab.expectEqual([lab.group(0).state, lab.group(0).kEffective], ['up', 2], 'group 0 survives two failures again');
lab.expectEqual(lab.audit().unequal, 0, 'at rest, all parity encodes the data');
lab.say('Byte for byte what was lost, in other processes, computed from those that were left.');

lab.step('f2', 'What it has cost');
lab.camera({ fit: 'file' });
lab.restart(victims);
const quiet = lab.here();
bob.search(far);
const search = lab.counters({ by: 'kind', since: quiet });
const ours = lab.here();
alice.insert(lab.keysFor(lab.data(0), 1)[0]);
const insert = lab.counters({ by: 'kind', since: ours });
lab.print('messages of a search:', search.search.messages + search.reply.messages + ', of an insert with k = 2:', insert.insert.messages + insert.reply.messages + insert.delta.messages + insert.delta_ack.messages);
lab.expectEqual([search.search.messages + search.reply.messages, insert.insert.messages + insert.reply.messages + insert.delta.messages + insert.delta_ack.messages], [2, 6], 'a search costs 2 messages, an insert 2 + 2k, whatever the size of the file');
const published = lab.paper('demo_2004', { item: 'bucket_recovery' });
lab.expect(published.length > 0, 'the published figures are at hand');
lab.say('A search costs two messages, an insert two and two more for each parity bucket, whatever the size of the file. That is the whole price of surviving failures.');
