// SPDX-License-Identifier: GPL-3.0-or-later
lab.kill(lab.data(2));
lab.client('alice').search(3);
