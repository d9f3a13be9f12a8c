// SPDX-License-Identifier: GPL-3.0-or-later
const alice = lab.client('alice');
lab.keysFor(lab.data(1), 8).forEach(key => alice.insert(key));
lab.settle();
