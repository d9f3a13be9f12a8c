// SPDX-License-Identifier: GPL-3.0-or-later
lab.client('alice').update(7);
