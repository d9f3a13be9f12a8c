// scenarios/recover_k.js   @title k buckets fail and come back   @minutes 6   @needs 14 processes
// SPDX-License-Identifier: GPL-3.0-or-later
// Steps (c), (e) and (f) of the demo of 2004: k buckets of a group fail, bucket recovery slice by slice, the contents
// that came back; then a data bucket and a parity bucket at once, and a bucket that was only asleep.
const p = lab.params({ b: 20, slice: 5 });

lab.cluster({ m: 4, k: 2, b: p.b, recordBytes: 100, slice: p.slice, recovery: 'automatic', spares: { data: 8, parity: 4 } });
const alice = lab.client('alice');

lab.step('a', 'A file that survives two failures');
lab.camera({ fit: 'file', layers: { deltas: true, ranks: true, spares: true } });
for (let i = 0; i < 6; ++i) {
    alice.run({ do: 'insert', count: p.b / 2 });
    lab.settle();
}
while (lab.file().M < 4)
    lab.split();
lab.settle();
lab.say('Four data buckets, and two parity buckets beside them. Whatever two of these six processes end, nothing is lost.');
lab.expectEqual([lab.group(0).data.length, lab.group(0).kEffective, lab.group(0).state], [4, 2, 'up'], 'the group has four data buckets and survives two failures');
lab.say('Members ask each other for leases ten times a second. Who is not heard for 150 ms is suspected.');

lab.step('b', 'Two buckets fail, and come back');
const lostRecord = lab.records(lab.data(1), { count: 1 })[0];
const before = lab.witness(lab.data([1, 2]), { pin: [lostRecord.rank] });
const former = [lab.bucket(lab.data(1)), lab.bucket(lab.data(2))];
const q = lab.predict({ text: 'Buckets 1 and 2 end at the same moment. Who is needed to compute their records?', choices: ['all six members', 'any four members', 'both parity buckets alone'] });
lab.camera({ speed: 0.25 }); // it takes a fifth of a second; it is shown slowly
const start = lab.here();
const two = lab.kill(lab.data([1, 2]));
lab.say('Two processes are gone, and their memory with them. Others miss them. But suspicion is no proof: the coordinator asks everybody.');
lab.waitFor('MemberSuspected', { where: { group: 0 }, since: start });
const failed = lab.waitFor('BucketFailed', { where: { group: 0 }, count: 2, since: start });
lab.expectEqual(failed.map(e => e.index).sort(), [1, 2], 'buckets 1 and 2 are declared failed, and no other');
lab.expectEqual(failed[1].kLeft, 0, 'the group survives no further failure now');
const cut = lab.waitFor('CutAgreed', { where: { group: 0 }, since: start });
lab.say('Who stays silent is declared failed. Changes are held for a moment, until both parity buckets have seen the same changes of the lost buckets: the cut.');
lab.expectEqual(cut.positions, [1, 2], 'one cut for each lost bucket');
const begun = lab.waitFor('RecoveryStarted', { where: { group: 0 }, since: start });
lab.highlight(lab.parity(0, begun.manager), { text: 'recovery manager' });
lab.say('One parity bucket manages the recovery. It asks the survivors for ' + p.slice + ' ranks, computes both lost records of each rank, and sends them to two spares.');
const done = lab.waitFor('RecoveryFinished', { where: { group: 0 }, since: start, timeout: 30 });
q.reveal(1, 'Any four of the six: here buckets 0 and 3 with both parity buckets.');
lab.say('While one slice is computed and sent, the next is on its way: nobody ever holds a whole bucket twice.');

lab.step('c', 'Slice by slice');
lab.camera({ speed: 1 });
const slices = lab.waitFor('SliceRecovered', { count: done.slices, since: start }); // the manager's word, which may come after the coordinator's
lab.expect(slices.length > 1 && slices.length === done.slices, 'the contents came back in several slices');
lab.waitFor('SliceStored', { count: 2 * done.slices, since: start }); // the spares' own words may come last
lab.expectEqual(lab.events({ kind: 'SliceStored', since: start }).length, 2 * done.slices, 'each slice went to both spares');
lab.print(done.records, 'records in', done.slices, 'slices:', (1000 * done.rebuild_s).toFixed(1), 'ms to rebuild,', (1000 * done.total_s).toFixed(0), 'ms from the first suspicion');
const timing = lab.recoveries({ group: 0, since: start })[0]; // as the recovery manager measured it
lab.row('recovery', timing);
lab.expectWithin(timing.process_s + timing.comm_s + timing.other_s, timing.total_s - 1e-6, timing.total_s + 1e-6, 'total is work, waiting for transfers, and the rest');
lab.print('of these', (1000 * timing.process_s).toFixed(1), 'ms work,', (1000 * timing.comm_s).toFixed(1), 'ms waiting for transfers');
lab.say(done.records + ' records came back in ' + done.slices + ' slices, ' + (1000 * done.total_s).toFixed(0) + ' ms after the first suspicion; computing and sending took ' + (1000 * done.rebuild_s).toFixed(0) + ' of them.');

