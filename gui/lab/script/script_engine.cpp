// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/script/script_engine.h"

#include "common/errors.h"
#include "gui/lab/calls/lab.h"
#include "gui/lab/script/lab_systems.h"
#include "gui/lab/tables/run_facts.h"
#include "gui/lab/local/session.h"

#include <QJSEngine>
#include <QRegularExpression>

#include <algorithm>

namespace lhrs::gui {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::uint32_t kSample = 100;
constexpr std::chrono::milliseconds kMemoryLook(50);
constexpr const char* kSpreadBytes = "268435456"; // size limit for arguments: f(...list) with millions of elements

// Syntax that this engine lacks, with the replacement to suggest.
QString hintFor(const QString& source, int line, const QString& message)
{
    const QString text = source.split('\n').value(line - 1);
    struct Hint {
        const char* pattern;
        const char* text;
    };
    static constexpr Hint kHints[] = {
        { "\\{[^}]*\\.\\.\\.", "Object spread is not in this engine: use Object.assign({}, a, b)." },
        { "\\bcatch\\s*\\{", "catch needs a name in this engine: catch (e) { ... }." },
        { "\\b(async|await)\\b", "There is no async and await: each call of lab returns when it is done." },
        { "\\b\\d+n\\b", "There is no BigInt: large keys are strings, e.g. '18446744073709551615'." },
        { "\\d_\\d", "Numbers have no _ in this engine: write 1000." },
        { "#\\w+", "There are no private members (#name) in this engine." },
        { "\\b(import|export)\\b", "A scenario is one file: there are no modules." },
    };
    for (const Hint& hint : kHints)
        if (QRegularExpression(hint.pattern).match(text).hasMatch())
            return hint.text;
    if (message.contains("Date is not defined"))
        return "Use lab.now(): seconds since the start of the run.";
    if (message.contains("eval is not defined") || message.contains("Function is not defined"))
        return "Code made from text is not possible in a scenario.";
    if (message.contains("require is not defined") || message.contains("console is not defined"))
        return "The only door out is lab; lab.print writes a line.";
    return {};
}

int lineOf(const QJSValue& error, const QStringList& trace)
{
    if (error.property("line").isNumber())
        return error.property("line").toInt();
    if (const int line = Lab::lineOf(error.property("stack").toString()); line > 0)
        return line;
    // "function:line:column:file:NAME"
    static const QRegularExpression kPlace(":(\\d+):-?\\d+:file:" + Lab::scriptName() + "$");
    for (const QString& frame : trace)
        if (const auto match = kPlace.match(frame); match.hasMatch())
            return match.captured(1).toInt();
    return std::max(0, error.property("lineNumber").toInt());
}

QString memoryWords(std::int64_t bytes)
{
    return QString("The script needs more than %1 MiB of memory").arg(bytes >> 20);
}

} // namespace

ScriptHeader headerOf(const QString& source)
{
    const QString line = source.section('\n', 0, 0);
    const auto tag = [&](const QString& name) {
        const auto match = QRegularExpression("@" + name + "\\s+([^@]*)").match(line);
        return match.hasMatch() ? match.captured(1).trimmed() : QString();
    };
    return { tag("title"), tag("minutes"), tag("needs"), tag("experiment"), tag("exercise") };
}

ScriptEngine::ScriptEngine(Session& session, ScriptObserver& observer)
    : m_session(session), m_observer(observer), m_tables(std::make_unique<LabTables>()),
      m_charts(std::make_unique<LabCharts>()), m_guard([this](const std::stop_token& stop) { guard(stop); })
{
    // The engine does not check whether arguments fit on the stack.
    if (qEnvironmentVariableIsEmpty("QV4_JS_MAX_STACK_SIZE"))
        qputenv("QV4_JS_MAX_STACK_SIZE", kSpreadBytes);
}

ScriptEngine::~ScriptEngine()
{
    stop();
    if (m_thread.joinable())
        m_thread.join();
    m_guard.request_stop();
}

std::optional<ScriptProblem> ScriptEngine::check(const QString& source)
{
    std::optional<ScriptProblem> problem;
    ScriptThread([&] {
        QJSEngine engine;
        QStringList trace;
        // As the body of a function that is never called: compiled but not run.
        const QJSValue value = engine.evaluate(
            "(function () { \"use strict\"; " + source + "\n})", Lab::scriptName(), 1, &trace);
        if (!value.isError())
            return;
        const QString message = value.property("message").toString();
        const int line = std::min(lineOf(value, trace), int(source.count('\n')) + 1);
        problem = ScriptProblem { line, message, hintFor(source, line, message) };
    }).join();
    return problem;
}

