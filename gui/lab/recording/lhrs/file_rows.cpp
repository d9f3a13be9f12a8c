// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/recording/lhrs/file_rows.h"

#include "gui/lab/recording/lhrs/file_history.h"
#include "gui/lab/recording/rows/recorded_cells.h"
#include "gui/lab/state/lhrs/place_numbers.h"
#include "gui/lab/tables/qt_text.h"
#include "gui/lab/words/lhrs/place_words.h"

#include <limits>

namespace lhrs::gui {

namespace {

template <class Numbers> QString numbersJoined(const Numbers& numbers)
{
    QStringList texts;
    for (const auto number : numbers)
        texts << QString::number(number);
    return texts.join(' ');
}

QString placesJoined(const std::vector<pb::Place>& places)
{
    QStringList texts;
    for (const pb::Place& place : places)
        texts << text(placeName(place));
    return texts.join("; ");
}

QString outcomeOf(const SplitRow& split) { return split.outcome.empty() ? QString("under way") : text(split.outcome); }

QString outcomeOf(const RecoveryRow& recovery)
{
    return recovery.isFinished ? "finished" : recovery.isGivenUp ? "given up" : "under way";
}

class FileRows : public SystemRows {
public:
    explicit FileRows(std::size_t slices) : m_history(slices) { }
    void take(int cluster, ProcessId process, const pb::Event& event, std::int64_t ns) override
    {
        m_history.take(cluster, process, event, ns);
    }
    void takeEnd(ProcessId process, std::int64_t ns) override { m_history.takeEnd(process, ns); }
    QString write(RecordingConnection& connection, int clusters) override;
    std::vector<ExportTable> tables(std::int64_t beginNs) const override
    {
        return { splitTable(false, beginNs), splitTable(true, beginNs), creationTable(), recoveryTable(beginNs),
            sliceTable(beginNs) };
    }

private:
    ExportTable splitTable(bool merges, std::int64_t beginNs) const;
    ExportTable creationTable() const;
    ExportTable recoveryTable(std::int64_t beginNs) const;
    ExportTable sliceTable(std::int64_t beginNs) const;

