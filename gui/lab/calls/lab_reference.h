// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/tables/lab_error.h"

#include <QJSValue>
#include <QJsonArray>
#include <QJsonValue>
#include <QString>
#include <QStringList>

#include <map>
#include <optional>
#include <vector>

class QJSEngine;
class QJsonObject;

namespace lhrs::gui {

// One argument or option of a call, as lab_reference.json describes it.
struct ParameterReference {
    QString name;
    // Number, integer, string, boolean, word, key, keys, numbers, target, list, object, function, where, any.
    QString type;
    QString text;
    QJsonValue standard; // the default; undefined: must be given
    QJsonArray words; // allowed values; empty: any of the type
    QJsonArray notYet; // allowed values that this version cannot do
    bool onlyStandard = false; // this version supports the default only
    std::optional<double> min, max;
    QString system; // "lhrs", "walk": only clusters of this system have it; empty: all
};

// One call of the interface `lab`: its parameters, and its text for help and completion.
struct CallReference {
    QString name; // "lab.cluster", "client.insert"
    QString object; // "lab", "client", "handle", "table", "question"
    QString member; // "cluster"
    QString section, text, returns, example;
    std::vector<ParameterReference> arguments;
    std::vector<ParameterReference> options;
    QStringList errors;
    bool changes = false; // the call changes the cluster; waits look at events since the last such call
    bool needsCluster = false;
    bool isProperty = false;
    bool takesRest = false; // any number of arguments
    bool isUnsupported = false; // belongs to a later version
    QString system; // likewise: only on clusters of this system; empty: on all
};

// The arguments of one call, complete with defaults.
class Arguments {
public:
    std::size_t count() const { return m_positional.size(); }
    QJSValue at(std::size_t index) const { return index < m_positional.size() ? m_positional[index] : QJSValue(); }
    // An option; undefined for a name that the call does not have.
    QJSValue option(const QString& name) const;
    bool wasGiven(const QString& option) const { return m_given.contains(option); }
    std::uint32_t integer(const QString& option) const { return option32(option); }
    double number(const QString& name) const { return option(name).toNumber(); }
    QString text(const QString& name) const { return option(name).toString(); }
    bool isOn(const QString& name) const { return option(name).toBool(); }

private:
    friend class LabReference;
    std::uint32_t option32(const QString& name) const { return std::uint32_t(option(name).toNumber()); }
    std::vector<QJSValue> m_positional;
    std::map<QString, QJSValue> m_options;
    QStringList m_given;
};

// lab_reference.json, and the file of each system that has one, in the resource folder :/lab/systems: the tables of
// calls, arguments, defaults and errors that the object `lab` is built from.
class LabReference {
public:
    // Read once from the resource; a malformed table is a programming error (check).
    static const LabReference& instance();

    const std::vector<CallReference>& calls() const { return m_calls; }
    const CallReference* find(const QString& name) const;
    // The hint for a call that was renamed after a script was written: "lab.OLD is now called lab.NEW". Empty: there
    // never was a call of this name, or it still exists.
    QString renamed(const QString& name) const;
    // The meaning of each error code.
    const std::map<QString, QString>& codes() const { return m_codes; }

    // Checks the arguments of a call and adds the defaults. An error names the argument or option and the nearest
    // known name.
    LabResult<Arguments> complete(const CallReference& call, const QJSValue& given, QJSEngine& engine) const;

    // Why the value is not allowed for this option; empty if it is allowed.
    std::optional<LabError> objection(
        const CallReference& call, const ParameterReference& option, const QJSValue& value, QJSEngine& engine) const;

private:
    LabReference();
    // The calls of one file.
    void load(const QJsonObject& root);
    std::vector<CallReference> m_calls;
    std::map<QString, QString> m_codes;
    std::map<QString, QString> m_renamed; // by former name
};

} // namespace lhrs::gui
