// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/local/local_cluster.h"
#include "gui/view/paint/theme.h"
#include "gui/window/widgets/remembered.h"

#include <QString>
#include <QWidget>

#include <optional>
#include <vector>

class QBoxLayout;
class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QLayout;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace lhrs::gui {

// All parameters of a new cluster, each with its meaning and the scenario line that does the same: local processes, a
// simulation of them, or the address of a running coordinator. Values that cannot work are explained before anything is
// started.
class StartForm : public QWidget {
    Q_OBJECT
public:
    explicit StartForm(QWidget* parent = nullptr);

    LocalOptions localOptions() const;
    SimulatedOptions simulatedOptions() const;
    std::uint32_t recordBytes() const;
    std::uint32_t clients() const;
    // The number of processes to start: coordinator, servers and clients.
    int processes() const;
    // The most important parameters in a few words; and the address of a coordinator, empty: none is given.
    QString parameters() const;
    QString address() const;
    void askForAddress();
    // Restores the fields of the last session; and remembers them for the next one.
    void recall(const Remembered& remembered);
    void keep(Remembered& remembered) const;
    // Why the parameters cannot work, with real processes or at all; empty: they can.
    QString objection() const;
    QString objectionToFile() const;
    // The result for the parameters as last changed: the start buttons are enabled.
    bool canStart() const { return m_canStart; }
    bool canSimulate() const { return m_canSimulate; }
    void setTheme(const Theme& theme);
    void setBusy(bool on);

signals:
    void localWanted();
    void simulatedWanted();
    void connectWanted(const QString& address);
    void changed(); // one of the parameters
    void left(); // back to the page that opened it

protected:
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void nameFields();
    void nameButtons();
    QLabel* heading(const QString& words);
    // Adds the field with its label, which is also its accessible name unless it has one, and its explanation.
    void row(QFormLayout* rows, const QString& label, QWidget* field, const QString& words);
    // The parameters of a cluster on this computer. / The other ways to get one.
    QLayout* ownColumn();
    QLayout* otherColumn();
    void addFirstRows(QFormLayout* rows);
    // Parameters that a first file does not need.
    void addMoreRows(QFormLayout* rows);
    // Places the columns side by side, or below each other if the text is large or the window narrow.
    void placeColumns();
    void check();
    // Explains the field below the form while it has the focus or is under the mouse.
    void explain(QWidget* field, const QString& words);
    QString objectionToThresholds() const;
    // Multicast is tested once, when the page is first shown.
    const QString& multicastNote() const;
    std::vector<std::uint32_t> thresholds() const;

    QSpinBox *m_m, *m_k, *m_b, *m_recordBytes, *m_data, *m_parity, *m_clients, *m_slice, *m_seed, *m_loadControl;
    QComboBox *m_field, *m_recovery, *m_transport, *m_tcp, *m_split, *m_rerank, *m_speed;
    QCheckBox *m_slow, *m_gate, *m_merges, *m_mixKeys, *m_pureRs;
    QLineEdit *m_thresholds, *m_address;
    QBoxLayout* m_columns;
    QLabel *m_title, *m_intro, *m_help, *m_note, *m_line, *m_command;
    std::vector<QWidget*> m_explained;
    mutable std::optional<QString> m_multicastNote;
    QPushButton *m_start, *m_simulate, *m_connect, *m_back;
    std::vector<QWidget*> m_headings;
    bool m_canStart = false, m_canSimulate = false;
};

} // namespace lhrs::gui
