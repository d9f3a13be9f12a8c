// SPDX-License-Identifier: GPL-3.0-or-later
// Running scenarios in the window: the script's position in its text, breakpoints, and its results.
#include "tests/window/editor_stage.h"

#include "gui/lab/recording/recording.h"
#include "gui/window/show/window_time.h"

#include <QAbstractItemModelTester>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>

using namespace lhrs;
using namespace lhrs::gui;

class EditorRunTest : public QObject {
    Q_OBJECT
private slots:
    void aBreakpointStopsBeforeItsCall();
    void oneKeyMakesOneCall();
    void marksStayWithTheirLinesWhenTheTextChanges();
    void whatIsWrongStandsInItsLine_data();
    void whatIsWrongStandsInItsLine();
    void aTextThatIsNoProgramDoesNotRun();
    void stepsAreTickedAndLeadToTheirLines();
    void rowsAppearWhileTheScenarioRuns();
    void theRecordingHasTheScenarioAndItsRows();
    void clicksAreRecordedAsLines();
};

// ---- the script's position

void EditorRunTest::aBreakpointStopsBeforeItsCall()
{
    Desk desk;
    QVERIFY(desk.isActive);
    desk.write("lab.print('one');\n"
               "// nothing here\n"
               "lab.print('two');\n"
               "for (let i = 0; i < 2; ++i) {\n"
               "    lab.print('three');\n"
               "    lab.print('four');\n"
               "}\n");
    desk.edit.goTo(2);
    desk.press(Qt::Key_F9); // the script cannot stop at this line; it stops at the next call
    QCOMPARE(desk.edit.breakpoints(), std::set<int> { 3 });
    auto* margin = desk.edit.findChild<QWidget*>("scriptMargin");
    int y = 1;
    while (desk.edit.lineAt(y) != 5)
        ++y;
    QTest::mouseClick(margin, Qt::LeftButton, {}, QPoint(5, y + 3));
    QCOMPARE(desk.edit.breakpoints(), (std::set<int> { 3, 5 }));
    QVERIFY(desk.edit.marginHelp(3).contains("Breakpoint"));
    desk.press(Qt::Key_R, Qt::ControlModifier);
    QVERIFY(desk.stands(3));
    QCOMPARE(desk.said(), QStringList { "one" });
    QVERIFY2(desk.editor.words().contains("before line 3, lab.print"), qPrintable(desk.editor.words()));
    desk.press(Qt::Key_R, Qt::ControlModifier);
    QVERIFY(desk.stands(5));
    QCOMPARE(desk.said(), (QStringList { "one", "two" }));
    desk.press(Qt::Key_R, Qt::ControlModifier);
    QTRY_COMPARE_WITH_TIMEOUT(desk.said().size(), 4, kPatience); // in each iteration
    QVERIFY(desk.stands(5));
    // Removed while the script is stopped there: it still waits for a command.
    QTest::mouseClick(margin, Qt::LeftButton, {}, QPoint(5, y + 3));
    QCOMPARE(desk.edit.breakpoints(), std::set<int> { 3 });
    QVERIFY(desk.window.player().isHeld());
    desk.press(Qt::Key_R, Qt::ControlModifier);
    QVERIFY(desk.ends());
    QCOMPARE(desk.said().mid(0, 6), (QStringList { "one", "two", "three", "four", "three", "four" }));
    // The scenario had no captions.
    QVERIFY2(
        desk.window.player().words().caption.startsWith("The end."), qPrintable(desk.window.player().words().caption));
    // To the cursor: once.
    desk.press(Qt::Key_F9);
    desk.edit.goTo(3);
    for (const int line : desk.edit.breakpoints())
        desk.edit.toggleBreakpoint(line);
    desk.edit.goTo(6);
    desk.press(Qt::Key_F10, Qt::ControlModifier);
    QVERIFY(desk.stands(6));
    QCOMPARE(desk.said(), (QStringList { "one", "two", "three" }));
    desk.press(Qt::Key_R, Qt::ControlModifier);
    QVERIFY(desk.ends());
    QCOMPARE(desk.said().count("four"), 2);
    desk.editor.forgetUnsaved();
}

