// scenarios/walk.js   @title Finding a key by walking round a ring   @minutes 4   @needs 18 processes
// SPDX-License-Identifier: GPL-3.0-or-later
// The simplest system without a directory: nodes on a circle, each of which knows the next one only. Every key is found
// from everywhere, nodes join and leave while clients work, and a question costs N/2 messages. That is why Chord was
// invented.
const p = lab.params({ nodes: 8, recordBytes: 100, queries: 200, repetitions: 3 });

lab.cluster({ system: 'walk', nodes: p.nodes, outside: 2, recordBytes: p.recordBytes });
const alice = lab.client('alice'), bob = lab.client('bob');
const nameOf = node => lab.process(node);
const keys = n => n + (n === 1 ? ' key' : ' keys');
const eventOf = (kind, since, where) => lab.events({ kind: kind, since: since }).filter(where || (() => true))[0];
// A caption said there stands before this event is seen.
const ahead = event => event && Object.assign({}, event, { eventIndex: event.eventIndex - 1, t_s: event.t_s - 1e-6 });
// The node to which the place with this id belongs.
const ownerOf = (nodes, id) => nodes.find(n => n.from < n.id ? n.from < id && id <= n.id : n.from < id || id <= n.id).name;
const words = ['never', 'once', 'twice', 'three times', 'four times', 'five times', 'six times', 'seven times'];

lab.step('a', 'A circle of nodes');
lab.note('Each node is a process of its own. The clients know who is in the ring and ask any of them; only they and the master do.');
lab.say('These ' + p.nodes + ' nodes stand on a circle, and each of them knows only the next one.');
const ring = lab.ring();
lab.expectEqual(ring.nodes.length, p.nodes, 'all nodes are in the ring');
lab.expectEqual(ring.nodes.map(n => n.successor), ring.nodes.map((n, i) => ring.nodes[(i + 1) % p.nodes].name), 'each knows the one after it');
lab.say('The place of a node is a number, computed from its address. A key has such a place, too.');
lab.say('A key belongs to the first node at its place or after it, clockwise.');
lab.print(ring.nodes.map(n => n.name + ' at ' + n.id).join(', '));

lab.step('b', 'One key, step by step');
const key = 17;
const begun = lab.here();
lab.say('Alice wants to store key 17. She does not know which node owns it, and asks any of them.');
const choices = [...new Set(['never', 'once', words[Math.round((p.nodes - 1) / 2)], words[p.nodes - 1]])];
const q = lab.predict({ text: 'How many times, at most, is a request passed on?', choices });
const stored = alice.insert(key, 'found it');
const done = lab.waitFor('OperationDone', { where: { client: 'alice', op: stored.op } });
q.reveal(choices.length - 1, 'The longest way is once round the circle, as no node can look back. This time: ' + words[stored.forwards] + '.', { at: done });
const first = eventOf('QueryPassed', begun, e => e.op === stored.op); // none where she asked the owner itself
let op = stored.op; // a client numbers its operations
const lookUp = options => {
    const found = alice.lookUp(key, options);
    return Object.assign(found, { done: lab.waitFor('OperationDone', { where: { client: 'alice', op: ++op } }) });
};
const owner = first ? ownerOf(ring.nodes, first.id) : lookUp().owner;
const at = ring.nodes.findIndex(n => n.name === owner);
const far = ring.nodes[(at + 1) % p.nodes].name;
lab.highlight(nameOf(owner));
lab.say('Now key 17 is at ' + owner + ', which owns its place on the circle.');
lab.say('Alice asks ' + far + ' for it, the node right after the owner. That is the longest way.');
let found;
do // a client that waits too long asks another node, and then two questions go round
    found = lookUp({ via: nameOf(far) });
while (found.done.resends > 0);
const stepsOf = n => lab.events({ kind: 'QueryPassed', client: 'alice', op }).find(e => e.steps === n);
const numbers = Array.from({ length: p.nodes - 1 }, (_, i) => i + 1);
const passed = lab.waitUntil(() => numbers.every(stepsOf) && numbers.map(stepsOf)); // each node tells of its step, in its own time
lab.expectEqual([found.result, found.value, found.owner], ['found', 'found it', owner], 'the owner has the value');
lab.expectEqual(found.steps, p.nodes - 1, 'the question was passed on by all other nodes');
lab.expectEqual(passed.map(e => e.process), numbers.map(n => ring.nodes[(at + n) % p.nodes].name), 'node by node, round the circle');
lab.say('The owner answers Alice directly. So the way back costs one message.');

lab.step('c', 'From every node');
lab.say('Now Alice asks each node in turn for key 17.');
const all = alice.lookUpAll([key]);
lab.expectEqual([all.lookUps, all.missing], [p.nodes, 0], 'it is found from everywhere');
lab.expectEqual([all.steps, all.stepsMost], [(p.nodes - 1) / 2, p.nodes - 1], 'by 0, 1, 2, ... steps: half a circle on average');
lab.say('It is found from everywhere. These ' + p.nodes + ' questions took 0 to ' + (p.nodes - 1) + ' steps: ' + all.steps + ' on average, half a circle.');

