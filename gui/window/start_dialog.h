// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/local_cluster.h"
#include "gui/view/theme.h"
#include "gui/window/remembered.h"

#include <QString>
#include <QWidget>

#include <optional>
#include <vector>

class QBoxLayout;
class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;
class QSpinBox;

namespace lhrs::gui {

// A scenario file with the tags of its first comment.
struct ScenarioFile {
    QString path, title, minutes, needs;
};
// The scenarios of a directory, by name.
std::vector<ScenarioFile> scenariosIn(const QString& directory);

// The window without a cluster: how to get one. Local processes with their parameters, or a simulation of them, the
// address of a running coordinator, or a scenario that brings its own cluster. What cannot work is said in words before anything is started.
class StartPage : public QWidget {
    Q_OBJECT
public:
    explicit StartPage(const QString& scenarioDirectory, QWidget* parent = nullptr);

    LocalOptions localOptions() const;
    SimulatedOptions simulatedOptions() const;
    std::uint32_t recordBytes() const;
    std::uint32_t clients() const;
    // The fields as they were the last time; and to be found again the next time.
    void recall(const Remembered& remembered);
    void keep(Remembered& remembered) const;
    // Why the fields cannot work with real processes, or at all; empty: they can.
    QString objection() const;
    QString objectionToFile() const;
    void setTheme(const Theme& theme);
    // Shown above the ways: why the last attempt failed, or what is going on.
    void setStatus(const QString& words, bool isTrouble);
    void setBusy(bool on);

signals:
    void localWanted();
    void simulatedWanted();
    void connectWanted(const QString& address);
    void scenarioWanted(const QString& path);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    // Beside each other, or below each other where text is large or the window narrow.
    void placeColumns();
    void check();
    // Says below the form what the field is, while it has the focus or the mouse.
    void explain(QWidget* field, const QString& words);
    QString objectionToThresholds() const;
    // Multicast is tried once, when the page is first seen.
    const QString& multicastNote() const;
    std::vector<std::uint32_t> thresholds() const;

    QSpinBox *m_m, *m_k, *m_b, *m_recordBytes, *m_data, *m_parity, *m_clients, *m_slice, *m_seed, *m_loadControl;
    QComboBox *m_field, *m_recovery, *m_transport, *m_tcp, *m_split, *m_rerank, *m_speed;
    QCheckBox *m_slow, *m_gate, *m_merges, *m_mixKeys, *m_pureRs;
    QLineEdit *m_thresholds, *m_address;
    QBoxLayout* m_columns;
    QListWidget* m_scenarios;
    QLabel *m_title, *m_intro, *m_status, *m_help, *m_note, *m_line, *m_command;
    std::vector<QWidget*> m_explained;
    mutable std::optional<QString> m_multicastNote;
    QPushButton *m_start, *m_simulate, *m_connect, *m_play, *m_first;
    std::vector<QWidget*> m_headings;
};

} // namespace lhrs::gui
