// SPDX-License-Identifier: GPL-3.0-or-later
// What a person does in the window, and the feedback: menus, the second client, keys and fields, files that are opened
// and saved. On a cluster of sockets.
#include "tests/rigs/gui/dialog_closer.h"
#include "tests/rigs/gui/fake_cluster.h"
#include "tests/rigs/gui/object_menu.h"
#include "tests/rigs/lab/recording_rig.h"
#include "tests/rigs/gui/window_options.h"
#include "tests/rigs/gui/window_part.h"

#include "gui/view/lhrs/words/file_words.h"
#include "gui/window/editor/editor_panel.h"
#include "gui/window/show/window_time.h"
#include "gui/view/charts/chart_panel.h"
#include "gui/view/panels/lhrs/image_view.h"
#include "gui/view/lhrs/records/record_group_view.h"

#include <QContextMenuEvent>
#include <QDockWidget>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QTemporaryDir>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

constexpr int kLimit = 20'000;

// A window on a cluster of 4 data buckets, each with 20 records: the record of rank r in bucket a has the key 100 r +
// a.
struct Watching {
    FakeCluster cluster { { 4, 4, 1 } };
    MainWindow window { options() };

    Watching()
    {
        window.resize(1280, 720);
        window.show();
        window.activateWindow();
        window.start().connectTo(cluster.address());
    }
    bool isReady()
    {
        return QTest::qWaitForWindowActive(&window)
            && QTest::qWaitFor(
                [&] {
                    const ClusterState& state = window.canvas().state();
                    return window.cluster().link().state() == LinkState::Here && state.data.size() == 4
                        && window.workloads().client() != 0 && window.actions().get("search")->isEnabled()
                        && std::all_of(state.data.begin(), state.data.end(),
                            [](const auto& bucket) { return bucket.second.ranks.count() == 20; });
                },
                kLimit);
    }
    const ClusterState& state() { return window.canvas().state(); }
    QPoint cardOf(std::uint32_t bucket)
    {
        return window.canvas().rectOf({ ObjectKind::Data, bucket, 0 }).center().toPoint();
    }
    QString shownLine()
    {
        QStringList words;
        for (const QLabel* label : window.labLine().findChildren<QLabel*>())
            words << label->text();
        return words.join(QLatin1Char('|'));
    }
};

// Answers each file dialog with this name, as if typed.
class FileNamer {
public:
    explicit FileNamer(const QString& name)
    {
        QObject::connect(&m_timer, &QTimer::timeout, [this, name] {
            auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            if (!dialog || m_named == dialog)
                return;
            m_named = dialog;
            titles << dialog->windowTitle();
            proposed << dialog->selectedFiles().value(0);
            auto* edit = dialog->findChild<QLineEdit*>();
            edit->setText(name);
            QTest::keyClick(edit, Qt::Key_Return);
        });
        m_timer.start(5);
    }
    QStringList titles, proposed;

private:
    QTimer m_timer;
    const QFileDialog* m_named = nullptr;
};

bool put(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
}

} // namespace

class WindowUseTest : public QObject {
    Q_OBJECT
private slots:
    void theLineOfAMenuEndsWithTheMenu();
    void eachMenuHasItsEntriesInOrder();
    void aButtonSaysItsLineWhileItIsPointedAt();
    void aClientWithoutRecordsSearchesThoseOfTheFile();
    void aClientWithoutRecordsSaysWhyItChangesNone();
    void searchHereTakesTheRecordThatIsSelected();
    void thePictureHasTheKeys();
    void whatIsAtTheFrontIsExported();
    void aTextThatIsNoProgramOpensAtItsLine();
    void aRunIsNotLostUnasked();
    void aRecordingIsSavedWithItsSuffixAndOverAFile();
    void aFileIsWhatItHolds();
    void whatIsNoRecordingIsSaidBesideAnother();
    void timesAreThoseOfTheClusterThatIsShown();
    void anAnswerFromParityIsCalledSo();
    void theNewestSentenceOfTheLogIsReadToItsEnd();
    void theCameraShowsWhatTheCaptionSpeaksOf();
};

