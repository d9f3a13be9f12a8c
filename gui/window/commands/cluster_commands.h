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

inline constexpr std::chrono::milliseconds kAnswer { 3'000 }; // an address that is silent so long is no coordinator
inline constexpr std::chrono::seconds kStructure { 60 }; // for a split, a merge, a further parity bucket

// A workload as the buttons define it.
struct Work {
    pb::OperationKind kind = pb::INSERT;
    std::uint64_t count = 100;
    std::uint32_t window = 1;
};

// A fault as the palette defines it.
struct FaultWish {
    enum class Kind { Network, Partition, Pause, Kill, KillAtStep };
    Kind kind = Kind::Network;
    pb::NetworkFault network; // its rules
    // Senders and receivers (empty: any), the two sides of a partition, or the targets.
    std::vector<ProcessId> first, second;
    bool secondIsRest = false; // of a partition: the second side is all other processes
    PartitionSides::Direction direction = PartitionSides::Direction::Both;
    std::string step; // the event, e.g. "SplitPrepared"
    std::uint32_t count = 1;
    std::chrono::seconds lease { 60 };
    bool isKept = false; // renewed while this window lives
};

// What the window does to a cluster: it starts one, joins one, and sends commands. Nothing here waits in the GUI
// thread: slow work runs in one worker thread or in the control thread, and its result arrives as a signal. Each
// command first reports the scenario line that does the same, and later its result.
class ClusterCommands : public QObject, public EventFeed, public ContentsSource {
    Q_OBJECT
public:
    enum class Link {
        None, // no cluster
        Starting, // local processes are being started, or an address is being asked
        Here, // there is one
        Lost, // its coordinator no longer answers
    };

    explicit ClusterCommands(QObject* parent = nullptr);
    ~ClusterCommands() override;

    Session& session() { return *m_session; }
    Link link() const { return m_link; }
    // Why there is no cluster after an attempt to start or join one; empty otherwise.
    QString trouble() const { return m_trouble; }
    // The address of the coordinator, for the status bar.
    QString address() const;
    // The last report of the simulator, if the cluster is simulated.
    std::optional<pb::SimulationState> simulation() const { return m_session->control().simulation(); }
    // The zero of its virtual time, on the run's clock; nothing: the cluster is not simulated, or its time has not
    // begun.
    std::optional<std::int64_t> virtualZeroNs() const;
    // This window started the processes: it may add more, and they end with the window.
    bool isLocal() const { return m_isLocal; }
    pb::Detail detail() const { return m_session->control().detail(); }

    // ---- clusters
    void startLocal(const LocalOptions& options, std::uint32_t recordBytes, std::uint32_t clients = 1);
    // The scenario line that starts the same cluster.
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
    // Updates and deletes use records that the client itself has stored; without any, they are refused with the
    // reason. A search uses keys of the file in that case.
    void run(ProcessId client, const Work& work);
    // Searches this key once; the reply adjusts the image like any other reply.
    void search(ProcessId client, std::uint64_t key);
    // Inserts one new record with this key.
    void insert(ProcessId client, std::uint64_t key);
    void stopWorkload(ProcessId client);
    void setImage(ProcessId client, pb::ImageMode mode);
    void forgetImage(ProcessId client);
    void split();
    void raiseAvailability();
    // Of a ring. 0: any process that waits outside.
    void joinRing(ProcessId process);
    void leaveRing(ProcessId process);
    void addParity(std::uint32_t group);
    void recover(std::uint32_t group);
    void acknowledgeLoss(std::uint32_t group);
    void audit(std::uint32_t group);
    void auditAll();
    // Checks one group each second while the file is at rest.
    void keepChecking(bool isOn);
    void addSpares(std::uint32_t data, std::uint32_t parity);
    void setDetail(pb::Detail detail);
    // Virtual time of a simulated cluster: sets its speed (0: as fast as possible), or stops it.
    void runClock(double factor);
    void pauseClock();
    enum class ClockStep { Event, Message, Millisecond };
    void stepClock(ClockStep step);
    // The holds. The workload hold stops new operations. The gate, where there is one, stops deliveries and protocol
    // clocks.
    void holdWorkload(bool isHeld);
    bool isWorkloadHeld() const { return m_session->control().isWorkloadHeld(); }
    void gate(bool isClosed);
    // Whether the gate is closed.
    bool isGated() const { return m_session->control().isGated(); }
    // Releases the oldest message that a gate holds, of this process or of all (0), or drops it. If no gate holds a
    // message, time advances to the next timer.
    void releaseHeld(ProcessId process, bool isDropped);
    // Releases or drops this held message, wherever it is in the queue. lineOf() returns the scenario line for it.
    void releaseOne(const HeldAt& one, bool isDropped);
    QString lineOf(const HeldAt& one, bool isDropped) const;
    // Asks the gates of all processes which messages they hold; heldListed() is emitted when they have answered.
    void askHeld();
    // The last answers, oldest message first. Nothing, with the reason, if the gates could not be asked.
    const std::vector<HeldAt>& held() const { return m_held; }
    QString heldTrouble() const { return m_heldTrouble; }
    // The present time on the clock by which holds of messages are timed; for simulated processes, virtual time.
    std::int64_t gateClockNs() const;
    // Faults of the process that now holds the object's place; `target` is what nameOf() returns.
    void kill(ProcessId process, const QString& target);
    void pause(ProcessId process, const QString& target);
    void resume(ProcessId process, const QString& target);
    void restart(ProcessId process, const QString& target);
    // Blocks all messages between the process and all others, for at most one minute.
    void cutOff(ProcessId process, const QString& target);
    // loseSome() drops half of the messages to the process; delayMessages() delays them. Both last at most one minute.
    void loseSome(ProcessId process, const QString& target);
    void delayMessages(ProcessId process, const QString& target);
    // Arms any fault that the palette offers. lineOf() returns the scenario lines that do the same.
    void arm(const FaultWish& wish);
    QString lineOf(const FaultWish& wish) const;
    void healFault(std::uint64_t number);
    // Asks all processes which faults are armed at them; faultsListed() is emitted when they have answered.
    void askFaults();
    struct Armed {
        ArmedFault fault; // number 0: a paused process, known only to the program that paused it
        bool isKept = false; // renewed while this window lives
    };
    const std::vector<Armed>& armedFaults() const { return m_armed; }
    // Ends the network faults that cut the process off or were armed at it.
    void heal(ProcessId process, const QString& target);
    void healAll();
    // The scenario lines for these commands.
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
    // Another cluster begins: everything that is shown belongs to the previous one.
    void clusterChanged();
    // A command was sent: its line; later, its result.
    void said(const QString& line);
    void answered(const QString& line, const QString& outcome, bool isGood);
    // A client that a person started is running.
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