void ScriptEngine::start(const QString& source, const QString& file, ScriptSettings settings)
{
    LHRS_CHECK(!m_isRunning.exchange(true));
    if (m_thread.joinable())
        m_thread.join();
    m_settings = std::move(settings);
    m_pace.store(m_settings.pace);
    m_tables = std::make_unique<LabTables>();
    m_charts = std::make_unique<LabCharts>();
    m_tables->setSink(m_settings.results);
    {
        const std::lock_guard lock(m_mutex);
        m_isStopped = m_isLimitReached = m_isMemoryReached = false;
        m_isInScript.store(true);
        m_lineLast = 0;
        m_run = m_settings.run.isEmpty() ? newRunId(m_settings.seed) : m_settings.run;
    }
    m_thread = ScriptThread([this, source, file] { run(source, file); });
}

void ScriptEngine::stop()
{
    const std::lock_guard lock(m_mutex);
    if (!m_isRunning.load() || m_isStopped)
        return;
    m_isStopped = true;
    m_phase.request_stop();
    if (m_engine != nullptr)
        m_engine->setInterrupted(true);
    m_changed.notify_all();
}

bool ScriptEngine::wait(std::chrono::milliseconds time)
{
    std::unique_lock lock(m_mutex);
    return m_changed.wait_for(lock, time, [this] { return !m_isRunning.load(); });
}

ScriptResult ScriptEngine::result() const
{
    const std::lock_guard lock(m_mutex);
    return m_result;
}

void ScriptEngine::setStops(ScriptStops stops)
{
    const std::lock_guard lock(m_mutex);
    m_stops = stops;
    m_changed.notify_all();
}

void ScriptEngine::proceed()
{
    const std::lock_guard lock(m_mutex);
    ++m_proceeds;
    m_changed.notify_all();
}

void ScriptEngine::proceed(ScriptStops stops)
{
    const std::lock_guard lock(m_mutex);
    m_stops = stops;
    ++m_proceeds;
    m_changed.notify_all();
}

void ScriptEngine::setBreakpoints(std::set<int> lines)
{
    const std::lock_guard lock(m_mutex);
    m_breakpoints = std::move(lines);
}

RunIdentity ScriptEngine::identity() const
{
    const std::lock_guard lock(m_mutex);
    return { m_run, m_wasSimulated, machineShown() };
}

// ---- the guard: ends a phase at its time limit, because the script's own thread cannot

void ScriptEngine::guard(const std::stop_token& stop)
{
    std::unique_lock lock(m_mutex);
    while (!stop.stop_requested()) {
        const auto deadline = m_deadline;
        const auto isNew = [&] { return m_deadline != deadline; };
        if (m_residentMax != 0)
            m_changed.wait_until(lock, stop, std::min(deadline, Clock::now() + kMemoryLook), isNew);
        else if (deadline == Clock::time_point::max())
            m_changed.wait(lock, stop, [&] { return isNew() || m_residentMax != 0; });
        else
            m_changed.wait_until(lock, stop, deadline, isNew);
        if (stop.stop_requested() || isNew())
            continue;
        const bool isLate = Clock::now() >= deadline, isLarge = m_residentMax != 0 && residentBytes() > m_residentMax;
        if (!isLate && !isLarge)
            continue;
        m_deadline = Clock::time_point::max();
        m_residentMax = 0;
        (isLate ? m_isLimitReached : m_isMemoryReached) = true;
        m_phase.request_stop();
        if (m_engine != nullptr)
            m_engine->setInterrupted(true);
        m_changed.notify_all();
    }
}

void ScriptEngine::beginPhase(std::chrono::milliseconds limit)
{
    const std::int64_t resident = residentBytes(), room = std::min(m_settings.memoryBytes, machineBytes() / 2);
    const std::lock_guard lock(m_mutex);
    m_phase = std::stop_source();
    m_deadline = limit.count() > 0 ? Clock::now() + limit : Clock::time_point::max();
    m_residentMax = resident == 0 ? 0 : resident + room;
    m_isLimitReached = m_isMemoryReached = false;
    if (m_engine != nullptr)
        m_engine->setInterrupted(false);
    m_changed.notify_all();
}

