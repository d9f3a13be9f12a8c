// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/recording/recorder.h"

#include <QString>

#include <cstdint>

// Chooses where recordings are kept, and checks whether one can be made there.
namespace lhrs::gui {

// Disk space of a folder, in bytes. The system is asked directly, because the mount table that Qt reads need not list
// the root of a chroot.
struct DiskRoom {
    bool isKnown = false;
    std::int64_t free = 0, total = 0;
};
DiskRoom roomAt(const QString& folder);

// The name of a network file system by its statfs number, e.g. "NFS"; null if it is not one. SQLite's log needs
// shared memory and locks; a network file system lacks them or depends on a server that may not answer.
const char* networkFileSystem(std::int64_t type);
// Why no recording can be made in this folder, in one sentence; empty if one can, as far as the kind of file system
// tells.
QString placeProblem(const QString& folder);

// The folder `name` for data that programs keep: below $XDG_STATE_HOME/lhrs-lab or ~/.local/state/lhrs-lab.
QString stateFolder(const QString& name);
// The folder for unnamed recordings: the state folder, or the temporary folder, whichever allows a recording and has
// room. It is created. Recordings that ended windows left there more than a week ago are removed. Empty: there is
// none, and `problem` says why.
QString folderForRecordings(QString& problem);
// The folder for a copy of this many bytes: the temporary folder, or the state folder if only that one has room.
QString folderWithRoom(std::int64_t bytes);

// The default limits; on a small disk a tenth is kept free instead of 1 GiB.
RecorderLimits limitsFor(const QString& path);

} // namespace lhrs::gui
