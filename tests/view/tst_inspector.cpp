// SPDX-License-Identifier: GPL-3.0-or-later
// The node inspector: from samples of a process to lanes, bars and underlined words. In the window: which processes are
// watched, and the hold of the workload.
#include "tests/rigs/gui/fake_cluster.h"
#include "tests/rigs/gui/picture_faults.h"
#include "tests/rigs/gui/window_options.h"
#include "tests/rigs/gui/window_part.h"

#include "gui/lab/state/keyframe.h"
#include "gui/view/panels/node_picture.h"
#include "gui/window/panels/gate_panel.h"
#include "gui/window/panels/node_panel.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QDockWidget>
#include <QHeaderView>
#include <QMenu>
#include <QPushButton>
#include <QTableView>
#include <QTemporaryDir>
#include <QTimer>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

constexpr int kLimit = 15'000;
constexpr ProcessId kNode = kFileData + 3;
using Sample = pb::NodeSample;

Sample::Thread& addThread(
    Sample& sample, const std::string& name, Sample::ThreadState state, const std::string& handler = {})
{
    auto& thread = *sample.add_threads();
    thread.set_name(name);
    thread.set_state(state);
    thread.set_handler(handler);
    return thread;
}

// A busy data bucket, `tenths` of a second after the start of watching.
Sample sampleAt(int tenths)
{
    Sample sample;
    sample.set_process(kNode);
    sample.set_time_ns(5'000'000'000 + tenths * 100'000'000ll);
    sample.set_sequence(8'120 + std::uint64_t(tenths));
    sample.set_epoch(3);
    addThread(sample, "Working 1", tenths % 2 ? Sample::IN_HANDLER : Sample::WAITING, tenths % 2 ? "insert" : "")
        .set_handler_ns(tenths * 12'000'000ll);
    addThread(sample, "Working 2", Sample::IN_CORE_WAIT).set_core_wait_ns(tenths * 4'000'000ll);
    addThread(sample, "UDP listening", Sample::IN_SOCKET).set_socket_ns(tenths * 1'000'000ll);
    addThread(sample, "TCP listening", Sample::WAITING);
    addThread(sample, "Acknowledgement manager", Sample::WAITING);
    addThread(sample, "Control server", Sample::WAITING);
    auto& queue = *sample.add_queues();
    queue.set_name("Working threads");
    queue.set_length(5);
    queue.set_bound(4'096);
    queue.set_high_mark(7);
    queue.set_has_high_mark(true);
    auto& socket = *sample.add_queues();
    socket.set_name("UDP socket");
    socket.set_unit("bytes");
    socket.set_length(212'992);
    socket.set_bound(425'984);
    socket.set_dropped(3);
    auto& wait = *sample.add_awaited();
    wait.set_id(412);
    wait.set_kind("move_records");
    wait.set_to(kFileData + 5);
    wait.set_sent_ns(sample.time_ns() - 42'000'000);
    wait.set_due_ns(sample.time_ns() + 18'000'000);
    wait.set_tries(1);
    wait.set_tries_max(3);
    sample.set_awaited_count(1);
    auto& column = *sample.add_columns();
    column.set_role(pb::PARITY);
    column.set_sequence(410);
    column.set_waiting(2);
    column.set_is_up(true);
    sample.mutable_gauges()->set_records(20);
    sample.mutable_gauges()->set_rank_max(23);
    sample.mutable_gauges()->set_sequence(412);
    sample.mutable_gauges()->set_cpu_ns(std::uint64_t(tenths) * 21'000'000);
    sample.mutable_gauges()->set_memory_bytes(21'000'000);
    sample.set_grants_needed(2);
    sample.set_grants_held(2);
    sample.set_lease_left_ns(214'000'000);
    sample.set_deadline_ns(-1);
    return sample;
}

pb::Told told(const Sample& sample)
{
    pb::Told told;
    *told.mutable_sampled() = sample;
    return told;
}

std::int64_t at(int tenths) { return 12'000'000'000 + tenths * 100'000'000ll; }

// A file in which data bucket 3 was watched for this many tenths of a second.
ClusterState watched(int tenths)
{
    ClusterState state = fileOf({ 8, 4, 2 });
    for (int i = 0; i <= tenths; ++i)
        state.apply(kNode, told(sampleAt(i)), at(i));
    return state;
}

const NodeFacts::Lane* laneOf(const NodeFacts& facts, const QString& name)
{
    for (const NodeFacts::Lane& lane : facts.lanes)
        if (lane.name == name)
            return &lane;
    return nullptr;
}

QString valueOf(const NodeFacts& facts, const QString& name)
{
    for (const NodeFact& fact : facts.facts)
        if (fact.name == name)
            return fact.value;
    return {};
}

struct NodeDrawn {
    NodePicture picture;
    DisplayList list;
    QString words() const { return list.texts().join(QLatin1Char('\n')); }
    int underlines() const
    {
        return int(std::count_if(list.items().begin(), list.items().end(), [this](const DisplayList::Item& item) {
            const auto* line = std::get_if<DisplayList::Line>(&item.primitive);
            return line && line->colour == list.theme().selection;
        }));
    }
};
NodeDrawn drawnNodes(const std::vector<NodeFacts>& facts, qreal width = 690, const Theme& theme = Theme())
{
    NodeDrawn drawn { {}, DisplayList(theme) };
    drawn.picture = drawNodes(facts, QStringLiteral("by the last step"), theme, width, drawn.list);
    return drawn;
}

} // namespace

class InspectorTest : public QObject {
    Q_OBJECT
private slots:
    void lanesHaveTheNamesOfThePaperAndSayWhatTheThreadsDo();
    void bothMulticastLanesCloseWhenTheServerIsRecruited();
    void aQueueThatFillsIsSeenWithBoundAndHighMark();
    void theListOfMessagesInWaitIsShown();
    void whatWasNotWatchedIsSaidAndADeadProcessKeepsItsLastValues();
    void aSimulatedProcessHasNoThreads();
    void onlyWhatChangedIsUnderlined();
    void samplesSurviveAKeyframe();
    void noTextIsClippedOrCovered_data();
    void noTextIsClippedOrCovered();
    void theWindowWatchesWhomItShowsAndNobodyElse();
    void theWorkloadIsHeldByItsKeyAndReleasedOnlyByIt();
    void realProcessesAreGatedByTheirKeyAndLetMessagesThroughOneByOne();
    void oneOfTheHeldMessagesIsChosenAndLetThroughOrLost();
};

void InspectorTest::lanesHaveTheNamesOfThePaperAndSayWhatTheThreadsDo()
{
    const NodeFacts facts = nodeFacts(watched(11), kNode, at(11));
    QCOMPARE(facts.title, QString("data 3"));
    QCOMPARE(facts.watch, NodeFacts::Watch::Now);
    QVERIFY2(facts.sampling.startsWith("sampled 10/s"), qPrintable(facts.sampling));
    QStringList names;
    for (const NodeFacts::Lane& lane : facts.lanes)
        names << lane.name;
    QCOMPARE(names,
        QStringList({ "Multicast listening", "Multicast working", "UDP listening", "Working 1", "Working 2",
            "TCP listening", "Acknowledgement manager", "Control server" }));
    const NodeFacts::Lane* working = laneOf(facts, "Working 1");
    QCOMPARE(working->words, QString("in handler insert"));
    QCOMPARE(working->samples.size(), std::size_t(12));
    QCOMPARE(qRound(working->share() * 100), 12); // over the last second, from the sums of its first and last sample
    QCOMPARE(laneOf(facts, "Working 2")->words, QString("waits for the core"));
    QCOMPARE(qRound(laneOf(facts, "Working 2")->coreWait * 100), 4);
    QCOMPARE(valueOf(facts, "Lease"), QString("2 of 2, 214 ms left"));
    QCOMPARE(valueOf(facts, "Ranks"), QString("1 to 23, 3 free"));
    QCOMPARE(valueOf(facts, "CPU"), QString("21 % of a core"));
    QVERIFY(drawnNodes({ facts }).words().contains("in handler insert"));
}

void InspectorTest::bothMulticastLanesCloseWhenTheServerIsRecruited()
{
    ClusterState state = fileOf({ 8, 4, 1 });
    const ProcessId spare = kFileSpares;
    Sample sample = sampleAt(0);
    sample.set_process(spare);
    addThread(sample, "Multicast listening", Sample::WAITING);
    addThread(sample, "Multicast working", Sample::IN_HANDLER, "invite");
    state.apply(spare, told(sample), at(0));
    const NodeFacts before = nodeFacts(state, spare, at(0));
    QCOMPARE(laneOf(before, "Multicast working")->words, QString("in handler invite"));
    QVERIFY(laneOf(before, "Multicast listening")->closed.isEmpty());
    // The event alone closes them: no later sample is needed.
    pb::Event event;
    event.set_sequence(9);
    event.mutable_place()->set_role(pb::DATA);
    event.mutable_place()->set_number(8);
    event.mutable_node_recruited()->set_incarnation(77);
    state.apply(spare, event, at(1));
    const NodeFacts after = nodeFacts(state, spare, at(1));
    for (const char* name : { "Multicast listening", "Multicast working" }) {
        const NodeFacts::Lane* lane = laneOf(after, QString::fromLatin1(name));
        QVERIFY(lane != nullptr);
        QCOMPARE(lane->closed, QString("closed: recruited as data 8"));
    }
    QVERIFY(laneOf(after, "Working 1")->closed.isEmpty());
    QVERIFY(drawnNodes({ after }).words().contains("closed: recruited as data 8"));
    NodeFacts marked = after;
    QVERIFY(markChanges(marked, before) > 0);
    QVERIFY(laneOf(marked, "Multicast listening")->isChanged);
}

void InspectorTest::aQueueThatFillsIsSeenWithBoundAndHighMark()
{
    const NodeDrawn drawn = drawnNodes({ nodeFacts(watched(3), kNode, at(3)) });
    QVERIFY2(drawn.words().contains(QString("5 of 4") + QChar(0x202f) + "096, most 7"), qPrintable(drawn.words()));
    QVERIFY2(drawn.words().contains("3 dropped"), qPrintable(drawn.words()));
    // Half full fills more of the bar than five of four thousand.
    std::vector<qreal> bars;
    for (const DisplayList::Item& item : drawn.list.items())
        if (const auto* box = std::get_if<DisplayList::Box>(&item.primitive);
            box && box->fill == drawn.list.theme().selection && box->rect.height() > 6 && box->rect.width() > 3)
            bars.push_back(box->rect.width());
    QVERIFY(bars.size() >= 2);
    QVERIFY(*std::max_element(bars.begin(), bars.end()) > 10 * *std::min_element(bars.begin(), bars.end()));
}

void InspectorTest::theListOfMessagesInWaitIsShown()
{
    const NodeDrawn drawn = drawnNodes({ nodeFacts(watched(3), kNode, at(3)) });
    for (const char* words : { "move records 412 to data 5", "42.0 ms ago", "1 of 3", "in 18.0 ms", "410, 2 not yet" })
        QVERIFY2(drawn.words().contains(QString::fromLatin1(words)), qPrintable(drawn.words()));
}

void InspectorTest::whatWasNotWatchedIsSaidAndADeadProcessKeepsItsLastValues()
{
    const NodeFacts never = nodeFacts(fileOf({ 8, 4, 1 }), kNode, at(0));
    QCOMPARE(never.watch, NodeFacts::Watch::NotWatched);
    QVERIFY(drawnNodes({ never }).words().contains("not watched then"));
    QVERIFY(never.lanes.empty());
    QVERIFY(!valueOf(never, "State").isEmpty()); // what events report is known nevertheless

    ClusterState state = watched(5);
    const NodeFacts former = nodeFacts(state, kNode, at(50));
    QCOMPARE(former.watch, NodeFacts::Watch::Former);
    QVERIFY2(former.sampling.contains("last values, of 12.500 s"), qPrintable(former.sampling));
    state.markEnded(kNode, "killed", at(7));
    const NodeFacts ended = nodeFacts(state, kNode, at(60));
    QCOMPARE(ended.watch, NodeFacts::Watch::Ended);
    QVERIFY2(ended.sampling.contains("ended at 12.700 s") && ended.sampling.contains("12.500 s"),
        qPrintable(ended.sampling));
    QVERIFY(laneOf(ended, "Working 1") != nullptr);
    QVERIFY(drawnNodes({ nodeFacts(state, 4'711, at(0)) }).words().contains("not there at this instant"));
}

void InspectorTest::aSimulatedProcessHasNoThreads()
{
    ClusterState state = fileOf({ 8, 4, 1 });
    state.isSimulated = true;
    Sample sample = sampleAt(0);
    sample.clear_threads();
    sample.set_is_simulated(true);
    state.apply(kNode, told(sample), at(0));
    const NodeFacts facts = nodeFacts(state, kNode, at(100)); // virtual time may stand still
    QCOMPARE(facts.watch, NodeFacts::Watch::Now);
    QVERIFY(facts.lanes.empty());
    QVERIFY2(drawnNodes({ facts }, 500).words().simplified().contains("Not available in a simulated cluster"),
        qPrintable(drawnNodes({ facts }).words()));
    QVERIFY(valueOf(facts, "CPU").isEmpty());
}

void InspectorTest::onlyWhatChangedIsUnderlined()
{
    const ClusterState state = watched(11);
    const NodeFacts before = nodeFacts(state, kNode, at(11));
    NodeFacts same = before;
    QCOMPARE(markChanges(same, before), 0);
    QCOMPARE(drawnNodes({ same }).underlines(), 1); // the line that explains it
    ClusterState next = state;
    Sample sample = sampleAt(11);
    sample.mutable_gauges()->set_sequence(413);
    sample.mutable_queues(0)->set_length(9);
    sample.set_lease_left_ns(111'000'000); // it changes all the time: that alone is no change
    next.apply(kNode, told(sample), at(11) + 1);
    NodeFacts after = nodeFacts(next, kNode, at(11) + 1);
    QCOMPARE(markChanges(after, before), 2);
    QCOMPARE(drawnNodes({ after }).underlines(), 3);
}

void InspectorTest::samplesSurviveAKeyframe()
{
    const ClusterState state = watched(40);
    QCOMPARE(state.processes.at(kNode).samples.size(), ProcessState::kSamples);
    const auto again = stateOf(keyframeOf(state, true),
        [](std::int64_t, std::uint32_t) -> std::optional<pb::RankPage> { return std::nullopt; });
    QVERIFY(again);
    const auto& samples = again->processes.at(kNode).samples;
    QCOMPARE(samples.size(), ProcessState::kSamples);
    QCOMPARE(samples.back().runNs, at(40));
    QCOMPARE(samples.front().sample->SerializeAsString(),
        state.processes.at(kNode).samples.front().sample->SerializeAsString());
    QCOMPARE(drawnNodes({ nodeFacts(*again, kNode, at(40)) }).list.toText(),
        drawnNodes({ nodeFacts(state, kNode, at(40)) }).list.toText());
}

void InspectorTest::noTextIsClippedOrCovered_data()
{
    QTest::addColumn<qreal>("width");
    QTest::addColumn<qreal>("scale");
    QTest::addColumn<int>("nodes");
    for (const auto& [width, scale] : { std::pair(330.0, 1.0), std::pair(460.0, 1.0), std::pair(690.0, 1.0),
             std::pair(1036.0, 1.0), std::pair(500.0, 1.5), std::pair(1036.0, 1.5) })
        for (const int nodes : { 1, 2, 4 })
            QTest::addRow("%g at %g, %d", width, scale, nodes) << width << scale << nodes;
}

void InspectorTest::noTextIsClippedOrCovered()
{
    QFETCH(qreal, width);
    QFETCH(qreal, scale);
    QFETCH(int, nodes);
    const ClusterState state = watched(11);
    std::vector<NodeFacts> facts { nodeFacts(state, kNode, at(11)) };
    for (const ProcessId other : { kFileCoordinator, kFileClients, parityProcess(0, 1) })
        facts.push_back(nodeFacts(state, other, at(11)));
    facts.resize(std::size_t(nodes));
    const NodeDrawn drawn = drawnNodes(facts, width, Theme(Theme::Kind::Dark, scale));
    QCOMPARE(textFault(drawn.list, QSizeF(width, drawn.picture.height)), QString());
    QVERIFY(drawn.words().contains("Working 1"));
    if (width > 1'000 && scale == 1.0)
        QCOMPARE(drawn.picture.columns, std::min(nodes, 3)); // side by side if there is room
}

void InspectorTest::theWindowWatchesWhomItShowsAndNobodyElse()
{
    FakeCluster cluster { { 4, 4, 1 } };
    cluster.setSamples([](ProcessId) { return sampleAt(0); });
    MainWindow window(options());
    window.show();
    window.start().connectTo(cluster.address());
    QTRY_VERIFY_WITH_TIMEOUT(
        window.cluster().link().state() == LinkState::Here && window.pacer().state().data.size() == 4, kLimit);
    QCOMPARE(cluster.process(kNode).asked("Watch"), 0);
    window.selection().select({ ObjectKind::Data, 3, 0 });
    window.actions().get("nodeInspector")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(part<NodePanel>(window).isVisible(), kLimit);
    QCOMPARE(part<NodePanel>(window).view().chosen(), kNode);
    QTRY_VERIFY_WITH_TIMEOUT(
        part<NodePanel>(window).view().picture().texts().join(' ').contains("sampled 10/s"), kLimit);
    QVERIFY(cluster.process(kNode).asked("Watch") > 0);
    QCOMPARE(cluster.process(kFileData + 1).asked("Watch"), 0);

    // Pinned, it stays beside the next one.
    window.actions().get("pinNode")->trigger();
    window.selection().select({ ObjectKind::Data, 1, 0 });
    QTRY_VERIFY_WITH_TIMEOUT(cluster.process(kFileData + 1).asked("Watch") > 0, kLimit);
    QCOMPARE(part<NodePanel>(window).view().shown(), std::vector<ProcessId>({ kNode, kFileData + 1 }));
    QTRY_COMPARE_WITH_TIMEOUT(part<NodePanel>(window).view().facts().size(), std::size_t(2), kLimit);

    // Its picture is exported like all others; a hidden inspector sends no requests.
    QTemporaryDir directory;
    QCOMPARE(window.exports().write(directory.filePath("node.svg")), QString());
    QFile svg(directory.filePath("node.svg"));
    QVERIFY(svg.open(QIODevice::ReadOnly));
    QVERIFY(svg.readAll().contains("waits for the core"));
    window.setWorkspace(MainWindow::Workspace::Lecture);
    QTRY_VERIFY_WITH_TIMEOUT(window.cluster().session().control().watchedNodes().empty(), kLimit);
    QVERIFY(!cluster.order(pb::Command::kWatch)); // these commands are questions
}

void InspectorTest::theWorkloadIsHeldByItsKeyAndReleasedOnlyByIt()
{
    FakeCluster cluster { { 4, 4, 1 } };
    MainWindow window(options());
    window.show();
    window.start().connectTo(cluster.address());
    QTRY_VERIFY_WITH_TIMEOUT(
        window.cluster().link().state() == LinkState::Here && window.pacer().state().clients.size() == 2, kLimit);
    QAction* hold = window.actions().get("holdWorkload");
    QTRY_VERIFY_WITH_TIMEOUT(hold->isEnabled(), kLimit);
    QCOMPARE(hold->shortcut(), QKeySequence("W"));
    hold->trigger();
    const auto held = [&](ProcessId client, bool isHeld) {
        for (const FakeCluster::Order& order : cluster.orders())
            if (order.process == client && order.command.has_hold_workload()
                && order.command.hold_workload().is_held() == isHeld)
                return order.command.hold_workload().lease_ms() > 0;
        return false;
    };
    QTRY_VERIFY_WITH_TIMEOUT(held(kFileClients, true) && held(kFileClients + 1, true), kLimit);
    pb::Event event;
    event.mutable_workload_held()->set_is_held(true);
    cluster.tell(kFileClients, event);
    QTRY_VERIFY2_WITH_TIMEOUT(
        window.status().text().contains("WORKLOAD HELD"), qPrintable(window.status().text()), kLimit);
    QVERIFY(hold->isChecked());
    // The other kinds of hold are independent: they do not release it.
    window.actions().get("freeze")->trigger();
    QTRY_VERIFY2_WITH_TIMEOUT(
        window.status().text().contains("VIEW FROZEN"), qPrintable(window.status().text()), kLimit);
    window.actions().get("follow")->trigger();
    window.actions().get("gate")->trigger(); // these processes have no gate, and the message says so
    QTRY_VERIFY2_WITH_TIMEOUT(window.labLine().text().contains("--gate"), qPrintable(window.labLine().text()), kLimit);
    QTRY_VERIFY(!window.actions().get("gate")->isChecked());
    QVERIFY(window.cluster().session().control().isWorkloadHeld());
    cluster.forgetOrders();
    QTRY_VERIFY2_WITH_TIMEOUT(held(kFileClients, true), "the hold is renewed while the window lives", kLimit);
    hold->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(held(kFileClients, false) && held(kFileClients + 1, false), kLimit);
    event.mutable_workload_held()->set_is_held(false);
    cluster.tell(kFileClients, event);
    QTRY_VERIFY_WITH_TIMEOUT(!window.status().text().contains("WORKLOAD HELD"), kLimit);
}

void InspectorTest::realProcessesAreGatedByTheirKeyAndLetMessagesThroughOneByOne()
{
    FakeCluster cluster { { 4, 4, 1 } };
    pb::HeldMessage held;
    held.set_number(7);
    held.set_kind("delta_ack");
    held.set_from(kFileParity);
    held.set_bytes(48);
    held.set_since_ns(5);
    cluster.setGate({ { kFileData, { held } } });
    pb::NodeSample sample;
    sample.mutable_gate()->set_is_closed(true);
    sample.mutable_gate()->set_held(1);
    *sample.mutable_gate()->add_messages() = held;
    cluster.setSamples([&](ProcessId) { return sample; });
    MainWindow window(options());
    window.show();
    window.start().connectTo(cluster.address());
    QTRY_VERIFY_WITH_TIMEOUT(
        window.cluster().link().state() == LinkState::Here && window.pacer().state().clients.size() == 2, kLimit);
    QAction* gate = window.actions().get("gate");
    QTRY_VERIFY_WITH_TIMEOUT(gate->isEnabled(), kLimit);
    QCOMPARE(gate->shortcut(), QKeySequence("X"));
    QVERIFY(
        !window.actions().get("virtualStepMessage")->isEnabled() && !window.actions().get("releaseHere")->isEnabled());
    gate->trigger();
    const auto told = [&](bool isClosed) {
        std::set<ProcessId> processes;
        for (const FakeCluster::Order& order : cluster.orders())
            if (order.command.has_set_gate() && order.command.set_gate().is_closed() == isClosed
                && order.command.set_gate().at_ns() > 0)
                processes.insert(order.process);
        return processes.size();
    };
    QTRY_COMPARE_WITH_TIMEOUT(told(true), window.pacer().state().processes.size(), kLimit);
    // A machine that runs many tests may be too slow for the window's 20 ms: then it has already reported that all
    // gates are open again.
    QTRY_VERIFY2_WITH_TIMEOUT(window.labLine().text().contains("hold what arrives") || told(false) > 0,
        qPrintable(window.labLine().text()), kLimit);
    if (!window.cluster().session().control().isGated())
        QSKIP("the machine is too busy");
    pb::Event closed;
    closed.mutable_gate_closed();
    cluster.tell(kFileData, closed);
    QTRY_VERIFY2_WITH_TIMEOUT(
        window.status().text().contains("MESSAGES GATED"), qPrintable(window.status().text()), kLimit);
    QTRY_VERIFY_WITH_TIMEOUT(gate->isChecked() && window.actions().get("virtualStepMessage")->isEnabled(), kLimit);
    window.selection().select({ ObjectKind::Data, 0, 0 });
    window.actions().get("nodeInspector")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(
        part<NodePanel>(window).view().picture().texts().join(QLatin1Char(' ')).contains("delta ack from parity 0.0"),
        kLimit);
    QTRY_VERIFY_WITH_TIMEOUT(window.actions().get("releaseHere")->isEnabled(), kLimit);
    window.actions().get("virtualStepMessage")->trigger();
    QTRY_VERIFY2_WITH_TIMEOUT(
        window.labLine().text().contains("takes one step"), qPrintable(window.labLine().text()), kLimit);
    window.actions().get("dropHere")->trigger();
    QTRY_VERIFY2_WITH_TIMEOUT(
        window.labLine().text().contains("nothing is held there"), qPrintable(window.labLine().text()), kLimit);
    gate->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(told(false), window.pacer().state().processes.size(), kLimit);
    pb::Event opened;
    opened.mutable_gate_opened();
    cluster.tell(kFileData, opened);
    QTRY_VERIFY_WITH_TIMEOUT(!window.status().text().contains("MESSAGES GATED") && !gate->isChecked(), kLimit);
}

void InspectorTest::oneOfTheHeldMessagesIsChosenAndLetThroughOrLost()
{
    FakeCluster cluster { { 4, 4, 1 } };
    std::map<ProcessId, std::vector<pb::HeldMessage>> held;
    std::int64_t since = 0;
    for (const auto& [number, kind, from, at] :
        { std::tuple(7, "insert", kFileClients, kFileData), std::tuple(8, "delta_ack", parityProcess(0, 0), kFileData),
            std::tuple(3, "search", kFileClients + 1, kFileData + 2) }) {
        pb::HeldMessage message;
        message.set_number(std::uint64_t(number));
        message.set_kind(kind);
        message.set_from(from);
        message.set_bytes(48);
        message.set_since_ns(++since);
        held[at].push_back(message);
    }
    cluster.setGate(held);
    MainWindow window(options());
    window.show();
    window.start().connectTo(cluster.address());
    QTRY_VERIFY_WITH_TIMEOUT(
        window.cluster().link().state() == LinkState::Here && window.pacer().state().clients.size() == 2, kLimit);
    GatePanel& panel = part<GatePanel>(window);
    const QAbstractItemModelTester tester(&panel.model());
    QAction* list = window.actions().get("heldMessages");
    QTRY_VERIFY_WITH_TIMEOUT(list->isEnabled(), kLimit);
    list->trigger();
    QVERIFY(panel.isVisible() && list->isChecked() && window.canvas().isVisible());
    const auto* summary = panel.findChild<QLabel*>("heldSummary");
    QVERIFY2(summary->text().contains("The gate is open"), qPrintable(summary->text()));
    // Not by the key X: a machine that runs many tests is too slow for the 20 ms in which a process must stop its
    // clock.
    QVERIFY(closeGates(window.cluster().session().control(), std::chrono::seconds(10)).isClosed);
    QTRY_COMPARE_WITH_TIMEOUT(panel.model().rowCount(), 3, kLimit);
    const auto cell = [&](int row, int column) { return panel.model().index(row, column).data().toString(); };
    QCOMPARE(cell(0, HeldModel::What), QString("insert from client alice"));
    // Its place may arrive later.
    QTRY_COMPARE_WITH_TIMEOUT(cell(1, HeldModel::What), QString("delta ack from parity 0.0"), kLimit);
    QCOMPARE(cell(2, HeldModel::To), QString("data 2"));
    QVERIFY(summary->text().contains("3 messages are held"));

    // A selected row marks the place where its message waits; a place selected elsewhere marks its oldest message.
    QTRY_VERIFY_WITH_TIMEOUT(!panel.chosen(), kLimit);
    panel.table().selectRow(1);
    QCOMPARE(window.selection().selected(), (ObjectRef { ObjectKind::Data, 0, 0 }));
    QCOMPARE(panel.chosen()->message.number(), std::uint64_t(8));
    const QString line = QStringLiteral(
        "lab.release({ message: lab.held().find(m => m.to === 'node-1' && m.number === 8) });");
    QCOMPARE(panel.findChild<QLabel*>("heldLine")->text(), line);
    window.selection().select({ ObjectKind::Data, 2, 0 });
    QCOMPARE(panel.chosen()->message.number(), std::uint64_t(3));
    panel.table().selectRow(1);

    // By its button, not the oldest one; the message caused by it is selected next.
    const auto released = [&](std::uint64_t number, bool isDropped) {
        for (const FakeCluster::Order& order : cluster.orders())
            if (order.command.has_release_held() && order.command.release_held().number() == number
                && order.command.release_held().is_dropped() == isDropped)
                return order.process;
        return ProcessId(0);
    };
    auto* button = panel.findChild<QPushButton*>("releaseHereListed");
    QTRY_VERIFY_WITH_TIMEOUT(button->isEnabled(), kLimit);
    button->click();
    QTRY_COMPARE_WITH_TIMEOUT(panel.model().rowCount(), 2, kLimit);
    QCOMPARE(released(8, false), kFileData);
    QVERIFY2(window.labLine().text().contains("delta ack from parity-0-0 arrives at node-1"),
        qPrintable(window.labLine().text()));
    QCOMPARE(panel.chosen()->message.number(), std::uint64_t(3));
    // By its key: this message is dropped.
    QTest::keyClick(&panel.table(), Qt::Key_Delete);
    QTRY_COMPARE_WITH_TIMEOUT(panel.model().rowCount(), 1, kLimit);
    QCOMPARE(released(3, true), kFileData + 2);
    // From the menu of the bucket in the picture.
    QString offered;
    QTimer::singleShot(0, &window, [&] {
        QWidget* menu = QApplication::activePopupWidget();
        const auto* which = menu ? menu->findChild<QMenu*>("releaseMenu") : nullptr;
        if (which && !which->actions().isEmpty()) {
            offered = which->actions().front()->text();
            which->actions().front()->trigger();
        }
        if (menu)
            menu->close();
    });
    emit window.canvas().menuRequested({ ObjectKind::Data, 0, 0 }, QPoint(10, 10));
    QCOMPARE(offered, QString("insert from client alice"));
    QTRY_VERIFY_WITH_TIMEOUT(released(7, false) == kFileData, kLimit);
    QTRY_VERIFY2_WITH_TIMEOUT(summary->text().contains("No message is held"), qPrintable(summary->text()), kLimit);
    QVERIFY(!panel.table().isVisible());
    list->trigger();
    QVERIFY(!panel.isVisible());
}

int main(int argc, char** argv) { return runOffscreen<InspectorTest>(argc, argv); }
#include "tst_inspector.moc"
