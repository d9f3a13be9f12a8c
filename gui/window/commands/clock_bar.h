// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/control/control_client.h"
#include "gui/view/paint/theme.h"

#include <QWidget>

#include <optional>

class QComboBox;
class QLabel;
class QPushButton;

namespace lhrs::gui {

class Actions;

// Virtual time of a simulated cluster: its value and speed, and the buttons that pause it, resume it, or advance it by
// single steps. Visible only for a simulated cluster.
class ClockBar : public QWidget {
    Q_OBJECT
public:
    explicit ClockBar(Actions& actions, QWidget* parent = nullptr);

    // The last report of the simulator; nothing: the cluster is real, and the bar is hidden.
    void show(const std::optional<pb::SimulationState>& simulation);
    // The displayed words.
    QString text() const;
    // The chosen speed; 0: as fast as possible.
    double speed() const;
    void setTheme(const Theme& theme);

signals:
    void speedChosen(double factor);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    // Puts everything in one row if possible, with shorter words if needed.
    void fit();

    struct Face {
        QPushButton* button;
        QString words, shorter;
    };
    QLabel* m_words;
    QString m_run; // the run that it shows
    std::int64_t m_virtualNs = 0;
    QComboBox* m_speed;
    std::vector<Face> m_faces;
};

// "0.01 of real time", "as fast as possible".
QString speedWords(double factor);

} // namespace lhrs::gui
