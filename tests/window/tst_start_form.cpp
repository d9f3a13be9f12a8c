// SPDX-License-Identifier: GPL-3.0-or-later
// The form that starts a cluster, by system: the chosen one shows its rows, its line and its objections; fields and
// choice are remembered; the keyboard reaches all of it in the order in which one reads; a ring is simulated from it.
#include "tests/rigs/gui/text_check.h"
#include "tests/rigs/gui/view_stage.h"
#include "tests/rigs/gui/window_options.h"

#include "gui/view/walk/ring_layout.h"
#include "gui/view/walk/ring_picture.h"
#include "gui/window/main/start_systems.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFile>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTemporaryDir>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

constexpr int kLimit = 60'000;

const QString kTree = QStringLiteral(LHRS_SOURCE_DIR "/scenarios");

void choose(StartPage& page, const char* system)
{
    auto* choice = page.findChild<QComboBox*>("system");
    choice->setCurrentIndex(choice->findData(QString::fromLatin1(system)));
}

void set(StartPage& page, const char* id, int value) { page.findChild<QSpinBox*>(id)->setValue(value); }

QString textOf(const StartPage& page, const char* label) { return page.findChild<QLabel*>(label)->text(); }

// The form is in front, with all its rows.
struct FormStage {
    MainWindow window { options() };
    StartPage& page = window.startPage();

    FormStage()
    {
        window.clock().stop();
        window.resize(1280, 720);
        window.show();
        page.showForm(true);
    }
    bool isReady() { return QTest::qWaitForWindowActive(&window); }
    bool isSeen(const char* id) { return page.findChild<QWidget*>(id)->isVisible(); }
    // The names of the fields that Tab reaches, from the one with the focus on.
    QStringList tabbed(int count)
    {
        QStringList names { QApplication::focusWidget()->objectName() };
        for (int i = 1; i < count; ++i) {
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
            names << QApplication::focusWidget()->objectName();
        }
        return names;
    }
};

} // namespace

class StartFormTest : public QObject {
    Q_OBJECT
private slots:
    void theChosenSystemShowsItsRows();
    void lineCommandAndCardsAreOfTheChosenSystem();
    void choiceAndFieldsAreRemembered();
    void settingsOfFormerSessionsAreRead();
    void whatCannotWorkIsOfTheChosenSystem();
    void theKeyboardGoesOnAsOneReads();
    void aListOfHostsIsTakenAndAWrongOneIsSaid();
    void aRingIsSimulatedFromTheForm();
};

void StartFormTest::theChosenSystemShowsItsRows()
{
    FormStage stage;
    QVERIFY(stage.isReady());
    stage.page.findChild<QPushButton*>("moreParameters")->click();
    const auto* intro = stage.page.findChild<QLabel*>("startIntro");
    const auto labelOf = [&](const char* id) {
        for (const QFormLayout* rows : stage.page.findChildren<QFormLayout*>())
            if (const QWidget* label = rows->labelForField(stage.page.findChild<QWidget*>(id)))
                return static_cast<const QLabel*>(label)->text();
        return QString();
    };
    const std::initializer_list<const char*> ofFile { "m", "k", "b", "field", "recovery", "dataServers", "slice", "tcp",
        "thresholds", "merges" },
        ofRing { "nodes", "outside", "bits" }, ofBoth { "system", "recordBytes", "slow", "gate", "clients" };
    for (int round = 0; round < 2; ++round)
        for (const bool isRing : { true, false }) {
            choose(stage.page, isRing ? "walk" : "lhrs");
            for (const char* id : ofBoth)
                QVERIFY2(stage.isSeen(id), id);
            for (const char* id : ofFile)
                QVERIFY2(stage.isSeen(id) == !isRing, id);
            for (const char* id : ofRing)
                QVERIFY2(stage.isSeen(id) == isRing, id);
            QCOMPARE(labelOf("recordBytes"), QString("bytes of a record"));
            QCOMPARE(labelOf("nodes"), isRing ? QString("nodes of the ring") : QString());
            QCOMPARE(labelOf("m"), isRing ? QString() : QString("data buckets of a group, m"));
            QVERIFY2(intro->text().startsWith(isRing ? "A ring that walks" : "An LH*RS file")
                    && intro->text().endsWith("Three ways to get one:"),
                qPrintable(intro->text()));
            QTRY_VERIFY2_WITH_TIMEOUT(clipped(stage.window).isEmpty(), qPrintable(clipped(stage.window)), kLimit);
        }
}

