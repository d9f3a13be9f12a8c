// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/recording/recorder.h"

#include <QString>

#include <cstdint>

// Where recordings are kept, and whether one can be made there.
namespace lhrs::gui {

// Bytes of the disk of a folder. Asked of the system itself: the table of mounts, which Qt reads, need not list the root of a chroot.
struct DiskRoom {
    bool isKnown = false;
    std::int64_t free = 0, total = 0;
};
DiskRoom roomAt(const QString& folder);

// A network file system by its number (statfs), "NFS"; null: it is none. SQLite's log is shared memory and locks, which such a
// file system does not have or asks of a server that may not answer.
const char* networkFileSystem(std::int64_t type);
// Why no recording can be made in this folder, in one sentence; empty: it can, as far as the kind of file system tells.
QString placeProblem(const QString& folder);

// Of programs that keep something for themselves: $XDG_STATE_HOME/lhrs-lab or ~/.local/state/lhrs-lab, below it `name`.
QString stateFolder(const QString& name);
// The state folder for recordings that nobody has named, or the temporary folder, where a recording can be made and there is room.
// It is made; recordings that windows which are gone left there more than a week ago are removed. Empty: there is none, `problem`
// says why.
QString folderForRecordings(QString& problem);
// The folder for a copy of so many bytes: the temporary folder, or the state folder, where only that one has room.
QString folderWithRoom(std::int64_t bytes);

// The usual limits; of a small disk a tenth stays free, not 1 GiB.
RecorderLimits limitsFor(const QString& path);

} // namespace lhrs::gui
