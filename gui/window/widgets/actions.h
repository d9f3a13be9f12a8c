// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QDialog>
#include <QKeySequence>
#include <QObject>
#include <QString>

#include <functional>
#include <initializer_list>
#include <map>
#include <set>
#include <vector>

class QLineEdit;
class QListWidget;
class QMenu;
class QMenuBar;
class QWidget;

namespace lhrs::gui {

// A registered action: all that menu, key, sheet, search and tests need to know of it.
struct ActionInfo {
    const char* id; // objectName
    const char* menu; // title of its menu: "View", or "View/Layers" for a menu in it
    const char* name;
    const char* keys; // portable text, several with "; "; may be empty
    const char* sentence; // what it does
    bool isCheckable = false;
};

// The only registry of actions, used by menus, the sheet of keys, the search and the tests. No QAction is created
// elsewhere.
class Actions : public QObject {
    Q_OBJECT
public:
    // Actions work wherever the focus is in the window.
    explicit Actions(QWidget* window);

    // Registers and connects an action. Each id may be registered only once (checked).
    QAction* add(const ActionInfo& info, std::function<void()> triggered);
    // The action with this id, which must exist (checked).
    QAction* get(const char* id) const;
    void enable(std::initializer_list<const char*> ids, bool on) const;
    // Adds these actions to a menu; null: a separator.
    void offer(QMenu& menu, std::initializer_list<const char*> ids) const;
    const std::vector<QAction*>& all() const { return m_actions; }
    QString sentenceOf(const QAction* action) const;
    // The title of its menu: "View", or "View/Layers" for a menu in it.
    QString menuOf(const QAction* action) const;
    // These actions cannot be undone. If there is a guard, it is asked before one of them is carried out.
    void markDestructive(std::initializer_list<const char*> ids);
    bool isDestructive(const QAction* action) const { return m_destructive.contains(action); }
    void setGuard(std::function<bool(const QAction*)> mayDo) { m_guard = std::move(mayDo); }
    // These actions begin a section of their menu, with a separator above.
    void beginSections(std::initializer_list<const char*> ids);
    // One menu for each title, in the order in which the titles were first registered.
    void fill(QMenuBar* bar) const;

private:
    QWidget* m_window;
    std::vector<QAction*> m_actions;
    std::vector<QString> m_menus;
    std::map<const QAction*, ActionInfo> m_infos;
    std::set<const QAction*> m_destructive, m_sections;
    std::function<bool(const QAction*)> m_guard;
};

// Lists every action with its key and its sentence.
class KeySheet : public QDialog {
    Q_OBJECT
public:
    KeySheet(const Actions& actions, QWidget* parent);
};

// Finds an action by its words and triggers it.
class ActionFinder : public QDialog {
    Q_OBJECT
public:
    ActionFinder(const Actions& actions, QWidget* parent);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void search(const QString& words);
    void choose();

    const Actions& m_actions;
    QLineEdit* m_words;
    QListWidget* m_list;
    std::vector<QAction*> m_found;
};

} // namespace lhrs::gui