void StartFormTest::lineCommandAndCardsAreOfTheChosenSystem()
{
    StartPage page(kTree, startSystems());
    page.setTheme(Theme());
    set(page, "m", 7);
    const QString file = textOf(page, "startLine");
    QVERIFY(file.startsWith("lab.cluster({ m: 7, "));
    QVERIFY(textOf(page, "startCommand").startsWith("1 × lhrs-coordinator, 14 × lhrs-node, 1 × lhrs-client; "));
    choose(page, "walk");
    set(page, "nodes", 5);
    set(page, "clients", 2);
    QCOMPARE(textOf(page, "startLine"),
        QString("lab.cluster({ system: 'walk', nodes: 5, outside: 2, bits: 32, recordBytes: 100 });"));
    QVERIFY(textOf(page, "startCommand")
                .startsWith("1 × lhrs-coordinator, 7 × lhrs-node, 2 × lhrs-client, each with --system walk; "));
    QVERIFY2(textOf(page, "startNote").startsWith("10 processes"), qPrintable(textOf(page, "startNote")));
    QVERIFY(!textOf(page, "startNote").contains("registry")); // a ring needs no multicast
    QCOMPARE(
        page.findChild<Card*>("playLive")->words().facts, QString("Starts 10 processes: a ring of 5 nodes, 2 outside"));
    QCOMPARE(page.findChild<Card*>("playSimulated")->words().facts,
        QString("Starts 1 process: a ring of 5 nodes, 2 outside, seed 1"));
    QCOMPARE(page.findChild<Card*>("playLive")->words().picture, QString("walk"));
    set(page, "seed", 4);
    QVERIFY(page.findChild<Card*>("playSimulated")->words().facts.endsWith("seed 4"));
    for (const char* id : { "gate", "slow" })
        page.findChild<QCheckBox*>(id)->setChecked(true);
    set(page, "bits", 16);
    QCOMPARE(textOf(page, "startLine"),
        QString("lab.cluster({ system: 'walk', nodes: 5, outside: 2, bits: 16, recordBytes: 100, gate: true, timers: "
                "'classroom' });"));
    QVERIFY(textOf(page, "startCommand").contains(", each with --system walk --gate; "));
    const LocalOptions ring = page.localOptions();
    QCOMPARE(ring.ring, (RingOptions { 16, 5, 2 }));
    QVERIFY(ring.hasGate && ring.slowTimers);
    // The file is as it was left.
    choose(page, "lhrs");
    for (const char* id : { "gate", "slow" })
        page.findChild<QCheckBox*>(id)->setChecked(false);
    QCOMPARE(textOf(page, "startLine"), file);
    QVERIFY(!page.localOptions().ring);
    QCOMPARE(page.findChild<Card*>("playLive")->words().facts, QString("Starts 17 processes: m = 7, K = 1, b = 40"));
    QCOMPARE(page.findChild<Card*>("playLive")->words().picture, QString("free_live"));
}

void StartFormTest::choiceAndFieldsAreRemembered()
{
    const QTemporaryDir folder;
    const QString settings = folder.filePath("window.ini");
    {
        StartPage page(kTree, startSystems());
        set(page, "b", 77);
        page.findChild<QPushButton*>("moreParameters")->setChecked(true);
        choose(page, "walk");
        set(page, "nodes", 6);
        Remembered remembered(settings);
        page.keep(remembered);
    }
    const Remembered remembered(settings);
    QCOMPARE(remembered.text("start/system", {}), QString("walk"));
    StartPage page(kTree, startSystems());
    page.recall(remembered);
    QCOMPARE(page.localOptions().ring, (RingOptions { 32, 6, 2 }));
    QVERIFY(page.findChild<QPushButton*>("moreParameters")->isChecked());
    choose(page, "lhrs");
    QCOMPARE(page.localOptions().config.b(), 77u);
}