// After a kill, a split or another command from the menu, the line shows the outcome of the next action.
void WindowUseTest::theLineOfAMenuEndsWithTheMenu()
{
    Watching watching;
    QVERIFY(watching.isReady());
    MainWindow& window = watching.window;
    pb::CommandReply reply;
    reply.mutable_split()->set_new_bucket(4);
    watching.cluster.setReply(reply);
    window.selection().select({ ObjectKind::Data, 1, 0 });
    const auto inMenu = [&](Qt::Key last) {
        QTimer::singleShot(0, &window, [&window, &watching, last] {
            auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
            QVERIFY(menu);
            for (int i = 0; i < 30 && menu->activeAction() != window.actions().get("split"); ++i)
                QTest::keyClick(menu, Qt::Key_Down);
            QVERIFY2(watching.shownLine().startsWith("lab.split();"), qPrintable(watching.shownLine()));
            QTest::keyClick(menu, last);
        });
        QContextMenuEvent wanted(
            QContextMenuEvent::Keyboard, watching.cardOf(1), window.canvas().mapToGlobal(watching.cardOf(1)));
        QApplication::sendEvent(&window.canvas(), &wanted);
    };
    const QString before = watching.shownLine();
    inMenu(Qt::Key_Escape);
    QCOMPARE(watching.shownLine(), before);
    inMenu(Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(watching.shownLine().contains("bucket 0"), kLimit); // its outcome
    QVERIFY2(watching.shownLine().startsWith("lab.split();"), qPrintable(watching.shownLine()));
    reply.mutable_workload()->set_operations(20);
    watching.cluster.setReply(reply);
    QTest::mouseClick(window.workloads().findChild<QPushButton*>("searchButton"), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(watching.shownLine().contains("20 operations"), kLimit);
    QVERIFY2(
        watching.shownLine().startsWith("lab.client('alice').run({ do: 'search'"), qPrintable(watching.shownLine()));
}

void WindowUseTest::eachMenuHasItsEntriesInOrder()
{
    Watching watching;
    QVERIFY(watching.isReady());
    const QStringList faults { "kill", "pause", "resume", "restart", "-", "cutOff", "loseSome", "delayMessages", "heal",
        "faultPanel" },
        last { "-", "Only this place in the event log" };
    const auto offered = [&](ObjectRef object) { return menuOf(watching.window, object); };
    const ProcessId client = watching.window.workloads().client();
    QCOMPARE(offered({ ObjectKind::Data, 1, 0 }),
        (QStringList { "data 1", "recordGroup", "Show the contents", "fitSelection", "copyLine", "-", "insertHere",
             "searchHere", "split", "-" }
            + faults + QStringList { "-", "addParity", "audit", "recover" } + last));
    QCOMPARE(offered({ ObjectKind::Parity, 0, 0 }),
        (QStringList { "parity 0.0", "recordGroup", "Show the contents", "fitSelection", "copyLine", "-" } + faults
            + QStringList { "-", "addParity", "audit", "recover" } + last));
    QCOMPARE(offered({ ObjectKind::Group, 0, 0 }),
        (QStringList { "group 0", "addParity", "audit", "recover", "acknowledgeLoss" } + last));
    QCOMPARE(offered({ ObjectKind::Client, client, 0 }),
        (QStringList { "client alice", "Show its image", "-", "insert", "update", "search", "delete", "stopWorkload",
             "imageAdjusting", "imageFrozen", "imageExact", "forgetImage", "-" }
            + faults + last));
    QCOMPARE(offered({ ObjectKind::Coordinator, coordinatorOf(watching.state()), 0 }),
        (QStringList { "coordinator" } + faults + QStringList { "-", "split", "raiseK" } + last));
    const ProcessId server = watching.state().data.at(0).process;
    QCOMPARE(offered({ ObjectKind::Spare, server, 0 }).mid(1), (faults + QStringList { "-", "addSpares" } + last));
    QCOMPARE(offered({ ObjectKind::Displaced, server, 0 }).mid(1), (faults + last));
    QCOMPARE(offered({ ObjectKind::Pool, std::uint64_t(pb::DATA), 0 }),
        (QStringList { "spare data servers", "addSpares" } + last));
    QCOMPARE(offered({ ObjectKind::Fault, 1, 0 }).mid(1), (QStringList { "heal", "healAll", "faultPanel" } + last));
    QCOMPARE(offered({ ObjectKind::Dummy, 4, 0 }),
        (QStringList { "data 4", "split", "raiseK", "secondClient", "addSpares", "fit" } + last));
    QCOMPARE(offered({}), (QStringList { "file", "split", "raiseK", "secondClient", "addSpares", "fit" } + last));
}

void WindowUseTest::aButtonSaysItsLineWhileItIsPointedAt()
{
    Watching watching;
    QVERIFY(watching.isReady());
    auto* button = watching.window.workloads().findChild<QPushButton*>("insertButton");
    const QString before = watching.shownLine();
    QEnterEvent enter(QPointF(2, 2), QPointF(2, 2), QPointF(2, 2));
    QApplication::sendEvent(button, &enter);
    QVERIFY2(watching.shownLine().startsWith("lab.client('alice').run({ do: 'insert', count: 20 });"),
        qPrintable(watching.shownLine()));
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(button, &leave);
    QCOMPARE(watching.shownLine(), before);
}

void WindowUseTest::aClientWithoutRecordsSearchesThoseOfTheFile()
{
    Watching watching;
    QVERIFY(watching.isReady());
    watching.cluster.setKeysKnown(0);
    pb::CommandReply reply;
    reply.mutable_workload()->set_operations(20);
    watching.cluster.setReply(reply);
    watching.window.actions().get("search")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(watching.cluster.order(pb::Command::kRunWorkload), kLimit);
    const pb::RunWorkload work = watching.cluster.order(pb::Command::kRunWorkload)->command.run_workload();
    QCOMPARE(int(work.keys()), int(pb::LISTED));
    QCOMPARE(work.key_list_size(), 20);
    std::set<std::uint64_t> buckets;
    QStringList listed;
    for (const std::uint64_t key : work.key_list()) {
        QVERIFY2(key / 100 >= 1 && key / 100 <= 20 && key % 100 < 4, qPrintable(QString::number(key)));
        buckets.insert(key % 100);
        listed << QString::number(key);
    }
    QVERIFY2(buckets.size() > 1, "all of one bucket");
    QTRY_VERIFY_WITH_TIMEOUT(watching.window.labLine().text().contains("20 operations"), kLimit);
    QVERIFY2(watching.window.labLine().text().startsWith(
                 QString("lab.client('alice').run({ do: 'search', count: 20, keys: [%1] });").arg(listed.join(", "))),
        qPrintable(watching.window.labLine().text()));
}

void WindowUseTest::aClientWithoutRecordsSaysWhyItChangesNone()
{
    Watching watching;
    QVERIFY(watching.isReady());
    watching.cluster.setKeysKnown(0);
    for (const char* id : { "update", "delete" }) {
        watching.window.actions().get(id)->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(
            watching.window.labLine().text().startsWith(QString("lab.client('alice').run({ do: '%1'").arg(id)), kLimit);
        QVERIFY2(watching.window.labLine().text().contains("alice has stored no record itself"),
            qPrintable(watching.window.labLine().text()));
    }
    QVERIFY(!watching.cluster.order(pb::Command::kRunWorkload));
}

void WindowUseTest::searchHereTakesTheRecordThatIsSelected()
{
    Watching watching;
    QVERIFY(watching.isReady());
    MainWindow& window = watching.window;
    window.setWorkspace(MainWindow::Workspace::Inspect);
    window.selection().select({ ObjectKind::Data, 2, 0 });
    const auto searched = [&]() -> std::uint64_t {
        watching.cluster.forgetOrders();
        window.actions().get("searchHere")->trigger();
        return QTest::qWaitFor([&] { return watching.cluster.order(pb::Command::kOperate).has_value(); }, kLimit)
            ? watching.cluster.order(pb::Command::kOperate)->command.operate().key()
            : 0;
    };
    QTRY_VERIFY_WITH_TIMEOUT(window.actions().get("searchHere")->isEnabled(), kLimit);
    QCOMPARE(searched(), watching.state().data.at(2).ranks.at(1));
    // A row of the table.
    auto* table = window.findChild<QTableView*>("records");
    QTRY_VERIFY_WITH_TIMEOUT(table->isVisible() && table->model()->rowCount() == 20, kLimit);
    const QModelIndex row = table->model()->index(6, 1);
    table->scrollTo(row);
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(row).center());
    QCOMPARE(searched(), row.data().toString().toULongLong());
    // And its menu, which searches for the same one.
    watching.cluster.forgetOrders();
    QTimer::singleShot(0, &window, [&] {
        auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        QVERIFY(menu && menu->actions().contains(window.actions().get("searchHere")));
        menu->setActiveAction(window.actions().get("searchHere"));
        QTest::keyClick(menu, Qt::Key_Return);
    });
    emit table->customContextMenuRequested(table->visualRect(row).center());
    QTRY_VERIFY_WITH_TIMEOUT(watching.cluster.order(pb::Command::kOperate), kLimit);
    QCOMPARE(
        watching.cluster.order(pb::Command::kOperate)->command.operate().key(), row.data().toString().toULongLong());
    // A record in the picture.
    window.setWorkspace(MainWindow::Workspace::Lecture);
    const ObjectRef third { ObjectKind::Data, 3, 0 };
    for (int frame = 0; frame < 12; ++frame) { // the cards have reached their places in the wider picture
        QCoreApplication::processEvents();
        window.clock().step(0.3);
    }
    QCOMPARE(window.canvas().restingPicture().hitTest(window.canvas().rectOf(third).center()), third);
    const QRectF card = window.canvas().rectOf(third);
    window.selection().setPart(0);
    for (qreal y = card.bottom() - 4; y > card.top() && window.selection().chosenPart() < 2; y -= 4)
        for (qreal x = card.right() - 4; x > card.left() && window.selection().chosenPart() < 2; x -= 4)
            QTest::mouseClick(&window.canvas(), Qt::LeftButton, {}, QPoint(int(x), int(y)));
    const std::uint32_t rank = window.selection().chosenPart();
    QVERIFY2(rank >= 2 && window.selection().selected() == third,
        qPrintable(QString("rank %1, card %2 x %3").arg(rank).arg(card.width()).arg(card.height())));
    QCOMPARE(searched(), watching.state().data.at(3).ranks.at(rank));
}

// Letters act as keys from the first picture on; a field takes them until Esc.
void WindowUseTest::thePictureHasTheKeys()
{
    FakeCluster cluster({ 4, 4, 1 });
    MainWindow window(options());
    window.resize(1280, 720);
    window.show();
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    window.startPage().findChild<QSpinBox*>("m")->setFocus();
    window.start().connectTo(cluster.address());
    QTRY_VERIFY_WITH_TIMEOUT(window.showsCluster(), kLimit);
    QVERIFY2(window.canvas().hasFocus(),
        QApplication::focusWidget() ? qPrintable(QApplication::focusWidget()->objectName()) : "nothing has the focus");
    const auto hasLabels = [&] { return window.canvas().layers().labels; };
    const auto press = [](Qt::Key key) { QTest::keyClick(QApplication::focusWidget(), key); };
    press(Qt::Key_L);
    QVERIFY(!hasLabels());
    QTRY_VERIFY_WITH_TIMEOUT(window.workloads().client() != 0, kLimit);
    for (QWidget* field : { static_cast<QWidget*>(window.workloads().countBox()),
             window.workloads().findChild<QWidget*>("window"), window.workloads().findChild<QWidget*>("client") }) {
        field->setFocus();
        QVERIFY(field->hasFocus());
        press(Qt::Key_Escape);
        QVERIFY2(window.canvas().hasFocus(), qPrintable(field->objectName()));
        const bool before = hasLabels();
        press(Qt::Key_L);
        QCOMPARE(hasLabels(), !before);
    }
}

void WindowUseTest::whatIsAtTheFrontIsExported()
{
    Watching watching;
    QVERIFY(watching.isReady());
    MainWindow& window = watching.window;
    QTemporaryDir folder;
    window.setWorkspace(MainWindow::Workspace::Inspect);
    window.selection().select({ ObjectKind::Data, 2, 0 });
    part<RecordGroupView>(window).open({ ObjectKind::Data, 2, 0 }, 3);
    const auto frames = [&] {
        for (int frame = 0; frame < 4; ++frame) {
            QCoreApplication::processEvents();
            window.clock().step(0.2);
        }
    };
    struct Case {
        const char *dock, *title, *name;
    };
    for (const Case& one :
        { Case { "bucketDock", "data 2", "data-2.svg" }, Case { "imageDock", "clients", "images.svg" },
            Case { "groupDock", "record group (0, 3)", "record-group-0-3.svg" },
            Case { "nodeDock", "what the process does", "node.svg" } }) {
        window.findChild<QDockWidget*>(one.dock)->raise();
        frames();
        FileNamer namer(folder.filePath(QString(one.dock) + ".svg"));
        window.actions().get("exportPicture")->trigger();
        QCOMPARE(namer.titles.size(), 1);
        QVERIFY2(namer.proposed[0].endsWith(QLatin1String(one.name)), qPrintable(namer.proposed[0]));
        QFile file(folder.filePath(QString(one.dock) + ".svg"));
        QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(window.labLine().text()));
        const QString svg = QString::fromUtf8(file.readAll());
        const QString title = svg.section("<title>", 1).section("</title>", 0, 0);
        QVERIFY2(title.contains(QLatin1String(one.title)), qPrintable(QString(one.dock) + ": " + title));
        const double wide = svg.section("viewBox=\"", 1).section('"', 0, 0).section(' ', 2, 2).toDouble();
        QVERIFY2(wide >= 300, qPrintable(QString("%1: %2 pixels wide").arg(one.dock).arg(wide)));
    }
    // The rows of the bucket.
    window.findChild<QDockWidget*>("bucketDock")->raise();
    frames();
    watching.cluster.setContents([&](ProcessId, const pb::ReadContents& read) {
        pb::ContentsPage page;
        page.mutable_place()->set_role(pb::DATA);
        page.mutable_place()->set_number(2);
        for (std::uint32_t rank = read.rank_from(); rank < read.rank_from() + read.count() && rank <= 20; ++rank) {
            auto* record = page.add_data();
            record->set_rank(rank);
            record->set_key(200 + rank);
        }
        return page;
    });
    const QString csv = folder.filePath("bucket.csv");
    FileNamer namer(csv);
    window.actions().get("exportPicture")->trigger();
    QTRY_VERIFY2_WITH_TIMEOUT(
        (window.clock().step(0.2), QFile::exists(csv)), qPrintable(window.labLine().text()), kLimit);
}

