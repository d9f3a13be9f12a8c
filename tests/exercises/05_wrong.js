// SPDX-License-Identifier: GPL-3.0-or-later
const alice = lab.client('alice');
alice.delete(6);
alice.insert(6);
