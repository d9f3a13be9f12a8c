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

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <utility>

namespace lhrs::gui {

class WitnessBook;

constexpr double kAnswerSeconds = 5; // of real time, that a process has
constexpr std::size_t kEventsAtOnce = 2000; // looked through
constexpr std::chrono::milliseconds kLookAgain(20); // at what was told, while something is waited for

// What a run of a script is told from outside.
struct ScriptSettings {
    std::uint64_t seed = 1;
    std::map<QString, QString> sets;   // --set NAME=VALUE
    double pace = 0;                   // speed of captions and pauses; 0: none
    bool keepGoing = false;            // an expectation that fails does not end the script
    QString run;                       // its id; empty: a new one
    ResultSink* results = nullptr;     // keeps what is measured as it comes; it outlives the run. Null: nothing does
    bool mayStartCluster = true;       // false: connected to a cluster of somebody else
    // Acts in place of the person that lab.exercise waits for; no text: nothing does.
    struct StandIn {
        QString source, file;
    } standIn = {};
    QString paperDirectory;            // published tables
    std::chrono::milliseconds limit {}; // 0: none
    std::int64_t memoryBytes = std::int64_t(2) << 30; // by which the program may grow meanwhile
    std::size_t rowsMax = 250'000;     // of all tables together; they are kept in memory
    std::chrono::milliseconds endLimit { 10'000 }; // of each function given to lab.atEnd (window.md 4.1)
};

// A number generator of our own, so that a seed gives the same numbers everywhere (SplitMix64).
class LabRandom {
public:
    explicit LabRandom(std::uint64_t seed) : m_state(seed) {}
    std::uint64_t next();
    // 0..count-1; count >= 1.
    std::uint64_t below(std::uint64_t count) { return next() % count; }
    // 0 up to 1.
    double fraction() { return double(next() >> 11) / 9007199254740992.0; }

private:
    std::uint64_t m_state;
};

struct LabClientInfo {
    ProcessId process = 0;
    pb::ImageMode mode = pb::ADJUSTING;
};

// What all groups of calls share while one script runs. Of the script's thread.
struct LabContext {
    Ingest& ingest;
    ControlClient& control;
    LocalCluster& local;
    WitnessBook& witnesses;
    ScriptObserver& observer;
    const ScriptSettings& settings;
    QJSEngine& engine;
    QJSValue prelude; // what lab_prelude.js gave: guard, makers
    std::function<std::stop_token()> stopToken;      // of the present phase: the script, or its end
    std::function<void(double seconds)> dwell;       // a pause of the show
    LabTables& tables;
    LabCharts& charts;
    std::function<QString()> lacking = {};           // why there is no memory for more; empty: there is
    // Runs the script that acts in place of a person in an exercise; `before` is called before each of its calls. Null:
    // there is none.
    std::function<LabResult<bool>(const std::function<LabResult<bool>()>& before)> standIn = {};
    bool isStandIn = false;                          // this is that script

    LabRandom random { settings.seed };
    bool hasCluster = false;
    pb::FileConfig config = {};
    std::uint32_t recordBytes = 100;
    std::map<QString, LabClientInfo> clients = {}; // by name
    std::uint64_t workloads = 0;              // run so far: each draws from a seed of its own
    int clusters = 0;                         // made so far
    std::uint64_t changeCursor = 0;           // newest event when the last changing call was sent
    int line = 0;                             // of the script, in the present call
    // What now() was when it was last asked, and by which clocks.
    struct Waited {
        AwakeClock::time_point now = AwakeClock::now(), real = now;
        std::optional<std::int64_t> virtualNs; // nothing: real time passed
    };
    mutable Waited waited {};
    mutable std::uint32_t steps = 0;          // of virtual time, that the present call has waited
    mutable std::pair<int, std::uint64_t> heard {}; // cluster and how many events it had told, when all of them were here
    int expectationsHeld = 0, expectationsFailed = 0;
    bool hasTakenSets = false; // it called lab.params

