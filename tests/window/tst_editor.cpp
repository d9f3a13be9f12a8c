// SPDX-License-Identifier: GPL-3.0-or-later
// Writing scenarios in the window: the text, its colours, its keys and its file.
#include "tests/rigs/gui/colour_difference.h"
#include "tests/rigs/gui/dialog_closer.h"
#include "tests/window/editor_stage.h"
#include "tests/rigs/gui/text_check.h"

#include "gui/lab/calls/lab_reference.h"
#include "gui/lab/script/scenario_file.h"
#include "gui/lab/script/script_check.h"
#include "gui/lab/replay/unsaved_store.h"

#include <QCompleter>
#include <QDir>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTimer>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

// "keyword const, call lab.split"
QString coloured(const QString& line, int& state)
{
    static const char* const kNames[] = { "comment", "string", "number", "keyword", "call", "later", "unknown" };
    QStringList parts;
    for (const ScriptWord& word : scriptWordsOf(line, state))
        parts << QLatin1String(kNames[int(word.kind)]) + ' ' + line.mid(word.at, word.length);
    return parts.join(" | ");
}

} // namespace

class EditorTest : public QObject {
    Q_OBJECT
private slots:
    void eachWordHasItsKind_data();
    void eachWordHasItsKind();
    void everyKindIsReadOnEveryGround();
    void whatIsNoScenarioIsSaidInOneSentence();
    void savingKeepsLineEndsAndEveryCharacter();
    void whatCameWithTheProgramIsSavedAsACopy();
    void aFileThatChangedOnTheDiskIsAskedAbout();
    void unsavedTextComesBackAfterAWindowThatDidNotClose();
    void closingAsksOnlyWhenSomethingWouldBeLost();
    void keysInTheTextAreForTheText();
    void callsAreCompletedAndExplained();
    void wordsAreFoundAndReplaced();
    void nothingIsClipped_data();
    void nothingIsClipped();
};

// ---- words

void EditorTest::eachWordHasItsKind_data()
{
    QTest::addColumn<QStringList>("lines");
    QTest::addColumn<QStringList>("words");
    const auto row = [](const char* name, const QStringList& lines, const QStringList& words) {
        QTest::newRow(name) << lines << words;
    };
    row("a call", { "const a = lab.split(); // now" }, { "keyword const | call lab.split | comment // now" });
    row("a call that is none", { "lab.splitt(); lab . file()" }, { "unknown lab.splitt | call lab . file" });
    for (const CallReference& call : LabReference::instance().calls())
        if (call.isUnsupported)
            row(qPrintable(call.name + " of a later version"), { call.name + "({})" }, { "later " + call.name });
    row("not of this lab", { "my.lab.split(); labor.x; lab;" }, { "" });
    row("of a client", { "alice.insert(5); list.push(1); x.insert" }, { "call insert | number 5 | number 1" });
    row("strings", { "say('it''s', \"a \\\" b\", 'open" },
        { "string 'it' | string 's' | string \"a \\\" b\" | string 'open" });
    row("numbers", { "1.5e-3 + 0xFF - .5 + a1 - 10" }, { "number 1.5e-3 | number 0xFF | number .5 | number 10" });
    row("a comment over lines", { "a /* if", "if lab.split */ if", "if" },
        { "comment /* if", "comment if lab.split */ | keyword if", "keyword if" });
    row("a template over lines", { "`M is ${lab.file().M} of", "${ { a: 1 }.a }` + if" },
        { "string `M is ${ | call lab.file | string } of", "string ${ | number 1 | string }` | keyword if" });
    row("expressions and division", { "x = /a'[/]b/g.test(s) / 2 / y; return /'/" },
        { "string /a'[/]b/g | number 2 | keyword return | string /'/" });
    row("no keywords as members", { "a.delete; a.delete(1); { if: 1, do : 2 }; default: if" },
        { "call delete | number 1 | number 1 | number 2 | keyword default | keyword if" });
    row("nothing", { "" }, { "" });
}

void EditorTest::eachWordHasItsKind()
{
    QFETCH(const QStringList, lines);
    QFETCH(const QStringList, words);
    int state = 0;
    for (qsizetype i = 0; i < lines.size(); ++i)
        QCOMPARE(coloured(lines[i], state), words[i]);
}

void EditorTest::everyKindIsReadOnEveryGround()
{
    for (const auto kind : { Theme::Kind::Light, Theme::Kind::Dark })
        for (const bool high : { false, true }) {
            const Theme theme(kind, 1, high);
            for (int word = 0; word <= int(ScriptWordKind::UnknownCall); ++word) {
                const QTextCharFormat format = formatOf(ScriptWordKind(word), theme);
                const double found = contrast(format.foreground().color(), theme.card);
                QVERIFY2(found >= 4.5,
                    qPrintable(QString("kind %1, %2, %3").arg(word).arg(theme.isDark() ? "dark" : "light").arg(found)));
            }
        }
}

