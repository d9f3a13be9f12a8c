// SPDX-License-Identifier: GPL-3.0-or-later
// The window without a screen, on a cluster of sockets: from an event to the picture, the effects of keys and buttons,
// and what happens when the cluster dies or sends a flood of events.
#include "tests/rigs/gui/dialog_closer.h"
#include "tests/rigs/gui/fake_cluster.h"
#include "tests/rigs/gui/window_part.h"

#include "gui/lab/live/ingest.h"
#include "gui/view/lhrs/words/object_words.h"
#include "gui/window/main/main_window.h"
#include "gui/window/main/start_systems.h"
#include "gui/view/panels/event_log.h"
#include "gui/view/lhrs/records/record_table.h"

#include <QComboBox>
#include <QDockWidget>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableWidget>
#include <QTemporaryDir>

#include <thread>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

constexpr int kLimit = 15'000;

MainWindow::Options options()
{
    MainWindow::Options o;
    o.theme = MainWindow::ThemeChoice::Light;
    o.scenarioDirectory = QStringLiteral(LHRS_SOURCE_DIR "/scenarios");
    return o;
}

// A window that watches the cluster and knows all its processes.
struct Watching {
    MainWindow window { options() };

    explicit Watching(FakeCluster& cluster)
    {
        window.show();
        window.start().connectTo(cluster.address());
    }
    bool isReady(std::size_t processes)
    {
        return QTest::qWaitFor(
            [&] {
                const ClusterState& state = window.pacer().state();
                return window.showsCluster() && window.cluster().link().state() == LinkState::Here
                    && state.processes.size() == processes
                    && std::none_of(state.processes.begin(), state.processes.end(),
                        [](const auto& p) { return p.second.isIncomplete; })
                    && window.workloads().client() != 0;
            },
            kLimit);
    }
};

pb::Event inserted(std::uint32_t bucket, std::uint64_t key, std::uint32_t rank)
{
    pb::Event event;
    event.mutable_place()->set_role(pb::DATA);
    event.mutable_place()->set_number(bucket);
    auto* record = event.mutable_record_inserted();
    record->set_key(key);
    record->set_rank(rank);
    record->set_count(rank);
    record->set_sequence(rank);
    return event;
}

} // namespace

class WindowTest : public QObject {
    Q_OBJECT
private slots:
    void onePublishedEventChangesThePicture();
    void aClickSelectsAndShowsTheRecords();
    void workloadButtonsSendWhatTheySay_data();
    void workloadButtonsSendWhatTheySay();
    void structureButtonsAskTheCoordinator();
    void aRefusalIsSaidInWords();
    void everyActionHasNamePlaceAndSentence();
    void everyKeyDoesItsAction();
    void textFieldsKeepTheirKeys();
    void theKeyboardReachesEveryView();
    void tabGoesFromThePictureToTheCaptionsAndOnToTheTime();
    void everyActionIsFoundByItsWords();
    void theStartPageSaysWhatCannotWork();
    void anAddressThatIsNoneOrSilentIsSaid();
    void anAttachThatIsRefusedKeepsTheClusterThatIsWatched();
    void theStatusLineCountsWhatProcessesRefuse();
    void aProcessThatIsGoneIsCrossedOut();
    void aProcessThatIsCutOffIsNotTakenForEnded();
    void aClusterThatDiesLeavesAWindowThatWorks();
    void aFloodDoesNotHoldTheWindow();
    void thePictureIsSavedAndExported();
};

