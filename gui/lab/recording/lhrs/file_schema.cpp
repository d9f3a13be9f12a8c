// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/recording/lhrs/file_schema.h"

#include "gui/lab/recording/lhrs/file_notes.h"
#include "gui/lab/recording/lhrs/file_rows.h"
#include "gui/lab/recording/rows/recorded_cells.h"

namespace lhrs::gui {

namespace {

using E = pb::Event;

constexpr int kKinds[] = { E::kFileCreatedFieldNumber, E::kSplitOrderedFieldNumber, E::kMergeOrderedFieldNumber,
    E::kSplitFinishedFieldNumber, E::kMergeFinishedFieldNumber, E::kSplitUndoneFieldNumber, E::kMergeUndoneFieldNumber,
    E::kBatchAppliedFieldNumber, E::kStateChangedFieldNumber, E::kParityBucketFilledFieldNumber,
    E::kMemberSuspectedFieldNumber, E::kMembersAnsweredFieldNumber, E::kBucketFailedFieldNumber,
    E::kRecoveryFinishedFieldNumber, E::kParityAddedFieldNumber, E::kGroupLostFieldNumber, E::kProcessEndedFieldNumber,
    E::kRecoveryStartedFieldNumber, E::kSliceRecoveredFieldNumber, E::kSliceStoredFieldNumber };

constexpr RecordedTable kTables[] = {
    { "split_row",
        "id INTEGER PRIMARY KEY, cluster INTEGER, split INTEGER, is_merge INTEGER, bucket INTEGER, other INTEGER, "
        "level INTEGER,"
        " records INTEGER, begin_ns INTEGER, locked_ns INTEGER, total_ns INTEGER, batches INTEGER, outcome"
        " TEXT",
        2, 3 },
    { "creation_row",
        "id INTEGER PRIMARY KEY, cluster INTEGER, grp INTEGER, col INTEGER, gf INTEGER, scheme TEXT, records INTEGER,"
        " size_bytes INTEGER, total_ns INTEGER, process_ns INTEGER, comm_ns INTEGER, other_ns INTEGER,"
        " transfer_ns INTEGER",
        2, 3 },
    { "recovery_row",
        "id INTEGER PRIMARY KEY, cluster INTEGER, recovery INTEGER, grp INTEGER, failed_data TEXT, failed_parity TEXT,"
        " manager INTEGER, survivors TEXT, decode TEXT, slice INTEGER, slices INTEGER, records INTEGER,"
        " size_bytes INTEGER,"
        " begin_ns INTEGER, detect_ns INTEGER, total_ns INTEGER, process_ns INTEGER, comm_ns INTEGER,"
        " other_ns INTEGER,"
        " transfer_ns INTEGER, whole_ns INTEGER, outcome TEXT",
        2, 3 },
    { "failure_row",
        "id INTEGER PRIMARY KEY, cluster INTEGER, grp INTEGER, place INTEGER, process INTEGER, suspected_ns INTEGER,"
        " failed_ns INTEGER, restored_ns INTEGER, reason TEXT",
        2, 3 },
};

// "data 5", "parity 0.1"
#define LHRS_PLACE(place)                                                                                              \
    "CASE WHEN " place " >= 0 THEN 'data ' || " place " ELSE 'parity ' || ((-" place                                   \
    " - 1) / 256) || '.' || ((-" place " - 1) % 256) END"

// Columns with the same names as in the CSV tables of scenarios/DATA.md.
// Formatted by hand: the macros stand inside of literals.
// clang-format off
constexpr const char* kViews[] = {
    "CREATE VIEW split AS SELECT cluster, split, bucket, other AS new_bucket, level, records AS records_moved,"
    " " LHRS_SECONDS("begin_ns")
    " AS begin_s, locked_ns / 1e6 AS locked_ms, total_ns / 1e9 AS total_s, batches AS parity_batches, outcome FROM"
    " split_row WHERE NOT is_merge",

    "CREATE VIEW merge AS SELECT cluster, split AS merge, bucket, other AS \"into\", level AS level_before, records"
    " AS records_moved, " LHRS_SECONDS("begin_ns")
    " AS begin_s, locked_ns / 1e6 AS locked_ms, total_ns / 1e9 AS total_s, batches AS parity_batches, outcome FROM"
    " split_row WHERE is_merge",

    "CREATE VIEW parity_creation AS SELECT cluster, grp AS \"group\", col AS \"column\", gf, scheme, records,"
    " size_bytes AS bytes, total_ns / 1e9 AS total_s,"
    " process_ns / 1e9 AS process_s, comm_ns / 1e9 AS comm_s, other_ns / 1e9 AS other_s, transfer_ns / 1e9 AS"
    " transfer_s FROM creation_row",

    "CREATE VIEW recovery AS SELECT cluster, recovery, grp AS \"group\", failed_data, failed_parity, manager,"
    " survivors, decode, slice, slices, records, size_bytes AS bytes, " LHRS_SECONDS("begin_ns") " AS begin_s,"
    " detect_ns / 1e9 AS detect_s,"
    " total_ns / 1e9 AS total_s, process_ns / 1e9 AS process_s, comm_ns / 1e9 AS comm_s, other_ns / 1e9 AS other_s,"
    " transfer_ns / 1e9 AS transfer_s, whole_ns / 1e9 AS whole_s, outcome FROM recovery_row",

    "CREATE VIEW failure AS SELECT cluster, grp AS \"group\", " LHRS_PLACE("place") " AS place,"
    " " LHRS_NAME("process") " AS process,"
    " " LHRS_SECONDS("suspected_ns") " AS suspected_s, " LHRS_SECONDS("failed_ns") " AS failed_s,"
    " " LHRS_SECONDS("restored_ns") " AS restored_s, reason FROM failure_row",
};
// clang-format on

bool adjusts(const pb::Event& event) { return event.has_image_adjusted() && !event.image_adjusted().by_coordinator(); }

// A process that nobody has introduced is taken for a client. Servers ask for themselves in other systems only.
std::optional<OperationCells> operationOf(const QString& kind, const pb::OperationDone& done, bool isAdjusted)
{
    if (kind == QLatin1String("node"))
        return std::nullopt;
    return OperationCells { done.bucket(), known(done.rank() != 0, done.rank()), done.image_adjusted() || isAdjusted };
}

constexpr const char* kExported[] = { "splits", "merges", "parity_creations", "recoveries", "slices" };

} // namespace

const RecordedSystem& recordedFile()
{
    static const RecordedSystem kFile { kTables, kViews, kExported, kKinds, fileNotes, fileRows, adjusts, operationOf };
    return kFile;
}

} // namespace lhrs::gui
