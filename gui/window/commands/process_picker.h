// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/cluster_state.h"

#include <QPushButton>
#include <QString>

#include <set>
#include <utility>
#include <vector>

class QMenu;

namespace lhrs::gui {

// A button that names the chosen processes. Its menu has a check box for each process and stays open while they are
// ticked.
class ProcessPicker : public QPushButton {
    Q_OBJECT
public:
    using Choice = std::pair<ProcessId, QString>;
    // Processes that are ticked together, e.g. those of a host.
    struct Group {
        QString words;
        std::vector<ProcessId> processes;
        bool operator==(const Group&) const = default;
    };

    // `nobody`: the text while none is chosen, e.g. "anybody".
    explicit ProcessPicker(const QString& nobody, QWidget* parent = nullptr);

    // Sets the available processes; call it when they change. The chosen ones stay chosen.
    void setChoices(const std::vector<Choice>& choices);
    // Above the processes in the menu.
    void setGroups(std::vector<Group> groups) { m_groups = std::move(groups); }
    void setNobody(const QString& words);
    // One more choice above the processes, which excludes them, e.g. "everybody else"; empty: none.
    void setRest(const QString& words);
    bool isRest() const { return m_isRest; }
    void setRestChosen(bool on);
    std::vector<ProcessId> chosen() const;
    void choose(const std::vector<ProcessId>& processes);

signals:
    void changed();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void fillMenu();
    void showWords();

    QString m_nobody, m_rest;
    bool m_isRest = false;
    std::vector<Choice> m_choices;
    std::vector<Group> m_groups;
    std::set<ProcessId> m_chosen;
    QMenu* m_menu;
};

} // namespace lhrs::gui
