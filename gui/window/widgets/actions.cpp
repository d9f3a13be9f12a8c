// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/widgets/actions.h"

#include "common/errors.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace lhrs::gui {

Actions::Actions(QWidget* window) : QObject(window), m_window(window) { }

QAction* Actions::add(const ActionInfo& info, std::function<void()> triggered)
{
    const QString id = QString::fromLatin1(info.id);
    LHRS_CHECK(
        std::none_of(m_actions.begin(), m_actions.end(), [&](const QAction* a) { return a->objectName() == id; }));
    auto* action = new QAction(QString::fromUtf8(info.name), this);
    action->setObjectName(id);
    const QString keys = QString::fromLatin1(info.keys);
    if (!keys.isEmpty())
        action->setShortcuts(QKeySequence::listFromString(keys, QKeySequence::PortableText));
    action->setShortcutContext(Qt::WindowShortcut);
    action->setCheckable(info.isCheckable);
    const QString sentence = QString::fromUtf8(info.sentence);
    action->setToolTip(keys.isEmpty() ? sentence : QStringLiteral("%1 (%2)").arg(sentence, keys));
    action->setStatusTip(sentence);
    connect(action, &QAction::triggered, this, [this, action, act = std::move(triggered)] {
        if (!m_guard || !isDestructive(action) || m_guard(action))
            act();
    });
    m_window->addAction(action);
    m_actions.push_back(action);
    m_infos[action] = info;
    const QString menu = QString::fromUtf8(info.menu);
    if (std::find(m_menus.begin(), m_menus.end(), menu) == m_menus.end())
        m_menus.push_back(menu);
    return action;
}

QAction* Actions::get(const char* id) const
{
    const auto found = std::find_if(
        m_actions.begin(), m_actions.end(), [&](const QAction* a) { return a->objectName() == QLatin1String(id); });
    LHRS_CHECK(found != m_actions.end());
    return *found;
}

void Actions::enable(std::initializer_list<const char*> ids, bool on) const
{
    for (const char* id : ids)
        get(id)->setEnabled(on);
}

void Actions::offer(QMenu& menu, std::initializer_list<const char*> ids) const
{
    for (const char* id : ids)
        id ? menu.addAction(get(id)) : void(menu.addSeparator());
}

void Actions::markDestructive(std::initializer_list<const char*> ids)
{
    for (const char* id : ids)
        m_destructive.insert(get(id));
}

void Actions::beginSections(std::initializer_list<const char*> ids)
{
    for (const char* id : ids)
        m_sections.insert(get(id));
}

QString Actions::sentenceOf(const QAction* action) const
{
    const auto found = m_infos.find(action);
    return found == m_infos.end() ? QString() : QString::fromUtf8(found->second.sentence);
}

QString Actions::menuOf(const QAction* action) const
{
    const auto found = m_infos.find(action);
    return found == m_infos.end() ? QString() : QString::fromUtf8(found->second.menu);
}

void Actions::fill(QMenuBar* bar) const
{
    std::map<QString, QMenu*> outer;
    for (const QString& title : m_menus) {
        const QString inner = title.section(QLatin1Char('/'), 1), name = title.section(QLatin1Char('/'), 0, 0);
        QMenu*& menuOfBar = outer[name];
        if (!menuOfBar)
            menuOfBar = bar->addMenu(name);
        QMenu* menu = inner.isEmpty() ? menuOfBar : menuOfBar->addMenu(inner);
        for (QAction* action : m_actions) {
            if (QString::fromUtf8(m_infos.at(action).menu) != title)
                continue;
            if (m_sections.contains(action))
                menu->addSeparator();
            menu->addAction(action);
        }
    }
}

// ---- the sheet

KeySheet::KeySheet(const Actions& actions, QWidget* parent) : QDialog(parent)
{
    setObjectName(QStringLiteral("keySheet"));
    setWindowTitle(tr("Keys and actions"));
    auto* table = new QTableWidget(int(actions.all().size()), 3, this);
    table->setAccessibleName(windowTitle());
    table->setHorizontalHeaderLabels({ tr("key"), tr("action"), tr("what it does") });
    table->verticalHeader()->hide();
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setShowGrid(false);
    table->setAlternatingRowColors(true);
    int row = 0;
    for (const QAction* action : actions.all()) {
        QStringList keys;
        for (const QKeySequence& key : action->shortcuts())
            keys << key.toString(QKeySequence::NativeText);
        table->setItem(row, 0, new QTableWidgetItem(keys.join(QStringLiteral(", "))));
        table->setItem(row, 1, new QTableWidgetItem(action->text()));
        table->setItem(row, 2, new QTableWidgetItem(actions.sentenceOf(action)));
        ++row;
    }
    table->resizeColumnsToContents();
    table->horizontalHeader()->setStretchLastSection(true);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* box = new QVBoxLayout(this);
    box->addWidget(new QLabel(
        tr("In the picture: arrow keys walk, Enter inspects, Menu or Shift+F10 opens the menu of what is selected."),
        this));
    box->addWidget(table, 1);
    box->addWidget(buttons);
    const QSize room = parent ? parent->size() : QSize(1000, 640);
    resize(room * 0.86);
}

// ---- the search

ActionFinder::ActionFinder(const Actions& actions, QWidget* parent)
    : QDialog(parent), m_actions(actions), m_words(new QLineEdit(this)), m_list(new QListWidget(this))
{
    setObjectName(QStringLiteral("actionFinder"));
    setWindowTitle(tr("Find an action"));
    m_words->setAccessibleName(tr("Words of the action"));
    m_list->setAccessibleName(tr("Actions found"));
    m_words->installEventFilter(this);
    auto* box = new QVBoxLayout(this);
    box->addWidget(m_words);
    box->addWidget(m_list, 1);
    connect(m_words, &QLineEdit::textChanged, this, &ActionFinder::search);
    connect(m_words, &QLineEdit::returnPressed, this, &ActionFinder::choose);
    connect(m_list, &QListWidget::itemActivated, this, &ActionFinder::choose);
    const QSize room = parent ? parent->size() : QSize(1000, 640);
    resize(room.width() / 2, room.height() / 2);
    search({});
}

void ActionFinder::search(const QString& words)
{
    m_found.clear();
    m_list->clear();
    for (QAction* action : m_actions.all()) {
        const QString sentence = m_actions.sentenceOf(action);
        const QString all = action->text() + QLatin1Char(' ') + sentence;
        const QStringList parts = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
        if (!action->isEnabled() || !std::all_of(parts.begin(), parts.end(), [&](const QString& part) {
                return all.contains(part, Qt::CaseInsensitive);
            }))
            continue;
        m_found.push_back(action);
        const QString key = action->shortcut().toString(QKeySequence::NativeText);
        m_list->addItem(key.isEmpty() ? QStringLiteral("%1: %2").arg(action->text(), sentence)
                                      : QStringLiteral("%1 (%2): %3").arg(action->text(), key, sentence));
    }
    m_list->setCurrentRow(m_found.empty() ? -1 : 0);
}

void ActionFinder::choose()
{
    const int row = m_list->currentRow();
    if (row < 0 || row >= int(m_found.size()))
        return;
    QAction* action = m_found[std::size_t(row)];
    accept();
    action->trigger();
}

// The up and down keys move in the list while the person types.
bool ActionFinder::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Up || key == Qt::Key_Down) {
            const int row = m_list->currentRow() + (key == Qt::Key_Down ? 1 : -1);
            m_list->setCurrentRow(std::clamp(row, 0, std::max(0, m_list->count() - 1)));
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

} // namespace lhrs::gui