// They know no choice of a system, or one that this window does not have.
void StartFormTest::settingsOfFormerSessionsAreRead()
{
    const QTemporaryDir folder;
    Remembered remembered(folder.filePath("window.ini"));
    for (const auto& [key, value] : { std::pair("start/m", QVariant(6)), std::pair("start/recovery", QVariant(2)),
             std::pair("start/merges", QVariant(true)), std::pair("start/thresholds", QVariant("8, 32")),
             std::pair("start/more", QVariant(true)), std::pair("start/address", QVariant("127.0.0.1:4711")) })
        remembered.keep(key, value);
    for (const char* system : { "", "a system of another year" }) {
        if (*system != 0)
            remembered.keep("start/system", system);
        StartPage page(kTree, startSystems());
        choose(page, "walk");
        page.recall(remembered);
        const LocalOptions options = page.localOptions();
        QVERIFY2(!options.ring, system);
        QCOMPARE(options.config.m(), 6u);
        QCOMPARE(options.config.recovery(), pb::RECOVERY_OFF);
        QVERIFY(options.config.merges());
        QCOMPARE(options.config.thresholds_size(), 2);
        QVERIFY(page.findChild<QPushButton*>("moreParameters")->isChecked());
        QCOMPARE(page.form().address(), QString("127.0.0.1:4711"));
    }
}

void StartFormTest::whatCannotWorkIsOfTheChosenSystem()
{
    StartPage page(kTree, startSystems());
    page.setTheme(Theme());
    page.show();
    const auto mayStart = [&] {
        const bool isLive = page.findChild<QPushButton*>("startLocal")->isEnabled();
        return isLive == page.findChild<QPushButton*>("startSimulated")->isEnabled() ? isLive : !isLive;
    };
    choose(page, "walk");
    set(page, "bits", 8);
    set(page, "nodes", 60);
    QVERIFY2(page.objection().contains("ids of 8 bits") && page.objection().contains("more bits or fewer nodes"),
        qPrintable(page.objection()));
    QCOMPARE(textOf(page, "startNote"), page.objection());
    QVERIFY(!page.form().canStart() && !page.form().canSimulate() && !mayStart());
    choose(page, "lhrs");
    QVERIFY2(page.objection().isEmpty() && mayStart(), qPrintable(page.objection()));
    set(page, "k", 8);
    QVERIFY2(page.objection().contains("parity servers"), qPrintable(page.objection()));
    choose(page, "walk");
    set(page, "nodes", 10); // 45 pairs for 256 ids
    QVERIFY2(page.objection().isEmpty() && mayStart(), qPrintable(page.objection()));
    set(page, "bits", 9);
    set(page, "nodes", 27); // 351 pairs for 512 ids
    QVERIFY2(page.objection().isEmpty(), qPrintable(page.objection()));
    set(page, "nodes", 28);
    QVERIFY(!page.objection().isEmpty());
    // More processes than a window starts can still be simulated.
    set(page, "bits", 32);
    set(page, "nodes", 300);
    set(page, "outside", 300);
    QVERIFY2(page.objection().contains("602 processes"), qPrintable(page.objection()));
    QVERIFY(!page.form().canStart() && page.form().canSimulate());
}

void StartFormTest::theKeyboardGoesOnAsOneReads()
{
    FormStage stage;
    QVERIFY(stage.isReady());
    const QStringList others { "moreParameters", "hosts", "startLocal" };
    QCOMPARE(stage.tabbed(13),
        QStringList(
            { "system", "m", "k", "b", "recordBytes", "field", "recovery", "dataServers", "parityServers", "slow" })
            + others);
    stage.page.findChild<QWidget*>("system")->setFocus();
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Down);
    QVERIFY(stage.isSeen("nodes"));
    QCOMPARE(stage.tabbed(8), QStringList({ "system", "nodes", "outside", "recordBytes", "slow" }) + others);
    stage.page.findChild<QWidget*>("moreParameters")->setFocus();
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Space);
    QCOMPARE(stage.tabbed(6), QStringList({ "moreParameters", "bits", "gate", "clients", "hosts", "startLocal" }));
    stage.page.findChild<QWidget*>("connect")->setFocus();
    QCOMPARE(stage.tabbed(5), QStringList({ "connect", "keyFile", "seed", "speed", "startSimulated" }));
}

