// SPDX-License-Identifier: GPL-3.0-or-later
lab.client('bob').search(lab.keysFor(lab.data(7), 1, { existing: true })[0]);
