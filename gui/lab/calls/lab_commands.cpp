// SPDX-License-Identifier: GPL-3.0-or-later
// Calls for the cluster, parameters, random numbers and targets.
#include "gui/lab/words/process/detail_words.h"
#include "gui/lab/calls/lab_hosts.h"
#include "gui/lab/calls/lab.h"
#include "gui/lab/calls/lab_system.h"
#include "gui/lab/tables/near_word.h"

#include <QJSEngine>
#include <QJSValueIterator>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace lhrs::gui {

namespace {

// Rejects NaN and infinity.
double finiteNumber(const QString& text, bool& isGood)
{
    const double number = text.toDouble(&isGood);
    isGood = isGood && std::isfinite(number);
    return number;
}

LabResult<QJSValue> mergeParameters(LabContext& context, const QJSValue& defaults)
{
    context.hasTakenSets = true;
    QJSValue merged = context.engine.newObject();
    QStringList known;
    for (QJSValueIterator it(defaults); it.hasNext();) {
        it.next();
        known << it.name();
        merged.setProperty(it.name(), it.value());
    }
    for (const auto& [name, text] : context.settings.sets) {
        if (!known.contains(name)) {
            const QString near = nearestWord(name, known);
            return LabError { LabCode::BadArgument, "--set " + name + ": the scenario has no parameter of that name.",
                near.isEmpty() ? "It has " + known.join(", ") + "." : "Did you mean " + near + "?" };
        }
        const QJSValue standard = defaults.property(name);
        bool isGood = true;
        if (standard.isNumber())
            merged.setProperty(name, finiteNumber(text, isGood));
        else if (standard.isBool())
            merged.setProperty(name, (isGood = text == "true" || text == "false") && text == "true");
        else
            merged.setProperty(name, text);
        if (!isGood)
            return LabError { LabCode::BadArgument,
                "--set " + name + "=" + text + ": a " + (standard.isBool() ? "boolean" : "number") + " is wanted." };
    }
    std::map<QString, QVariant> parameters;
    for (QJSValueIterator it(merged); it.hasNext();) {
        it.next();
        const bool isPlain = it.value().isNumber() || it.value().isBool() || it.value().isString();
        parameters[it.name()] = isPlain ? it.value().toVariant() : QVariant(readable(it.value(), context.engine));
    }
    if (context.settings.results != nullptr)
        if (const QString problem = context.settings.results->onParameters(parameters); !problem.isEmpty())
            return LabError { LabCode::Refused, problem };
    context.observer.onParameters(parameters);
    return merged;
}

LabResult<QJSValue> setDetail(LabContext& context, const QString& word, std::uint32_t sample)
{
    const pb::Detail former = context.control.detail();
    context.control.setDetail(detailOf(word.toStdString()).value(), sample); // the reference allows no other words
    if (const auto told = context.awaitDetail(); !told)
        return told.error();
    return QJSValue(QString::fromStdString(detailWord(former)));
}

// The error if an option was given that only clusters of another system have.
std::optional<LabError> optionOfAnother(const LabContext& context, const LabCall& c, const LabSystem::Words& chosen)
{
    for (const ParameterReference& option : c.reference.options) {
        if (option.system.isEmpty() || option.system == chosen.name || !c.arguments.wasGiven(option.name))
            continue;
        const LabSystem::Words other = context.systemNamed(option.system)->words();
        return LabError { LabCode::BadArgument,
            QString("The option %1 of %2 is for %3, not for %4.")
                .arg(option.name, c.reference.name, other.cluster, chosen.cluster),
            QString("%1 %2").arg(chosen.make, other.make) };
    }
    return std::nullopt;
}

// ---- targets

void addTargets(Lab& lab, LabContext& context)
{
    lab.handle("lab.coordinator", [&](const LabCall&) -> LabResult<QJSValue> {
        return makeTarget(context, "coordinator", { { "role", "coordinator" } });
    });
    lab.handle("lab.process", [&](const LabCall& c) -> LabResult<QJSValue> {
        const QString id = c.arguments.at(0).toString();
        return makeTarget(context, id, { { "role", "process" }, { "id", id } });
    });
    lab.handle("lab.host",
        [&](const LabCall& c) -> LabResult<QJSValue> { return hostTarget(context, c.arguments.at(0).toString()); });
    lab.handle("lab.hosts", [&](const LabCall&) -> LabResult<QJSValue> { return hostsShown(context); });
}

void addRandomNumbers(Lab& lab, LabContext& context)
{
    lab.handle("lab.seed", [&](const LabCall& c) -> LabResult<QJSValue> {
        context.random = LabRandom(std::uint64_t(c.arguments.at(0).toNumber()));
        return c.arguments.at(0);
    });
    lab.handle(
        "lab.random", [&](const LabCall&) -> LabResult<QJSValue> { return QJSValue(context.random.fraction()); });
    lab.handle("lab.randomInt", [&](const LabCall& c) -> LabResult<QJSValue> {
        const double low = c.arguments.at(0).toNumber(), high = c.arguments.at(1).toNumber();
        if (low > high)
            return LabError { LabCode::BadArgument, "lab.randomInt needs low <= high." };
        return QJSValue(low + double(context.random.below(std::uint64_t(high - low) + 1)));
    });
    lab.handle("lab.pick", [&](const LabCall& c) -> LabResult<QJSValue> {
        const std::uint32_t length = c.arguments.at(0).property("length").toUInt();
        if (length == 0)
            return LabError { LabCode::BadArgument, "lab.pick needs a list with at least one element." };
        return c.arguments.at(0).property(std::uint32_t(context.random.below(length)));
    });
    lab.handle("lab.shuffle", [&](const LabCall& c) -> LabResult<QJSValue> {
        const std::uint32_t length = c.arguments.at(0).property("length").toUInt();
        QJSValue list = context.engine.newArray(length);
        std::vector<QJSValue> values;
        for (std::uint32_t i = 0; i < length; ++i)
            values.push_back(c.arguments.at(0).property(i));
        for (std::size_t i = values.size(); i > 1; --i)
            std::swap(values[i - 1], values[std::size_t(context.random.below(i))]);
        for (std::uint32_t i = 0; i < length; ++i)
            list.setProperty(i, values[i]);
        return list;
    });
}

} // namespace

void addSetupCalls(Lab& lab, LabContext& context)
{
    lab.handle("lab.cluster", [&](const LabCall& c) -> LabResult<QJSValue> {
        const LabSystem& chosen = *context.systemNamed(c.arguments.text("system"));
        if (const auto error = optionOfAnother(context, c, chosen.words()))
            return *error;
        return chosen.start(context, c.arguments);
    });
    lab.handle(
        "lab.settle", [&](const LabCall& c) { return context.system->settle(context, c.arguments.number("timeout")); });
    lab.handle("lab.detail", [&](const LabCall& c) {
        return setDetail(context, c.arguments.at(0).toString(), c.arguments.integer("sample"));
    });
    lab.handle("lab.params", [&](const LabCall& c) { return mergeParameters(context, c.arguments.at(0)); });
    lab.handle("lab.simulated", [&](const LabCall&) -> LabResult<QJSValue> { return QJSValue(context.isSimulated()); });
    lab.handle("lab.version", [&](const LabCall&) -> LabResult<QJSValue> { return QJSValue(LHRS_VERSION); });
    addRandomNumbers(lab, context);
    addTargets(lab, context);
}

} // namespace lhrs::gui
