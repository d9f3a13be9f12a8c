// SPDX-License-Identifier: GPL-3.0-or-later
lab.kill(lab.data(3));
lab.waitFor('BucketFailed', { timeout: 30 });
lab.split();
lab.settle();
