// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"
#include "gui/lab/control/control_client.h"
#include "gui/window/commands/command_worker.h"

#include <QObject>
#include <QString>

#include <chrono>
#include <functional>
#include <stop_token>

namespace lhrs::gui {

class Ingest;
class LocalCluster;

inline constexpr std::chrono::milliseconds kAnswer { 3'000 }; // an address that is silent so long is no coordinator
inline constexpr std::chrono::seconds kStructure { 60 }; // for a change of the structure, which may move many records

// The result of a command.
struct CommandOutcome {
    QString words;
    bool isGood = true;
    std::function<void()> then = {}; // called after the report, in the GUI thread
};
// `done` if it was done, or else the error.
CommandOutcome outcomeOf(const Result<void>& result, const QString& done);

// Reports each command: first the scenario line that does the same, and later its result. Commands begin in the GUI
// thread, which waits for nothing; the signals are emitted there.
class CommandReport : public QObject {
    Q_OBJECT
public:
    CommandReport(ControlClient& control, CommandWorker& worker) : m_control(control), m_worker(worker) { }

    // Sends a command. `words`: the result of a reply; called in the control thread.
    void ask(const QString& line, const CallTarget& to, pb::Command command, std::chrono::milliseconds timeout,
        std::function<QString(const pb::CommandReply&)> words);
    // The same for the coordinator of the cluster.
    void askCoordinator(const QString& line, pb::Command command, std::chrono::milliseconds timeout,
        std::function<QString(const pb::CommandReply&)> words);
    // Carries out `act` in the worker.
    void work(const QString& line, std::function<CommandOutcome(const std::stop_token&)> act);
    // Reports a command whose result is known at once.
    void tell(const QString& line, const CommandOutcome& outcome);

signals:
    void said(const QString& line);
    void answered(const QString& line, const QString& outcome, bool isGood);

private:
    void answerSoon(const QString& line, CommandOutcome outcome); // in any thread

    ControlClient& m_control;
    CommandWorker& m_worker;
};

// What the commands of a window share. All of it outlives them, and its threads have ended then.
struct CommandContext {
    ControlClient& control;
    Ingest& ingest;
    LocalCluster& local;
    CommandWorker& worker;
    CommandReport& report;
};

} // namespace lhrs::gui
