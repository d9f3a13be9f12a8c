// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/commands/command_report.h"

#include "gui/lab/tables/qt_text.h"

#include <utility>

namespace lhrs::gui {

CommandOutcome outcomeOf(const Result<void>& result, const QString& done)
{
    return { result ? done : text(result.error().text), bool(result) };
}

void CommandReport::answerSoon(const QString& line, CommandOutcome outcome)
{
    QMetaObject::invokeMethod(
        this,
        [this, line, outcome = std::move(outcome)] {
            emit answered(line, outcome.words, outcome.isGood);
            if (outcome.then)
                outcome.then();
        },
        Qt::QueuedConnection);
}

void CommandReport::ask(const QString& line, const CallTarget& to, pb::Command command,
    std::chrono::milliseconds timeout, std::function<QString(const pb::CommandReply&)> words)
{
    emit said(line);
    m_control.call(to, std::move(command), timeout, [this, line, words = std::move(words)](const Answer& answer) {
        answerSoon(line, { answer ? words(answer.reply) : text(answer.text), bool(answer) });
    });
}

void CommandReport::askCoordinator(const QString& line, pb::Command command, std::chrono::milliseconds timeout,
    std::function<QString(const pb::CommandReply&)> words)
{
    ask(line, m_control.coordinator(), std::move(command), timeout, std::move(words));
}

void CommandReport::work(const QString& line, std::function<CommandOutcome(const std::stop_token&)> act)
{
    emit said(line);
    m_worker.post([this, line, act = std::move(act)](const std::stop_token& stop) { answerSoon(line, act(stop)); });
}

void CommandReport::tell(const QString& line, const CommandOutcome& outcome)
{
    emit said(line);
    emit answered(line, outcome.words, outcome.isGood);
}

} // namespace lhrs::gui
