// scenarios/exercises/11_recovery_meets_split.js   @title A recovery and a split at the same time   @exercise 11   @minutes 6   @needs 17 processes
// SPDX-License-Identifier: GPL-3.0-or-later
// Groups fail and grow independently: while one is being rebuilt, another may be split. Within one group they take
// turns.
lab.cluster({ m: 2, k: 1, b: 150, recordBytes: 200, slice: 1, recovery: 'automatic', spares: { data: 9, parity: 6 } });
const alice = lab.client('alice');
alice.run({ do: 'insert', keys: Array.from({ length: 480 }, (_, i) => i), window: 8 });
lab.settle();
while (lab.file().M < 4)
    lab.split();

lab.exercise({
    task: 'Let a recovery and a split overlap: a split must begin while a failed bucket is not yet back. Both must ' +
        'end well, and no record may be lost.',
    hints: ['The file has two groups of two buckets, and the split pointer is at bucket 0 of group 0. A split ' +
            'waits for its own group. Which bucket may fail, so that it need not wait?',
        'A recovery takes some hundredths of a second, most of them until the silent bucket is declared failed. Do ' +
            'not wait for it: kill, and split at once.',
        'In a script: lab.kill(lab.data(3)); lab.waitFor(\'BucketFailed\'); lab.split().',
        'In the window: slow a simulated cluster down to 0.01 of real time and kill bucket 3 with Ctrl+Alt+K. Some ' +
            'twenty seconds later its card is crossed out: press Ctrl+Shift+S at once.'],
    goals: [{
        text: 'a split began between the failure of a bucket and its return',
        judge(events) {
            const failed = events.filter(e => e.kind === 'BucketFailed' && e.role === 'DATA'),
                splits = events.filter(e => e.kind === 'SplitOrdered');
            for (const f of failed) {
                const back = events.find(e => e.kind === 'RecoveryFinished' && e.buckets.indexOf(f.index) >= 0
                    && e.t_s > f.t_s);
                const inside = splits.find(s => s.t_s >= f.t_s && (!back || s.t_s < back.t_s));
                if (inside)
                    return { held: true, why: 'Bucket ' + f.index + ' failed; '
                        + ((inside.t_s - f.t_s) * 1000).toFixed(1) + ' ms later the split of bucket ' + inside.bucket
                        + ' began'
                        + (back ? ', and ' + ((back.t_s - inside.t_s) * 1000).toFixed(1)
                            + ' ms after that the bucket was back.' : '.') };
            }
            return { held: false, why: failed.length === 0 ? 'No data bucket has failed yet.' : splits.length === 0
                ? 'No split has begun yet.' : 'Failures: ' + failed.length + ', splits: '
                + splits.length + ', but none began while a bucket was down.' };
        }
    }, {
        text: 'both ended: the bucket is back, and the split is finished',
        judge(events, state) {
            if (events.some(e => e.kind === 'GroupLost'))
                return { failed: true, why: 'A group was lost.' };
            const back = events.find(e => e.kind === 'RecoveryFinished'),
                done = events.find(e => e.kind === 'SplitFinished');
            if (!back || !done || !state.isAtRest)
                return { held: false, why: (back ? 'Bucket ' + back.buckets.join(', ') + ' is back. '
                    : 'No bucket has come back yet. ')
                    + (done ? 'Bucket ' + done.bucket + ' was split.' : 'No split has finished yet.') };
            return { held: true, why: 'Bucket ' + back.buckets.join(', ') + ' has its ' + back.records
                + ' records back, and bucket ' + done.bucket + ' gave ' + done.moved + ' to bucket ' + done.newBucket
                + '.' };
        },
        check() {
            const read = alice.verify(), audit = lab.audit();
            return { held: read.equal === read.keys && audit.unequal === 0, why: 'Alice read all ' + read.equal + ' of '
                + read.keys + ' records as she wrote them; '
                + audit.unequal + ' ranks have a wrong parity.' };
        }
    }]
});