void WindowUseTest::aTextThatIsNoProgramOpensAtItsLine()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("bad.js");
    QVERIFY(put(path, "lab.step('a', 'x');\nlab.print('y');\nlab.say('unfinished;\nlab.print('z');\n"));
    MainWindow window(options());
    window.resize(1280, 720);
    window.show();
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    FileNamer namer(path);
    window.actions().get("openScenario")->trigger(); // on the start page
    QCOMPARE(namer.titles.size(), 1);
    QVERIFY(part<EditorPanel>(window).isVisible());
    QCOMPARE(part<EditorPanel>(window).edit().cursorLine(), 3);
    window.activateWindow(); // what a window manager does when a dialog has gone
    QTRY_VERIFY_WITH_TIMEOUT(part<EditorPanel>(window).edit().hasFocus(), kLimit);
    QTRY_VERIFY_WITH_TIMEOUT(
        (window.clock().step(0.2), part<EditorPanel>(window).words().startsWith("Line 3")), kLimit);
    QVERIFY(!window.player().run().isRunning());
    // A file that cannot be read is not opened for repair.
    window.setWorkspace(MainWindow::Workspace::Lecture);
    QVERIFY(!window.files().openScenario(folder.filePath("none.js"), true));
    QVERIFY(!part<EditorPanel>(window).isVisible());
    QVERIFY(window.startPage().findChild<QLabel*>("startStatus")->text().contains("cannot be read"));
}