void EditorRunTest::oneKeyMakesOneCall()
{
    Desk desk;
    QVERIFY(desk.isActive);
    desk.write("function f() {\n"
               "    lab.print('in f');\n"
               "}\n"
               "lab.print('one');\n"
               "f();\n"
               "lab.step('b', 'B');\n"
               "lab.print('last');\n");
    // The text is a valid program.
    QTRY_VERIFY_WITH_TIMEOUT(desk.window.actions().get("nextCall")->isEnabled(), kPatience);
    desk.press(Qt::Key_F10);
    QVERIFY(desk.stands(4));
    QVERIFY(desk.said().isEmpty());
    desk.press(Qt::Key_F10);
    QVERIFY(desk.stands(2)); // a call inside a function stops at its own line
    QCOMPARE(desk.said(), QStringList { "one" });
    desk.press(Qt::Key_PageDown); // while a scenario runs, the next step: also in the text
    QVERIFY(desk.stands(6));
    QCOMPARE(desk.said(), (QStringList { "one", "in f" }));
    QVERIFY(desk.edit.marginHelp(4).contains("First reached after"));
    desk.click("nextCallHere");
    QVERIFY(desk.stands(7));
    QVERIFY(desk.window.actions().get("stopScenario")->isEnabled());
    desk.press(Qt::Key_Period, Qt::ControlModifier);
    QVERIFY(desk.ends());
    QVERIFY(!desk.said().contains("last"));
    // An endless scenario is paused at its next call.
    desk.write("for (;;)\n    lab.here();\n");
    desk.press(Qt::Key_R, Qt::ControlModifier);
    QTRY_VERIFY_WITH_TIMEOUT(desk.edit.currentLine() == 2, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(desk.window.actions().get("pauseScenario")->isEnabled(), kPatience);
    desk.press(Qt::Key_F8);
    QVERIFY(desk.stands(2));
    desk.click("stopScenarioHere");
    QVERIFY(desk.ends());
    desk.editor.forgetUnsaved();
}

void EditorRunTest::marksStayWithTheirLinesWhenTheTextChanges()
{
    Desk desk;
    QVERIFY(desk.isActive);
    desk.write("lab.print('one');\nlab.print('two');\nlab.print('three');\n");
    desk.edit.toggleBreakpoint(2);
    desk.press(Qt::Key_R, Qt::ControlModifier);
    QVERIFY(desk.stands(2));
    desk.edit.moveCursor(QTextCursor::Start);
    QTest::keyClicks(&desk.edit, "lab.print('new');");
    desk.press(Qt::Key_Return);
    QCOMPARE(desk.edit.currentLine(), 3);
    QCOMPARE(desk.edit.breakpoints(), std::set<int> { 3 });
    QCOMPARE(desk.edit.breakpointsOfRun(), std::set<int> { 2 });
    QTRY_VERIFY_WITH_TIMEOUT(desk.editor.words().contains("as it was when it began"), kPatience);
    desk.edit.toggleBreakpoint(4);
    desk.press(Qt::Key_R, Qt::ControlModifier);
    QVERIFY(desk.stands(4)); // the third line of the running text
    desk.press(Qt::Key_R, Qt::ControlModifier);
    QVERIFY(desk.ends());
    QCOMPARE(desk.said().mid(0, 3), (QStringList { "one", "two", "three" }));
    desk.press(Qt::Key_F10); // the newest text
    QVERIFY(desk.stands(1));
    desk.press(Qt::Key_F10);
    QVERIFY(desk.stands(2));
    QCOMPARE(desk.said(), QStringList { "new" });
    desk.click("stopScenarioHere");
    QVERIFY(desk.ends());
    desk.editor.forgetUnsaved();
}

void EditorRunTest::whatIsWrongStandsInItsLine_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("line");
    QTest::addColumn<QString>("words");
    QTest::newRow("a word of lab that is none") << "lab.print(1);\n\nlab.splitt();\n" << 3 << "Did you mean lab.split?";
    QTest::newRow("thrown by the script") << "lab.print(1);\nthrow new Error('mine');\n" << 2 << "mine";
    QTest::newRow("inside lab, inside a function") << "function f() {\n    lab.split();\n}\nlab.print(1);\nf();\n"
                                                   << 2 << "needs a cluster";
    QTest::newRow("an expectation, with both values") << "const a = 1 + 1;\nlab.expectEqual(a, 3, 'it is three');\n"
                                                      << 2 << "it is three";
}

