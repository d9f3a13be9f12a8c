// SPDX-License-Identifier: GPL-3.0-or-later
// Whole hosts are killed, paused and cut off, up to k of them at once, also that of the coordinator, while records are
// inserted, updated, deleted and searched. After each act all acknowledged writes must be there and the parity equal.
// lhrs-play --hosts FILE --set minutes=30 thrash_hosts.js, with at least eight hosts.
const p = lab.params({ minutes: 1, k: 2 });
lab.cluster({ m: 4, k: p.k, b: 100, spares: { data: 32, parity: 24 } });
const writer = lab.client('writer'), reader = lab.client('reader');
writer.run({ do: 'insert', count: 400, window: 8 });
lab.settle();

const hostOf = name => lab.hosts().find(h => h.processes.includes(name)).name;
const clients = ['writer', 'reader'].map(hostOf);
const victims = lab.hosts().map(h => h.name).filter(name => !clients.includes(name));
const acts = { kill: 0, pause: 0, isolate: 0 };
let rounds = 0, operations = 0;
const end = lab.now() + 60 * p.minutes;
while (lab.now() < end) {
    const act = lab.pick(['kill', 'kill', 'pause', 'isolate']);
    const some = lab.shuffle(victims).slice(0, lab.randomInt(1, p.k));
    const load = writer.start({ do: 'mixed', count: 100000, mix: { insert: 2, update: 4, search: 4, delete: 1 }, rate: 150, partial: true });
    const fault = act === 'kill' ? [lab.killHost(some)]
        : act === 'pause' ? [lab.pauseHost(some, { lease: lab.randomInt(1, 4) })]
        : [lab.isolateHost(some[0], { lease: lab.randomInt(1, 5) })];
    const until = lab.now() + lab.randomInt(1, 3);
    lab.waitUntil(() => lab.now() >= until);
    if (act === 'kill')
        lab.restart(fault[0], { timeout: 60 });
    lab.heal();
    const done = load.stop({ timeout: 120 });
    lab.settle({ timeout: 120 });
    const there = writer.verify({ timeout: 120 });
    const bad = there.missing + there.lost + there.wrong + there.older + done.wrong + lab.audit().unequal;
    if (bad > 0 || there.unanswered > 0)
        lab.expectEqual([act, some, there, done.wrong], [], 'round ' + rounds);
    ++acts[act];
    ++rounds;
    operations += done.operations;
}
lab.print(rounds + ' rounds', JSON.stringify(acts), operations + ' operations', 'M ' + lab.file().M, writer.verify().keys + ' records');
lab.expect(rounds > 0, 'there was a round');
lab.expectEqual(reader.scan({ timeout: 60 }).records, writer.verify().keys, 'another client finds all records');
