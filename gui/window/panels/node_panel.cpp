// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/panels/node_panel.h"

#include "gui/view/paint/flow_layout.h"
#include "gui/view/systems/view_systems.h"
#include "gui/window/widgets/actions.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>
#include <tuple>

namespace lhrs::gui {

namespace {

constexpr double kListEvery = 0.5; // seconds
constexpr int kEndedLast = 100; // after all that listOrderOf() returns

} // namespace

NodePanel::NodePanel(const Pacer& pacer, Selection& selection, Actions& actions, QWidget* parent)
    : QWidget(parent), m_pacer(pacer), m_selection(selection), m_actions(actions),
      m_view(new NodeView(pacer, selection, this)), m_scroll(new QScrollArea(this)), m_list(new QComboBox(this))
{
    setObjectName(QStringLiteral("nodePanel"));
    m_scroll->setWidget(m_view);
    m_scroll->setWidgetResizable(true);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_list->setObjectName(QStringLiteral("nodeList"));
    m_list->setAccessibleName(tr("Process that is inspected"));
    m_list->setToolTip(tr("The process that is inspected; a click in the picture chooses, too"));
    m_list->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    auto* bar = new QWidget(this);
    auto* flow = new FlowLayout(bar, 4);
    flow->setContentsMargins(6, 4, 6, 2);
    flow->addWidget(m_list);
    for (const auto& [id, words] : { std::pair("pinNode", tr("Pin")), std::pair("unpinNodes", tr("Unpin all")),
             std::pair("releaseHere", tr("Let one through")), std::pair("dropHere", tr("Lose one")) }) {
        QAction* action = actions.get(id);
        auto* made = new QPushButton(words, this);
        made->setObjectName(QLatin1String(id) + QStringLiteral("Button"));
        made->setCheckable(action->isCheckable());
        const bool isOfGate = QLatin1String(id).contains(QLatin1String("Here")); // visible only while it does something
        const auto followAction = [made, action, isOfGate] {
            made->setEnabled(action->isEnabled());
            made->setToolTip(action->toolTip());
            made->setChecked(action->isChecked());
            made->setVisible(action->isEnabled() || !isOfGate);
        };
        followAction();
        connect(made, &QPushButton::clicked, action, [made, action] {
            action->trigger();
            made->setChecked(action->isChecked());
        });
        connect(action, &QAction::changed, made, followAction);
        flow->addWidget(made);
    }
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(bar);
    column->addWidget(m_scroll, 1);
    connect(m_list, &QComboBox::activated, this, [this](int row) {
        if (row < 0 || row >= int(m_entries.size()))
            return;
        const ProcessId process = m_entries[std::size_t(row)].first;
        m_view->choose(process);
        if (const ObjectRef object = wordsOf(m_pacer.state()).objectOf(m_pacer.state(), process))
            m_selection.select(object);
    });
    connect(m_view, &NodeView::shownChanged, this, &NodePanel::follow);
    follow();
}

bool NodePanel::refresh(double seconds)
{
    m_time += seconds;
    if (m_time - m_listedAt >= kListEvery) {
        m_listedAt = m_time;
        fillList();
    }
    return m_view->refresh(seconds);
}

// In the order of the system; ended processes last.
void NodePanel::fillList()
{
    const ClusterState& state = m_pacer.state();
    std::vector<std::tuple<int, std::uint64_t, std::uint64_t, ProcessId, QString>> order;
    for (const auto& [id, process] : state.processes) {
        if (id == 0)
            continue;
        const ObjectRef object = wordsOf(state).objectOf(state, id);
        const int kind = process.hasEnded ? kEndedLast : wordsOf(state).listOrderOf(object);
        const QString words = object ? wordsOf(state).nameOf(state, object) : QString::fromStdString(process.name);
        order.emplace_back(kind, object.a, object.b, id,
            process.hasEnded ? tr("%1 (%2, ended)").arg(words, QString::fromStdString(process.name)) : words);
    }
    std::sort(order.begin(), order.end());
    std::vector<std::pair<ProcessId, QString>> entries;
    for (const auto& [kind, a, b, id, words] : order)
        entries.emplace_back(id, words);
    if (entries == m_entries || m_list->view()->isVisible())
        return;
    m_entries = std::move(entries);
    const QSignalBlocker quiet(m_list);
    m_list->clear();
    for (const auto& [id, words] : m_entries)
        m_list->addItem(words);
    follow();
}

void NodePanel::follow()
{
    const ProcessId chosen = m_view->chosen();
    const auto at = std::find_if(
        m_entries.begin(), m_entries.end(), [&](const auto& entry) { return entry.first == chosen; });
    m_list->setCurrentIndex(at == m_entries.end() ? -1 : int(at - m_entries.begin()));
    m_actions.get("pinNode")->setChecked(m_view->isPinned(chosen));
    m_actions.get("unpinNodes")->setEnabled(!m_view->pinned().empty());
}

std::vector<ProcessId> NodePanel::wanted() const { return isVisible() ? m_view->shown() : std::vector<ProcessId>(); }

void NodePanel::setTheme(const Theme& theme)
{
    m_view->setTheme(theme);
    m_list->setMinimumWidth(int(theme.px(150)));
}

} // namespace lhrs::gui
