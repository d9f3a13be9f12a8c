// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "proto/event.pb.h"

#include <QSqlDatabase>
#include <QSqlQuery>
#include <QString>
#include <QStringList>
#include <QVariant>

#include <cstdint>

// What the recorder and the reader of an .lhrun file agree on, and how the file is opened.
namespace lhrs::gui {

constexpr std::uint32_t kRecordingVersion = 3; // user_version of the file
constexpr std::uint32_t kRecordingId = 0x4C485253; // "LHRS", application_id of the SQLite file
constexpr int kGapKind = 0; // in event.kind: a gap, not an event
// Prefix in meta.key, before a name: a published table that a chart was drawn beside, as CSV.
inline const QString kPublishedMeta = QStringLiteral("published/");

// In meta.key: parameters of the scenario, as JSON.
inline const QString kParametersMeta = QStringLiteral("parameters");
// In meta.key: the worst wake-up delay of the processes when the cluster started, in ms.
inline const QString kWakeLateMeta = QStringLiteral("wake_late_ms");
// In meta.key: the resulting factor of all timeouts; 1 on a calm machine.
inline const QString kTimeScaleMeta = QStringLiteral("time_scale");
// Prefix in meta.key, before a number from 1: parameters of that cluster's file, as JSON.
inline const QString kClusterMeta = QStringLiteral("cluster/");

// A 64-bit number as SQLite stores it.
inline QVariant stored(std::uint64_t number) { return QVariant(qlonglong(std::int64_t(number))); }

// The connection of one thread to one file; closed with the object.
class RecordingConnection {
public:
    RecordingConnection();
    ~RecordingConnection();
    RecordingConnection(const RecordingConnection&) = delete;
    RecordingConnection& operator=(const RecordingConnection&) = delete;

    // Frozen: the file is not written while it is read, so that SQLite needs no files beside it and no right to
    // create any.
    enum class Mode { Write, Read, Frozen };
    // Returns an error sentence, or empty if open.
    QString open(const QString& path, Mode mode);
    void close();
    QSqlDatabase database() const { return QSqlDatabase::database(m_name, false); }
    // Runs one statement. False: see lastError.
    bool run(const QString& statement);
    QString lastError() const { return m_error; }
    // The first column of the first row; invalid if there is none, or on an error.
    QVariant value(const QString& query);

private:
    const QString m_name;
    QString m_error;
};

} // namespace lhrs::gui
