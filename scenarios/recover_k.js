// scenarios/recover_k.js   @title k buckets fail and come back   @minutes 4   @needs 14 processes   @lecture 4
// SPDX-License-Identifier: GPL-3.0-or-later
// Steps (c), (e) and (f) of the demo of 2004: k buckets of a group fail, bucket recovery slice by slice, the contents
// that came back; then a data bucket and a parity bucket at once, and a bucket that was only asleep.
const p = lab.params({ b: 20, slice: 5 });

lab.cluster({ m: 4, k: 2, b: p.b, recordBytes: 100, slice: p.slice, recovery: 'automatic', spares: { data: 8, parity: 4 } });
const alice = lab.client('alice');
const eventOf = (kind, since) => lab.events({ kind: kind, since: since })[0];

// A caption said there stands before this event is seen.
const ahead = event => event && Object.assign({}, event, { eventIndex: event.eventIndex - 1, t_s: event.t_s - 1e-6 });

lab.step('a', 'A file that survives two failures');
lab.camera({ fit: 'file', layers: { deltas: true, ranks: true, spares: true }, speed: 2 });
lab.say('The file begins as bucket 0, with two parity buckets beside it.');
lab.say('Alice inserts records. Each time a bucket is full, one is split, up to four buckets.');
for (let i = 0; i < 6; ++i) {
    alice.run({ do: 'insert', count: p.b / 2 });
    lab.settle();
}
while (lab.file().M < 4)
    lab.split();
lab.settle();
lab.camera({ speed: 1 });
lab.say('With parity bucket 0.0 and parity bucket 0.1, any two of these six may fail.');
lab.expectEqual([lab.group(0).data.length, lab.group(0).kEffective, lab.group(0).state], [4, 2, 'up'], 'the group has four data buckets and survives two failures');
lab.say('The members watch each other. One that is silent for 150 ms is suspected.');

lab.step('b', 'Two buckets fail, and come back');
const lostRecord = lab.records(lab.data(1), { count: 1 })[0];
const before = lab.witness(lab.data([1, 2]), { pin: [lostRecord.rank] });
const former = [lab.bucket(lab.data(1)), lab.bucket(lab.data(2))];
const start = lab.here();
lab.say('Now the processes of buckets 1 and 2 are ended, and their memory with them.');
const two = lab.kill(lab.data([1, 2]));
const q = lab.predict({ text: 'How many of the six members are enough to compute the others?', choices: ['three', 'four', 'five'] });
lab.camera({ speed: 4 });
const suspected = lab.waitFor('MemberSuspected', { where: { group: 0 }, since: start });
const failed = lab.waitFor('BucketFailed', { where: { group: 0 }, count: 2, since: start });
const cut = lab.waitFor('CutAgreed', { where: { group: 0 }, since: start });
const begun = lab.waitFor('RecoveryStarted', { where: { group: 0 }, since: start });
const done = lab.waitFor('RecoveryFinished', { where: { group: 0 }, since: start, timeout: 30 });
const slices = lab.waitFor('SliceRecovered', { count: done.slices, since: start }); // the manager's word, which may come after the coordinator's
const stored = lab.waitFor('SliceStored', { count: 2 * done.slices, since: start }); // the spares' own words may come last
lab.settle();
q.reveal(1, 'Any four: here buckets 0 and 3, with parity bucket 0.0 and parity bucket 0.1. That was fast, so once more:');
lab.expectEqual(failed.map(e => e.index).sort(), [1, 2], 'buckets 1 and 2 are declared failed, and no other');
lab.expectEqual(failed[1].kLeft, 0, 'the group survives no further failure now');
lab.expectEqual(cut.positions, [1, 2], 'one cut for each lost bucket');
lab.camera({ speed: 1 });
lab.replay({ from: start, to: cut, at: [
    [ahead(suspected), 'The others hear nothing more from them. But suspicion is not proof: the coordinator asks all six.'],
    [ahead(failed[0]), 'Buckets 1 and 2 stay silent, so they are declared failed. Changes have to wait a moment.'],
    [ahead(lab.events({ kind: 'MessageSent', since: start }).find(e => e.what === 'cut_report')) || cut, 'The cut: parity bucket 0.0 and parity bucket 0.1 agree on one state of the lost buckets.']] });
lab.say('By now buckets 1 and 2 are back. Next: how that happened.');

lab.step('c', 'Slice by slice');
lab.say('Now slowly: how buckets 1 and 2 came back.');
const invited = eventOf('InvitationSent', start); // an event may be lost
lab.replay({ from: cut, to: stored[stored.length - 1], at: (invited && invited.eventIndex > cut.eventIndex
    ? [[ahead(invited), 'First, two spares are invited to become buckets 1 and 2.']] : []).concat([
    [begun, 'Parity bucket 0.' + begun.manager + ' manages the recovery. It asks the survivors for ' + p.slice + ' ranks at a time.'],
    [slices[0], 'Of each rank it has four members, and computes the two that are lost.'],
    [ahead(stored[0]), 'Each spare stores its part of a slice. Slices follow each other without waiting.'],
    [stored[stored.length - 1], 'All slices are stored: all records of buckets 1 and 2 are there again.']]) });
