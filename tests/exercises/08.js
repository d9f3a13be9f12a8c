// SPDX-License-Identifier: GPL-3.0-or-later
const work = lab.client('alice').start({ do: 'update', count: 400, window: 4 });
lab.addParity(1);
work.wait();
