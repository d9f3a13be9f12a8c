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

// Virtual time of a simulated cluster: what it is, how fast it goes, and the buttons that pause it, let it go on, or let
// it go by single steps. Only there where the cluster is a simulated one.
class ClockBar : public QWidget {
    Q_OBJECT
public:
    explicit ClockBar(Actions& actions, QWidget* parent = nullptr);

    // What the simulator said last; nothing: the cluster is real, and the bar is not there.
    void show(const std::optional<pb::SimulationState>& simulation);
    // The words that are shown.
    QString text() const;
    // The chosen speed; 0: as fast as possible.
    double speed() const;
    void setTheme(const Theme& theme);

signals:
    void speedChosen(double factor);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    // All in one row where that can be: with shorter words.
    void fit();

    struct Face {
        QPushButton* button;
        QString words, shorter;
    };
    QLabel* m_words;
    QString m_run; // which one it shows, and how far it was
    std::int64_t m_virtualNs = 0;
    QComboBox* m_speed;
    std::vector<Face> m_faces;
};

// "0.01 of real time", "as fast as possible".
QString speedWords(double factor);

} // namespace lhrs::gui
