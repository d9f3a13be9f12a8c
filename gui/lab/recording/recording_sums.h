// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/recording/recording_file.h"

#include <QString>

#include <cstdint>
#include <map>
#include <vector>

namespace lhrs::gui {

// Writes, as the last thing, how many rows each table has and a checksum of every few hundred of them, and of the indexes
// (table segment). False: see the connection's lastError.
bool writeSums(RecordingConnection& connection);

// What is not as it was written.
struct SumFindings {
    struct Table {
        std::int64_t written = 0; // rows, as the sums tell
        std::int64_t missing = 0; // of those
        std::int64_t foreign = 0; // rows that the recording did not write
        struct Range { std::int64_t first = 0, last = 0, rows = 0; };
        std::vector<Range> changed; // parts that are not as they were written, by row number, and their rows that are there
        bool isUnreadable = false;  // the file is broken inside of it
        bool isAsWritten() const { return missing == 0 && foreign == 0 && changed.empty() && !isUnreadable; }
    };
    std::map<QString, Table> tables; // all of them, by name
    std::vector<QString> indexes;    // that are not as they were written
    bool hasSums = false;            // there are any
};
// Reads the whole file once. Bounded in memory: a part that is far larger than any of ours counts as changed.
SumFindings checkSums(RecordingConnection& connection, std::uint32_t version);

} // namespace lhrs::gui