lab.step('d', 'Many keys');
const filled = lab.here();
lab.say('Bob stores ' + p.queries + ' keys and reads them back, each by way of a node that he draws.');
bob.run({ do: 'insert', count: p.queries, window: 4 });
const read = bob.run({ do: 'search', count: p.queries, window: 4 });
lab.expectEqual([read.results.ok, read.missing, read.wrong], [p.queries, 0, 0], 'all of them are found');
const mean = read.forwards / read.operations;
const expected = (p.nodes - 1) / 2;
lab.expectWithin(mean, expected - 0.25 * p.nodes / 2, expected + 0.25 * p.nodes / 2, 'a question is passed on about (N - 1) / 2 times');
lab.print(p.queries, 'questions were passed on', read.forwards, 'times:', mean.toFixed(2), 'each, expected', expected);
lab.say('His ' + p.queries + ' searches alone were passed on ' + mean.toFixed(1) + ' times each: half a circle, as with key 17.');
const shares = lab.ring().nodes.map(n => n.keys);
lab.expectEqual(shares.reduce((a, b) => a + b, 0), p.queries + 1, 'each key is at one node');
lab.say('Some nodes have many keys, some few: their places on the circle are random.');
lab.expectNone('QueryAdrift', { since: filled });

// Bob stores keys until he is stopped, however long a busy computer takes for what happens meanwhile, and at least 1000.
const workMost = 3600000; // of an hour
let storedByBob = p.queries;
const letBobWork = () => bob.start({ do: 'insert', count: workMost, rate: 1000 });
const stopBob = work => {
    lab.waitUntil(() => work.progress().done >= 1000);
    const worked = work.stop();
    lab.expect(worked.operations < workMost, 'Bob was at work all the time');
    lab.expectEqual(worked.results.ok, worked.operations, 'and every key was stored');
    storedByBob += worked.operations;
};

lab.step('e', 'A node joins while Bob works');
const joining = lab.here();
lab.say('Bob goes on storing keys, a thousand a second. Meanwhile the master lets in a node that waited outside.');
const joinWork = letBobWork();
const joined = lab.join();
const taken = lab.waitFor('RangeTaken', { where: { change: joined.change }, since: joining });
const isMoved = ownerOf(lab.ring().nodes, passed[0].id) === joined.node; // key 17
lab.say('Its place is between two nodes. The one after it hands over ' + keys(joined.keys) + (isMoved ? ', key 17 among them.' : '.'),
    { at: ahead(eventOf('MessageSent', joining, e => e.what === 'give')) || taken });
lab.say('The one before it knows it now. No other node was involved, only the master.', { at: lab.waitFor('NodeJoined', { where: { change: joined.change }, since: joining }) });
stopBob(joinWork);
lab.expectEqual(lab.ring().nodes.length, p.nodes + 1, 'one more node');
lab.expect(lab.ring().nodes.some(n => n.name === joined.node), 'the new node is in the ring');

lab.step('f', 'And another one leaves');
const leaving = lab.here();
lab.say('Bob works again. Now ' + owner + ' leaves this circle of ' + (p.nodes + 1) + '. It gives all its keys to the node after it.');
const leaveWork = letBobWork();
const left = lab.leave(nameOf(owner));
lab.expect(!lab.ring().nodes.some(n => n.name === owner), owner + ' is out of the ring');
lab.say('It has given ' + keys(left.keys) + ' away, and waits outside.', { at: lab.waitFor('NodeLeft', { where: { change: left.change }, since: leaving }) });
stopBob(leaveWork);
lab.say('Nodes came and went. Now Bob reads back all that he ever stored.');
lab.settle();
const kept = bob.verify();
lab.expectEqual([kept.keys, kept.equal, kept.missing, kept.wrong], [storedByBob, storedByBob, 0, 0], 'nothing is lost');
lab.say('None of his ' + kept.keys + ' keys is lost. Now Alice asks each node for key 17.');
const again = alice.lookUpAll([key]), owning = ownerOf(lab.ring().nodes, passed[0].id);
lab.expectEqual([again.nodes, again.missing, again.stepsMost], [p.nodes, 0, p.nodes - 1], 'key 17 has moved, and is found from everywhere');
lab.expect(owning !== owner, 'it has another owner');
lab.highlight(nameOf(owning));
lab.say('Every node finds it. Its owner is ' + owning + ' now, ' + (isMoved ? 'since it joined.' : 'to which ' + owner + ' gave its keys.'));

lab.step('g', 'What it costs');
lab.say('And in rings of 4, 8 and 16 nodes?');
const seen = [];
const table = lab.measure({
    name: 'walk_steps', factors: { nodes: [4, 8, 16] }, constants: { queries: p.queries }, repetitions: p.repetitions, warmUp: 0, order: 'given',
    before: c => {
        lab.cluster({ system: 'walk', nodes: c.nodes, outside: 0, recordBytes: p.recordBytes });
        if (!seen.includes(c.nodes))
            lab.dwell(2); // each ring is seen once
        seen.push(c.nodes);
    },
    run: () => {
        const client = lab.client('carol');
        client.run({ do: 'insert', count: 50, window: 4 });
        const asking = client.run({ do: 'search', count: p.queries, window: 1 });
        return { steps: asking.forwards / asking.operations, per_op_ms: asking.per_op_ms };
    }
});
const rows = table.summary();
for (const row of rows)
    lab.print(row.nodes, 'nodes:', row.steps.median.toFixed(2), 'steps, expected', (row.nodes - 1) / 2);
for (const row of rows)
    lab.expectWithin(row.steps.median, 0.75 * (row.nodes - 1) / 2, 1.25 * (row.nodes - 1) / 2, row.nodes + ' nodes: about ' + (row.nodes - 1) / 2 + ' steps');
lab.say('Counted in rings of 4, 8 and 16 nodes: ' + rows.map(r => r.steps.median.toFixed(1)).join(', ') + ' steps, half of the other nodes.');
lab.chart({ table: 'walk_steps', x: 'nodes', y: 'steps', title: 'Steps of a question, by the number of nodes' });
lab.say('With a million nodes a question would be passed on half a million times. So Chord was invented.');
lab.note('In Chord a node also knows some that are far away, and each step halves the way that is left: 10 steps on average with a million nodes.');
