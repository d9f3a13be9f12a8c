// SPDX-License-Identifier: GPL-3.0-or-later
// The fault palette on a cluster of sockets: the orders that it sends and their receivers, what it refuses with a
// message, and how it shows armed faults.
#include "tests/rigs/gui/fake_cluster.h"
#include "tests/rigs/gui/window_options.h"
#include "tests/rigs/gui/window_part.h"

#include "gui/view/paint/number_box.h"
#include "gui/window/main/main_window.h"
#include "gui/window/panels/fault_panel.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QDockWidget>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

constexpr int kLimit = 15'000;

// A window with the palette beside the picture.
struct Palette {
    FakeCluster cluster { { 4, 4, 1 } };
    MainWindow window { options() };

    Palette()
    {
        window.show();
        window.start().connectTo(cluster.address());
    }
    bool isReady()
    {
        const bool hasAll = QTest::qWaitFor(
            [&] {
                const ClusterState& state = window.pacer().state();
                return window.showsCluster() && window.cluster().link().state() == LinkState::Here
                    && state.processes.size() == 18
                    && std::none_of(state.processes.begin(), state.processes.end(),
                        [](const auto& p) { return p.second.isIncomplete; });
            },
            kLimit);
        if (!hasAll)
            return false;
        window.actions().get("faultPanel")->trigger();
        window.clock().step(1);
        return panel().isVisible();
    }
    FaultPanel& panel() { return part<FaultPanel>(window); }
    template <class Field> Field& field(const char* id) { return *panel().findChild<Field*>(QLatin1String(id)); }
    void setKind(FaultWish::Kind kind) { field<QComboBox>("faultKind").setCurrentIndex(int(kind)); }
    // Orders of that kind, by receiver.
    std::map<ProcessId, pb::Command> orders(pb::Command::BodyCase body)
    {
        std::map<ProcessId, pb::Command> found;
        for (const FakeCluster::Order& order : cluster.orders())
            if (order.command.body_case() == body)
                found[order.process] = order.command;
        return found;
    }
};

} // namespace

class FaultPanelTest : public QObject {
    Q_OBJECT
private slots:
    void whatTheFormSaysIsArmedAtTheReceiver();
    void aPartitionIsToldToBothSides();
    void whatCannotBeArmedIsSaid();
    void armedFaultsAreListedWithWhatTheyAchieved();
    void theMenuAndTheKeyboardReachIt();
    void thePickerKeepsWhatIsTicked();
    void aHostIsTickedAndNamedAsAWhole();
    void typedNumbersTakeBothMarks_data();
    void typedNumbersTakeBothMarks();
    void whatCouldBeThousandsIsRefusedAndNotArmed();
};