void WindowTest::onePublishedEventChangesThePicture()
{
    FakeCluster cluster({ 4, 4, 1 });
    Watching watching(cluster);
    QVERIFY(watching.isReady(4 + 1 + 1 + 2 + 10));
    ClusterCanvas& canvas = watching.window.canvas();
    QTRY_VERIFY_WITH_TIMEOUT(canvas.restingPicture().texts().contains("20 / 40"), kLimit);
    QTRY_VERIFY_WITH_TIMEOUT(!watching.window.pacer().isLive(), kLimit);
    const QRect card = canvas.rectOf({ ObjectKind::Data, 2, 0 }).toRect();
    const QImage before = canvas.grab(card).toImage();
    QVERIFY(!canvas.restingPicture().texts().contains("21 / 40"));
    cluster.tell(kFileData + 2, inserted(2, 4'711, 21));
    QTRY_VERIFY_WITH_TIMEOUT(canvas.restingPicture().texts().contains("21 / 40"), kLimit);
    // A card full of cells may be drawn a frame later.
    QTRY_VERIFY_WITH_TIMEOUT(canvas.picture().toText().contains("\"4711\""), kLimit);
    QVERIFY(canvas.grab(card).toImage() != before);
    QTRY_VERIFY_WITH_TIMEOUT(watching.window.status().text().contains("LIVE"), kLimit);
    QVERIFY(watching.window.status().text().contains(cluster.address()));
}

void WindowTest::aClickSelectsAndShowsTheRecords()
{
    FakeCluster cluster({ 4, 4, 1 });
    Watching watching(cluster);
    QVERIFY(watching.isReady(18));
    MainWindow& window = watching.window;
    QTRY_VERIFY_WITH_TIMEOUT(!window.canvas().rectOf({ ObjectKind::Data, 1, 0 }).isNull(), kLimit);
    window.setWorkspace(MainWindow::Workspace::Inspect);
    QCoreApplication::processEvents();
    QTest::mouseClick(
        &window.canvas(), Qt::LeftButton, {}, window.canvas().rectOf({ ObjectKind::Data, 1, 0 }).center().toPoint());
    QCOMPARE(window.selection().selected(), (ObjectRef { ObjectKind::Data, 1, 0 }));
    QCOMPARE(part<RecordTable>(window).model().rowCount(), 20);
    QCOMPARE(part<RecordTable>(window).model().index(4, 1).data().toString(), QString("501"));
    QVERIFY(window.canvas().accessibleDescription().startsWith("Data bucket 1"));
    // A click on a client selects it for the workload.
    const ObjectRef client { ObjectKind::Client, kFileClients + 1, 0 };
    QTRY_COMPARE_WITH_TIMEOUT(
        window.canvas().restingPicture().hitTest(window.canvas().rectOf(client).center()), client, kLimit);
    QTest::mouseClick(&window.canvas(), Qt::LeftButton, {}, window.canvas().rectOf(client).center().toPoint());
    QCOMPARE(window.selection().selected(), client);
    QTRY_COMPARE_WITH_TIMEOUT(window.workloads().client(), kFileClients + 1, kLimit); // the list follows a moment later
    QCOMPARE(part<RecordTable>(window).model().rowCount(), 0);
}

// ---- buttons

void WindowTest::workloadButtonsSendWhatTheySay_data()
{
    QTest::addColumn<QString>("id");
    QTest::addColumn<int>("kind");
    QTest::addColumn<QString>("line");
    QTest::newRow("insert") << "insert" << int(pb::INSERT)
                            << "lab.client('alice').run({ do: 'insert', count: 7, window: 3 });";
    QTest::newRow("update") << "update" << int(pb::UPDATE)
                            << "lab.client('alice').run({ do: 'update', count: 7, window: 3 });";
    QTest::newRow("search") << "search" << int(pb::SEARCH)
                            << "lab.client('alice').run({ do: 'search', count: 7, window: 3 });";
    QTest::newRow("delete") << "delete" << int(pb::DELETE)
                            << "lab.client('alice').run({ do: 'delete', count: 7, window: 3 });";
}

void WindowTest::workloadButtonsSendWhatTheySay()
{
    QFETCH(const QString, id);
    QFETCH(const int, kind);
    QFETCH(const QString, line);
    FakeCluster cluster({ 2, 4, 1 });
    pb::CommandReply reply;
    reply.mutable_workload()->set_operations(7);
    reply.mutable_workload()->set_total_ns(7'000'000);
    (*reply.mutable_workload()->mutable_results())["OK"] = 7;
    cluster.setReply(reply);
    Watching watching(cluster);
    QVERIFY(watching.isReady(16));
    WorkloadBar& bar = watching.window.workloads();
    auto* button = bar.findChild<QPushButton*>(id + "Button");
    QVERIFY(button != nullptr);
    QTRY_VERIFY_WITH_TIMEOUT(button->isEnabled(), kLimit);
    bar.countBox()->setValue(7);
    bar.findChild<QSpinBox*>("window")->setValue(3);
    QTest::mouseClick(button, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(cluster.order(pb::Command::kRunWorkload), kLimit);
    const FakeCluster::Order order = *cluster.order(pb::Command::kRunWorkload);
    QCOMPARE(order.process, kFileClients);
    const pb::RunWorkload& work = order.command.run_workload();
    QCOMPARE(int(work.kind()), kind);
    QCOMPARE(work.count(), std::uint64_t(7));
    QCOMPARE(work.window(), 3u);
    QCOMPARE(int(work.keys()), int(kind == pb::INSERT ? pb::NEXT : pb::PRESENT));
    QTRY_VERIFY_WITH_TIMEOUT(watching.window.labLine().text().contains("7 operations"), kLimit);
    QVERIFY2(watching.window.labLine().text().startsWith(line), qPrintable(watching.window.labLine().text()));
    QVERIFY(watching.window.labLine().text().contains("1.00 ms each"));
}

void WindowTest::structureButtonsAskTheCoordinator()
{
    FakeCluster cluster({ 6, 4, 1 });
    Watching watching(cluster);
    QVERIFY(watching.isReady(6 + 2 + 1 + 2 + 10));
    Actions& actions = watching.window.actions();
    const auto sent = [&](const char* id, pb::Command::BodyCase body) -> std::optional<FakeCluster::Order> {
        cluster.forgetOrders();
        if (!QTest::qWaitFor([&] { return actions.get(id)->isEnabled(); }, kLimit))
            return std::nullopt;
        actions.get(id)->trigger();
        return QTest::qWaitFor([&] { return cluster.order(body).has_value(); }, kLimit) ? cluster.order(body)
                                                                                        : std::nullopt;
    };
    const auto split = sent("split", pb::Command::kForceSplit);
    QVERIFY(split);
    QCOMPARE(split->process, kFileCoordinator);
    const auto raise = sent("raiseK", pb::Command::kRaiseAvailability);
    QVERIFY(raise);
    QCOMPARE(raise->command.raise_availability().availability(), 2u);
    watching.window.selection().select({ ObjectKind::Data, 5, 0 });
    const auto parity = sent("addParity", pb::Command::kCreateParity);
    QVERIFY(parity);
    QCOMPARE(parity->command.create_parity().group(), 1u); // the group of the selected bucket
    for (const auto& [id, mode] : { std::pair("imageFrozen", pb::FROZEN), std::pair("imageExact", pb::EXACT),
             std::pair("imageAdjusting", pb::ADJUSTING) }) {
        const auto image = sent(id, pb::Command::kSetImage);
        QVERIFY(image);
        QCOMPARE(image->command.set_image().mode(), mode);
        QVERIFY(!image->command.set_image().forget());
    }
    const auto forget = sent("forgetImage", pb::Command::kSetImage);
    QVERIFY(forget && forget->command.set_image().forget());
    QVERIFY(sent("stopWorkload", pb::Command::kStopWorkload));
    const auto lists = sent("detailRecords", pb::Command::kSetDetail);
    QVERIFY(lists);
    QCOMPARE(lists->command.set_detail().detail(), pb::RECORDS);
    QVERIFY(sent("detailCounts", pb::Command::kSetDetail));
    const auto told = [&] {
        std::set<ProcessId> who;
        for (const FakeCluster::Order& order : cluster.orders()) {
            if (order.command.set_detail().detail() == pb::COUNTS)
                who.insert(order.process);
        }
        return who.size();
    };
    QTRY_COMPARE_WITH_TIMEOUT(told(), std::size_t(21), kLimit); // every process
}

void WindowTest::aRefusalIsSaidInWords()
{
    FakeCluster cluster({ 2, 4, 1 });
    pb::CommandReply reply;
    reply.set_refusal(pb::REFUSED);
    reply.set_text("a split is under way; ask again when it is finished");
    cluster.setReply(reply);
    Watching watching(cluster);
    QVERIFY(watching.isReady(16));
    QTRY_VERIFY_WITH_TIMEOUT(watching.window.actions().get("split")->isEnabled(), kLimit);
    QSignalSpy answered(&watching.window.cluster().report(), &CommandReport::answered);
    watching.window.actions().get("split")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(answered.size(), 1, kLimit);
    QCOMPARE(answered[0][2].toBool(), false);
    QVERIFY2(watching.window.labLine().text().contains("a split is under way"),
        qPrintable(watching.window.labLine().text()));
}

// ---- keys

void WindowTest::everyActionHasNamePlaceAndSentence()
{
    MainWindow window(options());
    QStringList ids, keys, inMenus;
    for (QAction* menu : window.menuBar()->actions()) {
        int inARow = 0; // entries without a separator
        for (QAction* action : menu->menu()->actions()) {
            inMenus << action->objectName();
            inARow = action->isSeparator() ? 0 : inARow + 1;
            QVERIFY2(inARow <= 12, qPrintable(menu->text() + ": " + action->text() + " is one of too many in a row"));
            for (const QAction* inner : action->menu() ? action->menu()->actions() : QList<QAction*>())
                inMenus << inner->objectName();
        }
        QVERIFY2(menu->menu()->sizeHint().height() < 680,
            qPrintable(QString("%1 has %2 pixels").arg(menu->text()).arg(menu->menu()->sizeHint().height())));
    }
    QVERIFY(window.actions().all().size() > 40);
    for (const QAction* action : window.actions().all()) {
        const QString id = action->objectName();
        QVERIFY2(!id.isEmpty() && !ids.contains(id), qPrintable(id));
        QVERIFY2(!action->text().isEmpty(), qPrintable(id));
        QVERIFY2(inMenus.contains(id), qPrintable(id + " is in no menu"));
        const QString sentence = window.actions().sentenceOf(action);
        QVERIFY2(sentence.size() > 10 && !sentence[0].isLower(), qPrintable(id));
        QVERIFY2(action->toolTip().contains(sentence) && action->statusTip() == sentence, qPrintable(id));
        for (const QKeySequence& key : action->shortcuts()) {
            // Qt cannot resolve an ambiguous shortcut: it triggers neither.
            QVERIFY2(!keys.contains(key.toString()), qPrintable(id + ": " + key.toString() + " has two actions"));
            keys << key.toString();
        }
        QVERIFY2(!action->shortcuts().isEmpty() || id == "about", qPrintable(id + " has no key"));
        ids << id;
    }
    // The sheet lists all of them.
    KeySheet sheet(window.actions(), &window);
    auto* table = sheet.findChild<QTableWidget*>();
    QCOMPARE(std::size_t(table->rowCount()), window.actions().all().size());
    for (int row = 0; row < table->rowCount(); ++row)
        QVERIFY(!table->item(row, 1)->text().isEmpty() && !table->item(row, 2)->text().isEmpty());
}

void WindowTest::everyKeyDoesItsAction()
{
    FakeCluster cluster({ 4, 4, 1 });
    Watching watching(cluster);
    QVERIFY(watching.isReady(18));
    MainWindow& window = watching.window;
    QVERIFY(QTest::qWaitForWindowActive(&window));
    QTRY_VERIFY_WITH_TIMEOUT(window.actions().get("split")->isEnabled(), kLimit);
    DialogCloser closer;
    int pressed = 0;
    for (QAction* action : window.actions().all()) {
        const QString id = action->objectName();
        if (!action->isEnabled() || id == "quit" || id == "leave" || id == "startLocal" || id == "startSimulated"
            || id == "tour")
            continue;
        for (const QKeySequence& key : action->shortcuts()) {
            window.activateWindow();
            QVERIFY(QTest::qWaitForWindowActive(&window));
            window.canvas().setFocus();
            QSignalSpy triggered(action, &QAction::triggered);
            QTest::sendKeyEvent(QTest::Click, &window.canvas(), key[0].key(), QString(), key[0].keyboardModifiers());
            QVERIFY2(triggered.size() == 1, qPrintable(id + ": " + key.toString() + " does nothing"));
            ++pressed;
        }
    }
    QVERIFY2(pressed > 40, qPrintable(QString::number(pressed)));
    for (const char* title :
        { "Connect", "Open a scenario", "Export what is shown", "Find", "Keys and actions", "Find an action" })
        QVERIFY2(closer.seen.contains(title), qPrintable(QString(title) + " of " + closer.seen.join(", ")));
    QVERIFY(window.isVisible());
}

void WindowTest::textFieldsKeepTheirKeys()
{
    FakeCluster cluster({ 4, 4, 1 });
    Watching watching(cluster);
    QVERIFY(watching.isReady(18));
    MainWindow& window = watching.window;
    QVERIFY(QTest::qWaitForWindowActive(&window));
    QSignalSpy fit(window.actions().get("fit"), &QAction::triggered);
    QSpinBox* count = window.workloads().countBox();
    count->setFocus();
    count->selectAll();
    QTest::keyClicks(count, "500");
    QCOMPARE(count->value(), 500);
    QCOMPARE(fit.size(), 0);
    window.setWorkspace(MainWindow::Workspace::Inspect);
    auto* words = part<EventLog>(window).findChild<QLineEdit*>("logText");
    words->setFocus();
    QTest::keyClicks(words, "data 0tlz?/");
    QCOMPARE(words->text(), QString("data 0tlz?/"));
    QCOMPARE(fit.size(), 0);
}

void WindowTest::theKeyboardReachesEveryView()
{
    FakeCluster cluster({ 4, 4, 1 });
    Watching watching(cluster);
    QVERIFY(watching.isReady(18));
    MainWindow& window = watching.window;
    QVERIFY(QTest::qWaitForWindowActive(&window));
    window.setWorkspace(MainWindow::Workspace::Inspect);
    window.selection().select({ ObjectKind::Data, 0, 0 });
    // F6 goes from view to view, also to views behind another tab.
    std::set<QString> reached;
    window.canvas().setFocus();
    for (int i = 0; i < 12; ++i) {
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6);
        QCoreApplication::processEvents();
        const QWidget* focus = QApplication::focusWidget();
        QVERIFY(focus != nullptr && focus->isVisible()
            && window.rect().contains(QRect(focus->mapTo(&window, QPoint()), focus->size())));
        for (const QWidget* w = focus; w; w = w->parentWidget()) {
            if (qobject_cast<const QDockWidget*>(w) || w == &window.canvas() || w == &window.workloads())
                reached.insert(w->objectName());
        }
    }
    for (const char* view : { "clusterCanvas", "workloadBar", "bucketDock", "imageDock", "logDock", "storyDock" })
        QVERIFY2(reached.contains(view), view);
    // Tab reaches every control that is visible and enabled.
    window.canvas().setFocus();
    std::set<QWidget*> tabbed;
    for (int i = 0; i < 200 && tabbed.insert(QApplication::focusWidget()).second; ++i)
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    for (QPushButton* button : window.findChildren<QPushButton*>()) {
        if (button->isVisible() && button->isEnabled() && !button->visibleRegion().isEmpty())
            QVERIFY2(tabbed.contains(button), qPrintable(button->objectName() + " " + button->text()));
    }
    QVERIFY(tabbed.contains(&window.canvas()));
}

void WindowTest::tabGoesFromThePictureToTheCaptionsAndOnToTheTime()
{
    MainWindow window(options());
    const QWidget* at = &window.canvas();
    while (!window.player().strip().isAncestorOf(at) && !window.timeBar().isAncestorOf(at))
        at = at->nextInFocusChain();
    QVERIFY2(window.player().strip().isAncestorOf(at), qPrintable(at->objectName()));
}

void WindowTest::everyActionIsFoundByItsWords()
{
    MainWindow window(options());
    ActionFinder finder(window.actions(), &window);
    finder.show();
    auto* words = finder.findChild<QLineEdit*>();
    auto* list = finder.findChild<QListWidget*>();
    for (QAction* action : window.actions().all()) {
        if (!action->isEnabled())
            continue;
        words->setText(action->text());
        QVERIFY2(!list->findItems(action->text(), Qt::MatchStartsWith).isEmpty(), qPrintable(action->text()));
    }
    // Typed, selected by Enter, carried out.
    QSignalSpy triggered(window.actions().get("inspect"), &QAction::triggered);
    words->setText("beside it");
    QTest::keyClick(words, Qt::Key_Return);
    QCOMPARE(triggered.size(), 1);
}

// ---- ways to start

void WindowTest::theStartPageSaysWhatCannotWork()
{
    StartPage page(QStringLiteral(LHRS_SOURCE_DIR "/scenarios"), startSystems());
    const auto set = [&](const char* id, int value) { page.findChild<QSpinBox*>(id)->setValue(value); };
    auto* start = page.findChild<QPushButton*>("startLocal");
    set("dataServers", 3);
    set("parityServers", 2);
    QVERIFY2(page.objection().isEmpty(), qPrintable(page.objection()));
    QVERIFY(start->isEnabled());
    set("k", 3);
    QVERIFY2(page.objection().contains("K = 3 parity servers"), qPrintable(page.objection()));
    QVERIFY(!start->isEnabled());
    set("k", 2);
    set("dataServers", 300);
    set("parityServers", 300);
    QVERIFY2(page.objection().contains("602 processes"), qPrintable(page.objection()));
    set("dataServers", 5);
    set("parityServers", 2);
    set("m", 7);
    set("b", 123);
    set("recordBytes", 64);
    page.findChild<QComboBox*>("field")->setCurrentIndex(1);
    const LocalOptions chosen = page.localOptions();
    QCOMPARE(chosen.config.m(), 7u);
    QCOMPARE(chosen.config.availability(), 2u);
    QCOMPARE(chosen.config.b(), 123u);
    QCOMPARE(chosen.config.field(), pb::GF_8);
    QCOMPARE(chosen.dataServers, 5u);
    QCOMPARE(chosen.parityServers, 2u);
    QCOMPARE(page.recordBytes(), 64u);
    // The cards of free play start with the values of the form; if the values cannot work, they open the form.
    page.setTheme(Theme());
    page.resize(1280, 720);
    page.show();
    QSignalSpy wanted(&page, &StartPage::localWanted);
    page.findChild<Card*>("playLive")->click();
    QCOMPARE(wanted.size(), 1);
    QVERIFY(!page.showsForm());
    set("k", 3);
    page.findChild<Card*>("playLive")->click();
    QCOMPARE(wanted.size(), 1);
    QVERIFY(page.showsForm());
}

void WindowTest::anAddressThatIsNoneOrSilentIsSaid()
{
    MainWindow window(options());
    window.show();
    QVERIFY(!window.showsCluster());
    auto* status = window.startPage().findChild<QLabel*>("startStatus");
    for (const char* address : { "", "127.0.0.1", "127.0.0.1:", "127.0.0.1:99999", ":4711", "host:port" }) {
        window.start().connectTo(address);
        QVERIFY2(status->isVisible() && status->text().contains("HOST:PORT"), address);
        QVERIFY(!window.showsCluster());
    }
    window.start().connectTo("127.0.0.1:1"); // no process listens there
    QVERIFY(status->text().contains("Asking"));
    QTRY_VERIFY_WITH_TIMEOUT(status->text().contains("Nothing answers at 127.0.0.1:1"), kLimit);
    QVERIFY(window.startPage().findChild<QPushButton*>("connect")->isEnabled());
    // If a scenario cannot be read, or is no valid program, the caption says so; the window stays.
    QTemporaryDir directory;
    QVERIFY(!window.files().openScenario(directory.filePath("none.js"), true));
    QVERIFY(window.player().words().caption.contains("cannot be read"));
    QFile broken(directory.filePath("broken.js"));
    QVERIFY(broken.open(QIODevice::WriteOnly));
    broken.write("lab.step('a', 'x');\nlab.say('unfinished;\n");
    broken.close();
    QVERIFY(!window.files().openScenario(broken.fileName(), true));
    QVERIFY2(
        window.player().words().caption.contains("broken.js, line 2"), qPrintable(window.player().words().caption));
}

// ---- trouble

void WindowTest::anAttachThatIsRefusedKeepsTheClusterThatIsWatched()
{
    FakeCluster cluster({ 4, 4, 1 });
    Watching watching(cluster);
    QVERIFY(watching.isReady(18));
    ClusterLink& link = watching.window.cluster().link();
    for (const auto& [address, keyFile] : { std::pair(QStringLiteral("nowhere"), QString()),
             std::pair(cluster.address(), QStringLiteral("/no/such/file.key")) }) {
        link.connectTo(address, keyFile);
        QVERIFY(link.state() == LinkState::Here);
        QVERIFY2(!link.trouble().isEmpty(), qPrintable(address));
    }
    QVERIFY(watching.window.showsCluster());
}

void WindowTest::theStatusLineCountsWhatProcessesRefuse()
{
    FakeCluster cluster({ 4, 4, 1 });
    Watching watching(cluster);
    QVERIFY(watching.isReady(18));
    watching.window.resize(1280, 720);
    QVERIFY(!watching.window.status().text().contains("refused"));
    const auto refuses = [&](ProcessId process, std::uint64_t replayed, std::uint64_t ofOthers) {
        pb::Event event;
        for (const auto& [reason, count] : { std::pair("replayed", replayed), std::pair("other cluster", ofOthers) }) {
            auto* row = event.mutable_gauges()->add_refused();
            row->set_reason(reason);
            row->set_count(count);
        }
        cluster.tell(process, event);
    };
    refuses(kFileData + 1, 1'000, 30);
    refuses(kFileData + 2, 200, 4);
    QTRY_VERIFY2_WITH_TIMEOUT(watching.window.status().text().contains(grouped(1'234) + " refused"),
        qPrintable(watching.window.status().text()), kLimit);
}

void WindowTest::aProcessThatIsGoneIsCrossedOut()
{
    FakeCluster cluster({ 4, 4, 1 });
    Watching watching(cluster);
    QVERIFY(watching.isReady(18));
    ClusterCanvas& canvas = watching.window.canvas();
    QTRY_VERIFY_WITH_TIMEOUT(canvas.restingPicture().texts().contains("Bucket 3"), kLimit);
    QVERIFY(!canvas.restingPicture().texts().contains("process gone"));
    LoopWatch loop;
    cluster.end(kFileData + 3);
    QTRY_VERIFY_WITH_TIMEOUT(canvas.restingPicture().texts().contains("process gone"), kLimit);
    QVERIFY(sentenceOf(canvas.state(), { ObjectKind::Data, 3, 0 }).contains("process gone"));
    QVERIFY(canvas.state().data.contains(3)); // its place stays visible
    QVERIFY2(loop.longest() < 5'000, qPrintable(QString::number(loop.longest())));
}

// The coordinator does not hear it any more, but the window does.
void WindowTest::aProcessThatIsCutOffIsNotTakenForEnded()
{
    FakeCluster cluster({ 4, 4, 1 });
    Watching watching(cluster);
    QVERIFY(watching.isReady(18));
    const ProcessId cut = kFileData + 3;
    const FakeProcess& coordinator = cluster.process(kFileCoordinator);
    const int lists = coordinator.asked("ListProcesses");
    cluster.cutOff(cut);
    QTRY_VERIFY_WITH_TIMEOUT(coordinator.asked("ListProcesses") >= lists + 8, kLimit);
    QVERIFY(!watching.window.canvas().state().processes.at(cut).hasEnded);
    cluster.end(cut);
    QTRY_VERIFY_WITH_TIMEOUT(watching.window.canvas().state().processes.at(cut).hasEnded, kLimit);
}

void WindowTest::aClusterThatDiesLeavesAWindowThatWorks()
{
    auto cluster = std::make_unique<FakeCluster>(FileShape { 4, 4, 1 });
    Watching watching(*cluster);
    QVERIFY(watching.isReady(18));
    MainWindow& window = watching.window;
    QTRY_VERIFY_WITH_TIMEOUT(window.actions().get("insert")->isEnabled(), kLimit);
    cluster.reset(); // all at once, during the work
    LoopWatch loop;
    window.actions().get("insert")->trigger(); // whether the failure is known yet or not
    QTRY_VERIFY_WITH_TIMEOUT(window.status().text().contains("COORDINATOR SILENT"), kLimit);
    QVERIFY(!window.actions().get("insert")->isEnabled());
    QVERIFY(window.showsCluster()); // the last picture stays
    window.setWorkspace(MainWindow::Workspace::Inspect);
    window.looks().setThemeChoice(MainWindow::ThemeChoice::Dark);
    QVERIFY2(loop.longest() < 5'000, qPrintable(QString::number(loop.longest())));
    QuestionAnswerer discard(QMessageBox::Discard);
    window.actions().get("leave")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(!window.showsCluster(), kLimit);
    QTRY_VERIFY_WITH_TIMEOUT(window.status().text().contains("NO CLUSTER"), kLimit);
    // Another cluster has another picture.
    FakeCluster other({ 2, 4, 1 });
    window.start().connectTo(other.address());
    QTRY_VERIFY_WITH_TIMEOUT(window.showsCluster() && window.pacer().state().data.size() == 2, kLimit);
}

void WindowTest::aFloodDoesNotHoldTheWindow()
{
    FileShape shape { 4, 4, 1 };
    shape.b = 600'000;
    shape.records = 0;
    FakeCluster cluster(shape);
    Watching watching(cluster);
    QVERIFY(watching.isReady(18));
    MainWindow& window = watching.window;
    window.setWorkspace(MainWindow::Workspace::Inspect);
    part<EventLog>(window).findChild<QComboBox*>("logKind")->setCurrentIndex(0);
    LoopWatch loop;
    constexpr std::uint32_t kBatches = 2'500, kBatch = 200; // 500,000 events without pauses
    std::jthread flood([&](const std::stop_token& stop) {
        std::uint32_t rank = 0;
        for (std::uint32_t batch = 0; batch < kBatches && !stop.stop_requested(); ++batch) {
            std::vector<pb::Event> events;
            for (std::uint32_t i = 0; i < kBatch; ++i, ++rank)
                events.push_back(inserted(0, rank + 1, rank + 1));
            cluster.tell(kFileData, std::move(events));
        }
    });
    int turn = 0;
    QTRY_VERIFY_WITH_TIMEOUT((window.resize(++turn % 2 ? QSize(1280, 720) : QSize(1500, 800)),
                                 window.pacer().state().data.at(0).count == kBatches * kBatch),
        kLimit);
    QVERIFY(loop.turns() > 5);
    QVERIFY2(loop.longest() < 5'000, qPrintable(QString::number(loop.longest())));
    const ClusterState state = window.cluster().session().ingest().state();
    QCOMPARE(state.data.at(0).ranks.count(), kBatches * kBatch);
    QCOMPARE(state.lost, std::uint64_t(0));
    // At rest the log has everything that the ring has kept, and the picture equals the state.
    QTRY_VERIFY_WITH_TIMEOUT(!window.pacer().isBusy()
            && part<EventLog>(window).model().listed() + part<EventLog>(window).model().forgotten()
                >= kBatches * kBatch,
        kLimit);
}

void WindowTest::thePictureIsSavedAndExported()
{
    FakeCluster cluster({ 4, 4, 1 });
    Watching watching(cluster);
    QVERIFY(watching.isReady(18));
    QTemporaryDir directory;
    const QString path = directory.filePath("window.png");
    QVERIFY(watching.window.savePicture(path));
    const QImage image(path);
    QCOMPARE(image.size(), watching.window.size());
    QVERIFY(!watching.window.savePicture("/nonexistent/window.png"));
}

int main(int count, char** arguments) { return runOffscreen<WindowTest>(count, arguments); }
#include "tst_window.moc"