// ---- files

void EditorTest::whatIsNoScenarioIsSaidInOneSentence()
{
    QTemporaryDir folder;
    const auto problem = [](const QString& path) {
        const auto read = readScenario(path);
        return read ? QString("no problem") : QString::fromStdString(read.error().text);
    };
    QVERIFY(problem(folder.filePath("none.js")).contains("none.js cannot be read: No such file"));
    QVERIFY(problem(folder.path()).contains("is a directory"));
    QVERIFY(put(folder.filePath("latin.js"), "lab.print(1);\nlab.say('gr\xfc\xdf');\n"));
    QVERIFY2(problem(folder.filePath("latin.js")).contains("is not UTF-8: see line 2"),
        qPrintable(problem(folder.filePath("latin.js"))));
    QVERIFY(put(folder.filePath("zero.js"), QByteArray("a\n\0b", 4)));
    QVERIFY(problem(folder.filePath("zero.js")).contains("line 2 has a zero byte"));
    QVERIFY(put(folder.filePath("large.js"), QByteArray((1 << 20) + 1, 'x')));
    QVERIFY2(problem(folder.filePath("large.js")).contains("1024 KiB at most"),
        qPrintable(problem(folder.filePath("large.js"))));
    const auto written = writeScenario(folder.filePath("no/such/x.js"), "a", false, false);
    QVERIFY(!written && QString::fromStdString(written.error().text).contains("there is no directory"));

    // The window shows the error at the text, and keeps the former text.
    Desk desk;
    QVERIFY(desk.isActive);
    desk.write("lab.print('mine');\n");
    QVERIFY(!desk.editor.open(folder.filePath("latin.js")));
    QVERIFY(desk.editor.banner().contains("is not UTF-8"));
    QCOMPARE(desk.edit.text(), QString("lab.print('mine');\n"));
    QVERIFY(!desk.editor.saveTo(folder.filePath("no/such/x.js")));
    QVERIFY2(desk.editor.banner().contains("there is no directory"), qPrintable(desk.editor.banner()));
    QVERIFY(desk.editor.isChanged());
    desk.editor.forgetUnsaved();
}

void EditorTest::savingKeepsLineEndsAndEveryCharacter()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("dos.js");
    // A no-break space, and no newline at the end.
    const QByteArray bytes = "\xef\xbb\xbf// x\r\nlab.print('a\xc2\xa0z \xf0\x9f\x98\x80');\r\n\tlab.print(2)";
    QVERIFY(put(path, bytes));
    Desk desk;
    QVERIFY(desk.isActive);
    QVERIFY(desk.editor.open(path));
    QVERIFY(!desk.editor.isChanged());
    desk.edit.moveCursor(QTextCursor::Start);
    desk.press(Qt::Key_X);
    QVERIFY(desk.editor.isChanged());
    QVERIFY(desk.window.findChild<QLabel*>("scenarioFile")->text().contains("dos.js, not saved"));
    desk.press(Qt::Key_S, Qt::ControlModifier);
    QVERIFY(!desk.editor.isChanged());
    QCOMPARE(bytesIn(path), QByteArray(bytes).insert(3, 'x'));
    // Both kinds of line ends: reported, and saved with the more frequent kind.
    QVERIFY(put(path, "a\r\nb\nc\n"));
    QVERIFY(desk.editor.open(path));
    QVERIFY(desk.editor.banner().contains("with a line feed"));
    QVERIFY(desk.editor.saveTo(path));
    QCOMPARE(bytesIn(path), QByteArray("a\nb\nc\n"));
}

