// scenarios/exercises/10_two_lost_then_one_record.js   @title Two buckets and no record, then a record   @exercise 10   @minutes 5   @needs 14 processes
// SPDX-License-Identifier: GPL-3.0-or-later
// k failures are survived, k + 1 are not, and the file says so.
lab.cluster({ m: 4, k: 2, b: 20, recordBytes: 100, slice: 5, recovery: 'automatic', spares: { data: 8, parity: 4 } });
const alice = lab.client('alice');
alice.run({ do: 'insert', keys: Array.from({ length: 60 }, (_, i) => i) });
lab.settle();
while (lab.file().M < 4)
    lab.split();

lab.exercise({
    task: 'Lose two data buckets at once, and no record. When both are back, lose records of the same group for good.',
    hints: ['k is 2. Two buckets that are gone together are computed from the four members that are left.',
        'Wait until the recovery is over. How many members of six must be gone together, so that fewer than four ' +
            'are left?',
        'In a script: lab.kill(lab.data([1, 2])), lab.waitFor(\'RecoveryFinished\'), lab.settle(), then lab.kill ' +
            'with three buckets, and lab.waitFor(\'GroupLost\', { timeout: 40 }).',
        'In the window: pause the virtual time of a simulated cluster, kill buckets 1 and 2 with Ctrl+Alt+K, and ' +
            'let it run until both are back. Then the same with three buckets.'],
    goals: [{
        text: 'two data buckets were down together and came back',
        judge(events) {
            const lost = events.findIndex(e => e.kind === 'GroupLost');
            const both = events.findIndex(e => e.kind === 'RecoveryFinished' && e.group === 0
                && e.buckets.length === 2);
            if (both >= 0 && (lost < 0 || both < lost)) {
                const back = events[both];
                return { held: true, why: 'Buckets ' + back.buckets.join(' and ') + ' came back with ' + back.records
                    + ' records, computed from '
                    + back.survivors.join(', ').replace(/data/g, 'bucket').replace(/parity/g, 'parity bucket') + '.' };
            }
            if (lost >= 0)
                return { failed: true, why: 'Group 0 was lost before two buckets had come back.' };
            const one = events.find(e => e.kind === 'RecoveryFinished' && e.group === 0);
            return { held: false, why: one ? 'Bucket ' + one.buckets.join(', ')
                + ' came back alone. Two must be gone at the same time.' : 'No bucket has come back yet.' };
        }
    }, {
        text: 'after that, more failed than the parity replaces',
        judge(events, state) {
            const both = events.findIndex(e => e.kind === 'RecoveryFinished' && e.group === 0
                && e.buckets.length === 2), lost = events.find(e => e.kind === 'GroupLost');
            if (both < 0)
                return { held: false, why: 'That comes second: first two buckets have to come back.' };
            if (!lost)
                return { held: false, why: 'Group 0 survives ' + state.groups.find(g => g.number === 0).kEffective
                    + ' more failures. A silent group is given up after 10 s.' };
            return { held: true, why: 'Group 0 was declared lost, with buckets ' + lost.buckets.join(', ')
                + (lost.parityLost > 0 ? ' and ' + lost.parityLost + ' parity buckets' : '') + '.' };
        },
        check() {
            const read = alice.verify();
            return { held: read.lost > 0 && read.missing === 0 && read.wrong === 0, why: 'Alice was told "lost" for '
                + read.lost + ' of her ' + read.keys
                + ' records, and never "not found".' };
        }
    }]
});
