// SPDX-License-Identifier: GPL-3.0-or-later
// The ways out of a scenario that runs: it is stopped, or the cluster is left with it.
#include "gui/window/panels/guide_panel.h"
#include "gui/window/main/main_window.h"

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
    // The player tells others first that the run is over.
    connect(m_player, &Player::finished, this, &MainWindow::finishStop, Qt::QueuedConnection);
}

// The script runs, or has run ahead of what is seen of it.
bool MainWindow::isLectureOn() const
{
    return m_player->hasBegun() || (m_director.isOn() && !m_director.isRecorded() && !m_director.isOver());
}

void MainWindow::stopScenario(AfterStop after)
{
    m_afterStop = after;
    if (m_player->hasBegun())
        m_player->stop(); // its thread ends when the call under way has ended
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
        m_operator->leave();
        return;
    }
    // A stop is for now: what the script had told until then is not shown.
    if (m_director.await() == Director::Await::Question)
        (void)m_director.next();
    m_director.setStops(false); // which awaits nothing any more
    m_director.toNow();
}

void MainWindow::leaveCluster()
{
    if (!mayForgetRun())
        return;
    if (m_player->hasBegun()) {
        m_guide->press(GuidePanel::Leave); // an exercise is not begun anew
        m_line->answer(tr("leave"), tr("The scenario is being stopped."), true);
    }
    stopScenario(AfterStop::Leave);
}

void MainWindow::offerToStop()
{
    const bool isTextFocused = qobject_cast<QPlainTextEdit*>(focusWidget()) != nullptr; // Escape is a key of the text
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
    QTimer look; // it goes on meanwhile, and may end by itself: then there is nothing left to stop
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
