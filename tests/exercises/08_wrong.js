// SPDX-License-Identifier: GPL-3.0-or-later
lab.client('alice').run({ do: 'update', count: 100 });
lab.addParity(1);
