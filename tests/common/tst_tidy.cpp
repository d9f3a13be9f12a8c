// SPDX-License-Identifier: GPL-3.0-or-later
// A house rule counts only if a test enforces it. This test reads the tree and fails where a file breaks a rule. Before
// that, a few lines in memory show that each rule detects a violation.
#include "tests/common/tidy_rules.h"
#include "tests/common/tidy_words.h"

#include <QDirIterator>
#include <QFile>
#include <QProcess>
#include <QTest>

using namespace lhrs::tidy;

class TidyTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();

    void theTreeWasRead();
    void includesFollowTheArrows();
    void theArrowsHaveNoCircle();
    void generalRoomsSeeNoSystem();
    void generalRoomsSayNothingOfLhrs();
    void eachFolderIsARoomAndSaysWhatItIs();
    void theCoreIsFreeOfTheWorld();
    void gfCompleteStaysInItsFile();
    void exceptionsStayInTheFileThatCatches();
    void eachHeaderIsReadOnce();
    void eachFileCarriesItsLicence();
    void noFileIsTooLong();
    void noLineIsTooWide();
    void clangFormatChangesNothing();
    void nothingIsLeftOver();
    void eachSourceIsNamedByItsCMakeLists();
    void noNameIsGivenTwice();
    void eachMessageEventAndCommandHasASentence();
    void theReadmeOfProtoTellsOfEachEventAndCommand();
    void eachMessageHasAHandler();
    void eachMessageHasASection();
    void notesThatCommentsNameAreThere();
    void functionsThatProtocolNamesAreThere();
    void documentsThatAreCitedAreThere();
    void mutantsAreInListAndCode();
    void failpointsAreInListAndCode();

    void aRuleBites_data();
    void aRuleBites();
    void codeIsWhatRemainsOfAText();
    void aFileThatNobodyNamesIsFound();
    void aNameThatIsGivenTwiceIsFound();
    void aMessageWithoutHandlerSentenceOrSectionIsFound();
    void aFunctionThatIsGoneIsFound();
    void aNoteThatIsMissingIsFound();
    void aMutantThatIsOnlyListedOrOnlyUsedIsFound();
    void aFailpointThatIsOnlyListedOrOnlyUsedIsFound();

private:
    void nothing(const QStringList& findings);
    void eachFile(QStringList (*rule)(const File&));
    File named(const QString& path) const;
    File definitionsOf(const QString& kind) const;

    QList<File> m_files;
};