void EditorRunTest::whatIsWrongStandsInItsLine()
{
    QFETCH(const QString, text);
    QFETCH(const int, line);
    QFETCH(const QString, words);
    Desk desk;
    QVERIFY(desk.isActive);
    desk.write(text);
    desk.press(Qt::Key_R, Qt::ControlModifier);
    QTRY_VERIFY_WITH_TIMEOUT(!desk.edit.notes().empty(), kPatience);
    QVERIFY(desk.ends());
    QCOMPARE(desk.edit.notes().begin()->first, line);
    QVERIFY2(desk.edit.notes().begin()->second.contains(words), qPrintable(desk.edit.notes().begin()->second));
    if (words == "it is three") {
        QVERIFY2(desk.edit.notes().at(2).contains('2') && desk.edit.notes().at(2).contains('3'),
            qPrintable(desk.edit.notes().at(2)));
    }
    QVERIFY2(desk.editor.words().startsWith(QString("Line %1: ").arg(line)), qPrintable(desk.editor.words()));
    // The note stays at its line until the scenario runs again.
    desk.edit.moveCursor(QTextCursor::Start);
    desk.press(Qt::Key_Return);
    QCOMPARE(desk.edit.notes().begin()->first, line + 1);
    desk.editor.forgetUnsaved();
}

void EditorRunTest::aTextThatIsNoProgramDoesNotRun()
{
    Desk desk;
    QVERIFY(desk.isActive);
    desk.write("lab.print(1);\nconst a = { ...b };\n");
    QTRY_VERIFY_WITH_TIMEOUT(desk.edit.notes().contains(2), kPatience); // when typing stops
    QVERIFY2(desk.editor.words().contains("Object.assign"), qPrintable(desk.editor.words()));
    desk.window.player().runToEnd();
    QVERIFY(!desk.window.player().run().isRunning());
    QVERIFY2(desk.window.player().words().caption.contains("line 2") || !desk.window.player().isLoaded(),
        qPrintable(desk.window.player().words().caption));
    QCOMPARE(desk.edit.cursorLine(), 2);
    desk.write("// only words\n");
    QTRY_VERIFY_WITH_TIMEOUT(desk.edit.notes().empty(), kPatience);
    QVERIFY2(desk.editor.words().contains("Write lab."), qPrintable(desk.editor.words()));
    // A file that is no valid program can be opened for repair.
    QTemporaryDir folder;
    QVERIFY(put(folder.filePath("broken.js"), "lab.print(1;\n"));
    desk.editor.forgetUnsaved();
    QVERIFY(!desk.window.files().openScenario(folder.filePath("broken.js"), false));
    QVERIFY(desk.edit.text().startsWith("lab.print(1;") && desk.edit.notes().contains(1));
}