void WindowUseTest::aRunIsNotLostUnasked()
{
    Watching watching;
    QVERIFY(watching.isReady());
    MainWindow& window = watching.window;
    {
        QuestionAnswerer stay(QMessageBox::Cancel);
        QVERIFY(!window.close());
        QCOMPARE(stay.asked.size(), 1);
        QVERIFY2(stay.asked[0].contains("in no file yet"), qPrintable(stay.asked[0]));
        window.actions().get("leave")->trigger();
        window.actions().get("startSimulated")->trigger();
        QTimer::singleShot(0, &window, [&] { window.startPage().findChild<QPushButton*>("startLocal")->click(); });
        QTRY_COMPARE_WITH_TIMEOUT(stay.asked.size(), 4, kLimit);
        QVERIFY(window.isVisible() && window.showsCluster() && window.cluster().link().state() == LinkState::Here);
    }
    QTemporaryDir folder;
    {
        QuestionAnswerer save(QMessageBox::Save);
        FileNamer namer(folder.filePath("kept"));
        window.actions().get("leave")->trigger();
        QCOMPARE(save.asked.size(), 1);
    }
    QTRY_VERIFY_WITH_TIMEOUT(!window.showsCluster(), kLimit);
    const auto kept = Recording::open(folder.filePath("kept.lhrun"));
    QVERIFY2(kept, kept ? "" : kept.error().text.c_str());
    QuestionAnswerer none(QMessageBox::Cancel);
    QVERIFY(window.close()); // there is nothing left to lose
    QCOMPARE(none.asked, QStringList());
}