QString ScriptEngine::lackingMemory() const
{
    constexpr double kEarlier = 0.9; // share of the limit; checked before the guard, which cannot tell the line
    const std::int64_t resident = residentBytes(), room = std::min(m_settings.memoryBytes, machineBytes() / 2);
    const std::lock_guard lock(m_mutex);
    if (m_residentMax == 0 || double(resident) <= double(m_residentMax) - (1 - kEarlier) * double(room))
        return {};
    return memoryWords(room);
}

std::stop_token ScriptEngine::phaseToken() const
{
    const std::lock_guard lock(m_mutex);
    return m_phase.get_token();
}

// ---- the script's thread

void ScriptEngine::beforeCall(int line, const CallReference& call)
{
    m_observer.onCall(line, call.name);
    std::unique_lock lock(m_mutex);
    const auto isHeld = [&] {
        return m_stops == ScriptStops::BeforeCalls || (m_stops == ScriptStops::BeforeSteps && call.name == "lab.step");
    };
    // A call at a breakpoint waits to be continued, even if the breakpoint is removed meanwhile.
    const bool isBreakpoint = line != m_lineLast && m_breakpoints.contains(line);
    m_lineLast = line;
    if (!isHeld() && !isBreakpoint)
        return;
    const std::uint64_t proceeds = m_proceeds;
    const std::stop_token stop = m_phase.get_token();
    lock.unlock();
    m_observer.onHeld(line, call.name);
    lock.lock();
    m_changed.wait(lock, stop, [&] { return m_proceeds != proceeds || (!isBreakpoint && !isHeld()); });
}

void ScriptEngine::dwell(double seconds)
{
    const auto start = Clock::now();
    std::unique_lock lock(m_mutex);
    const std::stop_token stop = m_phase.get_token();
    const std::uint64_t proceeds = m_proceeds;
    for (;;) {
        const double pace = m_pace.load();
        if (pace <= 0 || stop.stop_requested() || m_proceeds != proceeds)
            return;
        const auto end = start
            + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds / pace));
        if (Clock::now() >= end)
            return;
        m_changed.wait_until(lock, stop, end, [&] { return m_pace.load() != pace || m_proceeds != proceeds; });
    }
}

void ScriptEngine::run(const QString& source, const QString& file)
{
    const auto started = Clock::now();
    const pb::Detail detail = m_session.control().detail();
    ScriptResult result;
    result.file = file;
    m_observer.onStarted(file);
    {
        QJSEngine engine;
        LabContext context { m_session.ingest(), m_session.control(), m_session.local(), m_session.witnesses(),
            m_observer, m_settings, engine, {}, [this] { return phaseToken(); },
            [this](double seconds) { dwell(seconds); }, *m_tables, *m_charts, labSystems(),
            [this] { return lackingMemory(); } };
        Lab lab(context, [this](int line, const CallReference& call) { beforeCall(line, call); });
        lab.install();
        m_standIn.reset();
        if (!m_settings.standIn.source.isEmpty())
            context.standIn = [&](const std::function<LabResult<bool>()>& before) {
                return runStandIn(context, before);
            };
        beginPhase(m_settings.limit);
        {
            const std::lock_guard lock(m_mutex);
            m_engine = &engine;
            if (m_isStopped) { // before it began
                m_phase.request_stop();
                engine.setInterrupted(true);
            }
        }
        (void)evaluate(context, engine, source, result);
        if (result.outcome == ScriptOutcome::Held && !m_settings.sets.empty() && !context.hasTakenSets) {
            result.outcome = ScriptOutcome::ScriptError;
            result.code = nameOf(LabCode::BadArgument);
            result.message = "--set " + m_settings.sets.begin()->first
                + ": the scenario takes no parameters, so this value was not used.";
            result.hint = "Parameters are what lab.params names.";
        }
        takeStandIn(result);
        answerQuestions(context, engine, result);
        m_isInScript.store(false);
        callAtEnd(context, lab, result);
        if (m_session.control().detail() != detail) // lab.detail affects only this script
            m_session.control().setDetail(detail, kSample);
        result.expectationsHeld = context.expectationsHeld;
        result.expectationsFailed = context.expectationsFailed;
        if (result.outcome == ScriptOutcome::Held && context.expectationsFailed > 0) {
            result.outcome = ScriptOutcome::ExpectationFailed;
            result.message = QString("%1 of %2 expectations do not hold.")
                                 .arg(context.expectationsFailed)
                                 .arg(context.expectationsFailed + context.expectationsHeld);
        }
        const std::lock_guard lock(m_mutex);
        m_wasSimulated = !m_session.control().simulator().empty();
        m_engine = nullptr;
        m_deadline = Clock::time_point::max();
        m_residentMax = 0;
    }
    result.seconds = std::chrono::duration<double>(Clock::now() - started).count();
    {
        const std::lock_guard lock(m_mutex);
        m_result = result;
    }
    m_observer.onFinished(result);
    {
        const std::lock_guard lock(m_mutex);
        m_isRunning.store(false);
    }
    m_changed.notify_all();
}

