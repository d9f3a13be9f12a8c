// scenarios/exercises/06_repair_by_one_search.js   @title An old image, repaired by one search   @exercise 6   @minutes 4   @needs 13 processes
// SPDX-License-Identifier: GPL-3.0-or-later
// The answer to a forwarded request names the last bucket that passed it on, and its level: so much the client learns.
lab.cluster({ m: 4, k: 1, b: 40, recordBytes: 20, spares: { data: 8, parity: 2 } });
const alice = lab.client('alice');
lab.client('bob');
alice.run({ do: 'insert', keys: Array.from({ length: 60 }, (_, i) => i) });
lab.settle();
while (lab.file().M < 4)
    lab.split();
const had = lab.file().M;

lab.exercise({
    task: 'Let Bob\'s image be exactly two splits old. Then let one search of his make it exact.',
    hints: ['First Bob must know the file as it is now: let him search until he does (four buckets). Then the file ' +
            'grows by two splits, and he is not told.',
        'After two more splits the file has six buckets. An answer teaches Bob the number and level of the bucket ' +
            'that passed his request on.',
        'Buckets 0 and 1 were split. If bucket 0 passes a request on, Bob learns of one split; if bucket 1 does, ' +
            'he learns of both. Search for a key of bucket 5.'],
    goals: [{
        text: 'one search took an image two splits old to the whole file',
        judge(events, state) {
            let M = had, best = '';
            for (const e of events) {
                if (e.kind === 'FileStateChanged')
                    M = e.buckets;
                if (e.kind !== 'ImageAdjusted' || e.client !== 'bob')
                    continue;
                const known = s => Math.pow(2, s.i) + s.n,
                    started = events.find(o => o.kind === 'OperationStarted' && o.client === 'bob' && o.op === e.op);
                const words = 'from ' + known(e.before) + ' to ' + known(e.after) + ' buckets, and the file had ' + M;
                if (M - known(e.before) === 2 && known(e.after) === M && started) {
                    const done = events.find(o => o.kind === 'OperationDone' && o.client === 'bob' && o.op === e.op);
                    if (done)
                        return { held: true, why: 'Bob searched for key ' + done.key + '. Bucket ' + e.bucket
                            + ' of level ' + e.level
                            + ' passed it on, and his image went ' + words + '.' };
                }
                best = 'Bob\'s image went ' + words + '.';
            }
            const bob = state.clients.find(c => c.name === 'bob');
            return { held: false, why: best || 'Bob knows of ' + bob.M + (bob.M === 1 ? ' bucket' : ' buckets')
                + ', and the file has ' + state.file.M + '.' };
        }
    }, {
        text: 'Bob used searches only',
        judge(events) {
            const mine = events.filter(e => e.kind === 'OperationStarted' && e.client === 'bob');
            const other = mine.find(e => e.what !== 'SEARCH');
            if (other)
                return { failed: true, why: 'Bob began an operation of another kind, with key ' + other.key + '.' };
            return { held: mine.length > 0, why: mine.length === 0 ? 'Bob has searched for nothing yet.' : 'Bob made '
                + mine.length + (mine.length === 1 ? ' search.' : ' searches.') };
        }
    }]
});
