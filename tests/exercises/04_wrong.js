// SPDX-License-Identifier: GPL-3.0-or-later
const alice = lab.client('alice');
for (let key = 0; key < 40; ++key)
    alice.delete(key);
