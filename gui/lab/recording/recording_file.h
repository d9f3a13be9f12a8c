// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/recording/recording_schema.h"
#include "proto/event.pb.h"

#include <QSqlDatabase>
#include <QSqlQuery>
#include <QString>
#include <QStringList>
#include <QVariant>

#include <cstdint>

// What recorder and reader of an .lhrun file agree on, and how the file is opened.
namespace lhrs::gui {

constexpr std::uint32_t kRecordingId = 0x4C485253; // "LHRS", application_id of the SQLite file
constexpr int kGapKind = 0;                        // in event.kind: a gap, not an event
inline const QString kPublishedMeta = QStringLiteral("published/"); // and a name, in meta.key: a published table that a chart was drawn beside, as CSV

inline const QString kParametersMeta = QStringLiteral("parameters");  // in meta.key: of the scenario, as JSON
inline const QString kWakeLateMeta = QStringLiteral("wake_late_ms");  // in meta.key: how late processes were woken at worst when the cluster started
inline const QString kTimeScaleMeta = QStringLiteral("time_scale");   // in meta.key: what all time-outs were multiplied by for it, 1 on a calm machine
inline const QString kClusterMeta = QStringLiteral("cluster/");       // and a number from 1, in meta.key: parameters of that cluster's file, as JSON

// A 64-bit number as SQLite has it.
inline QVariant stored(std::uint64_t number) { return QVariant(qlonglong(std::int64_t(number))); }

// How an operation went, as the column "path" has it.
const char* pathColumn(pb::Path path);

// A connection of one thread to one file, closed with the object.
class RecordingConnection {
public:
    RecordingConnection();
    ~RecordingConnection();
    RecordingConnection(const RecordingConnection&) = delete;
    RecordingConnection& operator=(const RecordingConnection&) = delete;

    // Frozen: nobody writes the file while it is read, so that SQLite needs no files beside it, and no right to make any.
    enum class Mode { Write, Read, Frozen };
    // An error is a sentence, empty: open.
    QString open(const QString& path, Mode mode);
    void close();
    QSqlDatabase database() const { return QSqlDatabase::database(m_name, false); }
    // Runs one statement; false: see lastError.
    bool run(const QString& statement);
    QString lastError() const { return m_error; }
    // The first column of the first row; invalid: there is none, or an error.
    QVariant value(const QString& query);

private:
    const QString m_name;
    QString m_error;
};

} // namespace lhrs::gui
