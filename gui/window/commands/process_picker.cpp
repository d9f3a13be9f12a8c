// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/commands/process_picker.h"

#include <QAction>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>

#include <algorithm>

namespace lhrs::gui {

ProcessPicker::ProcessPicker(const QString& nobody, QWidget* parent)
    : QPushButton(parent), m_nobody(nobody), m_menu(new QMenu(this))
{
    m_menu->installEventFilter(this);
    setMenu(m_menu);
    connect(m_menu, &QMenu::aboutToShow, this, &ProcessPicker::fillMenu);
    showWords();
}

void ProcessPicker::setChoices(const std::vector<Choice>& choices)
{
    m_choices = choices;
    const std::size_t before = m_chosen.size();
    std::erase_if(m_chosen, [&](ProcessId id) {
        return std::none_of(choices.begin(), choices.end(), [id](const Choice& c) { return c.first == id; });
    });
    showWords();
    if (m_chosen.size() != before)
        emit changed();
}

void ProcessPicker::setNobody(const QString& words)
{
    m_nobody = words;
    showWords();
}

void ProcessPicker::setRest(const QString& words)
{
    m_rest = words;
    m_isRest = m_isRest && !words.isEmpty();
    showWords();
}

void ProcessPicker::setRestChosen(bool on)
{
    m_isRest = on && !m_rest.isEmpty();
    if (m_isRest)
        m_chosen.clear();
    showWords();
    emit changed();
}

std::vector<ProcessId> ProcessPicker::chosen() const
{
    std::vector<ProcessId> chosen;
    for (const Choice& choice : m_choices) // in the order of the choices
        if (m_chosen.contains(choice.first))
            chosen.push_back(choice.first);
    return chosen;
}

void ProcessPicker::choose(const std::vector<ProcessId>& processes)
{
    m_isRest = false;
    m_chosen.clear();
    for (const Choice& choice : m_choices)
        if (std::find(processes.begin(), processes.end(), choice.first) != processes.end())
            m_chosen.insert(choice.first);
    showWords();
    emit changed();
}

void ProcessPicker::fillMenu()
{
    m_menu->clear();
    const auto add = [this](const QString& words, bool isChecked, auto&& toggled) {
        QAction* action = m_menu->addAction(words);
        action->setCheckable(true);
        action->setChecked(isChecked);
        connect(action, &QAction::toggled, this, toggled);
        return action;
    };
    if (!m_rest.isEmpty()) {
        add(m_rest, m_isRest, [this](bool on) {
            setRestChosen(on);
            if (on) {
                for (QAction* action : m_menu->actions().mid(1))
                    action->setChecked(false);
                m_isRest = true;
                showWords();
                emit changed();
            }
        });
        m_menu->addSeparator();
    }
    for (const Group& group : m_groups) {
        const bool isWhole = std::all_of(
            group.processes.begin(), group.processes.end(), [this](ProcessId id) { return m_chosen.contains(id); });
        add(group.words, isWhole, [this, processes = group.processes](bool on) {
            for (QAction* action : m_menu->actions())
                if (const QVariant id = action->data();
                    id.isValid() && std::find(processes.begin(), processes.end(), id.toULongLong()) != processes.end())
                    action->setChecked(on);
        });
    }
    if (!m_groups.empty())
        m_menu->addSeparator();
    for (const Choice& choice : m_choices) {
        const ProcessId id = choice.first;
        QAction* const action = add(choice.second, m_chosen.contains(id), [this, id](bool on) {
            if (on)
                m_chosen.insert(id);
            else
                m_chosen.erase(id);
            if (on && m_isRest)
                m_menu->actions().first()->setChecked(false);
            showWords();
            emit changed();
        });
        action->setData(qulonglong(id));
    }
}

void ProcessPicker::showWords()
{
    QStringList names;
    for (const Choice& choice : m_choices)
        if (m_chosen.contains(choice.first))
            names << choice.second;
    QString words = names.join(QStringLiteral(", "));
    if (m_isRest)
        words = m_rest;
    else if (names.isEmpty())
        words = m_nobody;
    else if (names.size() > 2)
        words = tr("%1 and %2 others").arg(names[0]).arg(names.size() - 1);
    constexpr int kFrame = 34; // width of the button's frame and arrow
    setText(fontMetrics().elidedText(words, Qt::ElideRight, std::max(20, width() - kFrame)));
    setToolTip(names.isEmpty() ? words : names.join(QStringLiteral(", ")));
    setAccessibleDescription(toolTip());
}

void ProcessPicker::resizeEvent(QResizeEvent* event)
{
    QPushButton::resizeEvent(event);
    showWords();
}

// Ticking a process does not close the menu, because usually several are wanted.
bool ProcessPicker::eventFilter(QObject* watched, QEvent* event)
{
    QAction* action = nullptr;
    if (event->type() == QEvent::MouseButtonRelease)
        action = m_menu->actionAt(static_cast<QMouseEvent*>(event)->pos());
    else if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space)
        action = m_menu->activeAction();
    if (watched == m_menu && action != nullptr && action->isCheckable() && action->isEnabled()) {
        action->toggle();
        return true;
    }
    return QPushButton::eventFilter(watched, event);
}

} // namespace lhrs::gui