void EditorTest::whatCameWithTheProgramIsSavedAsACopy()
{
    const QString scenarios = QStringLiteral(LHRS_SOURCE_DIR "/scenarios");
    QVERIFY(whyReadOnly(scenarios + "/grow.js", scenarios).contains("grow.js comes with the program"));
    QVERIFY(whyReadOnly(scenarios + "/README.md", scenarios).isEmpty());
    QTemporaryDir folder;
    QVERIFY(put(folder.filePath("grow.js"), "lab.print(1);\n"));
    QVERIFY(whyReadOnly(folder.filePath("grow.js"), scenarios).isEmpty());
    QVERIFY(QFile::setPermissions(folder.filePath("grow.js"), QFile::ReadOwner));
    QVERIFY(whyReadOnly(folder.filePath("grow.js"), scenarios).contains("may not be written"));

    Desk desk;
    QVERIFY(desk.isActive);
    const QByteArray before = bytesIn(scenarios + "/grow.js");
    QVERIFY(desk.window.files().openScenario(scenarios + "/grow.js", false));
    QVERIFY(desk.window.findChild<QLabel*>("scenarioFile")->text().contains("a copy is saved"));
    desk.press(Qt::Key_X);
    DialogCloser closer;
    desk.press(Qt::Key_S, Qt::ControlModifier);
    QCOMPARE(closer.seen, QStringList { "Save a copy: grow.js comes with the program" });
    QVERIFY(desk.editor.isChanged());
    QCOMPARE(bytesIn(scenarios + "/grow.js"), before);
    desk.editor.forgetUnsaved();
}

void EditorTest::aFileThatChangedOnTheDiskIsAskedAbout()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("mine.js");
    QVERIFY(put(path, "lab.print(1);\n"));
    Desk desk;
    QVERIFY(desk.isActive);
    QVERIFY(desk.editor.open(path));
    desk.edit.moveCursor(QTextCursor::End);
    QTest::keyClicks(&desk.edit, "lab.print(2);");
    QVERIFY(put(path, "lab.print(3);\n"));
    desk.press(Qt::Key_S, Qt::ControlModifier);
    QVERIFY2(desk.editor.banner().contains("mine.js has changed on the disk"), qPrintable(desk.editor.banner()));
    QCOMPARE(bytesIn(path), QByteArray("lab.print(3);\n"));
    desk.click("offer2"); // save this one
    QCOMPARE(bytesIn(path), QByteArray("lab.print(1);\nlab.print(2);"));
    QVERIFY(desk.editor.banner().isEmpty());
    // The question also comes when the window becomes active again.
    QVERIFY(put(path, "lab.print(4);\n"));
    QEvent back(QEvent::WindowActivate);
    QCoreApplication::sendEvent(&desk.window, &back);
    QVERIFY(desk.editor.banner().contains("has changed on the disk"));
    desk.click("offer1"); // show that text
    QCOMPARE(desk.edit.text(), QString("lab.print(4);\n"));
}

void EditorTest::unsavedTextComesBackAfterAWindowThatDidNotClose()
{
    QTemporaryDir folder;
    const QString unsaved = folder.filePath("unsaved"), path = folder.filePath("mine.js");
    QVERIFY(put(path, "lab.print(1);\n"));
    const auto kept = [&] { return QDir(unsaved).entryList({ "*.json" }, QDir::Files).size(); };
    {
        Desk desk(unsaved);
        QVERIFY(desk.editor.open(path));
        desk.edit.moveCursor(QTextCursor::End);
        QTest::keyClicks(&desk.edit, "lab.print(2);");
        QTRY_COMPARE_WITH_TIMEOUT(kept(), 1, kPatience);
        // Each running window keeps its own unsaved text.
        Desk other(unsaved);
        QVERIFY(!other.editor.hasLeft() && other.editor.banner().isEmpty());
    }
    {
        Desk desk(unsaved);
        QVERIFY(desk.editor.hasLeft());
        QVERIFY2(desk.editor.banner().contains("mine.js"), qPrintable(desk.editor.banner()));
        desk.click("offer1"); // restore it
        QCOMPARE(desk.edit.text(), QString("lab.print(1);\nlab.print(2);"));
        QVERIFY(desk.editor.isChanged() && !desk.editor.hasLeft());
        QCOMPARE(kept(), 1); // now as its own
        desk.edit.undo();
        QCOMPARE(desk.edit.text(), QString("lab.print(1);\n"));
        desk.edit.redo();
        desk.press(Qt::Key_S, Qt::ControlModifier);
        QCOMPARE(bytesIn(path), QByteArray("lab.print(1);\nlab.print(2);"));
        QCOMPARE(kept(), 0);
    }
    // An unsaved text without a file, which is then discarded. Files that are not ours are left alone.
    QVERIFY(put(unsaved + "/foreign.json", "{ \"text\": 5 }"));
    {
        Desk desk(unsaved);
        desk.edit.insertPlainText("lab.print('new');");
    } // closed before the text was stored
    Desk desk(unsaved);
    QVERIFY(desk.isActive);
    QVERIFY2(desk.editor.banner().contains("a new scenario"), qPrintable(desk.editor.banner()));
    desk.click("offer2"); // discard it
    QVERIFY(!desk.editor.hasLeft() && desk.editor.banner().isEmpty());
    QCOMPARE(kept(), 1);
    // A folder where nothing can be stored is reported.
    UnsavedStore nowhere(path + "/below");
    QVERIFY(nowhere.keep({ {}, "a", false, false, {}, {}, {} }).contains("is not kept against a crash"));
}

