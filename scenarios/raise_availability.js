// scenarios/raise_availability.js   @title More parity for a live file   @minutes 3   @needs 16 processes   @lecture 6
// SPDX-License-Identifier: GPL-3.0-or-later
// Step (b) of the demo of 2004: the availability of a file is raised while it is used. A further parity bucket is made
// from the contents of its group; writes go on. Then two failures show what it is good for.
const p = lab.params({ b: 20 });

lab.cluster({ m: 4, k: 1, b: p.b, recordBytes: 100, slice: 5, recovery: 'automatic', spares: { data: 10, parity: 5 } });
const alice = lab.client('alice');
const eventOf = (kind, since, where) => lab.events({ kind: kind, since: since }).filter(where || (() => true))[0];

// A caption said there stands before this event is seen.
const ahead = event => event && Object.assign({}, event, { eventIndex: event.eventIndex - 1, t_s: event.t_s - 1e-6 });

lab.step('a', 'A file with availability 1');
lab.camera({ fit: 'file', layers: { deltas: true, ranks: true, spares: true }, speed: 3 });
lab.say('The file begins as bucket 0. It grows by splits to eight buckets, in two groups.');
alice.run({ do: 'insert', count: 4 * p.b });
lab.settle();
while (lab.file().M < 8)
    lab.split();
lab.settle();
lab.expectEqual([lab.group(0).k, lab.group(1).k, lab.file().K], [1, 1, 1], 'two groups, each with one parity bucket');
lab.say('The more buckets, the more likely two of a group fail: say, buckets 4 and 6.');
lab.say('So the availability has to grow with the file.');

lab.step('b', 'The intended availability is raised');
lab.say('Each group is to survive K failures. The coordinator raises K to 2.');
lab.expectEqual(lab.raiseAvailability(2), { K: 2, pending: false }, 'K is 2 at once, because the split pointer is at bucket 0');
const q = lab.predict({ text: 'When does group 0 get a second parity bucket?', choices: ['at once', 'in its turn', 'never'] });
lab.expectEqual([lab.group(0).k, lab.group(1).k], [1, 1], 'no group has changed yet');
q.reveal(1, 'Before its first bucket is split again: so the cost comes in small portions.');

lab.step('c', 'Group 0 gets its second parity bucket');
lab.say('An operator may also ask for it. Alice changes records, while group 0 gets a second parity bucket.');
const start = lab.here();
const writing = alice.start({ do: 'update', count: 200, window: 4 });
const made = lab.addParity(0);
const written = writing.wait();
lab.settle();
lab.say('A spare asks buckets 0, 1, 2 and 3 for their contents, and computes.', { at: eventOf('NodeRecruited', start) });
lab.say('It has them all. What Alice changed meanwhile came to it as deltas.', { at: eventOf('ParityBucketFilled', start) });
const filled = eventOf('ParityBucketFilled', start);
lab.say('Parity bucket 0.1 is made, and Alice goes on.', { at: eventOf('EpochChanged', start, e => e.view.group === 0 && (!filled || e.t_s > filled.t_s)) });
lab.say('She never had to stop: each of her 200 changes is acknowledged.');
lab.expectEqual([written.results.ok, written.unanswered], [200, 0], 'all 200 changes made meanwhile are acknowledged');
lab.print('parity creation:', (1000 * made.total_s).toFixed(1), 'ms for', made.records, 'record groups');
lab.expectEqual([lab.group(0).k, lab.group(1).k], [2, 1], 'group 0 has two parity buckets, group 1 one: K or K - 1');
lab.expectEqual(lab.audit(0).unequal, 0, 'the new parity encodes the data, with the changes');
const blocks = lab.events({ kind: 'ContentsArrived', since: start });
lab.expectEqual([...new Set(blocks.map(e => e.position))].sort(), [0, 1, 2, 3], 'the contents of all four data buckets were read');
lab.expectError('Refused', () => lab.addParity(0));

lab.step('d', 'Group 1 waits for its turn');
lab.camera({ fit: 'file', speed: 2 });
lab.say('Group 1 waits until the split pointer stands at bucket 4.');
const walk = lab.here();
while (lab.group(1).k < 2 && lab.file().M < 14) {
    if (lab.spares().data < 2)
        lab.addSpares({ data: 2, parity: 2 });
    lab.split();
}
lab.settle();
// An event may be lost: then its caption is not said.
const opens = group => ahead(eventOf('NodeRecruited', walk, e => e.place.startsWith('parity ' + group + '.') || e.place === 'data ' + 4 * group));
if (opens(2))
    lab.say('Bucket 8 opens group 2. Two parity buckets come with it, from the start.', { at: opens(2) });
lab.say('Spares are added, and buckets 9, 10 and 11 follow. Each split moves the pointer by one.', { at: eventOf('GroupCreated', walk) });
lab.say('The split pointer is at bucket 4. Before it is split, group 1 gets its second parity bucket.', { at: ahead(eventOf('ParityCreationOrdered', walk)) });
if (opens(3))
    lab.say('Then bucket 4 is split, and bucket 12 opens group 3. The pointer moves on.', { at: opens(3) });
lab.expectEqual([lab.group(0).k, lab.group(1).k, lab.group(2).k], [2, 2, 2], 'it has its second parity bucket now, and the new group 2 was made with two');
lab.expectEqual(lab.audit().unequal, 0, 'all parity encodes the data');

lab.step('e', 'What it is good for');
lab.addSpares({ data: 2 });
const before = lab.witness(lab.data([4, 6])), fault = lab.here();
lab.say('Now buckets 4 and 6 end together. With one parity bucket, their records would be lost.');
lab.kill(lab.data([4, 6]));
const back = lab.waitFor('RecoveryFinished', { where: { group: 1 }, since: fault, timeout: 30 });
lab.settle();
lab.say('Both are silent and have failed. Parity bucket 1.' + eventOf('RecoveryStarted', fault).manager + ' computes them, slice by slice.', { at: eventOf('RecoveryStarted', fault) });
lab.say('Buckets 4 and 6 are back as they were.', { at: back });
const same = before.compare();
lab.expectEqual([same.equal, same.changed + same.missing + same.extra], [same.records, 0], 'both are back as they were');
lab.say('Alice reads all her records. Her image and addresses are old: requests are passed on, or she asks the coordinator.');
const all = alice.verify();
lab.expectEqual([all.equal, all.missing + all.lost + all.wrong], [all.keys, 0], 'no record is lost');
lab.say('Alice finds every record. Each group survives two failures now.');
