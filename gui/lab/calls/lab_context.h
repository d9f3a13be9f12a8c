// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/live/awake_clock.h"
#include "gui/lab/control/control_client.h"
#include "gui/lab/live/ingest.h"
#include "gui/lab/tables/lab_error.h"
#include "gui/lab/calls/lab_reference.h"
#include "gui/lab/tables/lab_table.h"
#include "gui/lab/tables/measure_chart.h"
#include "gui/lab/local/local_cluster.h"
#include "gui/lab/reel/script_observer.h"

#include <QJSEngine>
#include <QString>

#include <any>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

namespace lhrs::gui {

class LabSystem;
class WitnessBook;

using LabSystems = std::vector<const LabSystem*>;

constexpr double kAnswerSeconds = 5; // real time in which a process has to answer, in s
constexpr std::size_t kEventsAtOnce = 2000; // events examined in one go
constexpr std::chrono::milliseconds kLookAgain(20); // poll interval while a call waits

// The settings of a script run, given from outside.
struct ScriptSettings {
    std::uint64_t seed = 1;
    std::map<QString, QString> sets; // --set NAME=VALUE
    double pace = 0; // speed of captions and pauses; 0: none
    bool keepGoing = false; // an expectation that fails does not end the script
    QString run; // the run's id; empty: a new one is chosen
    // Takes each measured row at once; must outlive the run; null: rows go nowhere else.
    ResultSink* results = nullptr;
    bool mayStartCluster = true; // false: connected to a cluster that another program started
    // Acts in place of the person in lab.exercise; without text there is no stand-in.
    struct StandIn {
        QString source, file;
    } standIn = {};
    QString paperDirectory; // published tables
    std::chrono::milliseconds limit {}; // 0: none
    std::int64_t memoryBytes = std::int64_t(2) << 30; // memory by which the program may grow during the run
    std::size_t rowsMax = 250'000; // limit for all tables together, which are kept in memory
    std::chrono::milliseconds endLimit { 10'000 }; // for each function given to lab.atEnd
};

// A private random generator (SplitMix64), so that a seed gives the same numbers on every platform.
class LabRandom {
public:
    explicit LabRandom(std::uint64_t seed) : m_state(seed) { }
    std::uint64_t next();
    // A number in 0..count-1; requires count >= 1.
    std::uint64_t below(std::uint64_t count) { return next() % count; }
    // A number in [0, 1).
    double fraction() { return double(next() >> 11) / 9007199254740992.0; }

private:
    std::uint64_t m_state;
};

struct LabClientInfo {
    ProcessId process = 0;
    pb::ImageMode mode = pb::ADJUSTING;
};

// The state that all groups of calls share while one script runs. Used by the script's thread only.
struct LabContext {
    Ingest& ingest;
    ControlClient& control;
    LocalCluster& local;
    WitnessBook& witnesses;
    ScriptObserver& observer;
    const ScriptSettings& settings;
    QJSEngine& engine;
    QJSValue prelude; // the value of lab_prelude.js: guard and makers
    // Of the present phase: the script itself or its lab.atEnd functions.
    std::function<std::stop_token()> stopToken;
    std::function<void(double seconds)> dwell; // a pause of the show
    LabTables& tables;
    LabCharts& charts;
    const LabSystems& systems;
    std::function<QString()> lacking = {}; // why the memory limit forbids more; empty if it does not
    // Runs the script that acts in place of a person in an exercise; `before` is called before each of its calls.
    // Null if there is no such script.
    std::function<LabResult<bool>(const std::function<LabResult<bool>()>& before)> standIn = {};
    bool isStandIn = false; // this context belongs to the stand-in

    LabRandom random { settings.seed };
    bool hasCluster = false;
    const LabSystem* system = systems.front(); // of the cluster
    std::any kept = {}; // what the system keeps of its cluster
    std::uint32_t recordBytes = 100;
    std::map<QString, LabClientInfo> clients = {}; // by name
    std::uint64_t workloads = 0; // number run so far; each workload draws from its own seed
    int clusters = 0; // number made so far
    std::uint64_t changeCursor = 0; // newest event when the last changing call was sent
    int line = 0; // the script's line of the present call
    // The last result of now() and the clock that it came from.
    struct Waited {
        AwakeClock::time_point now = AwakeClock::now(), real = now;
        std::optional<std::int64_t> virtualNs; // empty: real time passed
    };
    mutable Waited waited {};
    mutable std::uint32_t steps = 0; // steps of virtual time that the present call has waited
    // The cluster and its number of published events when all of them had been received.
    mutable std::pair<int, std::uint64_t> heard {};
    int expectationsHeld = 0, expectationsFailed = 0;
    bool hasTakenSets = false; // lab.params was called

