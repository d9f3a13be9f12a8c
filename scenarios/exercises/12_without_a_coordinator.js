// scenarios/exercises/12_without_a_coordinator.js   @title A split that outlives its coordinator   @exercise 12   @minutes 6   @needs 12 processes
// SPDX-License-Identifier: GPL-3.0-or-later
// The coordinator keeps nothing on disk: one that is started anew learns all from the buckets, also a split that is
// under way.
lab.cluster({ m: 4, k: 1, b: 20, recordBytes: 100, recovery: 'automatic', spares: { data: 7, parity: 3 } });
const alice = lab.client('alice');
alice.run({ do: 'insert', keys: Array.from({ length: 60 }, (_, i) => i) });
lab.settle();
while (lab.file().M < 4)
    lab.split();

lab.exercise({
    task: 'Let the coordinator end in the middle of a split. Alice must find a record while there is none. A new ' +
        'coordinator must then find the open split, and settle it.',
    hints: ['A process can be ended at a step of the protocol: the coordinator orders a split (SplitOrdered), ' +
            'waits until both sides are prepared, and decides (SplitCommitted).',
        'Then something has to begin a split. It does not return, because its coordinator is gone: insert records ' +
            'until a bucket overflows, or start a split and expect an error.',
        'In a script: lab.kill(lab.coordinator(), { at: \'SplitCommitted\' }), then more than 20 records into one ' +
            'bucket; search; lab.restart(lab.coordinator()).',
        'In the window: Ctrl+Alt+F, "Kill at a step of the protocol", coordinator, SplitCommitted, "Break it". ' +
            'Then Ctrl+Shift+S splits and Ctrl+F searches. Select the coordinator, and Ctrl+Alt+N restarts it.'],
    goals: [{
        text: 'Alice found a record while there was no coordinator',
        judge(events, state) {
            const ended = state.processes.filter(p => p.kind === 'coordinator' && p.hasEnded);
            if (ended.length === 0)
                return { held: false, why: 'The coordinator is there.' };
            const begun = events.find(e => e.kind === 'CoordinatorListening'), until = begun ? begun.t_s : Infinity;
            const found = events.filter(e => e.kind === 'OperationDone' && e.result === 'OK' && e.what === 'SEARCH'
                && e.t_s <= until && e.t_s - e.time_s > ended[0].ended_s - 1e-6);
            if (found.length === 0)
                return begun ? { failed: true, why: 'The new coordinator came before Alice had found anything.' }
                    : { held: false, why: 'The coordinator is gone, and no record has been found since.' };
            return { held: true, why: 'Bucket ' + found[0].bucket + ' answered for key ' + found[0].key + ', '
                + (found[0].t_s - ended[0].ended_s).toFixed(2) + ' s after the coordinator had ended.' };
        }
    }, {
        text: 'the new coordinator found a split under way, and settled it',
        judge(events, state) {
            const rebuilt = events.find(e => e.kind === 'CoordinatorRebuilt');
            if (!rebuilt)
                return { held: false, why: events.some(e => e.kind === 'CoordinatorListening')
                    ? 'A coordinator listens to the buckets.' : 'No new coordinator has come yet.' };
            if (rebuilt.openSplits === 0)
                return { failed: true,
                    why: 'The new coordinator found no split under way: the old one had ended before or after it.' };
            const end = events.find(e => (e.kind === 'SplitFinished' || e.kind === 'SplitUndone')
                && e.t_s >= rebuilt.t_s);
            if (!end || !state.isAtRest)
                return { held: false, why: 'The split is not settled yet.' };
            return { held: true, why: 'It heard ' + rebuilt.buckets + ' buckets, and '
                + (end.kind === 'SplitFinished' ? 'finished' : 'undid') + ' the split of bucket ' + end.bucket
                + ' into '
                + end.bucket + ' and ' + end.newBucket + '.' };
        },
        check() {
            const read = alice.verify(), audit = lab.audit();
            return { held: read.equal === read.keys && audit.unequal === 0, why: 'Alice read ' + read.equal + ' of her '
                + read.keys + ' records as she wrote them; '
                + audit.unequal + ' ranks have a wrong parity.' };
        }
    }]
});
