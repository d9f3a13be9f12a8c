// scenarios/stale_image.js   @title A client with an old image of the file   @minutes 3   @needs 13 processes   @lecture 3
// SPDX-License-Identifier: GPL-3.0-or-later
// A client addresses with its image (i', n') of the file. When the file has grown, it addresses wrongly; the bucket that
// is asked passes the request on, at most twice, and the answer brings an image adjustment.
lab.cluster({ m: 4, k: 1, b: 20, recordBytes: 100, spares: { data: 8, parity: 2 } });
const alice = lab.client('alice'), bob = lab.client('bob');

lab.step('a', 'Bob sees the file while it is small');
lab.camera({ fit: 'file', layers: { spares: false } });
lab.say('The file begins as bucket 0. It will soon be spread over eight servers.');
lab.say('A client such as Bob must know which bucket has a key. So he keeps an image of the file.');
lab.say('Alice inserts a record into bucket 0.');
const old = alice.insert();
lab.say('Then Bob searches for it, and finds it there.');
lab.expectEqual([bob.search(old.key).forwards, bob.image().M], [0, 1], 'one bucket, and Bob knows it');
lab.say('Bob remembers: the file is bucket 0 alone. Nobody will tell him when it grows.');

lab.step('b', 'Meanwhile the file grows to eight buckets');
lab.camera({ speed: 2 });
lab.say('Alice inserts, bucket after bucket is split, and Bob hears nothing about it.');
alice.run({ do: 'insert', count: 100, window: 4 });
lab.settle();
while (lab.file().M < 8)
    lab.split();
lab.settle();
lab.camera({ view: 'image', fit: bob, speed: 1 });
lab.expectEqual([bob.image().M, bob.image().behind], [1, 7], 'Bob is seven buckets behind');
lab.say('Above is the truth, eight buckets. Below is what Bob believes: one.');

lab.step('c', 'A wrong address, and the way to the right one');
lab.waitFor('Gauges', { where: e => e.place === 'data 7', since: lab.here(), count: 2 }); // by then it has its first lease
const far = lab.keysFor(lab.data(7), 1, { existing: true })[0];
lab.camera({ fit: 'file', speed: 0.7 }); // of his image the panel explains the newest key, which is still an old one
lab.say('Bob wants a key of bucket 7. He knows of one bucket, so he will ask bucket 0.');
const q = lab.predict({ text: 'A bucket passes on what is not its own. How many times is this request passed on?', choices: ['never', 'once', 'twice', 'seven times'] });
const beyond = lab.here(), seen = bob.search(far);
const isTold = lab.events({ kind: 'MessageSent', since: beyond }).some(e => e.what === 'where_is' && e.process !== 'bob');
q.reveal(seen.forwards, 'From bucket 0 to bucket 3' + (isTold ? ', whose address the coordinator gave,' : ',') + ' and from 3 to bucket 7. Never more than two, in a file of any size.');
lab.expectEqual([seen.result, seen.forwards, seen.iam], ['found', 2, true], 'found after two forwards, and the answer adjusts his image');
const adjusted = lab.waitFor('ImageAdjusted');
lab.print('image', '(' + adjusted.before.i + ', ' + adjusted.before.n + ')', 'becomes', '(' + adjusted.after.i + ', ' + adjusted.after.n + ')');
lab.camera({ view: 'image', fit: bob, speed: 1 });
lab.say('The answer told Bob a bucket and its level. Now the key leads him straight to bucket 7.');
lab.expectEqual([bob.search(far).forwards, bob.image().M > 1], [0, true], 'the same key again goes straight to its bucket');

lab.step('d', 'Every key, from the oldest possible image');
lab.camera({ view: 'image', fit: bob });
lab.say('Bob forgets what he knows, and searches for a key of each bucket.');
let worst = 0, adjustments = 0, before = bob.forget();
lab.expectEqual(before.M, 1, 'Bob has forgotten everything');
for (const a of [6, 3, 5, 1, 7, 2, 4, 0]) {
    const one = bob.search(lab.keysFor(lab.data(a), 1, { existing: true })[0]);
    worst = Math.max(worst, one.forwards);
    adjustments += one.iam ? 1 : 0;
}
lab.expectWithin(worst, 1, 2, 'no request was passed on more than twice');
lab.expectWithin(adjustments, 1, 3, 'and two or three adjustments taught Bob all eight buckets');
lab.expectEqual(bob.image().behind, 0, 'now he knows them');
lab.print(adjustments, 'image adjustments, at most', worst, 'forwards');
lab.say('Never more than two forwards, and after ' + (adjustments === 1 ? 'one more adjustment' : adjustments + ' more adjustments') + ' Bob knows all eight buckets.');
lab.say('He asked the coordinator only for network addresses, which he had forgotten too: never where a key is.');

lab.step('e', 'What the image is worth');
lab.camera({ fit: 'file' });
const carol = lab.client('carol'), costs = {};
lab.say('Carol is a third client. What is an image worth to her?');
const ways = {
    frozen: 'Carol searches with a frozen image: she never learns, and bucket 0 gets every request.',
    adjusting: 'Now each answer may adjust her image. Carol soon goes straight to each bucket.',
    exact: 'Now Carol asks the coordinator before each search. She is never wrong, but asks each time.'
};
const keys = [0, 1, 2, 3, 4, 5, 6, 7].reduce((list, a) => list.concat(lab.keysFor(lab.data(a), 5, { existing: true })), []);
carol.search(keys[0]); // seen under that caption
for (const image of ['frozen', 'adjusting', 'exact']) {
    lab.client('carol', { image: image });
    lab.camera({ speed: image === 'frozen' ? 3 : 1 });
    lab.say(ways[image]);
    if (image !== 'exact')
        carol.forget();
    const done = carol.run({ do: 'search', keys: keys });
    const messages = done.messages + done.forwards; // the client's own, and those that passed its requests on
    costs[image] = { forwards: done.forwards, messages: messages };
    lab.row('image', { image: image, searches: done.operations, forwards: done.forwards, iams: done.iams, messages_in_all: messages, per_op_ms: done.per_op_ms });
    lab.print(image + ':', done.forwards, 'forwards for', done.operations, 'searches,', messages, 'messages in all');
}
lab.say('Messages of the ' + keys.length + ' searches: frozen ' + costs.frozen.messages + ', adjusting ' + costs.adjusting.messages + ', exact ' + costs.exact.messages + '.');
lab.chart({ table: 'image', x: 'image', y: ['forwards', 'messages_in_all'], title: 'The same ' + keys.length + ' searches, by image' });
lab.say('That is two for each search, one for each forward, and two for each question where to ask.');
lab.expect(costs.frozen.forwards > costs.adjusting.forwards, 'with a frozen image nearly every search is passed on');
lab.expectWithin(costs.adjusting.forwards, 1, 6, 'with adjustments only the first few are');
lab.expectEqual(costs.exact.forwards, 0, 'a client that asks the coordinator is never wrong');
lab.expect(costs.exact.messages > costs.adjusting.messages && costs.frozen.messages > costs.adjusting.messages, 'but pays for it with a question each time');
lab.say('A client pays for a mistake once, then knows better: so no directory of keys is needed.');
