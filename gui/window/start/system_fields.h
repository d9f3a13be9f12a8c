// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/local/local_options.h"

#include <QString>
#include <QStringList>
#include <QWidget>

#include <memory>
#include <vector>

class QCheckBox;
class QComboBox;
class QSpinBox;

namespace lhrs::gui {

// A row of the form that starts a cluster. A field without a label carries its words itself.
struct FormRow {
    QString label;
    QWidget* field = nullptr;
    QString words; // explain the field while it has the focus or is under the mouse
};

// The rows of every system. Each system says where they stand among its own.
struct GeneralRows {
    FormRow recordBytes, slow, gate, clients;
};

// What the records of a cluster need when all its servers are full.
struct FullCluster {
    double megabytes = 0; // 0: it has no such limit
    QString remedy; // a sentence: what to lower
};

// What the form that starts a cluster asks of one system. The object name of a field is its key in the settings, so no
// other system may use it.
class SystemFields : public QWidget {
public:
    SystemFields() { hide(); }

    virtual QString id() const = 0; // as programs and scenarios name the system
    virtual QString name() const = 0; // as a person chooses it
    virtual QString intro() const = 0; // which processes there are, as sentences
    virtual std::vector<FormRow> firstRows(const GeneralRows& general) const = 0;
    // Rows that a first cluster does not need, and what they are about in a few words.
    virtual std::vector<FormRow> moreRows(const GeneralRows& general) const = 0;
    virtual QString moreWords() const = 0;

    // Sets what is of this system.
    virtual void applyTo(LocalOptions& options) const = 0;
    // The scenario line that starts the same cluster.
    virtual QString line(const LocalOptions& options, std::uint32_t recordBytes) const = 0;
    // The most important parameters in a few words.
    virtual QString parameters() const = 0;
    // Why the parameters cannot work, even simulated; empty: they can.
    virtual QString objection() const = 0;
    virtual FullCluster full(std::uint32_t /*recordBytes*/) const { return {}; }
    // What is different where IP multicast does not work; empty: nothing.
    virtual QString withoutMulticast() const { return {}; }
    // The picture on the cards of free play; empty: the usual ones.
    virtual QString cardPicture() const { return {}; }
};

using SystemsToStart = std::vector<std::unique_ptr<SystemFields>>;

// Fields with their object names.
QSpinBox* numberField(QWidget* parent, const char* id, int low, int high, int value);
QComboBox* choiceField(QWidget* parent, const char* id, const QStringList& choices, const QString& accessibleName = {});
QCheckBox* flagField(QWidget* parent, const char* id, const QString& words);

} // namespace lhrs::gui
