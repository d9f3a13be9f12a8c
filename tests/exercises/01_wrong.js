// SPDX-License-Identifier: GPL-3.0-or-later
lab.client('alice').run({ do: 'insert', count: 60 });