void EditorTest::closingAsksOnlyWhenSomethingWouldBeLost()
{
    QTemporaryDir folder;
    const auto answer = [](QMessageBox::StandardButton button) {
        QTimer::singleShot(0, [button] {
            if (auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget()))
                box->button(button)->click();
        });
    };
    QApplication::setQuitOnLastWindowClosed(false); // it is shown again
    Desk desk(folder.path());
    QVERIFY(desk.window.close()); // nothing was written
    desk.window.show();
    desk.window.actions().get("newScenario")->trigger();
    QVERIFY(desk.window.close()); // the template of a new one is no unsaved work either
    desk.window.show();
    desk.write("lab.print(1);");
    answer(QMessageBox::Cancel);
    QVERIFY(!desk.window.close());
    QVERIFY(desk.window.isVisible());
    // Opening another scenario asks too.
    answer(QMessageBox::Cancel);
    QVERIFY(!desk.window.files().openScenario(QStringLiteral(LHRS_SOURCE_DIR "/scenarios/grow.js"), false));
    QCOMPARE(desk.edit.text(), QString("lab.print(1);"));
    answer(QMessageBox::Discard);
    QVERIFY(desk.window.close());
    QVERIFY(QDir(folder.path()).entryList({ "*.json" }, QDir::Files).isEmpty());
}

// ---- keys

void EditorTest::keysInTheTextAreForTheText()
{
    QTemporaryDir folder;
    QVERIFY(put(folder.filePath("mine.js"), "\n"));
    Desk desk;
    QVERIFY(desk.isActive);
    QVERIFY(desk.editor.open(folder.filePath("mine.js")));
    std::vector<std::unique_ptr<QSignalSpy>> others;
    for (const char* id : { "saveRecording", "split", "startLocal", "leave", "delete", "insert", "update", "search",
             "playPause", "nextStep", "fit", "virtualRun" })
        others.push_back(std::make_unique<QSignalSpy>(desk.window.actions().get(id), &QAction::triggered));
    QTest::keyClicks(&desk.edit, "if (0) { x[1] = 'b,;/' }");
    for (const Qt::Key key : { Qt::Key_S, Qt::Key_W, Qt::Key_D, Qt::Key_I, Qt::Key_U })
        desk.press(key, Qt::ControlModifier);
    desk.press(Qt::Key_PageDown);
    desk.press(Qt::Key_F, Qt::ControlModifier);
    QVERIFY(desk.window.findChild<QLineEdit*>("findWords")->isVisible());
    QTest::keyClick(desk.window.findChild<QLineEdit*>("findWords"), Qt::Key_Escape);
    QVERIFY(desk.edit.hasFocus());
    for (const auto& other : others)
        QCOMPARE(other->size(), 0);
    QCOMPARE(bytesIn(folder.filePath("mine.js")), QByteArray("if (0) { x[1] = 'b,;/' }\n"));
    // A new line has the indentation of the previous ones; Ctrl+N opens a new text.
    desk.edit.selectAll();
    QTest::keyClicks(&desk.edit, "if (1) {");
    desk.press(Qt::Key_Return);
    QTest::keyClicks(&desk.edit, "f();");
    desk.press(Qt::Key_Return);
    QTest::keyClicks(&desk.edit, "}");
    QCOMPARE(desk.edit.text(), QString("if (1) {\n    f();\n}"));
    desk.press(Qt::Key_S, Qt::ControlModifier);
    desk.press(Qt::Key_N, Qt::ControlModifier);
    QVERIFY(desk.editor.path().isEmpty() && desk.edit.text().startsWith("// scenarios/mine.js"));
}

