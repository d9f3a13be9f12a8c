// scenarios/exercises/07_record_of_a_lost_bucket.js   @title A record whose bucket is gone   @exercise 7   @minutes 4   @needs 7 processes
// SPDX-License-Identifier: GPL-3.0-or-later
// No spare data server is left, and recovery waits for an alarm: a search has to be answered from the parity.
lab.cluster({ m: 4, k: 1, b: 20, recordBytes: 20, slice: 5, recovery: 'onAlarm', spares: { data: 4, parity: 1 } });
const alice = lab.client('alice');
alice.run({ do: 'insert', keys: Array.from({ length: 40 }, (_, i) => i) });
lab.settle();
while (lab.file().M < 4)
    lab.split();

lab.exercise({
    task: 'Take one data bucket away. Then let Alice find a record of that bucket, although no process holds it ' +
        'any more.',
    hints: ['No spare data server is left, so the bucket does not come back by itself. Parity bucket 0.0 and three ' +
            'data buckets are left.',
        'The file waits for the alarm of a client: search for a key of the bucket that is gone. The last two bits of ' +
            'a key are its bucket.',
        'In the window: select bucket 2 and press Ctrl+Alt+K; then select it again and press Alt+F. In a script: ' +
            'lab.kill(lab.data(2)); alice.search(2).'],
    goals: [{
        text: 'a data bucket was declared failed',
        judge(events, state) {
            const failed = events.filter(e => e.kind === 'BucketFailed' && e.role === 'DATA');
            if (events.some(e => e.kind === 'GroupLost'))
                return { failed: true, why: 'More was taken away than one parity bucket replaces: group 0 is lost.' };
            if (failed.length === 0)
                return { held: false, why: state.isAtRest
                    ? 'No bucket has failed. The coordinator looks only when a client misses an answer.'
                    : 'The coordinator is finding out which members are alive.' };
            return { held: true, why: 'Bucket ' + failed[0].index + ' was declared failed.' };
        }
    }, {
        text: 'a search found a record of it by record recovery',
        judge(events) {
            const failed = events.filter(e => e.kind === 'BucketFailed' && e.role === 'DATA').map(e => e.index);
            const answer = events.find(e => e.kind === 'OperationDone' && e.path === 'RECORD_RECOVERY');
            if (!answer)
                return { held: false, why: 'Every answer so far came from a data bucket.' };
            const made = events.find(e => e.kind === 'RecordRecovered' && e.key === answer.key);
            if (!made)
                return { held: false, why: 'The parity bucket has not reported yet how it answered for key '
                    + answer.key + '.' };
            if (made.result !== 'OK' || answer.result !== 'OK')
                return { held: false, why: 'Key ' + answer.key + ' was never stored, and '
                    + made.place.replace('parity', 'parity bucket') + ' said so. Search for one that was.' };
            if (failed.indexOf(made.bucket) < 0)
                return { held: false, why: 'Bucket ' + made.bucket + ' is there.' };
            return { held: true, why: 'Key ' + answer.key + ' belonged to bucket ' + made.bucket + ', rank ' + made.rank
                + '; '
                + made.place.replace('parity', 'parity bucket') + ' computed it from the other records of that rank.' };
        }
    }]
});