QJSValue ScriptEngine::evaluate(LabContext& context, QJSEngine& engine, const QString& source, ScriptResult& result)
{
    QStringList trace;
    // Enables strict mode without shifting lines.
    const QJSValue value = engine.evaluate("\"use strict\"; " + source, Lab::scriptName(), 1, &trace);
    if (engine.isInterrupted() || context.isStopped()) {
        const std::lock_guard lock(m_mutex);
        result.line = context.line; // line of the last call; an interrupt does not give the place
        if (m_isMemoryReached) {
            result.outcome = ScriptOutcome::ScriptError;
            result.message = memoryWords(std::min(m_settings.memoryBytes, machineBytes() / 2)) + ".";
            return {};
        }
        result.outcome = ScriptOutcome::Stopped;
        result.code = nameOf(LabCode::Stopped);
        result.isLimitReached = m_isLimitReached;
        result.message = m_isLimitReached
            ? QString("The time limit of %1 s is reached.").arg(double(m_settings.limit.count()) / 1000)
            : QString("The script was stopped.");
        return {};
    }
    if (!value.isError() && trace.isEmpty())
        return value;
    result.line = lineOf(value, trace);
    result.code = value.property("code").isString() ? value.property("code").toString() : QString();
    result.outcome = result.code == nameOf(LabCode::ExpectationFailed) ? ScriptOutcome::ExpectationFailed
        : result.code == nameOf(LabCode::NoCluster)                    ? ScriptOutcome::NoCluster
                                                                       : ScriptOutcome::ScriptError;
    if (result.code.isEmpty()) {
        const QString shown = context.prelude.property("shown").call({ value }).toString();
        result.message = value.isError() ? shown + "." : "The script threw " + shown + ".";
        result.hint = hintFor(source, result.line, result.message);
    } else {
        result.message = value.property("message").toString();
        if (!result.message.endsWith('.'))
            result.message += '.';
        result.hint = value.property("hint").toString();
    }
    return {};
}

LabResult<bool> ScriptEngine::runStandIn(LabContext& exercise, const std::function<LabResult<bool>()>& before)
{
    m_standIn.emplace();
    m_standIn->file = m_settings.standIn.file;
    QJSEngine& former = exercise.engine;
    QJSEngine engine; // a separate engine, so that the two scripts cannot affect each other
    LabContext context { exercise.ingest, exercise.control, exercise.local, exercise.witnesses, exercise.observer,
        exercise.settings, engine, {}, exercise.stopToken, exercise.dwell, exercise.tables, exercise.charts,
        exercise.systems, exercise.lacking };
    context.isStandIn = true;
    context.hasCluster = exercise.hasCluster;
    context.system = exercise.system;
    context.kept = exercise.kept;
    context.recordBytes = exercise.recordBytes;
    context.clients = exercise.clients;
    context.workloads = exercise.workloads;
    context.clusters = exercise.clusters;
    context.changeCursor = exercise.changeCursor;
    context.waited = exercise.waited;
    std::optional<LabError> problem; // from the actions before a call
    Lab lab(context, [&](int, const CallReference&) {
        if (const auto done = before(); !done)
            problem = done.error();
    });
    lab.install();
    const auto use = [this](QJSEngine& wanted) {
        const std::lock_guard lock(m_mutex);
        m_engine = &wanted;
        if (m_phase.stop_requested())
            wanted.setInterrupted(true);
    };
    use(engine);
    (void)evaluate(context, engine, m_settings.standIn.source, *m_standIn);
    use(former);
    exercise.clients = context.clients;
    exercise.workloads = context.workloads;
    exercise.changeCursor = context.changeCursor;
    exercise.waited = context.waited;
    exercise.heard = context.heard;
    exercise.expectationsHeld += context.expectationsHeld;
    exercise.expectationsFailed += context.expectationsFailed;
    exercise.hasTakenSets = exercise.hasTakenSets || context.hasTakenSets;
    if (exercise.isStopped())
        return exercise.stopped();
    if (problem)
        return *problem;
    // Failed expectations of the stand-in are reported, but its actions are still judged.
    if (m_standIn->outcome != ScriptOutcome::Held && m_standIn->outcome != ScriptOutcome::ExpectationFailed)
        return LabError { LabCode::Refused, m_standIn->message, m_standIn->hint };
    return true;
}

