// SPDX-License-Identifier: GPL-3.0-or-later
const alice = lab.client('alice');
while (lab.file().M < 2) {
    alice.insert();
    lab.settle();
}
