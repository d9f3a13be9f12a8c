// SPDX-License-Identifier: GPL-3.0-or-later
while (lab.file().loadFactor >= 0.6)
    lab.split();
