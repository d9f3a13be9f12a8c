// scenarios/exercises/01_first_split.js   @title The first split   @exercise 1   @minutes 2   @needs 8 processes
// SPDX-License-Identifier: GPL-3.0-or-later
// A bucket that has more than b records overflows, and the file is split.
lab.cluster({ m: 4, k: 1, b: 10, recordBytes: 20, spares: { data: 4, parity: 2 } });
lab.client('alice');
const count = (n, one, more) => n + ' ' + (n === 1 ? one : more || one + 's');

lab.exercise({
    task: 'A data bucket of this file has room for 10 records. Insert records until the file is split for the ' +
        'first time, and then stop.',
    hints: ['The file is split when a bucket has more records than its capacity. It has 10: how many records are ' +
            'needed?',
        'In the window: set the number of operations to 1 and press Ctrl+I again and again. In a script: ' +
            'alice.insert().'],
    goals: [{
        text: 'an insert made bucket 0 overflow',
        judge(events) {
            const inserted = events.filter(e => e.kind === 'RecordInserted').length,
                full = events.find(e => e.kind === 'BucketOverflowed');
            if (!full)
                return { held: false, why: count(inserted, 'record')
                    + ' inserted so far; bucket 0 has not overflowed.' };
            return { held: true, why: 'Bucket 0 overflowed with ' + count(full.count, 'record')
                + ', one more than its 10.' };
        }
    }, {
        text: 'the file was split once, and not again',
        judge(events) {
            const done = events.filter(e => e.kind === 'SplitFinished'),
                full = events.some(e => e.kind === 'BucketOverflowed');
            if (done.length > 1)
                return { failed: true, why: 'The file was split ' + done.length
                    + ' times. Insert fewer records at once.' };
            if (done.length === 0)
                return { held: false, why: 'No split has finished yet.' };
            if (!full)
                return { failed: true, why: 'The split was ordered by hand, before any bucket had overflowed.' };
            return { held: true, why: 'Bucket ' + done[0].bucket + ' was split into buckets ' + done[0].bucket + ' and '
                + done[0].newBucket + '; '
                + count(done[0].moved, 'record') + ' moved to bucket ' + done[0].newBucket + ', those with odd keys.' };
        }
    }]
});
