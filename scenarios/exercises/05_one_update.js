// scenarios/exercises/05_one_update.js   @title What one update changes   @exercise 5   @minutes 3   @needs 10 processes
// SPDX-License-Identifier: GPL-3.0-or-later
// An update changes one record, and in each parity bucket of its group the parity record of the same rank.
lab.cluster({ m: 4, k: 2, b: 20, recordBytes: 20, spares: { data: 4, parity: 4 } });
const alice = lab.client('alice');
alice.run({ do: 'insert', keys: Array.from({ length: 40 }, (_, i) => i) });
lab.settle();
while (lab.file().M < 4)
    lab.split();

lab.exercise({
    task: 'Change one record of bucket 2, and nothing else. Both parity buckets of the group must take the change.',
    hints: ['Insert and delete change the record group, too, but they also change which records there are. Which ' +
        'operation changes only the value?',
        'Bucket 2 has the keys whose last two bits are 10: 2, 6, 10, ... In a script: alice.update(6).',
        'In the window: the client updates records of its own with Ctrl+U. Set the number of operations to 1, and ' +
            'try ' +
            'again if another bucket was hit: Again begins anew.'],
    goals: [{
        text: 'one record of bucket 2 was updated, and no other was changed',
        judge(events) {
            const changes = events.filter(e => ['RecordInserted', 'RecordUpdated',
                'RecordDeleted'].indexOf(e.kind) >= 0);
            const wrong = changes.find(e => e.kind !== 'RecordUpdated' || e.place !== 'data 2');
            if (wrong)
                return { failed: true, why: 'Key ' + wrong.key + ' of ' + wrong.place.replace('data', 'bucket')
                    + ' was '
                    + { RecordInserted: 'inserted', RecordUpdated: 'updated', RecordDeleted: 'deleted' }[wrong.kind]
                        + '.' };
            if (changes.length > 1)
                return { failed: true, why: changes.length + ' updates were done in bucket 2.' };
            if (changes.length === 0)
                return { held: false, why: 'No record was changed yet.' };
            return { held: true, why: 'Key ' + changes[0].key + ' has rank ' + changes[0].rank
                + ' in bucket 2, and has a new value.' };
        }
    }, {
        text: 'the parity record of its rank changed in both parity buckets',
        judge(events) {
            const update = events.find(e => e.kind === 'RecordUpdated' && e.place === 'data 2');
            if (!update)
                return { held: false, why: 'There is no update yet.' };
            const deltas = events.filter(e => e.kind === 'DeltaApplied' && e.rank === update.rank
                && e.position === 2).map(e => e.place);
            const places = ['parity 0.0', 'parity 0.1'].filter(p => deltas.indexOf(p) >= 0);
            if (places.length < 2)
                return { held: false, why: places.length === 0 ? 'No parity bucket has the change yet.' : 'Only '
                    + places[0] + ' has the change yet.' };
            const answered = events.find(e => e.kind === 'OperationDone' && e.key === update.key);
            if (!answered)
                return { held: false, why: 'The client has no answer yet.' };
            return { held: true, why: 'Parity buckets 0.0 and 0.1 added the change to their records of rank '
                + update.rank + '; then the client was answered.' };
        }
    }]
});
