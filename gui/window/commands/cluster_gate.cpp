// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/commands/cluster_gate.h"

#include "gui/lab/live/ingest.h"
#include "gui/lab/words/process/process_words.h"
#include "gui/show/words/quantity_words.h"

#include <utility>

namespace lhrs::gui {

namespace {

QString boolWord(bool is) { return is ? QStringLiteral("true") : QStringLiteral("false"); }

} // namespace

void ClusterGate::holdWorkload(bool isHeld)
{
    m_context.control.holdWorkload(isHeld);
    m_context.report.tell(QStringLiteral("lab.holdWorkload(%1);").arg(boolWord(isHeld)),
        { isHeld ? tr("no client begins new operations; those under way end") : tr("clients begin operations again") });
}

void ClusterGate::close(bool isClosed)
{
    m_context.report.work(
        QStringLiteral("lab.gate(%1);").arg(boolWord(isClosed)), [this, isClosed](const std::stop_token& stop) {
            const GateOutcome outcome = isClosed ? closeGates(m_context.control, kGateWithin, stop)
                                                 : openGates(m_context.control, stop);
            QString words = QString::fromStdString(outcome.text);
            if (isClosed && !outcome.hasGate)
                words = tr("%1 Start the cluster with the box “gate” of the start page, or its programs with --gate. A "
                           "simulated cluster (Ctrl+Alt+S) always has one.")
                            .arg(words);
            else if (words.isEmpty())
                words = isClosed
                    ? tr("%1 hold what arrives, and their clocks stand still: Alt+5 lets one message through")
                          .arg(countedWords(outcome.processes, "process", "processes"))
                    : tr("messages and clocks go on");
            return CommandOutcome { words, outcome.text.empty() };
        });
}

// As a scenario can find it again: by its receiver, and by its number there.
QString ClusterGate::lineOf(const HeldAt& one, bool isDropped) const
{
    return QStringLiteral("lab.release({ message: lab.held().find(m => m.to === '%1' && m.number === %2)%3 });")
        .arg(QString::fromStdString(processShown(one.process, m_context.ingest.state())))
        .arg(one.message.number())
        .arg(isDropped ? QStringLiteral(", drop: true") : QString());
}

void ClusterGate::release(const HeldAt& one, bool isDropped)
{
    m_context.report.work(lineOf(one, isDropped), [this, one, isDropped](const std::stop_token& stop) {
        ReleaseWish wish;
        wish.one = one;
        wish.isDropped = isDropped;
        return carryOut(wish, stop);
    });
}

void ClusterGate::releaseOldest(ProcessId process, bool isDropped)
{
    const QString options = isDropped ? QStringLiteral(", drop: true") : QString();
    const QString line = process != 0
        ? QStringLiteral("lab.release({ message: lab.held().find(m => m.to === '%1')%2 });")
              .arg(QString::fromStdString(processShown(process, m_context.ingest.state())), options)
        : QStringLiteral("lab.release({ clock: true%1 });").arg(options);
    m_context.report.work(line, [this, process, isDropped](const std::stop_token& stop) {
        ReleaseWish wish;
        wish.isDropped = isDropped;
        wish.mayPass = process == 0;
        if (process != 0) {
            const auto held = heldMessages(m_context.control, stop);
            if (held)
                for (const HeldAt& one : *held)
                    if (one.process == process && !wish.one)
                        wish.one = one;
            if (!wish.one)
                return CommandOutcome { held ? tr("nothing is held there") : QString::fromStdString(held.error().text),
                    false };
        }
        return carryOut(wish, stop);
    });
}

// Runs in the worker thread.
CommandOutcome ClusterGate::carryOut(const ReleaseWish& wish, const std::stop_token& stop)
{
    const auto released = releaseHeld(m_context.control, wish, stop);
    CommandOutcome outcome { {}, released && !released->empty(), [this] { ask(); } };
    if (!outcome.isGood) {
        outcome.words = released ? tr("nothing is held") : QString::fromStdString(released.error().text);
        return outcome;
    }
    const HeldAt& one = released->front();
    const ClusterState now = m_context.ingest.state();
    const QString kind = QString::fromStdString(one.message.kind()).replace(QLatin1Char('_'), QLatin1Char(' ')),
                  from = QString::fromStdString(processShown(one.message.from(), now)),
                  to = QString::fromStdString(processShown(one.process, now));
    outcome.words = (wish.isDropped ? tr("%1 from %2 is lost on its way to %3")
                                    : tr("%1 from %2 arrives at %3, which takes one step"))
                        .arg(kind, from, to);
    return outcome;
}

std::int64_t ClusterGate::nowNs() const
{
    const auto now = m_context.control.simulation();
    if (!now)
        return std::chrono::steady_clock::now().time_since_epoch().count(); // the processes run on this machine
    const std::int64_t wallOfZero = now->wall_ns() - now->virtual_ns();
    return m_context.ingest.startedWallNs() + m_context.ingest.nowNs() - wallOfZero;
}

void ClusterGate::ask()
{
    if (m_isAsking)
        return;
    if (!m_context.control.isGated()) {
        m_held.clear();
        m_trouble.clear();
        emit listed();
        return;
    }
    m_isAsking = true;
    m_context.worker.post([this](const std::stop_token& stop) {
        auto held = heldMessages(m_context.control, stop);
        QMetaObject::invokeMethod(
            this,
            [this, held = std::move(held)] {
                m_isAsking = false;
                m_held = held ? *held : std::vector<HeldAt>();
                m_trouble = held ? QString() : QString::fromStdString(held.error().text);
                emit listed();
            },
            Qt::QueuedConnection);
    });
}

} // namespace lhrs::gui