void WindowUseTest::aRecordingIsSavedWithItsSuffixAndOverAFile()
{
    Watching watching;
    QVERIFY(watching.isReady());
    MainWindow& window = watching.window;
    QTemporaryDir folder;
    const QString path = folder.filePath("mine.lhrun");
    {
        FileNamer namer(folder.filePath("mine"));
        window.actions().get("saveRecording")->trigger();
    }
    QVERIFY2(QFile::exists(path) && !QFile::exists(folder.filePath("mine")), qPrintable(window.labLine().text()));
    QVERIFY(!window.time().hasUnsaved());
    QVERIFY(put(path, "something else"));
    {
        QuestionAnswerer replace(QMessageBox::Yes);
        FileNamer namer(folder.filePath("mine"));
        window.actions().get("saveRecording")->trigger();
        QCOMPARE(replace.asked.size(), 1); // with the suffix that the file will have
        QVERIFY2(replace.asked[0].contains("mine.lhrun"), qPrintable(replace.asked[0]));
    }
    const auto saved = Recording::open(path);
    QVERIFY2(saved, saved ? "" : saved.error().text.c_str());
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files), QStringList { "mine.lhrun" });
    // If no file can be written, nothing is lost.
    QVERIFY(!window.time().save(folder.filePath("no/such/place.lhrun")));
    QVERIFY2(window.labLine().text().contains("place.lhrun cannot be written"), qPrintable(window.labLine().text()));
}

