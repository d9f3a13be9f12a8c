// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace lhrs {

// Long messages are made, sent, taken apart and freed many times a second while a bucket moves, splits or is recovered.
// The allocator would give each one's memory back and let the kernel clear it again for the next: twice the time of a
// recovery (measured: 8,000 page faults). From now on it keeps what was freed, until giveBackFreedMemory().
void keepFreedMemory();
// To the system, all that is free; takes milliseconds where much was used.
void giveBackFreedMemory();

} // namespace lhrs
