// SPDX-License-Identifier: GPL-3.0-or-later
lab.kill(lab.data([0, 1, 2]));
lab.waitFor('GroupLost', { timeout: 60 });