void StartFormTest::aListOfHostsIsTakenAndAWrongOneIsSaid()
{
    FormStage stage;
    QVERIFY(stage.isReady());
    StartForm& form = stage.page.form();
    auto* const hosts = stage.page.findChild<QLineEdit*>("hosts");
    const auto note = [&] { return stage.page.findChild<QLabel*>("startNote")->text(); };
    QTemporaryDir folder;
    const QString path = folder.filePath("hosts");
    const auto write = [&](const char* text) {
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write(text);
        file.close();
        hosts->clear();
        hosts->setText(path);
    };
    hosts->setText(path);
    QVERIFY(!form.canStart() && form.canSimulate());
    QVERIFY2(note().startsWith("Hosts: the list of hosts " + path), qPrintable(note()));
    write("lab1\nlab2 max-data=3 address=10.0.0.2\n");
    QVERIFY2(form.canStart(), qPrintable(note()));
    QVERIFY2(note().contains("processes on 2 hosts, with keys"), qPrintable(note()));
    QCOMPARE(form.localOptions().hosts.size(), std::size_t(2));
    QVERIFY2(form.line().endsWith(", hosts: ['lab1', { name: 'lab2', address: '10.0.0.2', 'max-data': 3 }] });"),
        qPrintable(form.line()));
    write("lab1 speed=3\n");
    QVERIFY2(note().contains("hosts:1: a host has no \"speed\""), qPrintable(note()));
    hosts->clear();
    QVERIFY(form.canStart() && form.localOptions().hosts.empty() && !form.line().contains("hosts"));
}

void StartFormTest::aRingIsSimulatedFromTheForm()
{
    MainWindow window(options());
    window.resize(1280, 720);
    window.show();
    choose(window.startPage(), "walk");
    set(window.startPage(), "nodes", 5);
    set(window.startPage(), "outside", 1);
    set(window.startPage(), "recordBytes", 33);
    QSignalSpy said(&window.cluster().report(), &CommandReport::said),
        answered(&window.cluster().report(), &CommandReport::answered);
    window.startPage().findChild<QPushButton*>("startSimulated")->click();
    QCOMPARE(said[0][0].toString(),
        QString("lab.cluster({ system: 'walk', nodes: 5, outside: 1, bits: 32, recordBytes: 33 });"));
    QTRY_VERIFY_WITH_TIMEOUT(
        window.showsCluster() && window.workloads().client() != 0 && window.pacer().state().ring.inRing().size() == 5,
        kLimit);
    QTRY_VERIFY_WITH_TIMEOUT(&window.canvas().view() == &window.canvas().viewOf<RingPicture>(), kLimit);
    QTRY_VERIFY_WITH_TIMEOUT(window.pacer().state().isSimulated, kLimit);
    QTRY_COMPARE_WITH_TIMEOUT(nodesOutside(window.pacer().state()).size(), std::size_t(1), kLimit);
    // Its first commands: records of that length, and a node joins.
    QTRY_VERIFY_WITH_TIMEOUT(window.actions().get("insert")->isEnabled(), kLimit);
    answered.clear();
    window.workloads().countBox()->setValue(12);
    window.actions().get("insert")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(answered.size(), 1, kLimit);
    QVERIFY2(answered[0][1].toString().contains("12 operations, 12 ok"), qPrintable(answered[0][1].toString()));
    QCOMPARE(window.cluster().link().recordBytes(), 33u);
    QTRY_VERIFY_WITH_TIMEOUT(window.actions().get("joinRing")->isEnabled(), kLimit);
    window.actions().get("joinRing")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(window.pacer().state().ring.inRing().size(), std::size_t(6), kLimit);
}

int main(int count, char** arguments) { return runOffscreen<StartFormTest>(count, arguments); }
#include "tst_start_form.moc"
