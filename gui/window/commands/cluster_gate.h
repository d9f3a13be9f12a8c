// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/control/gate_orders.h"
#include "gui/window/commands/command_report.h"

#include <vector>

namespace lhrs::gui {

// The holds of a cluster. The workload hold stops new operations. The gate, where there is one, stops deliveries and
// protocol clocks.
class ClusterGate : public QObject {
    Q_OBJECT
public:
    explicit ClusterGate(const CommandContext& context) : m_context(context) { }

    void holdWorkload(bool isHeld);
    void close(bool isClosed); // false: opens it
    // Releases the oldest message that a gate holds, of this process or of all (0), or drops it. If no gate holds a
    // message, time advances to the next timer.
    void releaseOldest(ProcessId process, bool isDropped);
    // Releases or drops this held message, wherever it is in the queue. lineOf() returns the scenario line for it.
    void release(const HeldAt& one, bool isDropped);
    QString lineOf(const HeldAt& one, bool isDropped) const;
    // Asks the gates of all processes which messages they hold; listed() is emitted when they have answered.
    void ask();
    // The last answers, oldest message first. Nothing, with the reason, if the gates could not be asked.
    const std::vector<HeldAt>& held() const { return m_held; }
    QString trouble() const { return m_trouble; }
    // The present time on the clock by which holds of messages are timed; for simulated processes, virtual time.
    std::int64_t nowNs() const;

signals:
    void listed();

private:
    CommandOutcome carryOut(const ReleaseWish& wish, const std::stop_token& stop);

    CommandContext m_context;
    std::vector<HeldAt> m_held;
    QString m_trouble;
    bool m_isAsking = false;
};

} // namespace lhrs::gui
