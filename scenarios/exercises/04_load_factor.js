// scenarios/exercises/04_load_factor.js   @title A low load factor without a delete   @exercise 4   @minutes 3   @needs 12 processes
// SPDX-License-Identifier: GPL-3.0-or-later
// The load factor is the number of records through the room for them: buckets times capacity.
lab.cluster({ m: 4, k: 1, b: 20, recordBytes: 20, spares: { data: 8, parity: 2 } });
const alice = lab.client('alice');
alice.run({ do: 'insert', keys: Array.from({ length: 78 }, (_, i) => i) });
lab.settle();
const had = lab.file().records;

lab.exercise({
    task: 'Make the load factor of the file fall below 0.6. Delete no record, and insert none.',
    hints: ['The load factor is records / (buckets x capacity). Which of the three can still change?',
        'In the window: Ctrl+Shift+S splits the bucket at the split pointer. In a script: lab.split().'],
    goals: [{
        text: 'the load factor is below 0.6',
        judge(events, state) {
            const f = state.file, words = f.records + ' / (' + f.M + ' x ' + f.b + ') = ' + f.loadFactor.toFixed(2);
            const splits = events.filter(e => e.kind === 'SplitFinished').length;
            if (f.loadFactor >= 0.6 || splits === 0)
                return { held: false, why: 'The load factor is ' + words + '.' };
            if (!state.isAtRest)
                return { held: false, why: 'A split is under way.' };
            return { held: true, why: 'After ' + splits + (splits === 1 ? ' split' : ' splits') + ' the load factor is '
                + words + '.' };
        }
    }, {
        text: 'no record was deleted or inserted',
        judge(events, state) {
            const deleted = events.filter(e => e.kind === 'RecordDeleted').length;
            const inserted = events.filter(e => e.kind === 'RecordInserted').length;
            if (deleted > 0)
                return { failed: true, why: deleted + (deleted === 1 ? ' record was' : ' records were') + ' deleted.' };
            if (inserted > 0)
                return { failed: true, why: 'Records were inserted, which makes the load factor hard to compare.' };
            if (events.length === 0)
                return { held: false, why: 'Nothing has happened yet.' };
            return { held: state.file.records === had, why: 'The file still has its ' + had + ' records.' };
        }
    }]
});
