// SPDX-License-Identifier: GPL-3.0-or-later
const fault = lab.kill(lab.coordinator());
lab.client('alice').search(5);
lab.restart(fault);
lab.settle();