    const LabSystem* systemNamed(const QString& name) const; // it is one of them (check)

    bool isStopped() const { return stopToken().stop_requested(); }
    LabError stopped() const { return { LabCode::Stopped, "The script was stopped." }; }

    // Derived from the processes. Events tell it too, but slightly later.
    bool isSimulated() const { return !control.simulator().empty(); }
    // The run's clock, in s. In a simulated cluster this is the present virtual time.
    double nowSeconds() const;
    // The real time to wait for an answer that takes this many seconds of cluster time; longer where virtual time
    // runs slowly.
    std::chrono::milliseconds patience(double seconds) const;
    // The clock for waits. It is real time, unless virtual time advances only while a call waits: then it is virtual
    // time, so that what a script finds after a wait does not depend on the speed of the machine.
    AwakeClock::time_point now() const;
    AwakeClock::time_point deadlineIn(double seconds) const;
    // Virtual time advances only while a call waits.
    bool isInStep() const;
    // Waits until there are events beyond the cursor or the deadline has passed. In step mode (isInStep) virtual time
    // advances by one step and the caller looks again. False: the deadline has passed and there are no events.
    bool waitBeyond(std::uint64_t cursor, AwakeClock::time_point deadline) const; // deadline by now()
    // Passes all events beyond the cursor to `take`, as they arrive, until it returns true. False: the deadline
    // passed first; a steady stream of events does not extend it. An error: the deadline passed and some events had
    // been dropped from the ring. `kind`: the kind that is waited for; 0: any.
    LabResult<bool> waitForEvents(std::uint64_t cursor, AwakeClock::time_point deadline, int kind,
        const std::function<LabResult<bool>(const std::vector<RunEvent>&)>& take) const;
    // The error for events that were asked for but are no longer kept; `missed` is their number.
    static LabError notKept(std::uint64_t missed);
    // In step mode: waits until all published events have been received, so that a call sees the same state in every
    // run.
    void hearOut() const;
    void hearOut(const pb::SimulationState& state) const;
    // Prepares a command whose answer takes time; virtual time advances meanwhile.
    pb::Command awaited(pb::Command command, double timeoutSeconds) const;
    // Sends a command. A missing answer or a refusal becomes the LabError of its kind.
    LabResult<pb::CommandReply> ask(const CallTarget& to, pb::Command command, double timeoutSeconds) const;
    // Sends all commands at once; one after the other if virtual time waits for commands.
    LabResult<std::vector<pb::CommandReply>> askAll(
        const std::vector<std::pair<CallTarget, pb::Command>>& calls, double timeoutSeconds) const;
    // The coordinator's own view of the file.
    LabResult<pb::FileDescription> describeFile(double timeoutSeconds = 5) const;
    // The name of the process, or its number if nothing else is known of it.
    QString nameOf(ProcessId process) const;
    // Waits until the coordinator knows all servers that were started.
    LabResult<bool> awaitServers(double timeoutSeconds) const;
    // Waits until all events published so far have been received.
    LabResult<bool> catchUp(std::chrono::milliseconds timeout = std::chrono::seconds(2)) const;
    // The script's present position on the reel. If the observer wants reel entries, everything that has happened so
    // far is received first.
    Cue cueNow() const;
    // Waits until all processes publish at the wanted detail level. Timeout: a process does not answer.
    LabResult<bool> awaitDetail() const;
    // Calls a function of the script. An exception becomes the error's `thrown`.
    LabResult<QJSValue> callBack(const QJSValue& function, const QJSValueList& arguments = {}) const;
    // The LabError for an answer that is not a reply.
    LabError errorOf(const Answer& answer) const;
};

inline std::chrono::milliseconds millisecondsOf(double seconds)
{
    return std::chrono::milliseconds(std::int64_t(std::min(seconds, 1e9) * 1000));
}

} // namespace lhrs::gui