void WindowUseTest::aFileIsWhatItHolds()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("run");
    makeRecording(folder.filePath("run.lhrun"));
    QVERIFY(QFile::rename(folder.filePath("run.lhrun"), path));
    const QString scenario = folder.filePath("steps");
    QVERIFY(put(scenario, "lab.step('a', 'x');\n"));
    MainWindow window(options());
    window.show();
    {
        FileNamer namer(path);
        window.actions().get("openScenario")->trigger(); // in whichever dialog it was chosen
    }
    QVERIFY(window.timeLine().isReplay());
    window.setWorkspace(MainWindow::Workspace::Write); // there it is only opened
    {
        FileNamer namer(scenario);
        window.actions().get("openRecording")->trigger();
    }
    QCOMPARE(part<EditorPanel>(window).path(), scenario);
}

void WindowUseTest::whatIsNoRecordingIsSaidBesideAnother()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("run.lhrun"), junk = folder.filePath("junk.lhrun");
    makeRecording(path);
    QVERIFY(put(junk, "<b>no recording</b>"));
    MainWindow window(options());
    window.resize(1280, 720);
    window.show();
    QCOMPARE(window.files().openRecording(path), QString());
    QVERIFY(!window.labLine().isVisible());
    window.files().openFile(junk);
    QVERIFY(window.labLine().isVisible());
    QVERIFY2(window.labLine().text().contains("junk.lhrun is not a recording"), qPrintable(window.labLine().text()));
}

