// SPDX-License-Identifier: GPL-3.0-or-later
const bob = lab.client('bob'), keyOf = bucket => lab.keysFor(lab.data(bucket), 1, { existing: true })[0];
for (let bucket = 3; bob.image().behind > 0; --bucket)
    bob.search(keyOf(bucket));
lab.split();
lab.split();
bob.search(keyOf(4));