// The result of the stand-in script: an error in it becomes the overall result, with its own file and line.
void ScriptEngine::takeStandIn(ScriptResult& result) const
{
    if (m_settings.standIn.source.isEmpty())
        return;
    if (!m_standIn && result.outcome == ScriptOutcome::Held) {
        result.outcome = ScriptOutcome::ScriptError;
        result.code = nameOf(LabCode::BadArgument);
        result.message = "It does not call lab.exercise, so " + m_settings.standIn.file + " was not run.";
    }
    if (!m_standIn || m_standIn->outcome == ScriptOutcome::Held)
        return;
    if (m_standIn->outcome != ScriptOutcome::ExpectationFailed || result.outcome == ScriptOutcome::Held)
        result = *m_standIn;
}

void ScriptEngine::answerQuestions(LabContext& context, QJSEngine& engine, ScriptResult& result)
{
    if (!m_questions.next || result.outcome != ScriptOutcome::Held)
        return;
    const QJSValue stringify = engine.globalObject().property("JSON").property("stringify");
    while (const std::optional<QString> line = m_questions.next(phaseToken())) {
        ScriptResult one;
        const QJSValue value = evaluate(context, engine, *line, one);
        if (one.outcome == ScriptOutcome::Stopped) {
            one.file = result.file;
            result = one;
            return;
        }
        if (one.outcome == ScriptOutcome::ScriptError && engine.isInterrupted()) { // its memory limit was reached
            one.file = result.file;
            result = one;
            return;
        }
        if (const QString problem = one.outcome == ScriptOutcome::Held
                ? context.prelude.property("problemOf").call({ value, false }).toString()
                : QString();
            !problem.isEmpty()) {
            one.outcome = ScriptOutcome::ScriptError;
            one.message = "The value cannot be told: " + problem + ".";
        }
        QJSValue answer = engine.newObject();
        if (one.outcome == ScriptOutcome::Held)
            answer.setProperty("value", value);
        QJSValue text = one.outcome == ScriptOutcome::Held ? stringify.call({ answer }) : QJSValue();
        if (text.isError()) { // e.g. for a cyclic object
            one.code = text.property("name").toString();
            one.message = text.property("message").toString();
        } else if (one.code.isEmpty()) { // an error of the language, whose message begins with its name
            static const QRegularExpression kName("^([A-Za-z]*Error):");
            const auto name = kName.match(one.message);
            one.code = name.hasMatch() ? name.captured(1) : QString("Error");
        }
        if (!text.isString()) {
            QJSValue error = engine.newObject(), failed = engine.newObject();
            error.setProperty("code", one.code);
            error.setProperty("message", one.message);
            error.setProperty("hint", one.hint);
            failed.setProperty("error", error);
            text = stringify.call({ failed });
        }
        m_questions.answer(text.toString());
    }
    if (context.isStopped())
        (void)evaluate(context, engine, {}, result); // `result` says why it failed
}

void ScriptEngine::callAtEnd(LabContext& context, Lab& lab, ScriptResult& result)
{
    std::vector<QJSValue> functions = lab.takeEndFunctions();
    std::reverse(functions.begin(), functions.end());
    for (const QJSValue& function : functions) {
        beginPhase(m_settings.endLimit);
        const auto done = context.callBack(function);
        if (done || result.outcome != ScriptOutcome::Held)
            continue;
        // The script held, but a lab.atEnd function failed.
        const QJSValue thrown = done.error().thrown;
        result.outcome = ScriptOutcome::ScriptError;
        result.line = lineOf(thrown, {});
        result.code = thrown.property("code").isString() ? thrown.property("code").toString()
                                                         : nameOf(done.error().code);
        result.message = "In a function of lab.atEnd: " + done.error().message;
    }
}

} // namespace lhrs::gui
