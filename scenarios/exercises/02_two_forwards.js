// scenarios/exercises/02_two_forwards.js   @title Exactly two forwards   @exercise 2   @minutes 3   @needs 13 processes
// SPDX-License-Identifier: GPL-3.0-or-later
// A client with an old image addresses wrongly; each bucket that is asked checks the address, and passes the request
// on.
lab.cluster({ m: 4, k: 1, b: 20, recordBytes: 20, spares: { data: 8, parity: 2 } });
const alice = lab.client('alice');
lab.client('bob'); // believes in one bucket
alice.run({ do: 'insert', count: 100 });
lab.settle();
while (lab.file().M < 8)
    lab.split();

lab.exercise({
    task: 'The file has eight buckets, and Bob knows of one. Get one of his operations forwarded exactly twice.',
    hints: ['Bob sends every request to bucket 0. Bucket 0 looks at three bits of the key, then at two: which ' +
            'buckets can it pass a request on to?',
        'A request goes from bucket 0 to bucket 3, and from there to one more. Which key ends in a bucket that ' +
            'bucket 3 was split into?',
        'In the window: choose bob as the client, select that bucket and press Alt+F. Bob\'s first answer teaches ' +
            'him: begin anew if you chose the wrong bucket.'],
    goals: [{
        text: 'one operation of bob was forwarded twice',
        judge(events) {
            const done = events.filter(e => e.kind === 'OperationDone' && e.client === 'bob');
            const twice = done.find(e => e.forwards === 2);
            if (twice) {
                const way = events.filter(e => e.kind === 'OperationForwarded' && e.client === 'bob'
                    && e.op === twice.op);
                if (way.length === 2)
                    return { held: true, why: 'Bob sent key ' + twice.key + ' to bucket ' + way[0].from
                        + '; it was passed on to bucket ' + way[0].to
                        + ', and from there to bucket ' + way[1].to + '.' };
                return { held: false, why: 'The path of key ' + twice.key + ' has not been reported completely yet.' };
            }
            if (done.length === 0)
                return { held: false, why: 'Bob has done nothing yet.' };
            const adjusted = events.find(e => e.kind === 'ImageAdjusted' && e.client === 'bob');
            const last = done[done.length - 1], words = 'Key ' + last.key + ' reached bucket ' + last.bucket + ' after '
                + last.forwards + (last.forwards === 1 ? ' forward' : ' forwards');
            return { held: false, why: words + (adjusted
                ? '. Bob knows of more buckets now, which makes two forwards harder to get.' : '.') };
        }
    }]
});
