// SPDX-License-Identifier: GPL-3.0-or-later
lab.kill([lab.data(1), lab.parity(0, 1)]);
lab.waitFor('RecoveryFinished', { timeout: 30 });
lab.settle();
