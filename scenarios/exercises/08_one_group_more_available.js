// scenarios/exercises/08_one_group_more_available.js   @title More parity for one group, while it is written to   @exercise 8   @minutes 4   @needs 14 processes
// SPDX-License-Identifier: GPL-3.0-or-later
// A further parity bucket is filled from the data buckets of a live group; changes that come meanwhile must be in it,
// too.
lab.cluster({ m: 4, k: 1, b: 40, recordBytes: 100, spares: { data: 8, parity: 4 } });
const alice = lab.client('alice');
alice.run({ do: 'insert', keys: Array.from({ length: 240 }, (_, i) => i), window: 4 });
lab.settle();
while (lab.file().M < 8)
    lab.split();
lab.raiseAvailability(2); // a group may have two parity buckets now; splits would add them in their turn

lab.exercise({
    task: 'Give group 1, and only group 1, a second parity bucket. While it is being filled, a record of group 1 ' +
        'must be changed.',
    hints: ['The file allows two parity buckets for each group already; splits would add them one by one. A person ' +
            'may add one now.',
        'Let a client work for a while, and add the parity bucket meanwhile. In a script: const h = alice.start({ ' +
            'do: \'update\', count: 200 }); lab.addParity(1); h.wait().',
        'In the window: select bucket 5, let Alice make 20000 updates with Ctrl+U, and press Ctrl+Shift+P while ' +
            'she works. The speed of virtual time can be set beside its buttons.'],
    goals: [{
        text: 'group 1 has two parity buckets, and group 0 has one',
        judge(events, state) {
            const added = events.filter(e => e.kind === 'ParityAdded'), other = added.find(e => e.group !== 1);
            if (other)
                return { failed: true, why: 'Group ' + other.group + ' got a parity bucket, too.' };
            const k = state.groups.map(g => 'group ' + g.number + ': ' + g.k).join(', ');
            if (added.length === 0)
                return { held: false, why: 'Parity buckets now: ' + k + '.' };
            return { held: true, why: 'Parity bucket 1.1 has ' + added[0].records
                + ' parity records. Parity buckets now: ' + k + '.' };
        }
    }, {
        text: 'a record of group 1 changed while the parity bucket was being filled',
        judge(events) {
            const begun = events.find(e => e.kind === 'ParityCreationOrdered' && e.group === 1),
                done = events.find(e => e.kind === 'ParityAdded' && e.group === 1);
            if (!begun)
                return { held: false, why: 'No parity bucket has been ordered for group 1 yet.' };
            const until = done ? done.t_s : Infinity, isOfGroup = e =>
                ['data 4', 'data 5', 'data 6', 'data 7'].indexOf(e.place) >= 0;
            const changes = events.filter(e => (e.kind === 'RecordUpdated' || e.kind === 'RecordInserted'
                || e.kind === 'RecordDeleted') && isOfGroup(e)
                && e.t_s > begun.t_s && e.t_s < until);
            const ms = done ? ((done.t_s - begun.t_s) * 1000).toFixed(1) : '';
            if (changes.length === 0 && done)
                return { failed: true, why: 'The parity bucket was filled in ' + ms
                    + ' ms, and no record of group 1 changed meanwhile.' };
            if (!done)
                return { held: false, why: 'Parity bucket 1.1 is being filled.' };
            return { held: true, why: changes.length + ' changes in buckets 4 to 7 came in the ' + ms
                + ' ms in which it was filled, the first to key ' + changes[0].key + '.' };
        },
        check() {
            const audit = lab.audit(1);
            return { held: audit.unequal === 0, why: 'Both parity buckets encode what the data buckets hold: '
                + audit.ranks + ' ranks compared, ' + audit.unequal + ' unequal.' };
        }
    }]
});
