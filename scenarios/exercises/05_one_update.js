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
    task: 'Change the value of one record, and nothing else. Both parity buckets of its group must take the change.',
    hints: ['Insert and delete change the record group, too, but also which records there are. Which operation ' +
        'changes only the value?',
        'In the window: set the number of operations to 1 and press Ctrl+U. In a script: alice.update(6).'],
    goals: [{
        text: 'one record was updated, and no other was changed',
        judge(events) {
            const words = { RecordInserted: 'inserted', RecordUpdated: 'updated', RecordDeleted: 'deleted' };
            const changes = events.filter(e => words[e.kind]), wrong = changes.find(e => e.kind !== 'RecordUpdated');
            if (wrong)
                return { failed: true, why: 'Key ' + wrong.key + ' of ' + wrong.place.replace('data', 'bucket')
                    + ' was '
                    + words[wrong.kind] + '.' };
            if (changes.length > 1)
                return { failed: true, why: 'There were ' + changes.length + ' updates.' };
            if (changes.length === 0)
                return { held: false, why: 'No record has been changed yet.' };
            return { held: true, why: 'Key ' + changes[0].key + ' has rank ' + changes[0].rank + ' in '
                + changes[0].place.replace('data', 'bucket') + ', and has a new value.' };
        }
    }, {
        text: 'the parity record of its rank changed in both parity buckets',
        judge(events) {
            const update = events.find(e => e.kind === 'RecordUpdated');
            if (!update)
                return { held: false, why: 'There is no update yet.' };
            const position = Number(update.place.slice(5)); // of the one group
            const added = events.filter(e => e.kind === 'DeltaApplied' && e.rank === update.rank
                && e.position === position);
            const places = ['parity 0.0', 'parity 0.1'].filter(p => added.some(e => e.place === p));
            if (places.length < 2)
                return { held: false, why: (places.length === 0 ? 'No parity bucket' : 'Only ' + places[0])
                    + ' has the change yet.' };
            if (!events.some(e => e.kind === 'OperationDone' && e.key === update.key))
                return { held: false, why: 'The client has no answer yet.' };
            return { held: true, why: 'Parity buckets 0.0 and 0.1 added the change to their records of rank '
                + update.rank
                + '; then the client was answered.' };
        }
    }]
});
