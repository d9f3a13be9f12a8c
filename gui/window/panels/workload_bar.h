// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/show/pacer.h"
#include "gui/view/system/selection.h"
#include "gui/view/paint/theme.h"
#include "gui/window/commands/cluster_commands.h"

#include <QWidget>

#include <vector>

class QAction;
class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;

namespace lhrs::gui {

class Actions;

// The buttons for work on the cluster: the client, the number of operations, how many run at once, and the command.
// Each command is also an action of the registry.
class WorkloadBar : public QWidget {
    Q_OBJECT
public:
    WorkloadBar(Actions& actions, QWidget* parent = nullptr);

    // A button of the bar. `shorter`: its words where there is little room; empty: the same. `iconAlone`: it is clear
    // without words, and where there is less room still, lower values lose theirs first; 0: it keeps them.
    struct Button {
        const char* id; // of its action
        Glyph glyph;
        QString shorter {};
        int iconAlone = 0;
    };
    // The buttons of one system come after those of all.
    void add(Actions& actions, const Button& button);
    // Sets the available clients; call it when they change. The chosen one stays chosen.
    void setClients(const std::vector<std::pair<ProcessId, QString>>& clients);
    ProcessId client() const;
    void chooseClient(ProcessId client);
    Work work(pb::OperationKind kind) const;
    QSpinBox* countBox() { return m_count; }
    void setTheme(const Theme& theme);

signals:
    // The mouse or the focus is on the button of this action; null: on none.
    void pointed(const QAction* action);

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    // Puts everything in one row if possible: with shorter words, then with icons that are clear without words.
    void fit();

    struct Face {
        QPushButton* button;
        const QAction* action;
        Glyph glyph;
        QString words, shorter;
        int iconAlone; // 0: never; lower values come first
    };
    QComboBox* m_client;
    QSpinBox *m_count, *m_window;
    std::vector<Face> m_faces;
};

// One line: the scenario line of the last command and its result, or the line of the button that has the focus.
class LabLine : public QWidget {
    Q_OBJECT
public:
    explicit LabLine(QWidget* parent = nullptr);

    void say(const QString& line);
    void answer(const QString& line, const QString& outcome, bool isGood);
    // Shows a line while the mouse is over a button or a menu entry, until a command is sent or answered; empty: shows
    // the last command again.
    void preview(const QString& line);
    // Another cluster begins, or there is none: what was said of the former one is not true of it.
    void forget() { answer({}, {}, true); }
    void setTheme(const Theme& theme);
    // The last command and its result.
    QString text() const;
    // The line that is shown now: the preview, or else the last command.
    QString lineShown() const { return m_preview.isEmpty() ? m_last : m_preview; }

private:
    void refreshText();

    QLabel *m_line, *m_outcome;
    QString m_last, m_result, m_preview;
    bool m_isGood = true;
    Theme m_theme;
};

} // namespace lhrs::gui
