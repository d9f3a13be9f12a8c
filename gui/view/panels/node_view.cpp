// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/panels/node_view.h"

#include "gui/view/systems/view_systems.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace lhrs::gui {

namespace {

constexpr double kRebuildNodeEvery = 0.1; // seconds, as often as a process is sampled
constexpr double kChangedFor = 1; // seconds for which a change stays marked while the view follows

} // namespace

NodeView::NodeView(const Pacer& pacer, Selection& selection, QWidget* parent)
    : QWidget(parent), m_pacer(pacer), m_selection(selection), m_list(m_theme)
{
    setObjectName(QStringLiteral("nodeView"));
    setAccessibleName(tr("Node inspector"));
    connect(&m_selection, &Selection::selectionChanged, this, &NodeView::followSelection);
}

// A place represents the process that holds it now.
void NodeView::followSelection()
{
    const ProcessId process = wordsOf(m_pacer.state()).processOf(m_pacer.state(), m_selection.selected());
    if (process != 0)
        choose(process);
}

void NodeView::choose(ProcessId process)
{
    if (process == m_chosen)
        return;
    m_chosen = process;
    m_isDirty = true;
    emit shownChanged();
}

bool NodeView::isPinned(ProcessId process) const
{
    return std::find(m_pinned.begin(), m_pinned.end(), process) != m_pinned.end();
}

bool NodeView::togglePin()
{
    if (m_chosen == 0 || (!isPinned(m_chosen) && m_pinned.size() >= kNodesShown))
        return false;
    if (isPinned(m_chosen))
        std::erase(m_pinned, m_chosen);
    else
        m_pinned.push_back(m_chosen);
    m_isDirty = true;
    emit shownChanged();
    return true;
}

void NodeView::unpinAll()
{
    m_pinned.clear();
    m_isDirty = true;
    emit shownChanged();
}

// With four pinned processes, the chosen one is shown only if it is one of them.
std::vector<ProcessId> NodeView::shown() const
{
    std::vector<ProcessId> shown = m_pinned;
    if (m_chosen != 0 && !isPinned(m_chosen) && shown.size() < kNodesShown)
        shown.push_back(m_chosen);
    return shown;
}

void NodeView::setFollowing(bool on)
{
    if (on == m_isFollowing)
        return;
    m_isFollowing = on;
    m_isDirty = true;
}

bool NodeView::refresh(double seconds)
{
    m_time += seconds;
    const bool isDue = m_version != m_pacer.version() && (m_time - m_builtAt >= kRebuildNodeEvery || !m_isFollowing);
    if (isDue || m_isDirty || (m_isFollowing && !m_facts.empty() && m_time - m_builtAt >= 2 * kRebuildNodeEvery))
        rebuild();
    return false;
}

// What was shown of the process before: at the last step, or more than one second ago.
const NodeFacts* NodeView::before(const NodeFacts& now)
{
    std::deque<Shown>& history = m_history[now.process];
    NodeFacts probe = now;
    if (history.empty() || markChanges(probe, history.back().facts) > 0)
        history.push_back({ m_time, now });
    if (!m_isFollowing) {
        while (history.size() > 2)
            history.pop_front();
        return history.size() > 1 ? &history.front().facts : nullptr;
    }
    while (history.size() > 1 && history[1].time <= m_time - kChangedFor)
        history.pop_front();
    return history.size() > 1 ? &history.front().facts : nullptr;
}

void NodeView::rebuild()
{
    m_version = m_pacer.version();
    m_builtAt = m_time;
    m_isDirty = false;
    m_facts.clear();
    if (m_chosen == 0)
        followSelection();
    const std::vector<ProcessId> wanted = shown();
    std::erase_if(m_history,
        [&](const auto& entry) { return std::find(wanted.begin(), wanted.end(), entry.first) == wanted.end(); });
    for (const ProcessId process : wanted) {
        NodeFacts facts = nodeFacts(m_pacer.state(), process, m_pacer.shownNs());
        if (const NodeFacts* former = before(facts))
            markChanges(facts, *former);
        m_facts.push_back(std::move(facts));
    }
    m_list.clear();
    m_list.setTheme(m_theme);
    const NodePicture picture = drawNodes(
        m_facts, m_isFollowing ? tr("within the last second") : tr("by the last step"), m_theme, width(), m_list);
    if (minimumHeight() != int(std::ceil(picture.height)))
        setMinimumHeight(int(std::ceil(picture.height)));
    setAccessibleDescription(m_list.texts().join(QStringLiteral(". ")));
    update();
}

void NodeView::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_isDirty = true;
}

void NodeView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.card);
    m_list.paint(painter);
}

void NodeView::resizeEvent(QResizeEvent*) { m_isDirty = true; }

} // namespace lhrs::gui
