// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/calls/lab_reference.h"
#include "gui/lab/tables/near_word.h"

#include "common/errors.h"

#include <QDir>
#include <QFile>
#include <QJSEngine>
#include <QJSValueIterator>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <cmath>

static void loadLabResource() { Q_INIT_RESOURCE(lab); }

namespace lhrs::gui {

namespace {

constexpr std::uint32_t kElementsMax = 1'000'000; // limit for a list that a script passes

ParameterReference parameterOf(const QJsonObject& from, bool isArgument)
{
    ParameterReference parameter;
    parameter.name = from["name"].toString();
    parameter.type = from["type"].toString();
    parameter.text = from["text"].toString();
    parameter.system = from["system"].toString();
    parameter.standard = from.contains("default") ? from["default"] : QJsonValue(QJsonValue::Undefined);
    parameter.words = from["words"].toArray();
    parameter.notYet = from["notYet"].toArray();
    parameter.onlyStandard = from["notYet"].toBool();
    if (from.contains("min"))
        parameter.min = from["min"].toDouble();
    if (from.contains("max"))
        parameter.max = from["max"].toDouble();
    LHRS_CHECK(!parameter.name.isEmpty() && !parameter.type.isEmpty());
    LHRS_CHECK(!from["optional"].toBool() || (isArgument && from.contains("default")));
    return parameter;
}

// The kind of a value for an error sentence: "number" for 5, "a list" for [5], ...
QString valueShown(const QJSValue& value)
{
    if (value.isUndefined())
        return "nothing";
    if (value.isString())
        return "'" + value.toString().left(40) + "'";
    if (value.isArray())
        return "a list";
    if (value.isCallable())
        return "a function";
    if (value.isObject())
        return value.property("constructor").property("name").toString() == "Object" ? "an object"
                                                                                     : value.toString().left(40);
    return value.toString().left(40);
}

bool isPlainObject(const QJSValue& value)
{
    return value.isObject() && !value.isArray() && !value.isCallable() && !value.isError()
        && value.property("constructor").property("name").toString() == "Object";
}

bool isWhole(const QJSValue& value)
{
    return value.isNumber() && std::floor(value.toNumber()) == value.toNumber()
        && std::abs(value.toNumber()) <= 9007199254740992.0;
}

bool isTarget(const QJSValue& value) { return value.isObject() && value.property("labTarget").isString(); }

bool areTargets(const QJSValue& value)
{
    const std::uint32_t length = value.isArray() ? value.property("length").toUInt() : 0;
    for (std::uint32_t i = 0; i < length; ++i)
        if (!isTarget(value.property(i)))
            return false;
    return length > 0;
}

// A key or a process: a whole number, a digit string if a number would lose digits, or a name.
bool isKey(const QJSValue& value) { return (isWhole(value) && value.toNumber() >= 0) || value.isString(); }

QString kindWords(const ParameterReference& parameter)
{
    const QString& type = parameter.type;
    if (type == "integer")
        return "a whole number";
    if (type == "key")
        return "a whole number of 0 or more, or a string";
    if (type == "keys")
        return "a list of keys, or a word";
    if (type == "numbers")
        return "a whole number of 0 or more, or a list of them";
    if (type == "where")
        return "an object of fields, or a function";
    if (type == "target")
        return "a target such as lab.data(0)";
    if (type == "targets")
        return "a target such as lab.data(0), or a list of targets";
    if (type == "word")
        return "a word";
    return (QString("aeiou").contains(type[0]) ? "an " : "a ") + type;
}

bool isOfType(const ParameterReference& parameter, const QJSValue& value)
{
    const QString& type = parameter.type;
    if (type == "any")
        return true;
    if (type == "number")
        return value.isNumber() && !std::isnan(value.toNumber());
    if (type == "integer")
        return isWhole(value);
    if (type == "string")
        return value.isString();
    if (type == "boolean")
        return value.isBool();
    if (type == "word")
        return value.isString();
    if (type == "key")
        return isKey(value);
    if (type == "list")
        return value.isArray();
    if (type == "object")
        return isPlainObject(value);
    if (type == "function")
        return value.isCallable();
    if (type == "where")
        return value.isCallable() || isPlainObject(value);
    if (type == "target")
        return isTarget(value);
    if (type == "targets")
        return isTarget(value) || areTargets(value);
    if (type == "numbers" || type == "keys") {
        const bool isOfKeys = type == "keys";
        if (!value.isArray())
            return isOfKeys ? value.isString() : isWhole(value) && value.toNumber() >= 0;
        for (std::uint32_t i = 0; i < value.property("length").toUInt(); ++i)
            if (const QJSValue one = value.property(i); !(isOfKeys ? isKey(one) : isWhole(one) && one.toNumber() >= 0))
                return false;
        return true;
    }
    LHRS_CHECK(!"a type of lab_reference.json that is not known");
    return false;
}

bool contains(const QJsonArray& words, const QJSValue& value)
{
    return std::any_of(words.begin(), words.end(), [&](const QJsonValue& word) {
        return word.isString() ? value.isString() && value.toString() == word.toString()
                               : value.isNumber() && value.toNumber() == word.toDouble();
    });
}

QString listed(const QJsonArray& words)
{
    QStringList names;
    for (const QJsonValue& word : words)
        names << (word.isString() ? "'" + word.toString() + "'" : word.toVariant().toString());
    return names.join(", ");
}

QString meaning(const ParameterReference& parameter) { return "(" + parameter.name + ": " + parameter.text + ")"; }

LabError bad(const QString& message, const QString& hint = {}) { return { LabCode::BadArgument, message, hint }; }

// One expression can create a list of 4 * 10^9 holes, and iterating over it cannot be interrupted.
std::optional<LabError> tooLong(const QJSValue& value, const QString& what, const QString& hint)
{
    const std::uint32_t length = value.isArray() ? value.property("length").toUInt() : 0;
    if (length <= kElementsMax)
        return std::nullopt;
    return bad(what + " has " + QString::number(length) + " elements, but may have " + QString::number(kElementsMax)
            + " at most.",
        hint);
}

// Checks one value; `what` names it: "the option b of lab.cluster".
std::optional<LabError> wrong(
    const ParameterReference& parameter, const QJSValue& value, const QString& what, QJSEngine& engine)
{
    if (const auto error = tooLong(value, what, meaning(parameter)))
        return error;
    if (!isOfType(parameter, value))
        return bad(what + " must be " + kindWords(parameter) + ", not " + valueShown(value) + ".", meaning(parameter));
    const bool isList = value.isArray();
    if (!parameter.words.isEmpty() && !isList && !contains(parameter.words, value))
        return bad(what + " must be one of " + listed(parameter.words) + ", not " + valueShown(value) + ".",
            meaning(parameter));
    if (contains(parameter.notYet, value))
        return LabError { LabCode::Unsupported, what + " = " + valueShown(value) + " is not in this version." };
    if (parameter.onlyStandard) {
        const QJSValue standard = engine.toScriptValue(parameter.standard.toVariant());
        if (!value.strictlyEquals(standard) && !(value.isNull() && parameter.standard.isNull()))
            return LabError { LabCode::Unsupported, what + " = " + valueShown(value) + " is not in this version." };
    }
    if (value.isNumber()) {
        const double number = value.toNumber();
        if ((parameter.min && number < *parameter.min) || (parameter.max && number > *parameter.max)) {
            const QString low = parameter.min ? QString::number(*parameter.min, 'g', 15) : QString();
            const QString high = parameter.max ? QString::number(*parameter.max, 'g', 15) : QString();
            const QString range = low.isEmpty() ? "at most " + high
                : high.isEmpty()                ? "at least " + low
                                                : low + " to " + high;
            return bad(what + " is " + valueShown(value) + ", but must be " + range + ".", meaning(parameter));
        }
    }
    return std::nullopt;
}

QJSValue scriptValue(const QJsonValue& value, QJSEngine& engine)
{
    if (value.isUndefined())
        return {};
    if (value.isNull())
        return QJSValue(QJSValue::NullValue);
    return engine.toScriptValue(value.toVariant());
}

} // namespace

QJSValue Arguments::option(const QString& name) const
{
    const auto at = m_options.find(name);
    return at == m_options.end() ? QJSValue() : at->second;
}

const LabReference& LabReference::instance()
{
    static const LabReference kReference;
    return kReference;
}

LabReference::LabReference()
{
    loadLabResource();
    QStringList names { ":/lab/lab_reference.json" };
    const QDir systems(":/lab/systems");
    for (const QString& name : systems.entryList(QDir::Files, QDir::Name))
        names << systems.filePath(name);
    for (const QString& name : names) {
        QFile file(name);
        LHRS_CHECK(file.open(QIODevice::ReadOnly));
        load(QJsonDocument::fromJson(file.readAll()).object());
    }
    LHRS_CHECK(!m_calls.empty());
}

void LabReference::load(const QJsonObject& root)
{
    const QJsonObject codes = root["codes"].toObject();
    for (auto code = codes.begin(); code != codes.end(); ++code)
        m_codes[code.key()] = code.value().toString();
    for (const QJsonValue& entry : root["calls"].toArray()) {
        const QJsonObject from = entry.toObject();
        CallReference call;
        call.name = from["call"].toString();
        call.object = call.name.section('.', 0, 0);
        call.member = call.name.section('.', 1);
        call.section = from["section"].toString();
        call.text = from["text"].toString();
        call.returns = from["returns"].toString();
        call.system = from.contains("system") ? from["system"].toString() : root["system"].toString();
        call.example = from["example"].toString();
        call.changes = from["changes"].toBool();
        call.needsCluster = from["needsCluster"].toBool();
        call.isProperty = from["property"].toBool();
        call.takesRest = from["rest"].toBool();
        for (const QJsonValue& error : from["errors"].toArray())
            call.errors << error.toString();
        for (const QJsonValue& argument : from["arguments"].toArray())
            call.arguments.push_back(parameterOf(argument.toObject(), true));
        for (const QJsonValue& option : from["options"].toArray()) {
            call.options.push_back(parameterOf(option.toObject(), false));
            if (option.toObject()["required"].toBool())
                call.options.back().standard = QJsonValue(QJsonValue::Undefined);
        }
        if (const CallReference* other = find(from["optionsOf"].toString()))
            call.options = other->options;
        LHRS_CHECK(find(call.name) == nullptr && !call.text.isEmpty());
        m_calls.push_back(std::move(call));
    }
    for (const QJsonValue& entry : root["unsupported"].toArray()) {
        CallReference call;
        call.name = entry.toObject()["call"].toString();
        call.object = call.name.section('.', 0, 0);
        call.member = call.name.section('.', 1);
        call.text = entry.toObject()["text"].toString();
        call.isUnsupported = true;
        LHRS_CHECK(find(call.name) == nullptr);
        m_calls.push_back(std::move(call));
    }
    const QJsonObject former = root["renamed"].toObject();
    for (auto at = former.begin(); at != former.end(); ++at) {
        LHRS_CHECK(find(at.key()) == nullptr && find(at.value().toString()) != nullptr);
        m_renamed[at.key()] = at.value().toString();
    }
}

const CallReference* LabReference::find(const QString& name) const
{
    const auto at = std::find_if(
        m_calls.begin(), m_calls.end(), [&](const CallReference& call) { return call.name == name; });
    return at == m_calls.end() ? nullptr : &*at;
}

QString LabReference::renamed(const QString& name) const
{
    const auto at = m_renamed.find(name);
    return at == m_renamed.end() ? QString() : name + " is now called " + at->second;
}

LabResult<Arguments> LabReference::complete(const CallReference& call, const QJSValue& given, QJSEngine& engine) const
{
    Arguments arguments;
    std::vector<QJSValue> values;
    for (std::uint32_t i = 0; i < given.property("length").toUInt(); ++i)
        values.push_back(given.property(i));
    if (call.takesRest) {
        for (const QJSValue& value : values)
            if (const auto error = tooLong(value, "An argument of " + call.name, call.example))
                return *error;
        arguments.m_positional = std::move(values);
        return arguments;
    }
    while (!values.empty() && values.back().isUndefined())
        values.pop_back();

    // The last value holds the options if it is an object where no argument may be an object.
    QJSValue options;
    if (!call.options.empty() && !values.empty() && isPlainObject(values.back())) {
        const std::size_t index = values.size() - 1;
        if (index >= call.arguments.size() || !isOfType(call.arguments[index], values.back())) {
            options = values.back();
            values.pop_back();
        }
    }
    if (values.size() > call.arguments.size()) {
        const QString extra = valueShown(values[call.arguments.size()]);
        return bad(call.name + (call.options.empty() ? " takes " : " takes one object of options and ")
                + (call.arguments.empty() ? "no arguments"
                                          : QString::number(call.arguments.size()) + " arguments at most")
                + "; there is " + extra + " too many.",
            call.example);
    }
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
        const ParameterReference& parameter = call.arguments[i];
        if (i >= values.size() || (values[i].isUndefined() && parameter.type != "any")) {
            if (parameter.standard.isUndefined())
                return bad(
                    call.name + " needs its argument " + parameter.name + " (" + parameter.text + ").", call.example);
            arguments.m_positional.push_back(scriptValue(parameter.standard, engine));
            continue;
        }
        const bool isStandard = values[i].isNull() && parameter.standard.isNull();
        const QString what = "The argument " + parameter.name + " of " + call.name;
        if (const auto error = isStandard ? std::nullopt : wrong(parameter, values[i], what, engine))
            return *error;
        arguments.m_positional.push_back(values[i]);
    }