// The clock and the cards show the same time, and another cluster of the window starts again.
void WindowUseTest::timesAreThoseOfTheClusterThatIsShown()
{
    FakeCluster first({ 4, 4, 1 }), second({ 4, 4, 1 });
    MainWindow window(options());
    window.resize(1280, 720);
    window.show();
    for (FakeCluster* cluster : { &first, &second }) {
        window.start().connectTo(cluster->address());
        const auto ended = [&] {
            const ClusterState& state = window.pacer().state();
            return state.processes.contains(kFileData + 1) && state.processes.at(kFileData + 1).hasEnded;
        };
        QTRY_VERIFY_WITH_TIMEOUT(
            window.cluster().link().state() == LinkState::Here && window.pacer().state().data.size() == 4 && !ended(),
            kLimit);
        QTRY_VERIFY_WITH_TIMEOUT(window.pacer().state().processes.contains(kFileData + 1), kLimit);
        cluster->end(kFileData + 1);
        QTRY_VERIFY_WITH_TIMEOUT(ended(), kLimit);
        const std::int64_t begin = window.timeLine().beginNs(),
                           at = window.pacer().state().processes.at(kFileData + 1).endedNs;
        QVERIFY(begin > 0 && at >= begin && at <= window.timeLine().endNs());
        const QString words = QString("%1 s").arg(double(at - begin) / 1e9, 0, 'f', 2);
        QTRY_VERIFY2_WITH_TIMEOUT(window.canvas().restingPicture().texts().join(" | ").contains(words),
            qPrintable(words + " is not in " + window.canvas().restingPicture().texts().join(" | ")), kLimit);
        window.setWorkspace(MainWindow::Workspace::Measure);
        QTRY_VERIFY_WITH_TIMEOUT(
            (window.clock().step(0.6),
                part<ChartPanel>(window).beginNs() >= begin && part<ChartPanel>(window).beginNs() <= at),
            kLimit);
        window.setWorkspace(MainWindow::Workspace::Lecture);
        QCOMPARE(window.timeBar().track().nsAt(0), begin);
    }
}

