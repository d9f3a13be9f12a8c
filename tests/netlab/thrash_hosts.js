// SPDX-License-Identifier: GPL-3.0-or-later
// Whole hosts are killed, paused and cut off, up to k of them at once, also that of the coordinator, while records are
// inserted, updated, deleted and searched. After each act all acknowledged writes must be there and the parity equal.
// lhrs-play --hosts FILE --set minutes=30 thrash_hosts.js, with at least eight hosts.
const p = lab.params({ minutes: 1, k: 2 });
lab.cluster({ m: 4, k: p.k, b: 100, spares: { data: 32, parity: 24 } });
const writer = lab.client('writer'), reader = lab.client('reader');
writer.run({ do: 'insert', count: 400, window: 8 });
lab.settle();

const hostsNow = () => {
    const at = {};
    for (const h of lab.hosts())
        for (const name of h.processes)
            at[name] = h.name;
    return at;
};
const clients = ['writer', 'reader'].map(name => hostsNow()[name]);
const victims = lab.hosts().map(h => h.name).filter(name => !clients.includes(name));
// The members of each group that are on these hosts: [['data 1', 'parity 0.0'], ...].
const hit = hosts => {
    const at = hostsNow(), M = lab.file().M, groups = [];
    for (let g = 0; g * 4 < M; ++g) {
        const members = [0, 1, 2, 3].map(i => 4 * g + i).filter(n => n < M).map(n => lab.data(n))
            .concat([...Array(lab.group(g).k).keys()].map(column => lab.parity(g, column)));
        groups.push(members.map(t => lab.bucket(t)).filter(b => hosts.includes(at[b.process]))
            .map(b => b.role + ' ' + b.number + ' at ' + at[b.process]));
    }
    return groups;
};
const acts = { kill: 0, pause: 0, isolate: 0 };
let rounds = 0, operations = 0, crowded = 0;
const end = lab.now() + 60 * p.minutes;
while (lab.now() < end) {
    const act = lab.pick(['kill', 'kill', 'pause', 'isolate']);
    const some = lab.shuffle(victims).slice(0, lab.randomInt(1, p.k));
    while (some.length > 0 && Math.max(...hit(some).map(members => members.length)) > p.k) { // the file promises no more
        ++crowded;
        some.pop();
    }
    if (some.length === 0)
        continue;
    const hurt = hit(some);
    // As many inserts as deletes: the file keeps its size, and there are spares on every host.
    const load = writer.start({ do: 'mixed', count: 100000, mix: { insert: 1, update: 4, search: 4, delete: 1 }, rate: 150, partial: true });
    const fault = act === 'kill' ? [lab.killHost(some)]
        : act === 'pause' ? [lab.pauseHost(some, { lease: lab.randomInt(1, 4) })]
        : [lab.isolateHost(some[0], { lease: lab.randomInt(1, 5) })];
    const until = lab.now() + lab.randomInt(1, 3);
    lab.waitUntil(() => lab.now() >= until);
    if (act === 'kill')
        lab.restart(fault[0], { timeout: 60 });
    lab.heal();
    const done = load.stop({ timeout: 120 });
    const lost = lab.events({ kind: 'GroupLost' });
    if (lost.length > 0)
        lab.expectEqual([rounds, act, some, lost, hurt], [], 'no group is lost');
    lab.settle({ timeout: 120 });
    const there = writer.verify({ timeout: 120 });
    const bad = there.missing + there.lost + there.wrong + there.older + done.wrong + lab.audit().unequal;
    if (bad > 0 || there.unanswered > 0)
        lab.expectEqual([act, some, there, done.wrong], [], 'round ' + rounds);
    ++acts[act];
    ++rounds;
    operations += done.operations;
    if (rounds % 50 === 0)
        lab.print('round', rounds, JSON.stringify(acts), operations + ' operations', 'M ' + lab.file().M, crowded + ' crowded');
}
lab.print(rounds + ' rounds', JSON.stringify(acts), operations + ' operations', 'M ' + lab.file().M, writer.verify().keys + ' records',
    crowded + ' times hosts had more members of a group than its parity replaces');
lab.expect(rounds > 0, 'there was a round');
lab.expectEqual(reader.scan({ timeout: 60 }).records, writer.verify().keys, 'another client finds all records');
