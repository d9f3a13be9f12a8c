// SPDX-License-Identifier: GPL-3.0-or-later
// A cluster of sockets in a separate process, which publishes events at a set rate. So its cost is not part of the
// figures of the window that watches it.
#pragma once

#include "tests/rigs/gui/view_stage.h"

#include <QProcess>
#include <QString>

namespace lhrs::gui {

// The file of all measurements: every bucket has records, and room for some more.
FileShape benchShape(std::uint32_t buckets);

// Runs in the process that is the cluster, until its standard input ends.
int playCluster(std::uint32_t buckets);

// Starts such a process and sends it commands. The process ends with this object.
class PlayedCluster {
public:
    explicit PlayedCluster(std::uint32_t buckets);
    ~PlayedCluster();

    // HOST:PORT; empty: the process did not start.
    QString address() const { return m_address; }
    std::size_t processes() const;
    const FileShape& shape() const { return m_shape; }
    // From now on inserts into all buckets except the last.
    void load(std::uint32_t eventsPerSecond);
    // Stops the inserts; returns the number of events.
    std::uint64_t rest();
    // The last bucket, which receives no inserts, reports a record count that alternates between many and few.
    void mark();

private:
    QString ask(const QByteArray& line);

    const FileShape m_shape;
    QProcess m_process;
    QString m_address;
};

} // namespace lhrs::gui