lab.step('d', 'The recovered contents');
lab.settle();
const same = before.compare();
lab.camera({ view: 'compare', record: { group: 0, rank: lostRecord.rank } });
lab.expectEqual([same.equal, same.changed + same.missing + same.extra], [same.records, 0], 'all ' + same.records + ' records of both buckets are, byte for byte, what was lost');
lab.expect(same.pinned.every(row => row.equal && row.before === row.now), 'also the one whose bytes were kept');
const now = [lab.bucket(lab.data(1)), lab.bucket(lab.data(2))];
lab.expect(now.every((bucket, i) => bucket.process !== former[i].process && bucket.incarnation > former[i].incarnation), 'they live in other processes, under new incarnations');
const read = alice.verify();
lab.expectEqual([read.equal, read.missing + read.lost + read.wrong], [read.keys, 0], 'Alice finds every record that she wrote');
lab.expectEqual(lab.audit().unequal, 0, 'and the parity encodes them');
lab.expectEqual([lab.group(0).state, lab.group(0).kEffective], ['up', 2], 'the group survives two failures again');
lab.say('Byte for byte what was lost, in other processes. A copy of checksums, taken before, says so.');

lab.step('e', 'A data bucket and a parity bucket');
lab.camera({ fit: 'file', speed: 0.5 });
const second = lab.here(), third = lab.witness(lab.data(0));
lab.say('Now bucket 0, and the parity bucket for which XOR would be enough. The other parity bucket must multiply.');
lab.kill([lab.data(0), lab.parity(0, 0)]);
const again = lab.waitFor('RecoveryFinished', { where: { group: 0 }, since: second, timeout: 30 });
lab.expectEqual(again.buckets, [0], 'the data bucket comes back first');
lab.waitFor('ParityBucketFilled', { where: { place: 'parity 0.0' }, since: second, timeout: 30 });
lab.say('The data bucket comes back first. Then a spare of the other pool asks all data buckets for their contents and becomes the new parity bucket.');
lab.settle();
lab.expect(lab.events({ kind: 'SliceRecovered', since: second }).some(e => !e.isXor), 'this time by Reed-Solomon decoding, not by XOR');
lab.expectEqual(third.compare().equal, third.compare().records, 'bucket 0 holds what it held');
lab.expectEqual([lab.group(0).state, lab.group(0).kEffective], ['up', 2], 'all members are back');
lab.expectEqual(lab.audit().unequal, 0, 'old and new parity encode the data');

lab.step('f', 'A bucket that was only asleep');
lab.restart(two);
const fourth = lab.here(), sleeper = lab.bucket(lab.data(3)).process;
lab.say('Bucket 3 is not ended but stopped where it stands. The others cannot know that: to them it is as silent as the dead.');
const nap = lab.pause(lab.data(3), { lease: 3600 });
lab.waitFor('RecoveryFinished', { where: { group: 0 }, since: fourth, timeout: 30 });
lab.say('Its place is given to a spare. The old process stands outside the file now: its incarnation is fenced, so nobody grants it a lease or takes its changes.');
lab.resume(nap);
lab.waitFor('NodeReleased', { where: { process: sleeper }, since: fourth, timeout: 20 });
lab.say('It wakes up and learns that it is no bucket any more. It drops its records and becomes a spare.');
lab.settle();
lab.expect(lab.bucket(lab.data(3)).process !== sleeper, 'bucket 3 lives elsewhere, and only there');
lab.expectEqual(lab.audit().unequal, 0, 'the parity encodes the data');
const all = alice.verify();
lab.expectEqual([all.equal, all.missing + all.lost + all.wrong], [all.keys, 0], 'four processes have ended and one was replaced, and no record is lost');
lab.expectLamps({ ids: ['I1', 'I5', 'I6', 'I7', 'I13'], checked: true });
lab.camera({ speed: 1 });
lab.say('Four processes ended, one slept. The file is as it was.');