static QString readAll(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

void TidyTest::initTestCase()
{
    const QDir root(QStringLiteral(LHRS_SOURCE_DIR));
    QStringList paths { u"CMakeLists.txt"_s, u"README.md"_s, u"run"_s, u".ci/run"_s };
    for (const auto* folder : { "proto", "common", "node", "gui", "scenarios", "tests" }) {
        QDirIterator it(root.filePath(QLatin1String(folder)), QDir::Files, QDirIterator::Subdirectories);
        while (it.hasNext())
            paths << root.relativeFilePath(it.next());
    }
    static const QRegularExpression kText(
        uR"re((\.(cpp|h|proto|js|py|sh|md|json|case|events)|mutants\.txt|CMakeLists\.txt|run)$)re"_s);
    paths.sort();
    for (const QString& path : paths)
        if (path.contains(kText) && !path.contains("__pycache__"_L1))
            m_files.append({ path, readAll(root.filePath(path)) });
}

void TidyTest::nothing(const QStringList& findings)
{
    for (const QString& finding : findings)
        qWarning().noquote() << finding;
    QVERIFY2(findings.isEmpty(), qPrintable(u"%1 findings, listed above"_s.arg(findings.size())));
}

void TidyTest::eachFile(QStringList (*rule)(const File&))
{
    QStringList findings;
    for (const File& file : m_files)
        findings << rule(file);
    nothing(findings);
}

File TidyTest::named(const QString& path) const
{
    const File* file = fileNamed(m_files, path);
    return file ? *file : File { path, {} };
}

// proto/message.proto (event, control), and after it the files in which the bodies that it lists are defined.
File TidyTest::definitionsOf(const QString& kind) const
{
    File whole = named(u"proto/%1.proto"_s.arg(kind));
    for (const QString& part : { u"lhrs_"_s + kind, u"process"_s, u"transfer"_s })
        whole.text += named(u"proto/%1.proto"_s.arg(part)).text;
    return whole;
}

// ---- the tree

void TidyTest::theTreeWasRead()
{
    QVERIFY2(m_files.size() > 60, qPrintable(u"%1 files only"_s.arg(m_files.size())));
    for (const auto* path :
        { "run", "README.md", "proto/message.proto", "node/machine/machine.h", "node/lhrs/PROTOCOL.md" })
        QVERIFY2(!named(QLatin1String(path)).text.isEmpty(), path);
}

void TidyTest::includesFollowTheArrows() { eachFile(includesAgainstArrows); }
void TidyTest::theArrowsHaveNoCircle()
{
    nothing(circlesOf(rooms()));
    QCOMPARE(circlesOf({ { "a", "b", {} }, { "b", "c", {} }, { "c", "a", {} }, { "d", "a", {} } }).size(), 3);
}

void TidyTest::generalRoomsSeeNoSystem()
{
    nothing(systemsSeenFromGeneralRooms(rooms()));
    const QList<Room> wrong { { u"node/runtime"_s, u"node/machine node/lhrs/group"_s, {} },
        { u"common"_s, u"common/lhrs"_s, {} } };
    QCOMPARE(systemsSeenFromGeneralRooms(wrong).size(), 2);
    QCOMPARE(systemsSeenFromGeneralRooms(
                 { { u"node/lhrs/data"_s, u"node/lhrs/group"_s, {} }, { u"node"_s, u"node/walk/programs"_s, {} } }),
        QStringList());
    eachFile(systemHeadersInGeneralFiles);
}

void TidyTest::generalRoomsSayNothingOfLhrs()
{
    nothing(wordsBeyondDebts(m_files, debts()));
    const File runtime { u"node/runtime/a.cpp"_s, u"int b = config.b();\n// A parity bucket.\nint transparent;\n"_s };
    const QList<File> files { runtime, { u"node/lhrs/data/a.cpp"_s, runtime.text } };
    const auto found = [&files](int owed) { return wordsBeyondDebts(files, { { u"node/runtime/a.cpp"_s, owed } }); };
    QCOMPARE(found(2), QStringList());
    QCOMPARE(found(1).size(), 3); // each word is named
    QVERIFY(found(1).value(0).startsWith("node/runtime/a.cpp:1: \".b()\" is a word of LH*RS"_L1));
    QCOMPARE(found(3),
        QStringList {
            u"node/runtime/a.cpp:1: lower the debt of node/runtime/a.cpp to 2 in tests/common/tidy_words.h"_s });
    QCOMPARE(wordsBeyondDebts({}, { { u"node/runtime/a.cpp"_s, 1 } }).size(), 1); // the file is gone
    const File ofQt { u"node/runtime/a.cpp"_s,
        u"words = text.split(u',') + list->split(\"a\");\nscroll(event->angleDelta());\n"_s };
    QCOMPARE(wordsBeyondDebts({ ofQt }, { { ofQt.path, 0 } }), QStringList());
    QCOMPARE(wordsBeyondDebts({ { ofQt.path, u"file.split(bucket);\nbegin(); split(i);"_s } }, { { ofQt.path, 2 } }),
        QStringList());
    // On the watching side a room owes for all its files.
    const QList<File> watching { { u"gui/lab/live/a.cpp"_s, runtime.text }, { u"gui/lab/live/b.cpp"_s, runtime.text },
        { u"gui/view/lhrs/a.cpp"_s, runtime.text } };
    QCOMPARE(wordsBeyondDebts(watching, { { u"gui/lab/live"_s, 4 } }), QStringList());
    QCOMPARE(wordsBeyondDebts(watching, { { u"gui/lab/live"_s, 3 } }),
        QStringList {
            u"gui/lab/live:1: this room is of no system, and it has 4 lines with words of LH*RS, a debt of 3"_s });
    QCOMPARE(wordsBeyondDebts(watching, { { u"gui/lab/live"_s, 5 } }).size(), 1);
}

void TidyTest::eachFolderIsARoomAndSaysWhatItIs()
{
    nothing(foldersThatAreNoRoom(m_files));
    const File source { u"node/lhrs/data/a.cpp"_s, {} },
        cmake { u"node/lhrs/data/CMakeLists.txt"_s, u"# Read first: a.h.\n"_s };
    QCOMPARE(foldersThatAreNoRoom({ source, cmake }), QStringList());
    QCOMPARE(foldersThatAreNoRoom({ source }).size(), 1);
    QCOMPARE(foldersThatAreNoRoom({ { u"node/lhrs/new/a.cpp"_s, {} } }).size(), 1);
    QCOMPARE(foldersThatAreNoRoom({ { u"gui/lab/a.cpp"_s, {} } }).size(), 1);
}

void TidyTest::theCoreIsFreeOfTheWorld() { eachFile(worldInsideCore); }
void TidyTest::gfCompleteStaysInItsFile() { eachFile(gfCompleteAway); }
void TidyTest::exceptionsStayInTheFileThatCatches() { eachFile(throwWithoutCatch); }
void TidyTest::eachHeaderIsReadOnce() { eachFile(headerWithoutPragmaOnce); }
void TidyTest::eachFileCarriesItsLicence() { eachFile(withoutLicence); }
void TidyTest::noFileIsTooLong() { eachFile(tooLong); }
void TidyTest::noLineIsTooWide() { eachFile(tooWide); }

void TidyTest::clangFormatChangesNothing()
{
    const auto ran = [](const QStringList& arguments) {
        QProcess process;
        process.setWorkingDirectory(QStringLiteral(LHRS_SOURCE_DIR));
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start(u"clang-format"_s, arguments);
        return process.waitForFinished(-1) ? QString::fromUtf8(process.readAll()) : process.errorString();
    };
    const QString version = ran({ u"--version"_s });
    if (!version.contains("version 14."_L1))
        QSKIP(
            qPrintable(u"each version formats in another way; the tree has that of 14, not of \"%1\""_s.arg(version)));
    QStringList arguments { u"--dry-run"_s, u"-Werror"_s };
    for (const File& file : m_files)
        if (isCpp(file.path))
            arguments << file.path;
    nothing(ran(arguments).split(u'\n', Qt::SkipEmptyParts));
}

void TidyTest::nothingIsLeftOver() { eachFile(leftovers); }
void TidyTest::eachSourceIsNamedByItsCMakeLists() { nothing(namedByNoCMakeLists(m_files)); }
void TidyTest::noNameIsGivenTwice() { nothing(namesGivenTwice(m_files)); }

void TidyTest::eachMessageEventAndCommandHasASentence()
{
    QStringList findings;
    for (const QString& kind : { u"message"_s, u"event"_s, u"control"_s })
        findings << messagesWithoutSentence(definitionsOf(kind));
    for (const QString& part : { u"WalkMessage"_s, u"WalkEvent"_s, u"WalkCommand"_s })
        findings << messagesWithoutSentence(partOf(named(u"proto/walk.proto"_s), part));
    nothing(findings);
}

void TidyTest::theReadmeOfProtoTellsOfEachEventAndCommand()
{
    const File readme = named(u"proto/README.md"_s);
    nothing(messagesOutOfReadme(definitionsOf(u"event"_s), readme)
        + messagesOutOfReadme(definitionsOf(u"control"_s), readme)
        + messagesOutOfReadme(partOf(named(u"proto/walk.proto"_s), u"WalkEvent"_s), readme)
        + messagesOutOfReadme(partOf(named(u"proto/walk.proto"_s), u"WalkCommand"_s), readme));
}

void TidyTest::eachMessageHasAHandler()
{
    nothing(messagesWithoutHandler(named(u"proto/message.proto"_s), m_files, u"node/lhrs/"_s)
        + messagesWithoutHandler(partOf(named(u"proto/walk.proto"_s), u"WalkMessage"_s), m_files, u"node/walk/"_s));
}

void TidyTest::eachMessageHasASection()
{
    nothing(messagesWithoutSection(named(u"proto/message.proto"_s), named(u"node/lhrs/PROTOCOL.md"_s))
        + messagesWithoutSection(
            partOf(named(u"proto/walk.proto"_s), u"WalkMessage"_s), named(u"node/walk/PROTOCOL.md"_s)));
}

void TidyTest::notesThatCommentsNameAreThere()
{
    nothing(notesThatAreMissing(m_files, named(u"node/lhrs/PROTOCOL.md"_s)));
}

void TidyTest::functionsThatProtocolNamesAreThere()
{
    nothing(functionsThatAreGone(named(u"node/lhrs/PROTOCOL.md"_s), m_files)
        + functionsThatAreGone(named(u"node/walk/PROTOCOL.md"_s), m_files));
}

void TidyTest::failpointsAreInListAndCode() { nothing(failpointsOutOfStep(m_files)); }
void TidyTest::documentsThatAreCitedAreThere()
{
    nothing(documentsThatAreMissing(m_files));
    const File code { u"node/lhrs/data/a.cpp"_s,
        u"// See PROTOCOL.md, lhrs.md and ../PROTOCOL.md#late-deltas, ../PROTOCOL.md#early.\n"_s };
    const QList<File> files { code, { u"node/lhrs/PROTOCOL.md"_s, u"# The protocol\n### Late deltas\n"_s } };
    QCOMPARE(
        documentsThatAreMissing(files).size(), 3); // PROTOCOL.md is not beside it, lhrs.md nowhere, "early" no heading
}

void TidyTest::mutantsAreInListAndCode() { nothing(mutantsOutOfStep(m_files)); }

// ---- the rules themselves

using Rule = QStringList (*)(const File&);
Q_DECLARE_METATYPE(Rule)

void TidyTest::aRuleBites_data()
{
    QTest::addColumn<Rule>("rule");
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("findings");
    const auto row = [](const char* name, Rule rule, const char* path, const QString& text, int findings) {
        QTest::newRow(name) << rule << QString::fromLatin1(path) << text << findings;
    };

    const auto include = [](const char* header) { return u"#include "_s + QLatin1String(header) + u'\n'; };
    row("core may see common", includesAgainstArrows, "node/lhrs/data/a.cpp", include("\"common/ids.h\""), 0);
    row("core may see proto", includesAgainstArrows, "node/lhrs/data/a.cpp", include("\"proto/message.pb.h\""), 0);
    row("one role never sees another", includesAgainstArrows, "node/lhrs/data/a.cpp",
        include("\"node/lhrs/parity/parity_bucket.h\""), 1);
    row("what is general never sees LH*RS", includesAgainstArrows, "node/runtime/a.cpp",
        include("\"node/lhrs/store/record_store.h\""), 1);
    row("state never sees words", includesAgainstArrows, "gui/lab/state/a.cpp",
        include("\"gui/lab/words/sentences.h\""), 1);
    row("an arrow leads on", includesAgainstArrows, "gui/lab/script/a.cpp",
        include("\"gui/lab/state/cluster_state.h\""), 0);
    row("core never sees the checkers", includesAgainstArrows, "node/lhrs/data/a.cpp",
        include("\"common/check/lhrs/invariants.h\""), 1);
    row("core never sees the runtime", includesAgainstArrows, "node/lhrs/data/a.cpp",
        include("\"node/runtime/runtime.h\""), 1);
    row("core never sees ZeroMQ", includesAgainstArrows, "node/lhrs/data/a.cpp", include("<zmq.hpp>"), 1);
    row("the checkers see nothing of ours", includesAgainstArrows, "common/check/a.cpp", include("\"common/ids.h\""),
        1);
    row("common never sees node", includesAgainstArrows, "common/a.h", include("\"node/machine/machine.h\""), 1);
    row("the simulator has no socket", includesAgainstArrows, "node/sim/engine/a.cpp",
        include("\"node/transport/udp_socket.h\""), 1);
    row("the simulator may see the checkers", includesAgainstArrows, "node/sim/engine/a.cpp",
        include("\"common/check/linearize.h\""), 0);
    row("process never sees core", includesAgainstArrows, "node/process/a.cpp", include("\"node/machine/machine.h\""),
        1);
    row("what is general names no system's header", systemHeadersInGeneralFiles, "gui/window/inspect/a.cpp",
        include("\"gui/view/lhrs/file_picture.h\""), 1);
    row("a registration does", systemHeadersInGeneralFiles, "gui/window/main/a.cpp",
        include("\"gui/window/lhrs/window_file.h\""), 0);
    row("node never sees Qt", includesAgainstArrows, "node/runtime/a.cpp", include("<QString>"), 1);
    row("lhrs-sim has no runtime", includesAgainstArrows, "node/sim/program/sim_program.cpp",
        include("\"node/runtime/runtime.h\""), 1);
    row("main_node has one", includesAgainstArrows, "node/main_node.cpp", include("\"node/runtime/runtime.h\""), 0);
    row("gui never sees node", includesAgainstArrows, "gui/lab/live/a.cpp", include("\"node/machine/machine.h\""), 1);
    row("lab has no window", includesAgainstArrows, "gui/lab/live/a.cpp", include("<QWidget>"), 1);
    row("lab never sees view", includesAgainstArrows, "gui/lab/live/a.cpp", include("\"gui/view/paint/theme.h\""), 1);
    row("view never sees window", includesAgainstArrows, "gui/view/canvas/a.cpp",
        include("\"gui/window/player/player.h\""), 1);
    row("window sees view and lab", includesAgainstArrows, "gui/window/player/a.cpp",
        include("\"gui/view/paint/theme.h\""), 0);
    row("product never sees tests", includesAgainstArrows, "common/a.cpp", include("\"tests/common/tidy_rules.h\""), 1);
    row("tests see everything", includesAgainstArrows, "tests/tst_a.cpp", include("\"node/runtime/runtime.h\""), 0);
    row("includes are from the root", includesAgainstArrows, "node/lhrs/data/a.cpp", include("\"machine.h\""), 1);
    row("but for moc", includesAgainstArrows, "tests/tst_a.cpp", include("\"tst_a.moc\""), 0);

    row("clock", worldInsideCore, "node/lhrs/data/a.cpp", u"auto t = std::chrono::steady_clock::now();"_s, 1);
    row("durations are no clock", worldInsideCore, "node/lhrs/data/a.cpp", u"std::chrono::milliseconds t { 5 };"_s, 0);
    row("a word in a comment is no clock", worldInsideCore, "node/lhrs/data/a.cpp", u"// no steady_clock here\n"_s, 0);
    row("thread", worldInsideCore, "node/lhrs/data/a.cpp", u"std::jthread t;"_s, 1);
    row("mutex", worldInsideCore, "common/check/a.cpp", u"std::mutex m; std::scoped_lock l(m);"_s, 2);
    row("atomic", worldInsideCore, "node/lhrs/data/a.h", u"std::atomic<int> n; std::atomic_bool b;"_s, 2);
    row("socket", worldInsideCore, "node/lhrs/data/a.cpp", u"int s = ::socket(AF_INET, 0, 0);"_s, 1);
    row("log", worldInsideCore, "node/lhrs/data/a.cpp", u"spdlog::info(\"x\"); std::cerr << 1; printf(\"\");"_s, 3);
    row("randomness", worldInsideCore, "node/lhrs/data/a.cpp", u"std::mt19937 g; int x = rand();"_s, 2);
    row("unordered container", worldInsideCore, "node/lhrs/data/a.cpp", u"std::unordered_map<int, int> x;"_s, 1);
    row("outside the core they are welcome", worldInsideCore, "node/runtime/a.cpp", u"std::mutex m;"_s, 0);

    row("gf-complete elsewhere", gfCompleteAway, "common/field/galois.cpp", include("<gf_complete.h>"), 1);
    row("gf-complete at home", gfCompleteAway, "common/field/galois_gf_complete.cpp", include("<gf_complete.h>"), 0);
    row("throw", throwWithoutCatch, "common/a.cpp", u"void f() { throw 1; }"_s, 1);
    row("throw and catch", throwWithoutCatch, "common/a.cpp", u"try { throw 1; } catch (int) {}"_s, 0);
    row("throw in a string", throwWithoutCatch, "common/a.cpp", u"auto s = \"throw\";"_s, 0);
    row("header without pragma", headerWithoutPragmaOnce, "common/a.h", u"// #pragma once\nint f();\n"_s, 1);
    row("header with pragma", headerWithoutPragmaOnce, "common/a.h", u"// x\n#pragma once\n"_s, 0);
    row("no licence", withoutLicence, "scenarios/a.js", u"'use strict';\n"_s, 1);
    row("licence in a script", withoutLicence, "run",
        u"#!/usr/bin/env bash\n# SPDX-License-Identifier: GPL-3.0-or-later\n"_s, 0);
    row("no licence in a script", withoutLicence, "tests/a.sh", u"#!/usr/bin/env bash\nset -eu\n"_s, 1);
    row("another licence", withoutLicence, "common/CMakeLists.txt", u"# SPDX-License-Identifier: MIT\n"_s, 1);
    row("a document needs none", withoutLicence, "README.md", u"# LHRS Lab\n"_s, 0);
    row("700 lines", tooLong, "common/a.cpp", QString(700, u'\n'), 0);
    row("701 lines", tooLong, "common/a.cpp", QString(701, u'\n'), 1);
    row("120 columns", tooWide, "common/a.cpp", QString(120, u'x'), 0);
    row("121 columns", tooWide, "common/a.cpp", u"int a;\n"_s + QString(121, u'x') + u"\n"_s, 1);

    row("unfinished", leftovers, "common/a.cpp", u"// TO"_s + u"DO later\n/* FIX"_s + u"ME */"_s, 2);
    row("a machine's path", leftovers, "run", u"cd /hom"_s + u"e/someone/lhrs"_s, 1);
    row("another path", leftovers, "run", u"cd /usr/share and ./work/home"_s, 0);
    row("sleep", leftovers, "tests/tst_a.cpp", u"std::this_thread::sleep_for(1s); QTest::qWait(50);"_s, 2);
    row("a test looks again", leftovers, "tests/tst_a.cpp", u"std::this_thread::sleep_for(1ms);"_s, 0);
    row("but not the product", leftovers, "node/runtime/a.cpp", u"std::this_thread::sleep_for(1ms);"_s, 1);
    row("a group may be hit", leftovers, "tests/tst_a.cpp", u"QCOMPARE(::kill(pid, SIGKILL), 0);"_s, 1);
    row("another system's word", leftovers, "node/lhrs/data/a.cpp", u"int shardCount = replicas;"_s, 2);
    row("the papers' words", leftovers, "node/lhrs/data/a.cpp", u"int bucketNumber = rank;"_s, 0);
}

void TidyTest::aRuleBites()
{
    QFETCH(Rule, rule);
    QFETCH(QString, path);
    QFETCH(QString, text);
    QFETCH(int, findings);
    const QStringList found = rule({ path, text });
    QVERIFY2(found.size() == findings, qPrintable(found.join(u'\n')));
}

void TidyTest::codeIsWhatRemainsOfAText()
{
    const QString text = u"int a = 1'000; // b 'c\nauto s = \"d // e\\\"\"; /* f\n g */ char c = '\\''; "_s
        + u"auto r = R\"(h \" i)\"; int j;"_s;
    const QString code = codeOf(text);
    QCOMPARE(code.size(), text.size());
    QCOMPARE(code.simplified(), u"int a = 1'000; auto s = ; char c = ; auto r = ; int j;"_s);
    QCOMPARE(code.count(u'\n'), 2);
}

void TidyTest::aFileThatNobodyNamesIsFound()
{
    const File cmake { u"node/lhrs/data/CMakeLists.txt"_s, u"lhrs_room(lhrs_data\n  a.h a.cpp ../b/b.h)\n"_s };
    const File mains { u"node/CMakeLists.txt"_s, u"foreach(role node client)\n  add_executable(a main_${role}.cpp)"_s };
    const File tests { u"tests/common/CMakeLists.txt"_s, u"lhrs_test(galois unit 60 lhrs_common)\n"_s };
    const auto path = [](const char* p) { return File { QLatin1String(p), {} }; };
    QList<File> files { cmake, mains, tests, path("node/lhrs/data/a.h"), path("node/lhrs/data/a.cpp"),
        path("node/lhrs/b/b.h"), path("node/main_client.cpp"), path("tests/common/tst_galois.cpp") };
    QCOMPARE(namedByNoCMakeLists(files), QStringList());
    files << path("node/lhrs/data/aa.cpp") << path("node/main_other.cpp") << path("tests/common/tst_galoi.cpp")
          << path("tests/rigs/help.h");
    QCOMPARE(namedByNoCMakeLists(files).size(), 4);
    files << File { u"tests/common/tst_galois.cpp"_s, u"#include \"tests/rigs/help.h\""_s };
    QCOMPARE(namedByNoCMakeLists(files).size(), 3);
}

void TidyTest::aNameThatIsGivenTwiceIsFound()
{
    const File header { u"common/check/ledger.h"_s, {} }, source { u"common/check/ledger.cpp"_s, {} },
        other { u"node/lhrs/client/ledger.h"_s, {} };
    const File here { u"common/CMakeLists.txt"_s, {} }, there { u"node/CMakeLists.txt"_s, {} };
    QCOMPARE(namesGivenTwice({ header, source, here, there }), QStringList());
    QCOMPARE(namesGivenTwice({ header, source, other }),
        QStringList { u"node/lhrs/client/ledger.h:1: common/check/ledger.h has the same name"_s });
}

void TidyTest::aMessageWithoutHandlerSentenceOrSectionIsFound()
{
    const QString text = u"// A change.\nmessage Delta {\n}\nmessage KeyRequest {\n}\n"_s
        + u"message Message {\n  oneof body {\n    KeyRequest insert = 20;\n    Delta delta = 36;\n  }\n}\n"_s;
    const File proto { u"proto/message.proto"_s, text };
    const auto found = [](const char* what) { return QStringList { QLatin1String(what) }; };
    QCOMPARE(messagesWithoutSentence(proto), found("proto/message.proto:4: KeyRequest has no sentence above it"));
    const auto rows = [&](const char* document) {
        return messagesOutOfReadme(proto, { u"proto/README.md"_s, QLatin1String(document) });
    };
    QCOMPARE(rows("| `insert` |  | x |\n| `delta` | A change. | x |\n").size(), 0);
    QCOMPARE(rows("| `insert` |  | x |\n| `delta` | Another change. | x |\n").size(), 1);
    const File bucket { u"node/lhrs/data/a.cpp"_s, u"void DataBucket::onInsert(const M& m) {}\n// ::onDelta(\n"_s };
    QCOMPARE(messagesWithoutHandler(proto, { bucket }, u"node/lhrs/"_s),
        found("proto/message.proto:9: no onDelta in the rooms of the machines"));
    const auto sections = [&](const char* document) {
        return messagesWithoutSection(proto, { u"node/lhrs/PROTOCOL.md"_s, QLatin1String(document) });
    };
    QCOMPARE(sections("### Insert\n### Delta\n"), QStringList());
    QCOMPARE(sections("### Insert\nDelta\n"), found("node/lhrs/PROTOCOL.md:1: no section \"Delta\""));
    QCOMPARE(sections("### Delta\n### Insert\n").size(), 1);
    // Of a system with a proto file of its own, which has several messages with a body.
    const File walk { u"proto/walk.proto"_s,
        u"// A query.\nmessage Query {\n}\nmessage Told {\n}\n"_s
            + u"message WalkMessage {\n  oneof body {\n    Query query = 1;\n  }\n}\n"_s
            + u"message WalkEvent {\n  oneof body {\n    Told told = 1 [(keep) = KEEP_STRUCTURE];\n  }\n}\n"_s };
    QCOMPARE(bodiesOf(partOf(walk, u"WalkMessage"_s)).size(), 1);
    QCOMPARE(bodiesOf(partOf(walk, u"WalkEvent"_s)).value(0).first, u"told"_s);
    QCOMPARE(messagesWithoutSentence(partOf(walk, u"WalkMessage"_s)).size(), 0);
    QCOMPARE(messagesWithoutSentence(partOf(walk, u"WalkEvent"_s)).size(), 1);
    QCOMPARE(messagesWithoutHandler(partOf(walk, u"WalkMessage"_s), { bucket }, u"node/walk/"_s).size(), 1);
    QVERIFY(!bodiesOf(partOf(named(u"proto/walk.proto"_s), u"WalkMessage"_s)).isEmpty()); // and the tree's is read
}

void TidyTest::aFunctionThatIsGoneIsFound()
{
    const File code { u"node/lhrs/data/a.h"_s, u"void onDelta();"_s };
    const File document { u"node/lhrs/PROTOCOL.md"_s, u"`Bucket::onDelta`, `bucket.cpp: Bucket::onDeltas`"_s };
    const QStringList found = functionsThatAreGone(document, { code });
    QCOMPARE(found, QStringList { u"node/lhrs/PROTOCOL.md:1: there is no onDeltas in the rooms of the machines"_s });
}

void TidyTest::aNoteThatIsMissingIsFound()
{
    const File source { u"node/lhrs/data/a.cpp"_s,
        u"// See "_s + u"\"Late deltas\" in\n// node/lhrs/PROTOCOL.md.\n"_s };
    QCOMPARE(notesThatAreMissing({ source }, { u"node/lhrs/PROTOCOL.md"_s, u"### Late deltas\n"_s }), QStringList());
    QCOMPARE(notesThatAreMissing({ source }, { u"node/lhrs/PROTOCOL.md"_s, u"### Late delta\n"_s }).size(), 1);
}

void TidyTest::aFailpointThatIsOnlyListedOrOnlyUsedIsFound()
{
    const File list { u"common/lhrs/failpoint_list.h"_s, u"enum class Failpoint {\n    A, // why\n    B,\n};\n"_s };
    const File code { u"node/lhrs/data/a.cpp"_s, u"if (out.fires(Failpoint::B) || out.fires(Failpoint::C)) {}\n"_s };
    QCOMPARE(failpointsOutOfStep({ list, code }).size(), 2);
    const File both { u"node/lhrs/data/a.cpp"_s, u"if (out.fires(Failpoint::B) || out.fires(Failpoint::A)) {}\n"_s };
    QCOMPARE(failpointsOutOfStep({ list, both }), QStringList());
}

void TidyTest::aMutantThatIsOnlyListedOrOnlyUsedIsFound()
{
    const File list { u"tests/mutants.txt"_s, u"# all\n\nA: node: why\n    seeds\nB: client: why\n    seeds\n"_s };
    const File code { u"node/lhrs/data/a.cpp"_s, u"if (LHRS_MUTANT(A)) f();\nif (LHRS_MUTANT(C)) g();\n"_s };
    QCOMPARE(mutantsOutOfStep({ list, code }).size(), 2);
    const File both { u"node/lhrs/data/b.cpp"_s, u"if (LHRS_MUTANT(A) || LHRS_MUTANT(B)) f();\n"_s };
    QCOMPARE(mutantsOutOfStep({ list, both }), QStringList());
}

QTEST_APPLESS_MAIN(TidyTest)
#include "tst_tidy.moc"
