// scenarios/beyond_k.js   @title One failure too many   @minutes 4   @needs 17 processes   @lecture 7
// SPDX-License-Identifier: GPL-3.0-or-later
// What happens when more buckets of a group fail than its parity can replace: the file says what is lost and what is not.
const key = a => lab.keysFor(lab.data(a), 1, { existing: true })[0];
const eventOf = (kind, since) => lab.events({ kind: kind, since: since })[0];

// A caption said there stands before this event is seen.
const ahead = event => event && Object.assign({}, event, { eventIndex: event.eventIndex - 1, t_s: event.t_s - 1e-6 });

function fill(k, spares, words) {
    lab.cluster({ m: 4, k: k, b: 20, slice: 5, recovery: 'automatic', spares: spares });
    const client = lab.client('alice');
    lab.camera({ fit: 'file', layers: { deltas: true, ranks: true, spares: true }, speed: 4 });
    lab.say(words);
    client.run({ do: 'insert', count: 90, window: 8 }); // so that every key, also a new one, has two digits
    lab.settle();
    while (lab.file().M < 8)
        lab.split();
    lab.settle();
    lab.camera({ speed: 1 });
    return client;
}

lab.step('1', 'k failures: nothing is lost');
const alice = fill(1, { data: 9, parity: 2 }, 'A file grows by splits, until there are two groups of four data buckets.');
lab.say('Parity bucket 0.0 and parity bucket 1.0: each group survives one failure. One data server is spare.');
lab.say('Now the process of bucket 2 is ended, and its memory with it.');
const first = lab.here();
const single = lab.kill(lab.data(2));
const failed = lab.waitFor('BucketFailed', { where: { group: 0 }, since: first });
const back = lab.waitFor('RecoveryFinished', { where: { group: 0 }, since: first, timeout: 30 });
lab.say('Bucket 2 stays silent, so it has failed. Now "effective k = 0": the group survives no further failure.', { at: ahead(failed) });
lab.say('Parity bucket 0.0 computes bucket 2 anew, slice by slice, on the spare.', { at: eventOf('RecoveryStarted', first) });
lab.say('Bucket 2 is back. Its old process is started again, and waits as a spare.', { at: back });
lab.expectEqual(failed.kLeft, 0, 'the header of the group says it: it survives no further failure');
lab.restart(single);
lab.settle();
lab.say('Alice reads all her records. Requests are passed on, and the coordinator tells her where bucket 2 is now.');
const once = alice.verify();
lab.expectEqual([once.equal, once.lost], [once.keys, 0], 'one failure cost no record');
lab.say('All ' + once.equal + ' are there: one failure cost none.');

lab.step('2', 'k + 1 failures: the file says so');
const inDead = key(1), inLive = key(0), elsewhere = key(5);
const second = lab.here();
lab.say('Now buckets 1 and 2 end together. That is one more than parity bucket 0.0 can replace.');
const fatal = lab.kill(lab.data([1, 2]));
const q = lab.predict({ text: 'What will a search in bucket 1 answer?', choices: ['the record', 'not found', 'lost'] });
const suspected = lab.waitFor('MemberSuspected', { where: { group: 0 }, since: second });
lab.say('Buckets 1 and 2 are silent. Three of five members are left, four are needed.', { at: suspected });
lab.camera({ speed: 8 });
lab.say('Are they only asleep? For more than ten seconds the coordinator asks them again and again.');
const lost = lab.waitFor('GroupLost', { where: { group: 0 }, since: second, timeout: 40 });
lab.say('They did not come back. Group 0 is LOST, with buckets 1 and 2.', { at: lost });
lab.camera({ speed: 1 });
lab.expectWithin(lost.t_s - suspected.t_s, 5, 60, 'no member is given up before the ten seconds are over');
lab.say('Alice searches for a key of bucket 1. It is silent: she asks again, and waits.');
const asked = lab.here(), answer = alice.search(inDead);
const alarm = lab.events({ kind: 'MessageSent', since: asked }).find(e => e.what === 'alarm'), told = eventOf('OperationDone', asked);
if (alarm)
    lab.say('So Alice asks the coordinator for bucket 1.', { at: ahead(alarm) });
q.reveal(2, 'The coordinator knows that bucket 1 is lost, and says so. "Not found" would be wrong.', { at: ahead(told) });
lab.expectEqual(answer.result, 'lost', 'a lost record is called lost, never "not found"');
lab.expectEqual([lost.buckets, lab.group(0).state, lab.group(0).kEffective], [[1, 2], 'lost', 0], 'group 0 is lost, with buckets 1 and 2');
lab.print('buckets lost:', lost.buckets);

lab.step('3', 'The damage is contained');
lab.say('Bucket 0 is alive: Alice finds her records there as before.');
lab.expectEqual(alice.search(inLive).result, 'found', 'a live bucket of the same group still answers searches');
lab.say('But bucket 0 refuses a new record: nothing would protect it.');
lab.expectEqual(alice.insert(lab.keysFor(lab.data(0), 1, { first: 90 })[0]).result, 'lost', 'but takes no change, because nothing would protect it');
lab.say('Group 1 does not notice. Bucket 5 answers, and bucket 6 takes a new record.');
lab.expectEqual(alice.search(elsewhere).result, 'found', 'the other group does not notice');
lab.expectEqual(alice.insert(lab.keysFor(lab.data(6), 1, { first: 90 })[0]).result, 'inserted', 'and still takes changes');
lab.say('The two processes start again, empty. That does not bring buckets 1 and 2 back.');
lab.restart(fatal);
lab.expectEqual(lab.group(0).state, 'lost', 'servers that come back empty do not undo the loss');
lab.say('Alice reads all that she ever wrote. For what was in buckets 1 and 2, she asks the coordinator.');
const read = alice.verify();
lab.expectEqual([read.missing, read.wrong], [0, 0], 'no search says "not found", none brings a wrong record');
lab.expectWithin(read.lost, 1, read.keys - 1, 'some records are lost, and said to be');
lab.print(read.lost, 'of', read.keys, 'records are lost,', read.equal, 'are there');
lab.say('Alice was told "lost" for ' + read.lost + ' records. The other ' + read.equal + ' are there.');

lab.step('4', 'The same two failures with k = 2');
const bob = fill(2, { data: 10, parity: 4 }, 'The same file grows by splits once more, now with two parity buckets per group.');
const third = lab.here();
lab.say('Again the processes of buckets 1 and 2 are ended together.');
lab.kill(lab.data([1, 2]));
const whole = lab.waitFor('RecoveryFinished', { where: { group: 0 }, since: third, timeout: 30 });
lab.settle();
const begun = eventOf('RecoveryStarted', third);
lab.say('Both stay silent, so they have failed. Changes wait until the others agree on one state.', { at: ahead(eventOf('BucketFailed', third)) });
lab.say('Four of six members are left, and four are needed: buckets 1 and 2 are computed.', { at: begun });
lab.say('Buckets 1 and 2 are back, in other processes.', { at: whole });
lab.say('Alice reads all her records. Requests are passed on, and the coordinator tells her where buckets 1 and 2 are now.');
const all = bob.verify();
lab.expectEqual([all.equal, all.missing + all.lost + all.wrong], [all.keys, 0], 'nothing is missing');
lab.expectEqual(lab.group(0).kEffective, 2, 'and the group survives two failures again');
lab.say('Nothing is lost. That is what one more parity bucket is worth.');
