// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/calls/lab.h"

#include "gui/lab/calls/lab_system.h"
#include "gui/lab/tables/near_word.h"

#include "common/errors.h"

#include <QFile>
#include <QJSEngine>
#include <QRegularExpression>

#include <algorithm>
#include <iterator>

namespace lhrs::gui {

// Calls that a stand-in script may not make: the exercise creates its cluster, and its judge needs all events.
constexpr const char* kNotOfStandIns[] = { "lab.cluster", "lab.exercise", "lab.detail", "lab.measure", "lab.atEnd" };
constexpr int kJsonMax = 64 << 10; // limit for the recorded values of a call
// Limits for a value that a script passes to a call, and for what it creates at once.
constexpr double kLettersMax = 1 << 24, kValuesMax = 1'000'000, kDepthMax = 100;
constexpr double kElementsMade = 10'000'000, kPatternMax = 10'000, kProxiesMax = 10'000;

namespace {

LabError ofAnotherSystem(const CallReference& call, const LabContext& context)
{
    const LabSystem::Words own = context.systemNamed(call.system)->words(), there = context.system->words();
    return { LabCode::ClusterMismatch,
        call.name + " is for " + own.cluster + "; this cluster is " + there.cluster + ".",
        *there.instead != '\0' ? there.instead : own.make };
}

} // namespace

Lab::Lab(LabContext& context, BeforeCall before) : m_context(context), m_before(std::move(before))
{
    addSetupCalls(*this, context);
    addClientCalls(*this, context);
    addCounterCalls(*this, context);
    addFaultCalls(*this, context);
    addProcessFaultCalls(*this, context);
    addWaitCalls(*this, context);
    addClockCalls(*this, context);
    addHoldCalls(*this, context);
    addMeasureCalls(*this, context);
    addChartCalls(*this, context);
    addStoryCalls(*this, context);
    addExerciseCalls(*this, context);
    for (const LabSystem* system : context.systems)
        system->addCalls(*this, context);
    handle("lab.atEnd", [this](const LabCall& c) -> LabResult<QJSValue> {
        m_atEnd.push_back(c.arguments.at(0));
        return QJSValue();
    });
    LHRS_CHECK(callsWithoutHandler().isEmpty());
}

void Lab::handle(const QString& call, LabHandler handler)
{
    const CallReference* reference = LabReference::instance().find(call);
    LHRS_CHECK(reference != nullptr && !reference->isUnsupported);
    LHRS_CHECK(m_handlers.emplace(call, std::move(handler)).second);
}

QStringList Lab::callsWithoutHandler() const
{
    QStringList missing;
    for (const CallReference& call : LabReference::instance().calls())
        if (!call.isUnsupported && !m_handlers.contains(call.name))
            missing << call.name;
    return missing;
}

void Lab::install()
{
    QJSEngine& engine = m_context.engine;
    QJSEngine::setObjectOwnership(this, QJSEngine::CppOwnership);
    const auto programOf = [&engine](const QString& name) {
        QFile file(":/lab/lab_" + name + ".js");
        LHRS_CHECK(file.open(QIODevice::ReadOnly));
        return engine.evaluate(QString::fromUtf8(file.readAll()), name);
    };
    QJSValue make = programOf("prelude");
    const QJSValue bridge = engine.newQObject(this);
    QJSValue calls = engine.newArray();
    std::uint32_t count = 0;
    for (const CallReference& reference : LabReference::instance().calls()) {
        QJSValue entry = engine.newObject();
        entry.setProperty("name", reference.name);
        entry.setProperty("object", reference.object);
        entry.setProperty("member", reference.member);
        entry.setProperty("isProperty", reference.isProperty);
        calls.setProperty(count++, entry);
    }
    m_context.prelude = make.call({ bridge, calls, kLettersMax, kValuesMax, kDepthMax });
    LHRS_CHECK(!make.isError() && !m_context.prelude.isError());

    // The script's only access to the outside is `lab`: there is no clock, no code from text, and no wait that cannot
    // be stopped. Function constructors can also be reached through any function.
    QJSValue global = engine.globalObject();
    m_stringify = global.property("JSON").property("stringify"); // kept, because a script may replace JSON
    global.setProperty("lab", m_context.prelude.property("lab"));
    engine.evaluate("[function () {}, function* () {}, () => {}].forEach(f =>"
                    " Object.defineProperty(Object.getPrototypeOf(f), 'constructor', { value: undefined }))",
        "prelude");
    for (const char* name : { "eval", "Date", "Function", "Atomics", "SharedArrayBuffer" })
        global.deleteProperty(name);
    const QJSValue random = engine.evaluate("(lab => () => lab.random())", "prelude").call({ global.property("lab") });
    global.property("Math").setProperty("random", random);
    const QJSValue lacking = engine.evaluate("(bridge => () => bridge.lacking())", "prelude").call({ bridge });
    const QJSValue bounds = programOf("bounds").call(
        { global, kLettersMax, kElementsMade, kPatternMax, kProxiesMax, lacking });
    LHRS_CHECK(!bounds.isError());
}

QString Lab::lacking() const { return m_context.lacking ? m_context.lacking() : QString(); }

int Lab::lineOf(const QString& stack)
{
    static const QRegularExpression kPlace("@file:" + scriptName() + ":(-?\\d+)");
    const auto match = kPlace.match(stack);
    return match.hasMatch() ? std::max(0, match.captured(1).toInt()) : 0;
}

QJSValue Lab::call(
    const QString& name, const QJSValue& self, const QJSValue& arguments, const QString& stack, const QString& problem)
{
    m_context.line = lineOf(stack);
    const int line = m_context.line;
    const CallReference* reference = LabReference::instance().find(name);
    if (name == "lab.unknownMember") {
        raise(unknownMember(self.toString()), self.toString());
        return {};
    }
    LHRS_CHECK(reference != nullptr); // the prelude was built from the reference
    m_before(line, *reference);
    if (m_context.isStopped())
        return {}; // the engine is interrupted: no more of the script runs
    if (!problem.isEmpty()) {
        raise({ LabCode::BadArgument, "A value given to " + name + " cannot be taken: " + problem + "." }, name);
        return {};
    }
    if (reference->isUnsupported) {
        raise({ LabCode::Unsupported, name + " (" + reference->text + ") is not in this version." }, name);
        return {};
    }
    if (m_context.isStandIn
        && std::find(std::begin(kNotOfStandIns), std::end(kNotOfStandIns), name) != std::end(kNotOfStandIns)) {
        raise({ LabCode::NotAllowed, "A script that is judged by an exercise may not call " + name + ".",
                  "The exercise has made its cluster, and is judged from all events of it." },
            name);
        return {};
    }
    const auto complete = LabReference::instance().complete(*reference, arguments, m_context.engine);
    if (!complete) {
        raise(complete.error(), name);
        return {};
    }
    if (reference->needsCluster && !m_context.hasCluster) {
        raise({ LabCode::NoCluster, name + " needs a cluster.", "Begin with lab.cluster({ ... })." }, name);
        return {};
    }
    if (m_context.hasCluster && !reference->system.isEmpty() && reference->system != m_context.system->words().name) {
        raise(ofAnotherSystem(*reference, m_context), name);
        return {};
    }
    if (reference->changes)
        m_context.changeCursor = m_context.ingest.committed();
    m_context.steps = 0;
    if (reference->needsCluster)
        m_context.hearOut();
    const std::int64_t began = m_context.ingest.nowNs();
    const LabResult<QJSValue> result = m_handlers.at(name)({ *reference, *complete, self });
    m_context.line = line; // functions of the script that ran meanwhile had lines of their own
    if (m_context.hasCluster)
        m_context.hearOut(); // the time of its end, and the events before it
    if (m_context.observer.wantsCalls())
        m_context.observer.onCalled({ line, name, json(arguments),
            result ? json(*result) : json(result.error().message), bool(result), m_context.ingest.nowNs() - began });
    if (!result) {
        raise(result.error(), name);
        return {};
    }
    return *result;
}

QString Lab::json(const QJSValue& value)
{
    const QJSValue text = m_stringify.call({ value });
    return text.isString() ? text.toString().left(kJsonMax) : QString(); // functions and cyclic values have no text
}

LabError Lab::unknownMember(const QString& name) const
{
    if (const QString renamed = LabReference::instance().renamed(name); !renamed.isEmpty())
        return { LabCode::BadArgument, renamed + "." };
    QStringList known;
    const QString object = name.section('.', 0, 0);
    for (const CallReference& call : LabReference::instance().calls())
        if (call.object == object && !call.isUnsupported)
            known << call.member;
    const QString near = nearestWord(name.section('.', 1), known);
    return { LabCode::BadArgument, name + " does not exist.",
        near.isEmpty() ? QString() : "Did you mean " + object + "." + near + "?" };
}

void Lab::raise(const LabError& error, const QString& call)
{
    if (error.code == LabCode::Stopped && m_context.isStopped())
        return; // the engine is interrupted, which the script cannot catch
    if (!error.thrown.isUndefined()) {
        m_context.engine.throwError(error.thrown);
        return;
    }
    m_context.engine.throwError(m_context.prelude.property("error").call(
        { nameOf(error.code), error.message, error.hint, m_context.line, call }));
}

} // namespace lhrs::gui
