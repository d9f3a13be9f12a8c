// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/show/pacer.h"
#include "gui/view/cluster/selection.h"
#include "gui/view/paint/theme.h"
#include "gui/window/operator/operator.h"

#include <QWidget>

#include <vector>

class QAction;
class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;

namespace lhrs::gui {

class Actions;

// The buttons that work on the cluster: a client, how many operations, how many at once, and what to do. Each is an
// action of the registry too.
class WorkloadBar : public QWidget {
    Q_OBJECT
public:
    WorkloadBar(Actions& actions, QWidget* parent = nullptr);

    // The clients there are; called when they change. Keeps the chosen one.
    void setClients(const std::vector<std::pair<ProcessId, QString>>& clients);
    ProcessId client() const;
    void chooseClient(ProcessId client);
    Work work(pb::OperationKind kind) const;
    QSpinBox* countBox() { return m_count; }
    void setTheme(const Theme& theme);

signals:
    // The mouse or the focus is on the button of this action; nothing: on none.
    void pointed(const QAction* action);

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QPushButton* button(Actions& actions, const char* id, Glyph glyph);
    // All in one row where that can be: with shorter words, then with icons that say enough without.
    void fit();

    struct Face {
        QPushButton* button;
        const QAction* action;
        Glyph glyph;
        QString words, shorter;
        int iconAlone; // 0: never; the lower, the sooner
    };
    QComboBox* m_client;
    QSpinBox *m_count, *m_window;
    std::vector<Face> m_faces;
};

// One line: the scenario line of the last command and how it ended, or the line of the button that has the focus.
class LabLine : public QWidget {
    Q_OBJECT
public:
    explicit LabLine(QWidget* parent = nullptr);

    void say(const QString& line);
    void answer(const QString& line, const QString& outcome, bool isGood);
    // Shown while a button or an entry of a menu is pointed at, until a command is given or answered; empty: the last command
    // again.
    void preview(const QString& line);
    void setTheme(const Theme& theme);
    // The last command and how it ended.
    QString text() const;
    // The line that is to be read now: the preview, or else the last command.
    QString lineShown() const { return m_preview.isEmpty() ? m_last : m_preview; }

private:
    void refreshText();

    QLabel *m_line, *m_outcome;
    QString m_last, m_result, m_preview;
    bool m_isGood = true;
    Theme m_theme;
};

} // namespace lhrs::gui
