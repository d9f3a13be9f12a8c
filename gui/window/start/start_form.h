// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/local/local_cluster.h"
#include "gui/view/paint/theme.h"
#include "gui/window/start/system_fields.h"
#include "gui/window/widgets/remembered.h"

#include <QString>
#include <QWidget>

#include <optional>
#include <vector>

class QBoxLayout;
class QFormLayout;
class QLabel;
class QLayout;
class QLineEdit;
class QPushButton;

namespace lhrs::gui {

// All parameters of a new cluster, each with its meaning and the scenario line that does the same: local processes, a
// simulation of them, or the address of a running coordinator. A person chooses the system; its rows are shown, and the
// fields of the others keep their values. Values that cannot work are explained before anything is started.
class StartForm : public QWidget {
    Q_OBJECT
public:
    // The systems to choose from, at least one; the first is chosen at first.
    explicit StartForm(SystemsToStart systems, QWidget* parent = nullptr);

    LocalOptions localOptions() const;
    SimulatedOptions simulatedOptions() const;
    std::uint32_t recordBytes() const;
    std::uint32_t clients() const;
    // The scenario line that starts the same cluster.
    QString line() const;
    // The number of processes to start: coordinator, servers and clients.
    int processes() const;
    // The chosen system: what it has in a few words, its picture.
    const SystemFields& system() const;
    // The address of a coordinator, empty: none is given.
    QString address() const;
    // The file with a key of that cluster, empty: it has none.
    QString keyFile() const;
    void focusSystem();
    void askForAddress();
    // Restores the fields of the last session; and remembers them for the next one.
    void recall(const Remembered& remembered);
    void keep(Remembered& remembered) const;
    // Why the parameters cannot work, with real processes or at all; empty: they can.
    QString objection() const;
    QString objectionAtAll() const;
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
    // The parameters of a cluster on this computer. / The other ways to get one.
    QLayout* ownColumn();
    QLayout* otherColumn();
    void meetSystems();
    GeneralRows generalRows() const;
    // The rows of the chosen system take the place of those of another one.
    void showSystem();
    void orderFields();
    std::uint32_t servers() const;
    void readHostList();
    // Places the columns side by side, or below each other if the text is large or the window narrow.
    void placeColumns();
    void check();
    // Explains the field below the form while it has the focus or is under the mouse.
    void explain(QWidget* field, const QString& words);
    // A field with a label, which is also its accessible name unless it has one; it is remembered.
    void take(const FormRow& row);
    // Multicast is tested once, when the page is first shown.
    QString multicastNote() const;

    SystemsToStart m_systems;
    QComboBox *m_system, *m_speed;
    QSpinBox *m_recordBytes, *m_clients, *m_seed;
    QCheckBox *m_slow, *m_gate;
    QLineEdit *m_address, *m_keyFile, *m_hosts;
    std::vector<HostEntry> m_hostList; // of the file that m_hosts names; empty: this computer
    QString m_hostsTrouble; // why it cannot be read
    std::vector<QWidget*> m_remembered; // all of these, and the fields of all systems
    QFormLayout *m_first, *m_further;
    QBoxLayout* m_columns;
    QLabel *m_title, *m_intro, *m_help, *m_note, *m_line, *m_command;
    mutable std::optional<QString> m_multicastTrouble;
    QPushButton *m_start, *m_simulate, *m_connect, *m_back, *m_more;
    std::vector<QWidget*> m_headings;
    bool m_canStart = false, m_canSimulate = false;
};

} // namespace lhrs::gui