    bool isStopped() const { return stopToken().stop_requested(); }
    LabError stopped() const { return { LabCode::Stopped, "The script was stopped." }; }

    // Known from the processes; events say it, too, but come a little later.
    bool isSimulated() const { return !control.simulator().empty(); }
    // The run's clock now, in seconds; of a simulated cluster virtual time, as it is at this moment.
    double nowSeconds() const;
    // How long an answer is waited for that comes in so many seconds of the cluster: longer where virtual time goes slowly.
    std::chrono::milliseconds patience(double seconds) const;
    // The clock that calls wait by: real time; where virtual time stands but for what calls wait for, virtual time, so that what a
    // script finds at the end of a wait does not depend on how fast the machine is.
    AwakeClock::time_point now() const;
    AwakeClock::time_point deadlineIn(double seconds) const;
    // Virtual time stands still but for what calls wait for.
    bool isInStep() const;
    // Waits until there are events beyond the cursor, at most so long. Where virtual time stands it goes on by one step, and it is
    // time to look again. False: the deadline is over, and there are none.
    bool waitBeyond(std::uint64_t cursor, AwakeClock::time_point deadline) const; // of now()
    // Gives all events beyond the cursor, as they come, until `take` says that it has what it wants. False: it has not, and the
    // deadline is over; events that come all the time do not put it off. An error: the same, and some were not kept.
    // `kind`: of those that are waited for; BODY_NOT_SET: any.
    LabResult<bool> waitForEvents(std::uint64_t cursor, AwakeClock::time_point deadline, pb::Event::BodyCase kind,
        const std::function<LabResult<bool>(const std::vector<RunEvent>&)>& take) const;
    // So many events that were asked for came, and are kept no more.
    static LabError notKept(std::uint64_t missed);
    // Where virtual time stands: waits until all that was told is here, so that no call sees an older state than another run's.
    void hearOut() const;
    void hearOut(const pb::SimulationState& state) const;
    // Of a call whose answer takes its time; virtual time goes on meanwhile.
    pb::Command awaited(pb::Command command, double timeoutSeconds) const;
    // Sends a command and turns what is no answer into the error of that kind.
    LabResult<pb::CommandReply> ask(const CallTarget& to, pb::Command command, double timeoutSeconds) const;
    // All at once.
    LabResult<std::vector<pb::CommandReply>> askAll(
        const std::vector<std::pair<CallTarget, pb::Command>>& calls, double timeoutSeconds) const;
    // The coordinator's own picture of the file.
    LabResult<pb::FileDescription> describeFile(double timeoutSeconds = 5) const;
    // Waits until the coordinator, if it was started anew, knows its file again.
    LabResult<bool> awaitCoordinator(double timeoutSeconds) const;
    // The process' name; its number when nothing is known of it.
    QString nameOf(ProcessId process) const;
    // Waits until the coordinator knows all servers that were started: then they are spares, or buckets already.
    LabResult<bool> awaitServers(double timeoutSeconds) const;
    // Waits until all events that processes have published by now are here.
    LabResult<bool> catchUp(std::chrono::milliseconds timeout = std::chrono::seconds(2)) const;
    // Where on the reel the script is: everything that has happened up to now is heard out first, where the observer wants to know.
    Cue cueNow() const;
    // Waits until all processes publish at the level that is wanted. Timeout: one of them does not answer.
    LabResult<bool> awaitDetail() const;
    // Calls a function of the script. What it throws is the error's `thrown`.
    LabResult<QJSValue> callBack(const QJSValue& function, const QJSValueList& arguments = {}) const;
    // The error that an answer stands for.
    static LabError errorOf(const Answer& answer);
};

inline std::chrono::milliseconds millisecondsOf(double seconds)
{
    return std::chrono::milliseconds(std::int64_t(std::min(seconds, 1e9) * 1000));
}

} // namespace lhrs::gui