void WindowUseTest::anAnswerFromParityIsCalledSo()
{
    Watching watching;
    QVERIFY(watching.isReady());
    MainWindow& window = watching.window;
    pb::Event started, done;
    for (pb::Event* event : { &started, &done }) {
        event->mutable_operation()->set_client(kFileClients);
        event->mutable_operation()->set_number(77);
    }
    started.mutable_operation_started()->set_key(101);
    started.mutable_operation_started()->set_kind(pb::SEARCH);
    started.mutable_operation_started()->set_bucket(1);
    done.mutable_operation_done()->set_key(101);
    done.mutable_operation_done()->set_kind(pb::SEARCH);
    done.mutable_operation_done()->set_bucket(1);
    done.mutable_operation_done()->set_result(pb::OK);
    done.mutable_operation_done()->set_path(pb::RECORD_RECOVERY);
    window.canvas().choose({ ObjectKind::Client, kFileClients, 0 });
    window.setWorkspace(MainWindow::Workspace::Inspect);
    window.findChild<QDockWidget*>("imageDock")->raise();
    const auto said = [&] {
        window.clock().step(0.2);
        return part<ImageView>(window).picture().texts().join(" | ");
    };
    // The subscription may be later than the first events.
    QVERIFY2(QTest::qWaitFor(
                 [&] {
                     return watching.cluster.tell(kFileClients, { started, done }), said().contains("key 101");
                 },
                 kLimit),
        qPrintable(said()));
    QTRY_VERIFY2_WITH_TIMEOUT(said().contains("record recovery"), qPrintable(said()), kLimit);
    QVERIFY2(!said().contains("bucket 1, direct: ok"), qPrintable(said()));
}

// At the usual size, where the log has room for a few lines beside the picture.
void WindowUseTest::theNewestSentenceOfTheLogIsReadToItsEnd()
{
    Watching watching;
    QVERIFY(watching.isReady());
    MainWindow& window = watching.window;
    window.setWorkspace(MainWindow::Workspace::Inspect);
    window.findChild<QDockWidget*>("logDock")->raise();
    auto* table = window.findChild<QTableView*>("logTable");
    pb::Event adjusted;
    adjusted.mutable_image_adjusted()->set_bucket(3);
    adjusted.mutable_image_adjusted()->set_level(2);
    adjusted.mutable_image_adjusted()->mutable_after()->set_i(2);
    const auto isListed = [&] {
        watching.cluster.tell(kFileClients, adjusted); // the subscription may be later than the first events
        QCoreApplication::processEvents();
        window.clock().step(0.3);
        return table->isVisible() && table->model()->rowCount() > 0;
    };
    QVERIFY(QTest::qWaitFor(isListed, kLimit));
    QCoreApplication::processEvents();
    window.clock().step(0.3);
    const QModelIndex newest = table->model()->index(table->model()->rowCount() - 1, 2);
    QVERIFY2(newest.data().toString().contains("adjusts its image from"), qPrintable(newest.data().toString()));
    const QRect cell = table->visualRect(newest);
    QVERIFY(table->viewport()->rect().contains(cell));
    const QRect words = QFontMetrics(table->font())
                            .boundingRect(cell.adjusted(4, 0, -4, 0), Qt::TextWordWrap, newest.data().toString());
    QVERIFY2(words.height() <= cell.height(),
        qPrintable(QString("%1 pixels of text in %2").arg(words.height()).arg(cell.height())));
}

// A client's image, if a scenario names the client; the contents of a bucket, if it names the bucket.
void WindowUseTest::theCameraShowsWhatTheCaptionSpeaksOf()
{
    Watching watching;
    QVERIFY(watching.isReady());
    MainWindow& window = watching.window;
    const ObjectRef client { ObjectKind::Client, kFileClients, 0 }, bucket { ObjectKind::Data, 2, 0 };
    CameraWish image;
    image.view = QStringLiteral("image");
    image.fit = fileWords().nameOf(watching.state(), client);
    QVERIFY2(image.fit.startsWith("client "), qPrintable(image.fit));
    emit window.player().cameraWished(image);
    QCOMPARE(window.selection().selected(), client);
    CameraWish records;
    records.fit = QStringLiteral("data 2");
    records.page = { { "group", 0 }, { "rank", 3 } };
    emit window.player().cameraWished(records);
    QCOMPARE(window.selection().selected(), (ObjectRef { ObjectKind::Parity, 0, 0 }));
    records.view = QStringLiteral("records");
    emit window.player().cameraWished(records);
    QCOMPARE(window.selection().selected(), bucket);
    QCOMPARE(window.selection().chosenPart(), 3u);
}

int main(int count, char** arguments) { return runOffscreen<WindowUseTest>(count, arguments); }
#include "tst_window_use.moc"
