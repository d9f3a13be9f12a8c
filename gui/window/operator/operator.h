// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/control/audit.h"
#include "gui/lab/control/control_client.h"
#include "gui/lab/control/fault_orders.h"
#include "gui/lab/control/gate_orders.h"
#include "gui/lab/local/local_cluster.h"
#include "gui/lab/local/session.h"
#include "gui/lab/state/event_feed.h"
#include "gui/view/records/record_table.h"

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

namespace lhrs::gui {

inline constexpr std::chrono::milliseconds kAnswer { 3'000 }; // an address that is silent for this long is no coordinator
inline constexpr std::chrono::seconds kStructure { 60 };      // for a split, a merge, a further parity bucket

// A workload as the buttons offer it.
struct Work {
    pb::OperationKind kind = pb::INSERT;
    std::uint64_t count = 100;
    std::uint32_t window = 1;
};

// A fault as the palette offers it.
struct FaultWish {
    enum class Kind { Network, Partition, Pause, Kill, KillAtStep };
    Kind kind = Kind::Network;
    pb::NetworkFault network;      // its rules
    // Who sends and who receives (nobody: anybody), the two sides of a partition, or whom it hits.
    std::vector<ProcessId> first, second;
    bool secondIsRest = false;     // of a partition: everybody else
    PartitionSides::Direction direction = PartitionSides::Direction::Both;
    std::string step;              // the event, e.g. "SplitPrepared"
    std::uint32_t count = 1;
    std::chrono::seconds lease { 60 };
    bool isKept = false;           // renewed while this window lives
};

// What the window does to a cluster: starts one, joins one, sends commands. Nothing here waits in the GUI thread: what
// takes time runs in one worker thread or in the control thread, and comes back as a signal. Each command says the line
// of a scenario that does the same, before it is sent, and how it ended.
class Operator : public QObject, public EventFeed, public ContentsSource {
    Q_OBJECT
public:
    enum class Link {
        None,       // no cluster
        Starting,   // local processes are being started, or an address is being asked
        Here,       // there is one
        Lost,       // its coordinator does not answer any more
    };

    explicit Operator(QObject* parent = nullptr);
    ~Operator() override;

    Session& session() { return *m_session; }
    Link link() const { return m_link; }
    // Why there is no cluster, after an attempt; empty otherwise.
    QString trouble() const { return m_trouble; }
    // Where the coordinator is, for the status bar.
    QString address() const;
    // What the simulator said last, if the cluster is a simulated one.
    std::optional<pb::SimulationState> simulation() const { return m_session->control().simulation(); }
    // Where its virtual time has its 0, on the run's clock; nothing: it is no simulated one, or its time has not begun.
    std::optional<std::int64_t> virtualZeroNs() const;
    // The processes are ours: they may be added to, and end with the window.
    bool isLocal() const { return m_isLocal; }
    pb::Detail detail() const { return m_session->control().detail(); }

    // ---- clusters
    void startLocal(const LocalOptions& options, std::uint32_t recordBytes, std::uint32_t clients = 1);
    // What does the same in a scenario.
    static QString clusterLine(const LocalOptions& options, std::uint32_t recordBytes);
    static QString clientNameOf(std::uint32_t number); // from 0: alice, bob, ...
    // HOST:PORT of the coordinator's control endpoint.
    void connectTo(const QString& address);
    void leave();
    // The link follows what a scenario does with the session.
    void setScenarioRuns(bool on);
    bool scenarioRuns() const { return m_scenarioRuns; }

    // ---- commands, each a line of a scenario
    void startClient();
    // Updates and deletes take records of the client itself, which refuses in words where it has none; searches take keys of
    // the file then.
    void run(ProcessId client, const Work& work);
    // One search for that key; the image is adjusted by its reply like by any other.
    void search(ProcessId client, std::uint64_t key);
    // One insert of a new record with that key.
    void insert(ProcessId client, std::uint64_t key);
    void stopWorkload(ProcessId client);
    void setImage(ProcessId client, pb::ImageMode mode);
    void forgetImage(ProcessId client);
    void split();
    void raiseAvailability();
    void addParity(std::uint32_t group);
    void recover(std::uint32_t group);
    void acknowledgeLoss(std::uint32_t group);
    void audit(std::uint32_t group);
    void auditAll();
    // One group each second while the file is at rest.
    void keepChecking(bool isOn);
    void addSpares(std::uint32_t data, std::uint32_t parity);
    void setDetail(pb::Detail detail);
    // Virtual time of a simulated cluster: how fast it goes (0: as fast as possible), or that it stands still.
    void runClock(double factor);
    void pauseClock();
    enum class ClockStep { Event, Message, Millisecond };
    void stepClock(ClockStep step);
    // The holds: no new operations; no deliveries and no protocol clocks, where there is such a gate.
    void holdWorkload(bool isHeld);
    bool isWorkloadHeld() const { return m_session->control().isWorkloadHeld(); }
    void gate(bool isClosed);
    // The gate is closed.
    bool isGated() const { return m_session->control().isGated(); }
    // Lets the oldest message through that a gate holds, of this process or of all (0), or loses it. Where nothing is held at
    // any, time goes on to the next timer.
    void releaseHeld(ProcessId process, bool isDropped);
    // This message of those that a gate holds, wherever it stands in the row; and the line of a scenario that does the same.
    void releaseOne(const HeldAt& one, bool isDropped);
    QString lineOf(const HeldAt& one, bool isDropped) const;
    // Asks the gates of all processes what they hold; heldListed() tells when they have answered.
    void askHeld();
    // As they said last, the oldest first. Nothing, and why, where they could not be asked.
    const std::vector<HeldAt>& held() const { return m_held; }
    QString heldTrouble() const { return m_heldTrouble; }
    // Now, on the clock by which is told since when a message is held: of simulated processes virtual time.
    std::int64_t gateClockNs() const;
    // Faults of the process that holds the object's place now; the words are those of nameOf().
    void kill(ProcessId process, const QString& target);
    void pause(ProcessId process, const QString& target);
    void resume(ProcessId process, const QString& target);
    void restart(ProcessId process, const QString& target);
    // Nothing passes between the process and all others any more, for a minute at most.
    void cutOff(ProcessId process, const QString& target);
    // Half of what others send it is lost; what they send it comes late: for a minute at most.
    void loseSome(ProcessId process, const QString& target);
    void delayMessages(ProcessId process, const QString& target);
    // Whatever the fault palette can do, and the lines of a scenario that do the same.
    void arm(const FaultWish& wish);
    QString lineOf(const FaultWish& wish) const;
    void healFault(std::uint64_t number);
    // Asks all processes for the faults that are armed at them; faultsListed() tells when they have answered.
    void askFaults();
    struct Armed {
        ArmedFault fault;             // with number 0: a process that stands still, which who paused it knows
        bool isKept = false;          // renewed while this window lives
    };
    const std::vector<Armed>& armedFaults() const { return m_armed; }
    // Ends the faults of the network that cut the process off or were armed at it.
    void heal(ProcessId process, const QString& target);
    void healAll();
    // The lines that these commands stand for.
    QString lineOf(ProcessId client, const Work& work, const std::vector<std::uint64_t>& keys = {}) const;
    QString clientName(ProcessId client) const;
    QString nextClientName() const;

    // ---- EventFeed
    ClusterState state() const override;
    std::uint64_t revision() const override;
    std::uint64_t committed() const override;
    EventPage eventsSince(std::uint64_t cursor, std::size_t max) const override;
    std::int64_t nowNs() const override;

    // ---- ContentsSource
    void readContents(ProcessId process, std::uint32_t rankFrom, std::uint32_t count, QObject* receiver,
        std::function<void(ContentsAnswer)> done) override;

signals:
    void linkChanged();
    // Another cluster begins: what was shown belongs to the former one.
    void clusterChanged();
    // A command was sent: its line; then how it ended.
    void said(const QString& line);
    void answered(const QString& line, const QString& outcome, bool isGood);
    // A client that a person asked for runs.
    void clientStarted(ProcessId client);
    void faultsListed();
    void heldListed();

private:
    using Task = std::function<void(const std::stop_token&)>;
    void post(Task task);
    void work(const std::stop_token& stop);
    void setLink(Link link, const QString& trouble = {});
    void ask(CallTarget to, pb::Command command, std::chrono::milliseconds timeout, const QString& line,
        std::function<QString(const pb::CommandReply&)> words);
    void askSimulator(pb::Command command, const QString& line);
    void runOnKeys(ProcessId client, const Work& work, bool hasOwn);
    Result<GroupAudit> auditAndJudge(std::uint32_t group, const std::stop_token& stop);
    void checkOne();
    void watchLink();
    void renewLeases();
    void forgetFaults();
    QString targetOf(ProcessId process) const;
    QString targetsOf(const std::vector<ProcessId>& processes) const;
    std::vector<FaultOrder> ordersOf(const FaultWish& wish) const;
    Result<void> carryOut(const FaultWish& wish, std::uint64_t& number);
    void change(const QString& line, std::function<Result<void>()> act, const QString& done);
    void sayFromThread(const QString& line, const QString& outcome, bool isGood);
    void carryOut(const ReleaseWish& wish, const QString& line, const std::stop_token& stop);

    std::unique_ptr<Session> m_session;
    Link m_link = Link::None;
    QString m_trouble, m_address;
    bool m_isLocal = false, m_scenarioRuns = false;
    std::uint32_t m_recordBytes = 100;
    std::uint64_t m_seed = 0;
    QTimer m_watch, m_renew, m_check;
    std::uint32_t m_checked = 0; // the group that was checked last
    std::atomic<bool> m_isChecking { false };
    std::vector<Armed> m_armed;
    bool m_isAskingFaults = false;
    std::vector<HeldAt> m_held;
    QString m_heldTrouble;
    bool m_isAskingHeld = false;
    QElapsedTimer m_since;

    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    // Guarded by m_mutex.
    std::deque<Task> m_tasks;
    std::map<std::uint64_t, std::vector<FaultOrder>> m_kept; // faults whose lease is renewed, by number
    std::jthread m_worker;
};

} // namespace lhrs::gui
