// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/recording/rows/recording_file.h"

#include <QString>

#include <cstdint>
#include <map>
#include <vector>

namespace lhrs::gui {

// Writes the row count of each table, and checksums of every few hundred rows and of the indexes, into the table
// segment. Nothing may be written after it. False: see the connection's lastError.
bool writeSums(RecordingConnection& connection);

// The differences between the file and what was written.
struct SumFindings {
    struct Table {
        std::int64_t written = 0; // rows according to the checksums
        std::int64_t missing = 0; // number of written rows that are missing
        std::int64_t foreign = 0; // rows that the recording did not write
        struct Range {
            std::int64_t first = 0, last = 0, rows = 0;
        };
        std::vector<Range> changed; // altered parts by row number, and the rows that are there
        bool isUnreadable = false; // the file cannot be read completely
        bool isAsWritten() const { return missing == 0 && foreign == 0 && changed.empty() && !isUnreadable; }
    };
    std::map<QString, Table> tables; // all of them, by name
    std::vector<QString> indexes; // altered indexes
    bool hasSums = false; // false: the file has no checksums
};
// Reads the whole file once, in bounded memory: a part that is far larger than any that this program writes counts as
// changed.
SumFindings checkSums(RecordingConnection& connection, std::uint32_t version);

} // namespace lhrs::gui
