// SPDX-License-Identifier: GPL-3.0-or-later
const alice = lab.client('alice');
const fault = lab.kill(lab.coordinator(), { at: 'SplitCommitted' });
const work = alice.start({ do: 'insert', keys: lab.keysFor(lab.data(0), 8) });
lab.waitUntil(() => lab.faults().length === 0);
alice.search(5);
lab.restart(fault);
work.wait();
lab.settle();
