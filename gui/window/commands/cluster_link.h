// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/local/local_options.h"
#include "gui/window/commands/command_report.h"

#include <QElapsedTimer>
#include <QTimer>

namespace lhrs::gui {

// The names of the clients that a window starts, from 0: alice, bob, ...
QString clientNameOf(std::uint32_t number);

enum class LinkState {
    None, // no cluster
    Starting, // local processes are being started, or an address is being asked
    Here, // there is one
    Lost, // its coordinator no longer answers
};

// The cluster that the window works with: it starts one, joins one by address, leaves it, and watches whether the
// coordinator answers.
class ClusterLink : public QObject {
    Q_OBJECT
public:
    explicit ClusterLink(const CommandContext& context);

    LinkState state() const { return m_state; }
    // Why there is no cluster after an attempt to start or join one; empty otherwise.
    QString trouble() const { return m_trouble; }
    // The address of the coordinator, for the status bar.
    QString address() const { return m_address; }
    // This window started the processes: it may add more, and they end with the window.
    bool isLocal() const { return m_isLocal; }
    std::uint32_t recordBytes() const { return m_recordBytes; } // of the last cluster that was started

    // `line`: the scenario line that starts the same cluster.
    void start(const LocalOptions& options, const QString& line, std::uint32_t recordBytes, std::uint32_t clients = 1);
    // HOST:PORT of the coordinator's control endpoint, and the file with a key of the cluster (empty: it has none).
    void connectTo(const QString& address, const QString& keyFile = {});
    void leave();
    void setDetail(pb::Detail detail);
    // The link follows what a scenario does with the session.
    void setScenarioRuns(bool on);
    bool scenarioRuns() const { return m_scenarioRuns; }

signals:
    void changed();
    // Another cluster begins: everything that is shown belongs to the previous one.
    void clusterChanged();

private:
    void begin(LinkState state, bool isLocal, const QString& address);
    void set(LinkState state, const QString& trouble = {});
    void watch();

    CommandContext m_context;
    LinkState m_state = LinkState::None;
    QString m_trouble, m_address;
    bool m_isLocal = false, m_scenarioRuns = false;
    std::uint32_t m_recordBytes = 100;
    QTimer m_watch;
    QElapsedTimer m_since; // the attempt to start or join a cluster
};

} // namespace lhrs::gui
