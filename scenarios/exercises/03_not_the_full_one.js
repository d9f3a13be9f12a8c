// scenarios/exercises/03_not_the_full_one.js   @title The bucket that is split is not the full one   @exercise 3   @minutes 3   @needs 9 processes
// SPDX-License-Identifier: GPL-3.0-or-later
// Splits go round in turn: whichever bucket overflows, the one at the split pointer is split.
lab.cluster({ m: 4, k: 1, b: 10, recordBytes: 20, spares: { data: 5, parity: 2 } });
const alice = lab.client('alice');
alice.run({ do: 'insert', keys: [0, 1, 2, 3, 4, 5] });
lab.split(); // two buckets: even and odd keys; the split pointer is at bucket 0

lab.exercise({
    task: 'Make bucket 0 split while bucket 1 is the full one. Bucket 0 itself must not overflow.',
    hints: ['The file has two buckets. Bucket 0 has the even keys, bucket 1 the odd ones.',
        'In the window: select bucket 1 and press Alt+I, which inserts one record there. In a script: ' +
            'alice.insert(lab.keysFor(lab.data(1), 1)[0]).'],
    goals: [{
        text: 'bucket 1 overflowed, and bucket 0 did not',
        judge(events, state) {
            const full = events.filter(e => e.kind === 'BucketOverflowed').map(e => e.place),
                one = state.buckets.find(b => b.number === 1);
            if (full.length > 0 && full[0] !== 'data 1')
                return { failed: true, why: 'The first bucket that overflowed was ' + full[0].replace('data', 'bucket')
                    + '.' };
            if (full.length === 0)
                return { held: false, why: 'Bucket 1 has ' + one.records + ' records; it overflows with the 11th.' };
            return { held: true, why: 'Bucket 1 reported that it has more than 10 records.' };
        }
    }, {
        text: 'because of that, bucket 0 was split',
        judge(events) {
            const full = events.findIndex(e => e.kind === 'BucketOverflowed' && e.place === 'data 1'),
                split = events.findIndex(e => e.kind === 'SplitOrdered');
            if (split < 0)
                return { held: false, why: 'No split has been ordered yet.' };
            if (full < 0 || events[full].t_s > events[split].t_s)
                return { failed: true, why: 'A split of bucket ' + events[split].bucket
                    + ' was ordered before bucket 1 was full.' };
            const done = events.find(e => e.kind === 'SplitFinished');
            if (!done)
                return { held: false, why: 'The split of bucket ' + events[split].bucket + ' is under way.' };
            return { held: done.bucket === 0, why: 'Bucket 1 was full, and bucket ' + done.bucket + ' was split into '
                + done.bucket + ' and ' + done.newBucket
                + ', because the split pointer stood there.' };
        }
    }]
});
