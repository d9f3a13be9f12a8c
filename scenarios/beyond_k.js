// scenarios/beyond_k.js   @title One failure too many   @minutes 6   @needs 17 processes
// SPDX-License-Identifier: GPL-3.0-or-later
// What happens when more buckets of a group fail than its parity can replace: the file says what is lost and what is not.
const key = a => lab.keysFor(lab.data(a), 1, { existing: true })[0];
function fill(k, spares) {
    lab.cluster({ m: 4, k: k, b: 20, slice: 5, recovery: 'automatic', spares: spares });
    const client = lab.client('alice');
    client.run({ do: 'insert', count: 100, window: 8 });
    lab.settle();
    while (lab.file().M < 8)
        lab.split();
    lab.settle();
    return client;
}

lab.step('1', 'k failures: nothing is lost');
const alice = fill(1, { data: 9, parity: 2 });
lab.camera({ fit: 'file', layers: { deltas: true, ranks: true, spares: true } });
lab.say('Two groups of four data buckets, one parity bucket each. One data server is spare.');
const first = lab.here();
const single = lab.kill(lab.data(2));
const failed = lab.waitFor('BucketFailed', { where: { group: 0 }, since: first });
lab.expectEqual(failed.kLeft, 0, 'the header of the group says it: it survives no further failure');
lab.waitFor('RecoveryFinished', { where: { group: 0 }, since: first, timeout: 30 });
lab.restart(single);
lab.settle();
const once = alice.verify();
lab.expectEqual([once.equal, once.lost], [once.keys, 0], 'one failure cost no record');
lab.say('The bucket is back on the spare. Its former process was started again and waits as a new spare.');

lab.step('2', 'k + 1 failures: the file says so');
const inDead = key(1), inLive = key(0), elsewhere = key(5);
const q = lab.predict({ text: 'Buckets 1 and 2 end at the same moment, k is 1. What does a search in bucket 1 answer?', choices: ['found, by decoding', 'not found', 'lost'] });
const second = lab.here();
const fatal = lab.kill(lab.data([1, 2]));
lab.say('Three of five members are left, four are needed. For ten seconds they may come back with their memory; then the coordinator gives them up.');
const suspected = lab.waitFor('MemberSuspected', { where: { group: 0 }, since: second });
const lost = lab.waitFor('GroupLost', { where: { group: 0 }, since: second, timeout: 40 });
lab.expectWithin(lost.t_s - suspected.t_s, 5, 60, 'nobody is given up before the ten seconds are over');
const answer = alice.search(inDead);
q.reveal(2, 'The key list of the parity bucket says which keys are gone, but not what they held.');
lab.expectEqual(answer.result, 'lost', 'a lost record is called lost, never "not found"');
lab.expectEqual([lost.buckets, lab.group(0).state, lab.group(0).kEffective], [[1, 2], 'lost', 0], 'group 0 is lost, with buckets 1 and 2');
lab.print('buckets lost:', lost.buckets);

lab.step('3', 'The damage has a border');
lab.expectEqual(alice.search(inLive).result, 'found', 'a live bucket of the same group still answers searches');
lab.expectEqual(alice.insert(lab.keysFor(lab.data(0), 1)[0]).result, 'lost', 'but takes no change, because nothing would protect it');
lab.expectEqual(alice.search(elsewhere).result, 'found', 'the other group does not notice');
lab.expectEqual(alice.insert(lab.keysFor(lab.data(6), 1)[0]).result, 'inserted', 'and still takes changes');
lab.say('What is lost is named, and everything else goes on.');
lab.restart(fatal);
lab.expectEqual(lab.group(0).state, 'lost', 'servers that come back empty do not undo the loss');
const read = alice.verify();
lab.expectEqual([read.missing, read.wrong], [0, 0], 'no search says "not found", none brings a wrong record');
lab.expectWithin(read.lost, 1, read.keys - 1, 'some records are lost, and said to be');
lab.print(read.lost, 'of', read.keys, 'records are lost,', read.equal, 'are there');

lab.step('4', 'The same two failures with k = 2');
const bob = fill(2, { data: 10, parity: 4 });
lab.camera({ fit: 'file' });
const third = lab.here();
lab.kill(lab.data([1, 2]));
lab.waitFor('RecoveryFinished', { where: { group: 0 }, since: third, timeout: 30 });
lab.settle();
const all = bob.verify();
lab.expectEqual([all.equal, all.missing + all.lost + all.wrong], [all.keys, 0], 'nothing is missing');
lab.expectEqual(lab.group(0).kEffective, 2, 'and the group survives two failures again');
lab.say('So much buys one parity bucket more.');
