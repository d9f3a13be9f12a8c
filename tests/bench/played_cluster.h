// SPDX-License-Identifier: GPL-3.0-or-later
// A cluster of sockets in a process of its own, which tells events at a set rate: what it costs is not in the figures of
// the window that watches it.
#pragma once

#include "tests/rigs/gui/view_stage.h"

#include <QProcess>
#include <QString>

namespace lhrs::gui {

// The file of all measurements: records everywhere, room for some more.
FileShape benchShape(std::uint32_t buckets);

// Runs in the process that is only the cluster, until its standard input ends.
int playCluster(std::uint32_t buckets);

// Starts such a process, and tells it what to do. Ends with it.
class PlayedCluster {
public:
    explicit PlayedCluster(std::uint32_t buckets);
    ~PlayedCluster();

    // HOST:PORT; empty: it did not start.
    QString address() const { return m_address; }
    std::size_t processes() const;
    const FileShape& shape() const { return m_shape; }
    // Inserts into all buckets but the last from now on.
    void load(std::uint32_t eventsPerSecond);
    // No more of it; how many events it were.
    std::uint64_t rest();
    // The last bucket, into which nobody else inserts, tells of a record, and has many or few by turns.
    void mark();

private:
    QString ask(const QByteArray& line);

    const FileShape m_shape;
    QProcess m_process;
    QString m_address;
};

} // namespace lhrs::gui
