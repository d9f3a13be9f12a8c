// scenarios/exercises/09_data_and_parity_at_once.js   @title A data and a parity bucket at once   @exercise 9   @minutes 4   @needs 12 processes
// SPDX-License-Identifier: GPL-3.0-or-later
// With k = 2 a group survives any two failures: two data buckets, two parity buckets, or one of each.
lab.cluster({ m: 4, k: 2, b: 20, recordBytes: 100, slice: 5, recovery: 'automatic', spares: { data: 6, parity: 4 } });
const alice = lab.client('alice');
alice.run({ do: 'insert', keys: Array.from({ length: 60 }, (_, i) => i) });
lab.settle();
while (lab.file().M < 4)
    lab.split();

lab.exercise({
    task: 'Make one data bucket and one parity bucket of group 0 fail at the same time. The file must repair both.',
    hints: ['Both must be declared failed before either is back. The second may go while the first is missed: that ' +
            'takes a quarter of a second.',
        'In a script one call ends both: lab.kill([lab.data(1), lab.parity(0, 1)]).',
        'In the window: pause the clock of a simulated cluster, kill the process of bucket 1 and that of parity ' +
            'bucket 0.1, and let the clock go on.'],
    goals: [{
        text: 'a data bucket and a parity bucket of group 0 were down together',
        judge(events) {
            if (events.some(e => e.kind === 'GroupLost'))
                return { failed: true, why: 'More than two members were gone: group 0 is lost.' };
            const down = {};
            for (const e of events) {
                if (e.kind === 'BucketFailed' && e.group === 0) {
                    down[e.role + ' ' + e.index] = true;
                    const names = Object.keys(down), data = names.find(n => n.indexOf('DATA') === 0),
                        parity = names.find(n => n.indexOf('PARITY') === 0);
                    if (data && parity)
                        return { held: true, why: 'Bucket ' + data.slice(5) + ' and parity bucket 0.' + parity.slice(7)
                            + ' were both declared failed, and k of the group was 2.' };
                }
                if (e.kind === 'RecoveryFinished' && e.group === 0)
                    e.buckets.forEach(b => delete down['DATA ' + b]);
                if (e.kind === 'ParityAdded' && e.group === 0)
                    delete down['PARITY ' + e.column];
            }
            const seen = events.filter(e => e.kind === 'BucketFailed').map(e => e.role === 'DATA' ? 'bucket ' + e.index
                : 'parity bucket ' + e.group + '.' + e.index);
            return { held: false, why: seen.length === 0 ? 'No member of group 0 has failed yet.' : 'Failed so far: '
                + seen.join(', ') + ', but not a data and a parity bucket together.' };
        }
    }, {
        text: 'group 0 has all its members again, and no record is lost',
        judge(events, state) {
            const group = state.groups.find(g => g.number === 0),
                back = events.find(e => e.kind === 'RecoveryFinished' && e.group === 0);
            if (!events.some(e => e.kind === 'BucketFailed' && e.role === 'PARITY') || !back)
                return { held: false, why: 'Group 0 survives ' + group.kEffective + ' more failures.' };
            if (!state.isAtRest || group.kEffective < 2)
                return { held: false, why: 'The group is being repaired: it survives ' + group.kEffective
                    + ' more failures.' };
            return { held: true, why: 'Bucket ' + back.buckets.join(', ') + ' came back with ' + back.records
                + ' records.' };
        },
        check() {
            const read = alice.verify(), audit = lab.audit(0);
            return { held: read.equal === read.keys && audit.unequal === 0, why: 'Alice read ' + read.equal + ' of her '
                + read.keys + ' records as she wrote them; '
                + audit.unequal + ' of ' + audit.ranks + ' ranks have a wrong parity.' };
        }
    }]
});