lab.expect(slices.length > 1 && slices.length === done.slices, 'the contents came back in several slices');
lab.expectEqual(lab.events({ kind: 'SliceStored', since: start }).length, 2 * done.slices, 'each slice went to both spares');
lab.print(done.records, 'records in', done.slices, 'slices:', (1000 * done.rebuild_s).toFixed(1), 'ms to rebuild,', (1000 * done.total_s).toFixed(0), 'ms from the first suspicion');
const timing = lab.recoveries({ group: 0, since: start })[0]; // as the recovery manager measured it
lab.row('recovery', timing);
lab.expectWithin(timing.process_s + timing.comm_s + timing.other_s, timing.total_s - 1e-6, timing.total_s + 1e-6, 'total is work, waiting for transfers, and the rest');
lab.print('of these', (1000 * timing.process_s).toFixed(1), 'ms work,', (1000 * timing.comm_s).toFixed(1), 'ms waiting for transfers');
lab.say('Buckets 1 and 2 were back ' + (1000 * done.total_s).toFixed(0) + ' ms after the first suspicion. Computing and sending took ' + (1000 * done.rebuild_s).toFixed(0) + ' ms of it.');

lab.step('d', 'The recovered contents');
lab.settle();
const now = [lab.bucket(lab.data(1)), lab.bucket(lab.data(2))];
lab.say('Buckets 1 and 2 live in other processes now: ' + now[0].process + ' and ' + now[1].process + '.');
const same = before.compare();
lab.expectEqual([same.equal, same.changed + same.missing + same.extra], [same.records, 0], 'all ' + same.records + ' records of both buckets are, byte for byte, what was lost');
lab.expect(same.pinned.every(row => row.equal && row.before === row.now), 'also the one whose bytes were kept');
lab.expect(now.every((bucket, i) => bucket.process !== former[i].process && bucket.incarnation > former[i].incarnation), 'they live in other processes, under new incarnations');
lab.say('Alice reads back every record. Where a bucket has moved, she asks the coordinator.');
const read = alice.verify();
lab.expectEqual([read.equal, read.missing + read.lost + read.wrong], [read.keys, 0], 'Alice finds every record that she wrote');
lab.expectEqual(lab.audit().unequal, 0, 'and the parity encodes them');
lab.expectEqual([lab.group(0).state, lab.group(0).kEffective], ['up', 2], 'the group survives two failures again');
lab.say('Buckets 1 and 2 hold byte for byte what was lost. Here is a record of bucket 1, before and now.');
lab.camera({ view: 'compare', record: { group: 0, rank: lostRecord.rank } });

lab.step('e', 'A data bucket and a parity bucket');
lab.camera({ fit: 'file' });
const second = lab.here(), third = lab.witness(lab.data(0));
lab.say('Now bucket 0 fails, and parity bucket 0.0 with it. So parity bucket 0.1 is needed, the one that multiplies.');
lab.kill([lab.data(0), lab.parity(0, 0)]);
const again = lab.waitFor('RecoveryFinished', { where: { group: 0 }, since: second, timeout: 30 });
const filled = lab.waitFor('ParityBucketFilled', { where: { place: 'parity 0.0' }, since: second, timeout: 30 });
lab.settle();
const helper = eventOf('RecoveryStarted', second);
lab.say('Parity bucket 0.' + helper.manager + ' computes bucket 0 by Reed-Solomon decoding, slice by slice.', { at: helper });
lab.say('Bucket 0 is back. A spare now asks the data buckets for their contents.', { at: again });
lab.say('From these it has computed a new parity bucket 0.0.', { at: filled });
lab.expectEqual(again.buckets, [0], 'the data bucket comes back first');
lab.expect(lab.events({ kind: 'SliceRecovered', since: second }).some(e => !e.isXor), 'this time by Reed-Solomon decoding, not by XOR');
lab.expectEqual(third.compare().equal, third.compare().records, 'bucket 0 holds what it held');
lab.expectEqual([lab.group(0).state, lab.group(0).kEffective], ['up', 2], 'all members are back');
lab.expectEqual(lab.audit().unequal, 0, 'old and new parity encode the data');

lab.step('f', 'A bucket that was only asleep');
lab.restart(two);
const fourth = lab.here(), sleeper = lab.bucket(lab.data(3)).process;
lab.say('Two ended processes are started again, as spares. Bucket 3 only sleeps, but to the others it is as silent as a dead one.');
const nap = lab.pause(lab.data(3), { lease: 3600 });
const replaced = lab.waitFor('RecoveryFinished', { where: { group: 0 }, since: fourth, timeout: 30 });
lab.say('So it is declared failed. Parity bucket 0.' + eventOf('RecoveryStarted', fourth).manager + ' computes bucket 3 for a spare, slice by slice.', { at: ahead(eventOf('BucketFailed', fourth)) });
lab.say('Bucket 3 is another process now. The old one is fenced: its changes are refused.', { at: replaced });
lab.say('The sleeper, ' + sleeper + ', wakes up. It learns that its place is taken.');
lab.resume(nap);
const released = lab.waitFor('NodeReleased', { where: { process: sleeper }, since: fourth, timeout: 20 });
lab.say('It drops its records and becomes a spare.', { at: ahead(released) });
lab.settle();
lab.expect(lab.bucket(lab.data(3)).process !== sleeper, 'bucket 3 lives elsewhere, and only there');
lab.expectEqual(lab.audit().unequal, 0, 'the parity encodes the data');
lab.say('Alice reads all her records once more. Where her addresses are old, she is told new ones.');
const all = alice.verify();
lab.expectEqual([all.equal, all.missing + all.lost + all.wrong], [all.keys, 0], 'four processes have ended and one was replaced, and no record is lost');
lab.expectInvariants({ ids: ['I1', 'I5', 'I6', 'I7', 'I13'], checked: true });
lab.say('Four processes ended, one slept. The file is as it was.');