    QStringList known;
    for (const ParameterReference& option : call.options)
        known << option.name;
    if (options.isObject()) {
        for (QJSValueIterator it(options); it.hasNext();) {
            it.next();
            if (!known.contains(it.name())) {
                const QString near = nearestWord(it.name(), known);
                return bad(call.name + " has no option " + it.name() + ".",
                    near.isEmpty() ? "Its options are " + known.join(", ") + "." : "Did you mean " + near + "?");
            }
        }
    }
    for (const ParameterReference& option : call.options) {
        const QJSValue value = options.property(option.name);
        if (!options.isObject() || value.isUndefined()) {
            if (option.standard.isUndefined())
                return bad(call.name + " needs the option " + option.name + " (" + option.text + ").", call.example);
            arguments.m_options[option.name] = scriptValue(option.standard, engine);
            continue;
        }
        if (const auto error = objection(call, option, value, engine))
            return *error;
        arguments.m_options[option.name] = value;
        arguments.m_given << option.name;
    }
    return arguments;
}

std::optional<LabError> LabReference::objection(
    const CallReference& call, const ParameterReference& option, const QJSValue& value, QJSEngine& engine) const
{
    const bool isStandard = value.isNull() && option.standard.isNull();
    return isStandard ? std::nullopt : wrong(option, value, "The option " + option.name + " of " + call.name, engine);
}

} // namespace lhrs::gui
