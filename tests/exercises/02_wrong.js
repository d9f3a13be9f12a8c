// SPDX-License-Identifier: GPL-3.0-or-later
lab.client('bob').search(lab.keysFor(lab.data(3), 1, { existing: true })[0]);
