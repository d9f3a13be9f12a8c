// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/commands/command_report.h"
#include "gui/window/commands/fault_wish.h"

#include <QTimer>

#include <map>
#include <mutex>
#include <vector>

namespace lhrs::gui {

// A fault that acts now.
struct FaultArmed {
    ArmedFault fault; // number 0: a paused process, known only to the program that paused it
    bool isKept = false; // renewed while this window is open
};

// The faults that the window injects, and how it ends them.
class ClusterFaults : public QObject {
    Q_OBJECT
public:
    explicit ClusterFaults(const CommandContext& context);

    // Faults of the process; `target`: as a scenario names it, e.g. lab.data(5).
    void kill(ProcessId process, const QString& target);
    void pause(ProcessId process, const QString& target);
    void resume(ProcessId process, const QString& target);
    void restart(ProcessId process, const QString& target);
    // Blocks all messages between the process and all others, for at most one minute.
    void cutOff(ProcessId process);
    // loseSome() drops half of the messages to the process; delayMessages() delays them. Both last at most one minute.
    void loseSome(ProcessId process);
    void delayMessages(ProcessId process);
    // Arms any fault that the palette offers.
    void arm(const FaultWish& wish);
    // Ends this fault, or the network faults that cut the process off or were armed at it, or all faults and pauses.
    void healFault(std::uint64_t number);
    void heal(ProcessId process);
    void healAll();
    // Asks all processes which faults are armed at them; listed() is emitted when they have answered.
    void ask();
    const std::vector<FaultArmed>& armed() const { return m_armed; }
    // Another cluster begins, which has none.
    void forget();

signals:
    void listed();

private:
    using Kept = std::map<std::uint64_t, std::vector<FaultOrder>>;
    void change(const QString& line, std::function<Result<void>()> act, const QString& done);
    Result<void> carryOut(const FaultWish& wish);
    void renewLeases();

    CommandContext m_context;
    QTimer m_renew;
    std::vector<FaultArmed> m_armed;
    bool m_isAsking = false;
    std::mutex m_mutex;
    Kept m_kept; // faults whose lease is renewed, by number; guarded by m_mutex
};

} // namespace lhrs::gui