    FileHistory m_history;
};

QString FileRows::write(RecordingConnection& connection, int clusters)
{
    if (clusters > 0)
        m_history.begin(clusters);
    QSqlQuery split(connection.database()), creation(connection.database()), recovery(connection.database()),
        failure(connection.database());
    if (!split.prepare("INSERT INTO split_row VALUES (NULL," + marks(12) + ")")
        || !creation.prepare("INSERT INTO creation_row VALUES (NULL," + marks(12) + ")")
        || !recovery.prepare("INSERT INTO recovery_row VALUES (NULL," + marks(21) + ")")
        || !failure.prepare("INSERT INTO failure_row VALUES (NULL," + marks(8) + ")"))
        return connection.database().lastError().text();
    for (const RecoveryRow& r : m_history.recoveries()) {
        const bool is = r.isFinished;
        if (const QString problem = insertRow(recovery,
                { r.cluster, stored(r.recovery), r.group, numbersJoined(r.failedData), numbersJoined(r.failedParity),
                    r.manager, placesJoined(r.survivors), known(is, r.isXor ? "xor" : "rs"),
                    known(r.slice != 0, r.slice), known(is, r.slices), known(is, r.records), known(is, stored(r.bytes)),
                    known(r.isOrdered, qlonglong(r.beginNs)),
                    known(r.detectNs.has_value(), qlonglong(r.detectNs.value_or(0))), known(is, qlonglong(r.totalNs)),
                    known(is, qlonglong(r.processNs)), known(is, qlonglong(r.communicationNs)),
                    known(is, qlonglong(r.otherNs)), known(is, qlonglong(r.transferNs)),
                    known(is, qlonglong(r.wholeNs)), outcomeOf(r) });
            !problem.isEmpty())
            return problem;
    }
    for (const auto& [cluster, splits] : m_history.splits())
        for (const auto& [id, s] : splits.rows()) {
            if (!s.isOrdered)
                continue;
            const std::int64_t locked = splits.lockedNs(s);
            if (const QString problem = insertRow(split,
                    { cluster, stored(id), int(s.isMerge), s.bucket, s.other, s.level, known(s.isFinished, s.moved),
                        qlonglong(s.beginNs), known(locked > 0, qlonglong(locked)),
                        known(s.isFinished, qlonglong(s.totalNs)), s.batches, outcomeOf(s) });
                !problem.isEmpty())
                return problem;
        }
    for (const FileHistory::Creation& c : m_history.creations())
        if (const QString problem = insertRow(creation,
                { c.cluster, c.group, c.column, known(c.gf != 0, c.gf), c.isXor ? "xor" : "rs", c.filled.records(),
                    stored(c.filled.bytes()), qlonglong(c.filled.total_ns()), qlonglong(c.filled.process_ns()),
                    qlonglong(c.filled.communication_ns()), qlonglong(c.filled.other_ns()),
                    qlonglong(c.filled.transfer_ns()) });
            !problem.isEmpty())
            return problem;
    for (const FileHistory::Failure& f : m_history.failures())
        if (const QString problem = insertRow(failure,
                { f.cluster, f.group, qlonglong(placeNumber(f.place)), stored(f.process),
                    known(f.suspectedNs != 0, qlonglong(f.suspectedNs)), qlonglong(f.failedNs),
                    known(f.restoredNs != 0, qlonglong(f.restoredNs)), text(f.reason) });
            !problem.isEmpty())
            return problem;
    return {};
}

ExportTable FileRows::splitTable(bool merges, std::int64_t beginNs) const
{
    const auto at = [beginNs](std::int64_t ns) { return seconds(ns - beginNs); };
    ExportTable table { merges ? "merges" : "splits",
        { "cluster", merges ? "merge" : "split", "bucket", merges ? "into" : "new_bucket",
            merges ? "level_before" : "level", "records_moved", "begin_s", "locked_ms", "total_s", "parity_batches",
            "outcome" },
        {} };
    for (const auto& [cluster, splits] : m_history.splits())
        for (const auto& [id, split] : splits.rows()) {
            if (split.isMerge != merges || !split.isOrdered)
                continue;
            const std::int64_t locked = splits.lockedNs(split);
            table.rows.push_back({ cluster, qulonglong(id), split.bucket, split.other, split.level,
                known(split.isFinished, split.moved), at(split.beginNs), known(locked > 0, milliseconds(locked)),
                known(split.isFinished, seconds(split.totalNs)), split.batches, outcomeOf(split) });
        }
    return table;
}

ExportTable FileRows::creationTable() const
{
    ExportTable table { "parity_creations",
        { "cluster", "group", "column", "gf", "scheme", "records", "bytes", "total_s", "process_s", "comm_s", "other_s",
            "transfer_s" },
        {} };
    for (const FileHistory::Creation& c : m_history.creations())
        table.rows.push_back(
            { c.cluster, c.group, c.column, known(c.gf != 0, c.gf), c.isXor ? "xor" : "rs", c.filled.records(),
                qulonglong(c.filled.bytes()), seconds(c.filled.total_ns()), seconds(c.filled.process_ns()),
                seconds(c.filled.communication_ns()), seconds(c.filled.other_ns()), seconds(c.filled.transfer_ns()) });
    return table;
}

ExportTable FileRows::recoveryTable(std::int64_t beginNs) const
{
    const auto at = [beginNs](std::int64_t ns) { return seconds(ns - beginNs); };
    ExportTable table { "recoveries",
        { "cluster", "recovery", "group", "failed_data", "failed_parity", "manager", "survivors", "decode", "slice",
            "slices", "records", "bytes", "begin_s", "detect_s", "total_s", "process_s", "comm_s", "other_s",
            "transfer_s", "whole_s", "outcome" },
        {} };
    for (const RecoveryRow& r : m_history.recoveries()) {
        const bool is = r.isFinished;
        table.rows.push_back({ r.cluster, qulonglong(r.recovery), r.group, numbersJoined(r.failedData),
            numbersJoined(r.failedParity), r.manager, placesJoined(r.survivors), known(is, r.isXor ? "xor" : "rs"),
            known(r.slice != 0, r.slice), known(is, r.slices), known(is, r.records), known(is, qulonglong(r.bytes)),
            known(r.isOrdered, at(r.beginNs)), known(r.detectNs.has_value(), seconds(r.detectNs.value_or(0))),
            known(is, seconds(r.totalNs)), known(is, seconds(r.processNs)), known(is, seconds(r.communicationNs)),
            known(is, seconds(r.otherNs)), known(is, seconds(r.transferNs)), known(is, seconds(r.wholeNs)),
            outcomeOf(r) });
    }
    return table;
}

ExportTable FileRows::sliceTable(std::int64_t beginNs) const
{
    const auto at = [beginNs](std::int64_t ns) { return seconds(ns - beginNs); };
    ExportTable table { "slices",
        { "cluster", "recovery", "slice_number", "rank_first", "ranks", "requested_s", "arrived_s", "decoded_s",
            "stored_s", "in_bytes", "out_bytes" },
        {} };
    for (const RecoveryRow& r : m_history.recoveries())
        for (const RecoveryRow::Slice& slice : r.perSlice) {
            // Measured by the manager since its order; converted to the run's clock.
            const std::int64_t order = slice.recoveredNs - slice.decodedNs;
            table.rows.push_back({ r.cluster, qulonglong(r.recovery), slice.number, slice.rankFirst, slice.ranks,
                at(order + slice.requestedNs), at(order + slice.arrivedNs), at(slice.recoveredNs),
                known(slice.storedNs > 0, at(slice.storedNs)), qulonglong(slice.inBytes), qulonglong(slice.outBytes) });
        }
    return table;
}

} // namespace

std::unique_ptr<SystemRows> fileRows(bool isForExport)
{
    return std::make_unique<FileRows>(isForExport ? std::numeric_limits<std::size_t>::max() : 0);
}

} // namespace lhrs::gui
