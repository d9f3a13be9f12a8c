// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/operate/window_leave.h"

#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTimer>

#include <chrono>
#include <utility>

namespace lhrs::gui {

namespace {

constexpr std::chrono::milliseconds kLookEvery { 200 };

} // namespace

WindowLeave::WindowLeave(WindowParts& parts) : WindowSubject(parts)
{
    m_parts.actions.add(
        { "stopScenario", "Scenario", "Stop the scenario", "Ctrl+.", "Ends the scenario; the cluster stays up" },
        [this] { stopScenario(AfterStop::ShowNow); });
    connect(&m_parts.player.strip(), &CaptionStrip::stopWanted, this, [this] { stopScenario(AfterStop::ShowNow); });
    // Queued: the player first tells other listeners that the run is over.
    connect(&m_parts.player, &Player::finished, this, &WindowLeave::finishStop, Qt::QueuedConnection);
}

void WindowLeave::enable() { m_parts.actions.enable({ "stopScenario" }, m_parts.player.run().isRunning()); }

// The script is running, or its output has not been shown to the end.
bool WindowLeave::isLectureOn() const
{
    return m_parts.player.run().hasBegun()
        || (m_parts.director.isOn() && !m_parts.director.isRecorded() && !m_parts.director.isOver());
}

void WindowLeave::stopScenario(AfterStop after)
{
    m_afterStop = after;
    if (m_parts.player.run().hasBegun())
        m_parts.player.run().stop(); // its thread ends when the present call has ended
    else
        finishStop();
}

void WindowLeave::finishStop()
{
    const AfterStop after = std::exchange(m_afterStop, AfterStop::Nothing);
    if (after == AfterStop::Nothing)
        return;
    if (after == AfterStop::Leave) {
        m_parts.endShow();
        m_parts.commands.link().leave();
        return;
    }
    // A stop takes effect now: output of the script that is still waiting is not shown.
    if (m_parts.director.await() == Director::Await::Question)
        (void)m_parts.director.next();
    m_parts.director.setStops(false); // the show then waits for nothing
    m_parts.director.toNow();
}

void WindowLeave::leaveCluster()
{
    if (m_parts.player.run().hasBegun()) {
        emit exerciseLeft(); // so that it does not begin again
        m_parts.line.answer(tr("leave"), tr("The scenario is being stopped."), true);
    }
    stopScenario(AfterStop::Leave);
}

void WindowLeave::offerToStop()
{
    const bool isTextFocused = qobject_cast<QPlainTextEdit*>(m_parts.window.focusWidget())
        != nullptr; // it uses Escape itself
    if (!isLectureOn() || isTextFocused)
        return;
    const bool isExercise = !headerOf(m_parts.player.scenario().source).exercise.isEmpty();
    const QString what = isExercise              ? tr("exercise")
        : m_parts.player.scenario().plan.empty() ? tr("scenario")
                                                 : tr("lecture");
    QMessageBox box(
        QMessageBox::NoIcon, tr("Stop"), tr("Stop the %1?").arg(what), QMessageBox::NoButton, &m_parts.window);
    box.setObjectName(QStringLiteral("stopQuestion"));
    box.setInformativeText(tr("The cluster stays as it is. Esc goes on."));
    const QPushButton* stop = box.addButton(tr("Stop"), QMessageBox::DestructiveRole);
    QPushButton* goOn = box.addButton(tr("Go on"), QMessageBox::RejectRole);
    box.setDefaultButton(goOn);
    box.setEscapeButton(goOn);
    QTimer look; // the scenario continues meanwhile and may end by itself: then there is nothing left to stop
    connect(&look, &QTimer::timeout, &box, [this, &box] {
        if (!isLectureOn())
            box.reject();
    });
    look.start(kLookEvery);
    box.exec();
    if (box.clickedButton() == stop && isLectureOn())
        stopScenario(AfterStop::ShowNow);
}

} // namespace lhrs::gui