void EditorRunTest::stepsAreTickedAndLeadToTheirLines()
{
    Desk desk;
    QVERIFY(desk.isActive);
    QAbstractItemModelTester tester(
        &desk.editor.side().steps(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    desk.write("lab.step('a', 'The first');\n"
               "lab.print(1);\n"
               "for (const name of ['x', 'y'])\n"
               "    lab.step('b', name);\n"
               "lab.step('c', 'The last');\n");
    const auto states = [&] {
        QStringList words;
        for (const StepModel::Row& row : desk.editor.side().steps().rows())
            words << QString("%1 %2 %3 %4").arg(row.line).arg(row.id, row.title).arg(int(row.state));
        return words;
    };
    QTRY_COMPARE_WITH_TIMEOUT(
        states(), (QStringList { "1 a The first 1", "4 b  0", "5 c The last 0" }), kPatience); // 1: next
    desk.window.actions().get("nextStep")->trigger();
    QVERIFY(desk.stands(1));
    desk.window.actions().get("nextStep")->trigger();
    QVERIFY(desk.stands(4));
    QTRY_COMPARE_WITH_TIMEOUT(states(), (QStringList { "1 a The first 3", "4 b  1", "5 c The last 0" }), kPatience);
    desk.window.actions().get("nextStep")->trigger();
    QVERIFY(desk.stands(4));
    QTRY_COMPARE_WITH_TIMEOUT(states().value(1), QString("4 b x 3"), kPatience);
    desk.press(Qt::Key_F10); // the step itself, and nothing further
    QVERIFY(desk.stands(5));
    QTRY_COMPARE_WITH_TIMEOUT(
        states(), (QStringList { "1 a The first 3", "4 b x 3", "4 b y 3", "5 c The last 1" }), kPatience);
    desk.press(Qt::Key_R, Qt::ControlModifier);
    QVERIFY(desk.ends());
    QTRY_COMPARE_WITH_TIMEOUT(states().last(), QString("5 c The last 3"), kPatience);
    // Each result shows its duration; a click leads to its line.
    auto* view = desk.window.findChild<QTableView*>("steps");
    QVERIFY(view->model()->index(0, StepModel::Time).data().toString().endsWith(" s"));
    QTest::mouseClick(
        view->viewport(), Qt::LeftButton, {}, view->visualRect(view->model()->index(3, StepModel::Title)).center());
    QCOMPARE(desk.edit.cursorLine(), 5);
    desk.editor.forgetUnsaved();
}

void EditorRunTest::rowsAppearWhileTheScenarioRuns()
{
    Desk desk;
    QVERIFY(desk.isActive);
    ResultModel& results = desk.editor.side().results();
    QAbstractItemModelTester tester(&results, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QVERIFY(!desk.window.actions().get("exportTables")->isEnabled());
    desk.write("lab.row('times', { b: 'small', total_s: 1.5 });\n"
               "lab.step('b', 'B');\n"
               "lab.row('times', { b: 'large', total_s: 2.25, comm_s: 0.5 });\n"
               "lab.row('others', { x: 7 });\n");
    desk.edit.toggleBreakpoint(2);
    desk.edit.toggleBreakpoint(4);
    desk.press(Qt::Key_R, Qt::ControlModifier);
    QVERIFY(desk.stands(2));
    QTRY_COMPARE_WITH_TIMEOUT(results.rowCount(), 1, kPatience);
    QCOMPARE(desk.window.findChild<QTabWidget*>("playTabs")->currentIndex(), 1); // the results come to the front
    desk.press(Qt::Key_R, Qt::ControlModifier);
    QVERIFY(desk.stands(4));
    QTRY_COMPARE_WITH_TIMEOUT(results.rowCount(), 2, kPatience);
    QStringList columns, cells;
    for (int column = 0; column < results.columnCount(); ++column) {
        columns << results.headerData(column, Qt::Horizontal).toString();
        cells << results.index(1, column).data().toString();
    }
    QCOMPARE(columns, (QStringList { "repetition", "b", "total_s", "comm_s" }));
    QCOMPARE(cells, (QStringList { "–", "large", "2.25", "0.5" }));
    desk.press(Qt::Key_R, Qt::ControlModifier);
    QVERIFY(desk.ends());
    QTRY_COMPARE_WITH_TIMEOUT(desk.window.findChild<QComboBox*>("resultTable")->count(), 2, kPatience);
    QVERIFY(desk.window.actions().get("exportTables")->isEnabled());
    desk.window.findChild<QComboBox*>("resultTable")->setCurrentText("times");
    QCOMPARE(results.rowCount(), 2);
    // Editing a line does not remove the results.
    desk.edit.moveCursor(QTextCursor::End);
    QTest::keyClicks(&desk.edit, "lab.print(1);");
    QTRY_COMPARE_WITH_TIMEOUT(desk.window.player().scenario().source, desk.edit.text(), kPatience);
    QCOMPARE(results.rowCount(), 2);
    desk.editor.forgetUnsaved();
}

void EditorRunTest::theRecordingHasTheScenarioAndItsRows()
{
    QTemporaryDir folder;
    Desk desk;
    QVERIFY(desk.isActive);
    const QString text = "lab.row('times', { b: 'small', total_s: 1.5 });\n";
    desk.write(text);
    desk.press(Qt::Key_R, Qt::ControlModifier);
    QTRY_COMPARE_WITH_TIMEOUT(desk.editor.side().results().rowCount(), 1, kPatience);
    QVERIFY(desk.ends());
    QVERIFY(desk.window.time().save(folder.filePath("run.lhrun")));
    auto recording = Recording::open(folder.filePath("run.lhrun"));
    QVERIFY2(recording, recording ? "" : recording.error().text.c_str());
    QCOMPARE((*recording)->rows("scenario").front().at("text").toString(), text);
    QCOMPARE((*recording)->rows("metric").front().at("value").toDouble(), 1.5);
    desk.editor.forgetUnsaved();
}

void EditorRunTest::clicksAreRecordedAsLines()
{
    Desk desk;
    QVERIFY(desk.isActive);
    desk.write("if (true) {\n    lab.print(1);\n}\n");
    desk.edit.goTo(2);
    emit desk.window.cluster().report().said("lab.split();"); // no recording
    desk.click("recordClicksHere");
    emit desk.window.cluster().report().said("lab.split();");
    emit desk.window.cluster().report().said("lab.client('alice').search(5);");
    QCOMPARE(desk.edit.text(),
        QString("if (true) {\n    lab.print(1);\n    lab.split();\n    lab.client('alice').search(5);\n}\n"));
    desk.window.actions().get("recordClicks")->trigger();
    emit desk.window.cluster().report().said("lab.split();");
    QCOMPARE(desk.edit.text().count("lab.split();"), 1);
    desk.editor.forgetUnsaved();
}

int main(int count, char** arguments) { return runOffscreen<EditorRunTest>(count, arguments); }
#include "tst_editor_run.moc"
