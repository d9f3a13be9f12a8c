// scenarios/raise_availability.js   @title More parity for a live file   @minutes 5   @needs 16 processes
// SPDX-License-Identifier: GPL-3.0-or-later
// Step (b) of the demo of 2004: the availability of a file is raised while it is used. A further parity bucket is made
// from the contents of its group; writes go on. Then two failures show what it is good for.
const p = lab.params({ b: 20 });

lab.cluster({ m: 4, k: 1, b: p.b, recordBytes: 100, slice: 5, recovery: 'automatic', spares: { data: 10, parity: 5 } });
const alice = lab.client('alice');

lab.step('a', 'A file with availability 1');
lab.camera({ fit: 'file', layers: { deltas: true, ranks: true, spares: true } });
alice.run({ do: 'insert', count: 4 * p.b });
lab.settle();
while (lab.file().M < 8)
    lab.split();
lab.settle();
lab.expectEqual([lab.group(0).k, lab.group(1).k, lab.file().K], [1, 1, 1], 'two groups, each with one parity bucket');
lab.say('The more buckets a file has, the more likely it is that two of them fail together. So the availability has to grow with the file.');

lab.step('b', 'The intended availability is raised');
const q = lab.predict({ text: 'K is raised to 2. What happens to the groups that exist?', choices: ['all get a second parity bucket at once', 'each one when its turn comes', 'nothing, only new groups have two'] });
lab.expectEqual(lab.raiseAvailability(2), { K: 2, pending: false }, 'K is 2 at once, because the split pointer is at bucket 0');
lab.expectEqual([lab.group(0).k, lab.group(1).k], [1, 1], 'no group has changed yet');
q.reveal(1, 'A group gets it when the split pointer reaches it, so the cost comes in small portions. An operator may also ask for it at once.');

lab.step('c', 'Group 0 gets its second parity bucket, and is used meanwhile');
lab.camera({ fit: lab.parity(0, [0]) });
const start = lab.here();
const writing = alice.start({ do: 'update', count: 200, window: 4 });
const made = lab.addParity(0);
lab.say('A spare of the parity pool asks each data bucket for its contents and encodes them with a column of its own. Changes made meanwhile come to it as deltas.');
const written = writing.wait();
lab.expectEqual([written.results.ok, written.unanswered], [200, 0], 'all 200 changes made meanwhile are acknowledged');
lab.print('parity creation:', (1000 * made.total_s).toFixed(1), 'ms for', made.records, 'record groups');
lab.settle();
lab.expectEqual([lab.group(0).k, lab.group(1).k], [2, 1], 'group 0 has two parity buckets, group 1 one: K or K - 1');
lab.expectEqual(lab.audit(0).unequal, 0, 'the new parity encodes the data, with the changes');
const blocks = lab.events({ kind: 'ContentsArrived', since: start });
lab.expectEqual([...new Set(blocks.map(e => e.position))].sort(), [0, 1, 2, 3], 'the contents of all four data buckets were read');
lab.expectError('Refused', () => lab.addParity(0));

lab.step('d', 'Group 1 waits for its turn');
lab.camera({ fit: 'file' });
lab.say('Group 1 is reached by the split pointer at bucket 4. Each split before that only moves the pointer.');
while (lab.group(1).k < 2 && lab.file().M < 14) {
    if (lab.spares().data < 2)
        lab.addSpares({ data: 2, parity: 2 });
    lab.split();
}
lab.settle();
lab.expectEqual([lab.group(0).k, lab.group(1).k, lab.group(2).k], [2, 2, 2], 'it has its second parity bucket now, and the new group 2 was made with two');
lab.expectEqual(lab.audit().unequal, 0, 'all parity encodes the data');

lab.step('e', 'What it is good for');
lab.addSpares({ data: 2 });
const before = lab.witness(lab.data([4, 6])), fault = lab.here();
lab.kill(lab.data([4, 6]));
lab.say('Two buckets of group 1 end together. With one parity bucket their records would be lost.');
lab.waitFor('RecoveryFinished', { where: { group: 1 }, since: fault, timeout: 30 });
lab.settle();
const same = before.compare();
lab.expectEqual([same.equal, same.changed + same.missing + same.extra], [same.records, 0], 'both are back as they were');
const all = alice.verify();
lab.expectEqual([all.equal, all.missing + all.lost + all.wrong], [all.keys, 0], 'no record is lost');
lab.say('One parity bucket more for each group: the file survives two failures in each of them.');
