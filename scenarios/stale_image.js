// scenarios/stale_image.js   @title A client that believes in an old file   @minutes 4   @needs 13 processes
// SPDX-License-Identifier: GPL-3.0-or-later
// A client addresses with its image (i', n') of the file. When the file has grown, it addresses wrongly; the bucket that
// is asked passes the request on, at most twice, and the answer brings an image adjustment.
lab.cluster({ m: 4, k: 1, b: 20, recordBytes: 100, spares: { data: 8, parity: 2 } });
const alice = lab.client('alice'), bob = lab.client('bob');

lab.step('a', 'Bob sees the file while it is small');
lab.camera({ fit: 'file', layers: { spares: false } });
const old = alice.insert();
lab.expectEqual([bob.search(old.key).forwards, bob.image().M], [0, 1], 'one bucket, and Bob knows it');
lab.say('Bob looks at the file while it has one bucket. He remembers: i is 0, n is 0. Nobody will tell him when it grows.');

lab.step('b', 'Meanwhile the file grows to eight buckets');
alice.run({ do: 'insert', count: 100, window: 4 });
lab.settle();
while (lab.file().M < 8)
    lab.split();
lab.settle();
lab.camera({ view: 'image', fit: bob });
lab.expectEqual([bob.image().M, bob.image().behind], [1, 7], 'Bob is seven buckets behind');
lab.say('The truth has eight buckets, Bob believes in one. Above is what is, below what he believes.');

lab.step('c', 'A wrong address, and the way to the right one');
const far = lab.keysFor(lab.data(7), 1, { existing: true })[0];
const q = lab.predict({ text: 'Bob asks bucket 0 for a key of bucket 7. How often is his request passed on?', choices: ['not at all', 'once', 'twice', 'seven times'] });
const seen = bob.search(far);
q.reveal(seen.forwards, 'From 0 to 3, and from 3 to 7. Two is the most that can happen, in a file of any size.');
lab.expectEqual([seen.result, seen.forwards, seen.iam], ['found', 2, true], 'found after two forwards, and the answer adjusts his image');
const adjusted = lab.waitFor('ImageAdjusted');
lab.print('image', '(' + adjusted.before.i + ', ' + adjusted.before.n + ')', 'becomes', '(' + adjusted.after.i + ', ' + adjusted.after.n + ')');
lab.say('The answer names the last bucket that passed the request on, and its level. Two numbers are enough: Bob is never wrong about this key again.');
lab.expectEqual([bob.search(far).forwards, bob.image().M > 1], [0, true], 'the same key again goes straight to its bucket');

lab.step('d', 'Every key, from the oldest possible image');
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

lab.step('e', 'What the image is worth');
lab.camera({ fit: 'file' });
lab.say('Three ways to treat the image: never adjust it, adjust it, ask the coordinator before each operation.');
const carol = lab.client('carol'), costs = {};
const keys = [0, 1, 2, 3, 4, 5, 6, 7].reduce((list, a) => list.concat(lab.keysFor(lab.data(a), 5, { existing: true })), []);
for (const image of ['frozen', 'adjusting', 'exact']) {
    lab.client('carol', { image: image });
    if (image !== 'exact')
        carol.forget();
    const done = carol.run({ do: 'search', keys: keys });
    costs[image] = done;
    lab.row('image', { image: image, searches: done.operations, forwards: done.forwards, iams: done.iams, messages: done.messages, per_op_ms: done.per_op_ms });
    lab.print(image + ':', done.forwards, 'forwards for', done.operations, 'searches,', done.messages, 'messages of the client');
}
lab.expect(costs.frozen.forwards > costs.adjusting.forwards, 'with a frozen image nearly every search is passed on');
lab.expectWithin(costs.adjusting.forwards, 1, 6, 'with adjustments only the first few are');
lab.expectEqual(costs.exact.forwards, 0, 'who asks the coordinator is never wrong');
lab.expect(costs.exact.messages > costs.adjusting.messages, 'but pays for it with a question each time');
lab.say('Linear hashing pays for a mistake once and then knows better. That is why nobody needs a directory.');