void EditorTest::callsAreCompletedAndExplained()
{
    const QString source = "const alice = lab.client('alice');\nconst work = alice.start({});\n";
    QCOMPARE(completionsFor("  lab.spl", source).words, QStringList { "split" });
    QCOMPARE(completionsFor("  lab.spl", source).start, qsizetype(6));
    QVERIFY(completionsFor("lab.", source).words.size() > 50);
    QCOMPARE(completionsFor("alice.in", source).words, QStringList { "insert" });
    QCOMPARE(completionsFor("work.", source).words, (QStringList { "progress", "stop", "wait" }));
    QVERIFY(completionsFor("nobody.", source).words.isEmpty());
    QVERIFY(completionsFor("lab.split", source).words.isEmpty()); // it is already complete
    QVERIFY(callHelp("lab.split();", 5).contains("Splits"));
    QVERIFY(callHelp("alice.insert(1)", 8).startsWith("client.insert(key, value)"));
    QVERIFY(callHelp("lab.splitt()", 5).contains("does not exist. Did you mean lab.split?"));
    QCOMPARE(callHelp("lab.lamps()", 5), QString("lab.lamps is now called lab.invariants."));
    QVERIFY(checkCalls("lab.lamps();")
                .value_or(ScriptProblem())
                .message.contains("lab.lamps is now called lab.invariants"));
    QVERIFY(callHelp("plain()", 2).isEmpty());
    Desk desk;
    QVERIFY(desk.isActive);
    QTest::keyClicks(&desk.edit, "lab.spli");
    auto* completer = desk.edit.findChild<QCompleter*>();
    QTRY_VERIFY_WITH_TIMEOUT(completer->popup()->isVisible(), kPatience);
    QTest::keyClick(completer->popup(), Qt::Key_Return);
    QCOMPARE(desk.edit.text(), QString("lab.split"));
    desk.editor.forgetUnsaved();
}

void EditorTest::wordsAreFoundAndReplaced()
{
    Desk desk;
    QVERIFY(desk.isActive);
    desk.write("lab.print('one');\nlab.print('two');\n");
    desk.press(Qt::Key_F, Qt::ControlModifier);
    auto* words = desk.window.findChild<QLineEdit*>("findWords");
    QTest::keyClicks(words, "print");
    QTest::keyClick(words, Qt::Key_Return);
    QTest::keyClick(words, Qt::Key_Return);
    QCOMPARE(desk.edit.cursorLine(), 2);
    QTest::keyClicks(desk.window.findChild<QLineEdit*>("replaceWords"), "say");
    desk.click("replaceAll");
    QCOMPARE(desk.edit.text(), QString("lab.say('one');\nlab.say('two');\n"));
    desk.edit.undo();
    QCOMPARE(desk.edit.text().count("print"), 2);
    desk.editor.forgetUnsaved();
}

// ---- appearance

void EditorTest::nothingIsClipped_data()
{
    QTest::addColumn<QSize>("size");
    QTest::addColumn<double>("scale");
    QTest::newRow("1280 x 720") << QSize(1280, 720) << 1.0;
    QTest::newRow("1280 x 720, 150 %") << QSize(1280, 720) << 1.5;
    QTest::newRow("1280 x 720, 200 %") << QSize(1280, 720) << 2.0;
    QTest::newRow("1920 x 1080") << QSize(1920, 1080) << 1.0;
}

void EditorTest::nothingIsClipped()
{
    QFETCH(const QSize, size);
    QFETCH(const double, scale);
    Desk desk;
    QVERIFY(desk.isActive);
    desk.window.looks().setFontScale(scale);
    desk.window.resize(size);
    const auto check = [&] {
        for (int frame = 0; frame < 4; ++frame) {
            QCoreApplication::processEvents();
            desk.window.clock().step(0.2);
        }
        return desk.window.size() == size ? clipped(desk.window) : QString("the window has grown");
    };
    QVERIFY2(check().isEmpty(), qPrintable(check()));
    desk.write("lab.step('a', 'A step with a title that is longer than most of them');\nlab.row('times', { total_s: "
               "1.5 });\nlab.expect(false, 'this holds');\n");
    desk.press(Qt::Key_R, Qt::ControlModifier);
    QTRY_VERIFY_WITH_TIMEOUT(!desk.edit.notes().empty(), kPatience);
    QVERIFY(desk.ends());
    QVERIFY2(check().isEmpty(), qPrintable(check()));
    QVERIFY2(desk.edit.height() > (scale < 2 ? 8 : 6) * desk.edit.fontMetrics().height(),
        qPrintable(QString::number(desk.edit.height())));
    desk.press(Qt::Key_F, Qt::ControlModifier);
    QVERIFY2(check().isEmpty(), qPrintable(check()));
    // However often the parts are laid out, they stay where they are.
    const auto places = [&] {
        QList<QRect> all;
        for (const QDockWidget* dock : desk.window.findChildren<QDockWidget*>())
            if (dock->isVisible())
                all.append(dock->geometry());
        return all;
    };
    const QList<QRect> before = places();
    for (int turn = 0; turn < 20; ++turn)
        QVERIFY2(check().isEmpty(), qPrintable(check()));
    QCOMPARE(places(), before);
    desk.editor.forgetUnsaved();
}

int main(int count, char** arguments) { return runOffscreen<EditorTest>(count, arguments); }
#include "tst_editor.moc"
