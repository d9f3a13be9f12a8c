// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/recording/rows/export_table.h"
#include "gui/lab/recording/rows/recording_file.h"
#include "gui/lab/state/cluster_state.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

// What a recording keeps of one system beside its events.
namespace lhrs::gui {

// Times are ns since the start of the run.
struct RecordedTable {
    const char* name;
    const char* columns;
    std::uint32_t first, last; // versions that contain it
};

// What the writer of a recording learns of a system on its way. An event is taken after its row is made.
class SystemNotes {
public:
    virtual ~SystemNotes() = default;
    virtual void take(const pb::Event& event) = 0;
    virtual void take(const pb::Snapshot& snapshot) = 0;
    // The columns grp and place of the event; empty: it has none.
    virtual std::optional<std::int64_t> groupOf(const pb::Event& event) const = 0;
    virtual std::optional<std::int64_t> placeOf(const pb::Event& event) const = 0;
    // The pages that have changed since the last keyframe, which contains their numbers only.
    using AddPage = std::function<void(std::int64_t place, std::uint32_t page, const QByteArray& body)>;
    virtual void keyframe(const ClusterState& state, const AddPage& add) = 0;
};

// The rows of a system's own tables, made from a whole recording.
class SystemRows {
public:
    virtual ~SystemRows() = default;
    // In the order of the run; `cluster` counts from 1.
    virtual void take(int cluster, ProcessId process, const pb::Event& event, std::int64_t ns) = 0;
    virtual void takeEnd(ProcessId process, std::int64_t ns) = 0;
    // At the end of the recording: inserts the rows of all `clusters`. Returns SQLite's error text, or empty on
    // success.
    virtual QString write(RecordingConnection& connection, int clusters) = 0;
    // For an export (scenarios/DATA.md). Times count from `beginNs`.
    virtual std::vector<ExportTable> tables(std::int64_t beginNs) const = 0;
};

// What the row of an operation says in the terms of its system; empty: not known, or the system has no such thing.
struct OperationCells {
    QVariant place; // number of the place that answered
    QVariant number; // of the record at that place
    QVariant isAdjusted; // whether the operation corrected what its client believes
};

struct RecordedSystem {
    std::span<const RecordedTable> tables; // SystemRows writes them
    std::span<const char* const> views;
    std::span<const char* const> exported; // names of SystemRows::tables
    std::span<const int> kinds; // of the events that SystemRows::write needs
    std::unique_ptr<SystemNotes> (*notes)();
    // `isForExport`: tables() is wanted, which needs more memory than write().
    std::unique_ptr<SystemRows> (*rows)(bool isForExport);
    // Whether this event of an operation says that it corrected what its client believes.
    bool (*adjusts)(const pb::Event& event);
    // Nothing: the operation of this process (its kind, a word of the table `process`) is of another system.
    std::optional<OperationCells> (*operation)(const QString& kind, const pb::OperationDone& done, bool isAdjusted);
};

} // namespace lhrs::gui
