// SPDX-License-Identifier: GPL-3.0-or-later
// The window and the show: what the reel shows apart from captions, and what a person does with it.
#include "gui/window/main/main_window.h"

#include "gui/lab/export/run_export.h"
#include "gui/lab/words/sentences.h"
#include "gui/show/named_things.h"
#include "gui/show/quantity_words.h"
#include "gui/view/cluster/cluster_layout.h"

#include <algorithm>
#include <utility>

namespace lhrs::gui {

namespace {

constexpr std::int64_t kJustMarked = 500'000'000; // ns: a marker this close counts as being at the shown instant
constexpr std::int64_t kLastSeconds = 5'000'000'000; // ns of the run that are repeated if there is no marker
constexpr std::uint64_t kStoryEvents = 200'000; // recordings of up to so many events have their story told at once

} // namespace

// Another cluster begins: all views forget the previous one.
void MainWindow::beginCluster(std::int64_t ns)
{
    m_timeLine.beginRun(ns);
    m_narrator.reset();
    m_runStory.clear();
    m_parts.timeBar->track().reset();
    for (WindowSubject* subject : m_subjects)
        subject->forget();
    m_selection->select({});
    m_log->model().clear();
    m_canvas->cut();
}

// A recording was opened. Its story is told at once, unless it is so long that the person would have to wait: then it
// is told as far as the recording is shown.
void MainWindow::beginStory()
{
    Recording& recording = *m_timeLine.recording();
    m_isStoryWhole = recording.events() <= kStoryEvents;
    m_runStory = m_isStoryWhole ? storyOf(recording) : RunStory();
}

// Tells what has happened since the last frame: to the log, and to the strip if no script speaks.
void MainWindow::tellStory()
{
    if (!m_parts.hasCluster())
        return;
    m_narrator.look(m_pacer.state(), m_pacer.shownNs());
    const std::vector<Telling> tellings = m_narrator.takeTellings();
    for (const Telling& one : tellings)
        if (!m_isStoryWhole)
            m_runStory.add(one, m_pacer.shownUpTo());
    if (m_player->isFree())
        m_player->tell(tellings);
}

// Nothing of the picture before a jump moves on after it.
void MainWindow::followCuts()
{
    if (std::exchange(m_cuts, m_director.cuts()) != m_director.cuts())
        m_canvas->standStill();
}

void MainWindow::followReel(const ReelEntry& entry)
{
    if (entry.kind == ReelEntry::Kind::Cluster && !m_clustersToCome.empty()) {
        beginCluster(m_clustersToCome.front());
        m_clustersToCome.erase(m_clustersToCome.begin());
    } else if (entry.kind == ReelEntry::Kind::Cluster) {
        m_canvas->cut(); // the cluster was started while the picture was live, and is shown from its beginning now
    }
    if (entry.kind == ReelEntry::Kind::Caption || entry.kind == ReelEntry::Kind::Question
        || entry.kind == ReelEntry::Kind::Answer) {
        QStringList clients;
        for (const ProcessId id : clientsOf(m_pacer.state()))
            clients << QString::fromStdString(m_pacer.state().processes.at(id).name);
        std::vector<ObjectRef> objects;
        for (const QString& thing : thingsNamed(entry.text, clients))
            if (const ObjectRef object = m_parts.objectNamed(thing))
                objects.push_back(object);
        m_canvas->speakOf(objects, Director::readingSeconds(entry.text));
    }
    if (entry.kind != ReelEntry::Kind::Step)
        return;
    // At a new step, panels and zoom of the previous step are reset, unless the person has gone elsewhere meanwhile.
    if (m_workspaceOfReel) {
        if (workspace() == Workspace::Inspect || workspace() == Workspace::Measure)
            setWorkspace(*m_workspaceOfReel);
        m_workspaceOfReel.reset();
        m_selection->select({});
    }
    if (std::exchange(m_isNearOfReel, false)) {
        m_canvas->fit();
        m_selection->select({});
    }
}

void MainWindow::changeSpeed(double factor) { m_director.setSpeed(m_director.speed() * factor); }

// The recording of a scenario is the same show without its script. False: it contains no steps and no exercise.
bool MainWindow::startReel()
{
    std::vector<ReelEntry> reel = m_timeLine.recording() ? m_timeLine.recording()->reel() : std::vector<ReelEntry>();
    const auto isTold = [](const ReelEntry& entry) {
        return entry.kind == ReelEntry::Kind::Step || entry.kind == ReelEntry::Kind::Exercise;
    };
    if (std::none_of(reel.begin(), reel.end(), isTold))
        return false;
    m_player->showReel(std::move(reel), chartsOf(*m_timeLine.recording()));
    return true;
}

// Repeats the interval from the person's newest marker to the shown instant, or between the two newest markers if the
// last one is at the shown instant.
void MainWindow::showAgain()
{
    std::vector<std::int64_t> marks;
    const std::int64_t shown = m_pacer.shownNs();
    for (const TimeMark& mark : m_parts.timeBar->track().marks())
        if (mark.kind == TimeMark::Kind::Own && mark.ns <= shown)
            marks.push_back(mark.ns);
    std::sort(marks.begin(), marks.end());
    std::int64_t to = shown;
    if (marks.size() > 1 && to - marks.back() < kJustMarked) {
        to = marks.back();
        marks.pop_back();
    }
    ReelEntry interval { .kind = ReelEntry::Kind::Replay };
    interval.from = { 0, marks.empty() ? std::max(m_timeLine.beginNs(), to - kLastSeconds) : marks.back(), true };
    interval.until = { 0, to, true };
    if (!m_director.replay(interval))
        m_line->answer(tr("again"),
            m_timeLine.trouble().isEmpty() ? tr("nothing of it is recorded") : m_timeLine.trouble(), false);
}

} // namespace lhrs::gui