void FaultPanelTest::whatTheFormSaysIsArmedAtTheReceiver()
{
    Palette palette;
    QVERIFY(palette.isReady());
    palette.field<ProcessPicker>("faultSecond").choose({ kFileData + 1 });
    palette.field<QDoubleSpinBox>("faultDrop").setValue(20);
    palette.field<QSpinBox>("faultDelay").setValue(50);
    palette.field<QSpinBox>("faultJitter").setValue(10);
    palette.field<QDoubleSpinBox>("faultDuplicate").setValue(2.5);
    palette.field<QDoubleSpinBox>("faultReorder").setValue(3);
    palette.field<QDoubleSpinBox>("faultCorrupt").setValue(4);
    palette.field<QSpinBox>("faultRate").setValue(7);
    palette.field<QSpinBox>("faultLease").setValue(30);
    const QString line = QStringLiteral(
        "lab.net({ to: lab.data(1), drop: 0.2, duplicate: 0.025, reorder: 0.03, corrupt: 0.04, delayMs: 50, jitterMs: "
        "10, bytesPerSecond: 7000, lease: 30 });");
    QCOMPARE(palette.field<QLabel>("faultLine").text(), line);
    QTRY_VERIFY_WITH_TIMEOUT(palette.window.actions().get("armFault")->isEnabled(), kLimit);
    palette.cluster.forgetOrders();
    QTest::mouseClick(&palette.field<QPushButton>("armFaultButton"), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!palette.orders(pb::Command::kArmFault).empty(), kLimit);
    const auto orders = palette.orders(pb::Command::kArmFault);
    QCOMPARE(orders.size(), std::size_t(1));
    const pb::Fault& fault = orders.at(kFileData + 1).arm_fault().fault();
    QCOMPARE(fault.lease_ms(), 30'000u);
    QCOMPARE(fault.network().way(), pb::INCOMING);
    QCOMPARE(fault.network().drop(), 0.2);
    QCOMPARE(fault.network().duplicate(), 0.025);
    QCOMPARE(fault.network().bytes_per_second(), std::uint64_t(7'000));
    QVERIFY(fault.network().peers().empty() && fault.network().kinds().empty() && fault.number() > 0);
    // For a known sender the fault acts at the sender, and only some messages are affected.
    palette.field<ProcessPicker>("faultFirst").choose({ kFileClients });
    palette.field<QComboBox>("faultMessages").setCurrentIndex(1); // operations
    palette.cluster.forgetOrders();
    palette.window.actions().get("armFault")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(palette.orders(pb::Command::kArmFault).contains(kFileClients), kLimit);
    const pb::Fault second = palette.orders(pb::Command::kArmFault).at(kFileClients).arm_fault().fault();
    QCOMPARE(second.network().way(), pb::OUTGOING);
    QCOMPARE(second.network().peers(0).node(), kFileData + 1);
    QVERIFY(std::find(second.network().kinds().begin(), second.network().kinds().end(), "insert")
        != second.network().kinds().end());
    QVERIFY(second.number() != fault.number());
}

void FaultPanelTest::typedNumbersTakeBothMarks_data()
{
    QTest::addColumn<QString>("typed");
    QTest::addColumn<int>("decimals");
    QTest::addColumn<double>("value");
    QTest::addColumn<QString>("says"); // empty: it is accepted
    const auto row = [](const char* typed, int decimals, double value, const char* says = "") {
        QTest::addRow("%s with %d decimals", typed, decimals)
            << QString::fromUtf8(typed) << decimals << value << QString(says);
    };
    row("2.5", 1, 2.5);
    row("2,5", 1, 2.5);
    row("0,5", 1, 0.5);
    row(",5", 1, 0.5);
    row("0.125", 3, 0.125);
    row("25", 1, 25);
    row("-3,25", 2, -3.25);
    row(" 7 ", 0, 7);
    row("\u0662\u066b\u0665", 1, 2.5); // Arabic digits and mark
    row("1.234", 3, 0, "can mean 1234 or a fraction");
    row("1,234", 3, 0, "can mean 1234 or a fraction");
    row("1.234", 1, 0, "can mean 1234 or a fraction");
    row("12.000", 0, 0, "can mean 12000 or a fraction");
    row("1.234,5", 1, 0, "separators between thousands");
    row("1'234", 1, 0, "separators between thousands");
    row("1 234", 0, 0, "separators between thousands");
    row("1.2345", 3, 0, "at most 3");
    row("0.25", 1, 0, "at most 1");
    row("2.5", 0, 0, "not a whole number");
    row("", 0, 0, "Write a number");
    row(".", 1, 0, "is not a number");
    row("nan", 1, 0, "is not a number");
    row("1e3", 1, 0, "is not a number");
    row("5 ms", 1, 0, "is not a number");
    row("9999999999999999999", 0, 0, "is not a number");
}

void FaultPanelTest::typedNumbersTakeBothMarks()
{
    QFETCH(const QString, typed);
    QFETCH(const int, decimals);
    QFETCH(const double, value);
    QFETCH(const QString, says);
    const TypedNumber read = readTyped(typed, decimals);
    QCOMPARE(read.value.has_value(), says.isEmpty());
    QVERIFY2(says.isEmpty() ? read.objection.isEmpty() : read.objection.contains(says), qPrintable(read.objection));
    if (read.value)
        QCOMPARE(*read.value, value);
}

void FaultPanelTest::whatCouldBeThousandsIsRefusedAndNotArmed()
{
    Palette palette;
    QVERIFY(palette.isReady());
    auto& lost = palette.field<QDoubleSpinBox>("faultDrop");
    auto& late = palette.field<QSpinBox>("faultDelay");
    auto* arm = palette.window.actions().get("armFault");
    const auto type = [](QAbstractSpinBox& box, const QString& words) {
        box.setFocus();
        box.selectAll();
        QTest::keyClicks(&box, words);
    };
    for (const char* half : { "2.5", "2,5" }) {
        lost.setValue(0);
        type(lost, half);
        QTest::keyClick(&lost, Qt::Key_Return);
        QCOMPARE(lost.value(), 2.5);
        QCOMPARE(lost.text(), "2.5 %");
        QVERIFY2(palette.field<QLabel>("faultLine").text().contains("drop: 0.025"),
            qPrintable(palette.field<QLabel>("faultLine").text()));
        QTRY_VERIFY_WITH_TIMEOUT(arm->isEnabled(), kLimit);
    }
    // While the number is ambiguous nothing can be armed.
    type(late, "1.234");
    QVERIFY2(palette.panel().objection().contains("can mean 1234"), qPrintable(palette.panel().objection()));
    QCOMPARE(palette.field<QLabel>("faultLine").text(), palette.panel().objection());
    QTRY_VERIFY_WITH_TIMEOUT(!arm->isEnabled(), kLimit);
    type(late, "1234");
    QCOMPARE(late.value(), 1234);
    QVERIFY2(palette.panel().objection().isEmpty(), qPrintable(palette.panel().objection()));
    QTRY_VERIFY_WITH_TIMEOUT(arm->isEnabled(), kLimit);
    type(lost, "100,5");
    QVERIFY2(palette.panel().objection().contains("from 0 to 100"), qPrintable(palette.panel().objection()));
    lost.setValue(3);
    QVERIFY(palette.panel().objection().isEmpty());
}

void FaultPanelTest::aPartitionIsToldToBothSides()
{
    Palette palette;
    QVERIFY(palette.isReady());
    palette.setKind(FaultWish::Kind::Partition);
    palette.field<ProcessPicker>("faultFirst").choose({ kFileData, kFileData + 1 });
    QVERIFY(palette.field<ProcessPicker>("faultSecond").isRest());
    QCOMPARE(palette.field<QLabel>("faultLine").text(),
        QString("lab.partition([lab.data(0), lab.data(1)], 'rest', { lease: 60 });"));
    palette.cluster.forgetOrders();
    palette.window.actions().get("armFault")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(palette.orders(pb::Command::kArmFault).size(), std::size_t(18), kLimit); // all processes
    auto orders = palette.orders(pb::Command::kArmFault);
    QVERIFY(orders.at(kFileData).arm_fault().fault().partition().all_but_peers());
    QVERIFY(!orders.at(kFileData + 2).arm_fault().fault().partition().all_but_peers());
    QCOMPARE(orders.at(kFileData + 2).arm_fault().fault().partition().peers_size(), 2);
    // Two named sides, one way only.
    palette.field<ProcessPicker>("faultSecond").choose({ kFileCoordinator });
    palette.field<QComboBox>("faultDirection").setCurrentIndex(1);
    QVERIFY(palette.field<QLabel>("faultLine").text().contains("lab.coordinator(), { direction: 'aToB', lease: 60 }"));
    palette.cluster.forgetOrders();
    palette.window.actions().get("armFault")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(palette.orders(pb::Command::kArmFault).size(), std::size_t(3), kLimit);
    orders = palette.orders(pb::Command::kArmFault);
    QCOMPARE(orders.at(kFileData).arm_fault().fault().partition().way(), pb::OUTGOING);
    QCOMPARE(orders.at(kFileCoordinator).arm_fault().fault().partition().way(), pb::INCOMING);
}

void FaultPanelTest::whatCannotBeArmedIsSaid()
{
    Palette palette;
    QVERIFY(palette.isReady());
    const auto says = [&](const char* words) {
        const QString text = palette.field<QLabel>("faultLine").text();
        return text.contains(words) && palette.panel().objection() == text
            && !palette.window.actions().get("armFault")->isEnabled();
    };
    QVERIFY(says("Say how many messages are lost"));
    palette.setKind(FaultWish::Kind::Partition);
    QVERIFY(says("first side"));
    palette.field<ProcessPicker>("faultFirst").choose({ kFileData });
    palette.field<ProcessPicker>("faultSecond").choose({ kFileData, kFileData + 1 });
    QVERIFY(says("both sides"));
    palette.field<ProcessPicker>("faultSecond").choose({});
    QVERIFY(says("second side"));
    // Processes started elsewhere are neither killed nor paused.
    for (const FaultWish::Kind kind : { FaultWish::Kind::Pause, FaultWish::Kind::Kill, FaultWish::Kind::KillAtStep }) {
        palette.setKind(kind);
        QVERIFY(says("that this window has started"));
    }
    palette.window.selection().select({ ObjectKind::Data, 0, 0 });
    QVERIFY(!palette.window.actions().get("kill")->isEnabled() && palette.window.actions().get("cutOff")->isEnabled());
}

void FaultPanelTest::armedFaultsAreListedWithWhatTheyAchieved()
{
    Palette palette;
    QVERIFY(palette.isReady());
    const QAbstractItemModelTester tester(
        &palette.panel().model(), QAbstractItemModelTester::FailureReportingMode::Fatal);
    QCOMPARE(palette.field<QLabel>("noFaults").text(), QString("Nothing is broken on purpose now."));
    pb::CommandReply reply;
    auto& entry = *reply.mutable_faults()->add_faults();
    entry.mutable_requested()->set_number(9);
    entry.mutable_requested()->mutable_network()->set_drop(0.2);
    entry.set_lease_left_ms(41'300);
    entry.mutable_achieved()->set_messages(10);
    entry.mutable_achieved()->set_dropped(2);
    palette.cluster.setReply(reply);
    // Reported by all: one fault.
    QTRY_VERIFY_WITH_TIMEOUT((palette.window.clock().step(0.6), palette.panel().model().rowCount() == 1), kLimit);
    const auto cell = [&](int column) { return palette.panel().model().index(0, column).data().toString(); };
    QVERIFY2(cell(0).contains("loses 20 %"), qPrintable(cell(0)));
    QCOMPARE(cell(1), QString("42 s"));
    QTRY_COMPARE_WITH_TIMEOUT((palette.window.clock().step(0.6), cell(2)),
        QString("180 messages: 36 lost (20.0 % lost)"), kLimit); // of 18 processes
    QTRY_VERIFY_WITH_TIMEOUT(palette.window.actions().get("healFault")->isEnabled(), kLimit);
    palette.cluster.forgetOrders();
    palette.window.actions().get("healFault")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(palette.orders(pb::Command::kHealFaults).size(), std::size_t(18), kLimit);
    QCOMPARE(palette.orders(pb::Command::kHealFaults).begin()->second.heal_faults().number(), std::uint64_t(9));
    palette.cluster.setReply({});
    QTRY_VERIFY_WITH_TIMEOUT((palette.window.clock().step(0.6), palette.panel().model().rowCount() == 0), kLimit);
}

void FaultPanelTest::aHostIsTickedAndNamedAsAWhole()
{
    ClusterState state;
    std::vector<ProcessPicker::Choice> choices;
    for (ProcessId id = 1; id <= 5; ++id) {
        ProcessState& process = state.processes[id];
        process.id = id;
        process.kind = pb::NODE;
        process.name = "node-" + std::to_string(id);
        process.host = id <= 2 ? "lab1" : "lab2";
        choices.emplace_back(id, QString::fromStdString(process.name));
    }
    state.processes[5].hasEnded = true; // it does not count
    FaultWish wish;
    wish.kind = FaultWish::Kind::Kill;
    wish.first = { 3, 4 };
    QCOMPARE(faultLine(wish, state), QString("lab.killHost('lab2');"));
    wish.first = { 3 };
    QCOMPARE(faultLine(wish, state), QString("lab.kill(lab.process('node-3'));"));
    wish.first = { 1, 2 };
    wish.kind = FaultWish::Kind::Pause;
    wish.lease = std::chrono::seconds(7);
    QCOMPARE(faultLine(wish, state), QString("lab.pauseHost('lab1', { lease: 7 });"));
    wish.kind = FaultWish::Kind::Partition;
    wish.secondIsRest = true;
    QCOMPARE(faultLine(wish, state), QString("lab.partition(lab.host('lab1'), 'rest', { lease: 7 });"));
    // Where all are on one host, its name says nothing.
    for (auto& [id, process] : state.processes)
        process.host = "lab1";
    wish.first = { 1, 2, 3, 4 };
    wish.kind = FaultWish::Kind::Kill;
    QVERIFY(faultLine(wish, state).startsWith("lab.kill(lab.process('node-1')); lab.kill("));

    ProcessPicker picker("nobody");
    picker.setChoices(choices);
    picker.setGroups({ { "Host lab1", { 1, 2 } }, { "Host lab2", { 3, 4 } } });
    picker.choose({ 2, 3, 4 });
    emit picker.menu()->aboutToShow();
    const QList<QAction*> actions = picker.menu()->actions();
    QCOMPARE(actions[0]->text(), QString("Host lab1"));
    QVERIFY(!actions[0]->isChecked() && actions[1]->isChecked());
    actions[0]->toggle();
    QCOMPARE(picker.chosen(), (std::vector<ProcessId> { 1, 2, 3, 4 }));
    actions[1]->toggle();
    QCOMPARE(picker.chosen(), (std::vector<ProcessId> { 1, 2 }));
}

void FaultPanelTest::theMenuAndTheKeyboardReachIt()
{
    Palette palette;
    QVERIFY(palette.isReady());
    MainWindow& window = palette.window;
    QVERIFY(QTest::qWaitForWindowActive(&window));
    QCOMPARE(window.workspace(), MainWindow::Workspace::Faults);
    QVERIFY(palette.field<QComboBox>("faultKind").hasFocus());
    window.actions().get("faultPanel")->trigger(); // again: closed
    QCOMPARE(window.workspace(), MainWindow::Workspace::Lecture);
    // On a bucket it is aimed at that bucket.
    window.selection().select({ ObjectKind::Data, 3, 0 });
    window.canvas().setFocus();
    QTest::keyClick(&window.canvas(), Qt::Key_F, Qt::ControlModifier | Qt::AltModifier);
    QCOMPARE(window.workspace(), MainWindow::Workspace::Faults);
    QCOMPARE(palette.field<ProcessPicker>("faultSecond").chosen(), std::vector<ProcessId> { kFileData + 3 });
    // Tab reaches every field.
    std::set<QWidget*> reached;
    for (int i = 0; i < 80 && reached.insert(QApplication::focusWidget()).second; ++i)
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    for (const char* id : { "faultFirst", "faultSecond", "faultDrop", "faultDelay", "faultMessages", "faultLease",
             "faultKept", "armedFaults" }) {
        auto* field = palette.panel().findChild<QWidget*>(QLatin1String(id));
        const bool isReached = std::any_of(reached.begin(), reached.end(),
            [&](QWidget* w) { return w == field || field->isAncestorOf(w) || w->focusProxy() == field; });
        QVERIFY2(isReached, id);
        QVERIFY2(!field->accessibleName().isEmpty() || id == std::string_view("faultKept"), id);
    }
    // A fault is an object of the picture: its menu heals it.
    pb::Fault fault;
    fault.set_number(12);
    fault.mutable_partition()->set_all_but_peers(true);
    fault.mutable_partition()->add_peers()->set_node(kFileData + 3);
    pb::Event begun;
    *begun.mutable_fault_begun()->mutable_fault() = fault;
    palette.cluster.tell(kFileData + 3, begun);
    QTRY_VERIFY_WITH_TIMEOUT(!window.canvas().rectOf({ ObjectKind::Fault, 12, 0 }).isNull(), kLimit);
    window.selection().select({ ObjectKind::Fault, 12, 0 });
    QTRY_VERIFY_WITH_TIMEOUT(window.actions().get("heal")->isEnabled(), kLimit);
    palette.cluster.forgetOrders();
    window.actions().get("heal")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(palette.orders(pb::Command::kHealFaults).size() == 18, kLimit);
}

void FaultPanelTest::thePickerKeepsWhatIsTicked()
{
    ProcessPicker picker(QStringLiteral("anybody"));
    picker.resize(400, 30);
    QSignalSpy changed(&picker, &ProcessPicker::changed);
    QCOMPARE(picker.text(), QString("anybody"));
    picker.setChoices({ { 1, "data 0" }, { 2, "data 1" }, { 3, "client alice" } });
    picker.choose({ 3, 1 });
    QCOMPARE(picker.chosen(), (std::vector<ProcessId> { 1, 3 })); // in their order
    QCOMPARE(picker.text(), QString("data 0, client alice"));
    picker.setChoices({ { 1, "data 0" }, { 2, "data 1" } }); // alice has ended
    QCOMPARE(picker.chosen(), std::vector<ProcessId> { 1 });
    picker.setRest(QStringLiteral("everybody else"));
    emit picker.menu()->aboutToShow();
    QList<QAction*> actions = picker.menu()->actions();
    actions.front()->toggle();
    QVERIFY(picker.isRest() && picker.chosen().empty());
    QCOMPARE(picker.text(), QString("everybody else"));
    actions.back()->toggle();
    QVERIFY(!picker.isRest());
    QCOMPARE(picker.chosen(), std::vector<ProcessId> { 2 });
    QVERIFY(changed.size() >= 4);
}

int main(int count, char** arguments) { return runOffscreen<FaultPanelTest>(count, arguments); }
#include "tst_fault_panel.moc"
