// SPDX-License-Identifier: GPL-3.0-or-later
// The ways to leave a running scenario: it is stopped, or the cluster is left together with it.
#include "gui/window/panels/guide_panel.h"
#include "gui/window/main/main_window.h"
#include "gui/window/subjects/window_guide.h"

#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTimer>

#include <utility>

namespace lhrs::gui {

namespace {

constexpr std::chrono::milliseconds kLookEvery { 200 };

} // namespace

void MainWindow::connectLeave()
{
    connect(m_player, &Player::stopWanted, this, [this] { stopScenario(AfterStop::ShowNow); });
    // Queued: the player first tells other listeners that the run is over.
    connect(m_player, &Player::finished, this, &MainWindow::finishStop, Qt::QueuedConnection);
}

// The script is running, or its output has not been shown to the end.
bool MainWindow::isLectureOn() const
{
    return m_player->hasBegun() || (m_director.isOn() && !m_director.isRecorded() && !m_director.isOver());
}

void MainWindow::stopScenario(AfterStop after)
{
    m_afterStop = after;
    if (m_player->hasBegun())
        m_player->stop(); // its thread ends when the present call has ended
    else
        finishStop();
}

void MainWindow::finishStop()
{
    const AfterStop after = std::exchange(m_afterStop, AfterStop::Nothing);
    if (after == AfterStop::Nothing)
        return;
    if (after == AfterStop::Leave) {
        endShow();
        m_commands->leave();
        return;
    }
    // A stop takes effect now: output of the script that is still waiting is not shown.
    if (m_director.await() == Director::Await::Question)
        (void)m_director.next();
    m_director.setStops(false); // the show then waits for nothing
    m_director.toNow();
}

void MainWindow::leaveCluster()
{
    if (!mayForgetRun())
        return;
    if (m_player->hasBegun()) {
        m_guide->panel().press(GuidePanel::Leave); // so that the exercise does not begin again
        m_line->answer(tr("leave"), tr("The scenario is being stopped."), true);
    }
    stopScenario(AfterStop::Leave);
}

void MainWindow::offerToStop()
{
    const bool isTextFocused = qobject_cast<QPlainTextEdit*>(focusWidget()) != nullptr; // it uses Escape itself
    if (!isLectureOn() || isTextFocused)
        return;
    const bool isExercise = !headerOf(m_player->source()).exercise.isEmpty();
    const QString what = isExercise ? tr("exercise") : m_player->plan().empty() ? tr("scenario") : tr("lecture");
    QMessageBox box(QMessageBox::NoIcon, tr("Stop"), tr("Stop the %1?").arg(what), QMessageBox::NoButton, this);
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
