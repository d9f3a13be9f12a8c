// SPDX-License-Identifier: GPL-3.0-or-later
// Recordings that are unclosed, truncated, damaged, foreign or hostile: the readable part is read, the rest is
// reported.
#include "tests/rigs/lab/recording_rig.h"

#include "gui/lab/recording/recording_place.h"
#include "gui/lab/export/run_export.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <random>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

QString errorOf(const QString& path)
{
    auto recording = Recording::open(path);
    return recording ? QString() : QString::fromStdString(recording.error().text);
}

void change(const QString& path, const QString& statement)
{
    RecordingConnection connection;
    QVERIFY2(connection.open(path, RecordingConnection::Mode::Write).isEmpty(), "open");
    QVERIFY2(connection.run(statement), qPrintable(connection.lastError()));
}

} // namespace

class RecordingFilesTest : public QObject {
    Q_OBJECT
private slots:
    void anExistingFileIsNotTouched();
    void aFileThatWasNotClosedIsReadUpToItsEnd();
    void aShortRunThatWasKilledIsWhole();
    void aFileOfSomethingElseIsRefused();
    void aFileWithMoreThanTablesIsRefused();
    void aFileThatWasCutOffNeverCrashes();
    void flippedBitsNeverCrash();
    void hostileBodiesAreGaps();
    void whatIsChangedIsSaid_data();
    void whatIsChangedIsSaid();
    void noChangeOfAByteIsSilent();
    void afterAHoleTheRestIsRead();
    void aRecordingIsReadWithoutWritingBesideIt();
    void placesOfRecordings();
    void theKeptFileOfEachVersionOpens();
};

void RecordingFilesTest::anExistingFileIsNotTouched()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("run.lhrun");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("precious");
    file.close();
    const auto recorder = Recorder::start(path, {}, [] { return std::int64_t(0); });
    QVERIFY(!recorder);
    QVERIFY(QString::fromStdString(recorder.error().text).contains("exists already"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), QByteArray("precious"));
    const auto nowhere = Recorder::start(
        folder.filePath("no/such/folder/run.lhrun"), {}, [] { return std::int64_t(0); });
    QVERIFY(!nowhere);
    QVERIFY(QString::fromStdString(nowhere.error().text).contains("no/such/folder"));
}

void RecordingFilesTest::aFileThatWasNotClosedIsReadUpToItsEnd()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("run.lhrun"), copy = folder.filePath("copy.lhrun");
    const auto recorder = recorderAt(path, often(50));
    recorder->onKeyframe({}, 0);
    Feeder feeder { *recorder };
    feeder.story(growth(4, 3));
    // As after a crash: the file as it is, with its log beside it.
    QTRY_VERIFY_WITH_TIMEOUT(recorder->status().bytes > 0, 20'000);
    QVERIFY(QFile::copy(path, copy));
    QVERIFY(QFile::copy(path + "-wal", copy + "-wal"));
    auto recording = Recording::open(copy);
    QVERIFY2(recording, recording ? "" : recording.error().text.c_str());
    QVERIFY2((*recording)->unfinished().contains("has no end, because"), qPrintable((*recording)->unfinished()));
    QCOMPARE((*recording)->damage(), QString()); // the existing part is as it was written
    QVERIFY(!(*recording)->rows("operation").empty()); // the tables that finishing adds were made in a copy
    QVERIFY((*recording)->events() > 0);
    QVERIFY((*recording)->events() <= feeder.after.size());
    const std::uint64_t last = (*recording)->events();
    QCOMPARE(bytesOf(*(*recording)->stateAt(last)), feeder.after[last - 1]);
    recorder->finish();
    QVERIFY(!QFile::exists(path + "-wal"));
}

// All of it is still in the log beside a file of two pages.
void RecordingFilesTest::aShortRunThatWasKilledIsWhole()
{
    constexpr std::uint64_t kEvents = 2'000;
    QTemporaryDir folder;
    const QString path = folder.filePath("run.lhrun"), copy = folder.filePath("copy.lhrun");
    const auto recorder = recorderAt(path, often(1'000'000));
    recorder->onKeyframe({}, 0);
    Feeder feeder { *recorder };
    feeder.isKept = false;
    for (std::uint64_t i = 0; i < kEvents; ++i) {
        pb::Event event;
        event.mutable_operation_started()->set_key(i);
        feeder.event(1, event);
    }
    std::unique_ptr<Recording> killed;
    const auto isWritten = [&] {
        killed.reset();
        QFile::remove(copy);
        QFile::remove(copy + "-wal");
        if (!QFile::copy(path, copy) || !QFile::copy(path + "-wal", copy + "-wal"))
            return false;
        auto opened = Recording::open(copy);
        if (opened)
            killed = std::move(*opened);
        return killed && killed->events() == kEvents;
    };
    QTRY_VERIFY_WITH_TIMEOUT(isWritten(), 20'000);
    QVERIFY(std::uint64_t(QFileInfo(copy).size()) < 8 * kEvents); // otherwise this shows nothing
    QCOMPARE(killed->damage(), QString());
    QVERIFY2(killed->unfinished().contains("has no end, because"), qPrintable(killed->unfinished()));
    recorder->finish();
}

void RecordingFilesTest::aFileOfSomethingElseIsRefused()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("run.lhrun");
    QVERIFY(errorOf(path).contains("cannot be read"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray(5000, 'x'));
    file.close();
    QVERIFY2(errorOf(path).contains("is not a recording"), qPrintable(errorOf(path)));
    QVERIFY(file.remove());
    change(path, "CREATE TABLE event (id INTEGER)");
    QVERIFY2(errorOf(path).contains("another program"), qPrintable(errorOf(path)));
    change(path, QString("PRAGMA application_id = %1").arg(kRecordingId));
    change(path, "PRAGMA user_version = 7");
    QVERIFY2(errorOf(path).contains("version 7"), qPrintable(errorOf(path)));
    change(path, QString("PRAGMA user_version = %1").arg(kRecordingVersion));
    QVERIFY2(errorOf(path).contains("table"), qPrintable(errorOf(path)));
}

void RecordingFilesTest::aFileWithMoreThanTablesIsRefused()
{
    QTemporaryDir folder;
    for (const char* hostile : { "CREATE TRIGGER t AFTER INSERT ON meta BEGIN DELETE FROM event; END",
             "CREATE VIEW v AS SELECT * FROM event", "CREATE VIRTUAL TABLE f USING fts5(body)" }) {
        const QString path = folder.filePath("run.lhrun");
        QFile::remove(path);
        makeRecording(path);
        change(path, hostile);
        QVERIFY2(errorOf(path).contains("is not a recording of this program"), qPrintable(errorOf(path)));
    }
}

namespace {

// Reads all that can be read; none of it may end the process.
// `isAllThere`: everything that is counted must be readable.
void readAll(const QString& path, std::uint64_t atMost, bool isAllThere)
{
    auto recording = Recording::open(path);
    if (!recording) {
        QVERIFY(!recording.error().text.empty());
        return;
    }
    QVERIFY((*recording)->events() <= atMost);
    std::uint64_t cursor = 0;
    while (true) {
        const EventPage page = (*recording)->eventsSince(cursor, 500);
        if (page.events.empty())
            break;
        QVERIFY(page.next > cursor);
        cursor = page.next;
    }
    QVERIFY(cursor == (*recording)->events() || !isAllThere);
    for (const std::uint64_t event : { (*recording)->events(), (*recording)->events() / 2, std::uint64_t(0) })
        if (const auto state = (*recording)->stateAt(event); !state)
            QVERIFY(!state.error().text.empty());
    (*recording)->eventAt((*recording)->endNs());
    (*recording)->captions();
}

} // namespace

void RecordingFilesTest::aFileThatWasCutOffNeverCrashes()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("run.lhrun"), cut = folder.filePath("cut.lhrun");
    makeRecording(path);
    QFile whole(path);
    QVERIFY(whole.open(QIODevice::ReadOnly));
    const QByteArray bytes = whole.readAll();
    const std::uint64_t events = growth(6, 7).order.size();
    std::mt19937 random(11);
    int readable = 0;
    for (int i = 0; i < 100; ++i) {
        QFile file(cut);
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write(bytes.left(qsizetype(random() % std::uint32_t(bytes.size()))));
        file.close();
        readAll(cut, events, true);
        const auto recording = Recording::open(cut);
        readable += recording && (*recording)->events() > 0 ? 1 : 0;
        if (recording && (*recording)->events() < events)
            QVERIFY2(!(*recording)->damage().isEmpty(), "a part is missing and nothing says so");
    }
    QVERIFY2(readable > 10, "hardly anything can be read of a file that was cut off");
}

void RecordingFilesTest::flippedBitsNeverCrash()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("run.lhrun"), flipped = folder.filePath("flipped.lhrun");
    makeRecording(path);
    QFile whole(path);
    QVERIFY(whole.open(QIODevice::ReadOnly));
    const QByteArray bytes = whole.readAll();
    std::mt19937 random(12);
    for (int i = 0; i < 100; ++i) {
        QByteArray changed = bytes;
        for (int flip = 0; flip < 1 + i % 20; ++flip)
            changed[qsizetype(random() % std::uint32_t(changed.size()))] ^= char(1 << random() % 8);
        QFile file(flipped);
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write(changed);
        file.close();
        readAll(flipped, 10 * growth(6, 7).order.size(), false);
    }
}

void RecordingFilesTest::hostileBodiesAreGaps()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("run.lhrun");
    makeRecording(path);
    change(path, "UPDATE event SET body = zeroblob(20000000) WHERE id = 20");
    change(path, "UPDATE event SET body = x'ffffffffffffffffffff' WHERE id = 21");
    change(path, "UPDATE event SET body = 'text' WHERE id = 22");
    change(path, "UPDATE keyframe SET body = x'ffff' WHERE id = 2");
    auto recording = Recording::open(path);
    QVERIFY(recording);
    const EventPage page = (*recording)->eventsSince(19, 4);
    QCOMPARE(page.events.size(), std::size_t(4));
    QVERIFY(page.events[0].isGap() && page.events[1].isGap());
    QVERIFY(!page.events[3].isGap());
    const auto state = (*recording)->stateAt(25);
    QVERIFY(!state); // no keyframe after the damage comes before this event
    QVERIFY2(QString::fromStdString(state.error().text).contains("cannot be read"), state.error().text.c_str());
    QVERIFY((*recording)->stateAt((*recording)->events()));
}

void RecordingFilesTest::whatIsChangedIsSaid_data()
{
    QTest::addColumn<QString>("statement");
    QTest::addColumn<QString>("sentence");
    const auto row = [](const char* name, const char* statement, const char* sentence) {
        QTest::newRow(name) << QString(statement) << QString(sentence);
    };
    const qlonglong all = qlonglong(growth(6, 7).order.size());
    const QByteArray events = QByteArray::number(all), half = QByteArray::number((all + 1) / 2);
    row("garbage bodies", "UPDATE event SET body = randomblob(40)", "events cannot be understood");
    row("one garbage body", "UPDATE event SET body = x'ff' WHERE id = 9", "1 event cannot be understood");
    row("a body of another event", "UPDATE event SET body = (SELECT body FROM event WHERE id = 10) WHERE id = 9",
        "the table event has changes among");
    row("negative ids", "UPDATE event SET id = -id", "events 0 can be read");
    row("null bodies", "UPDATE event SET body = NULL", "events cannot be understood");
    row("half the events gone", "DELETE FROM event WHERE id % 2 = 0", "events " + half + " can be read");
    row("one event gone", "DELETE FROM event WHERE id = 50", "of " + events + " events");
    row("the last event gone", "DELETE FROM event WHERE id = (SELECT max(id) FROM event)", "of " + events + " events");
    row("a time", "UPDATE event SET t_ns = t_ns + 1 WHERE id = 9", "the table event has changes among");
    row("wrong types", "UPDATE event SET t_ns = 'abc', process = 'xyz', body = 17", "events cannot be understood");
    row("no events", "DELETE FROM event", "events 0 can be read");
    row("events of somebody else",
        "INSERT INTO event SELECT id + 100000, process, seq, t_ns, kind, op, grp, place, body FROM event",
        "that the recording did not write");
    row("many captions",
        "INSERT INTO caption (event, t_ns, kind, text) WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c "
        "WHERE i < 100000)"
        " SELECT 1, 1, 'say', hex(randomblob(40)) FROM c",
        "the table caption has 100000 rows that the recording did not write");
    row("a caption", "UPDATE caption SET text = 'else'", "the table caption has changes among 1 row");
    row("a keyframe", "DELETE FROM keyframe WHERE id = 2", "the table keyframe lacks 1 row of");
    row("a number", "UPDATE metric SET value = value + 1e-9", "the table metric has changes among");
    row("a word of meta", "UPDATE meta SET value = '1' WHERE key = 'seed'", "the table meta has changes among");
    row("not closed", "UPDATE meta SET value = '0' WHERE key = 'clean'", "it does not say that it was closed");
    row("no checksums", "DELETE FROM segment", "its checksums are gone");
    row("a checksum", "UPDATE segment SET sum = 'x' WHERE name = 'caption'",
        "the table caption has changes among 1 row");
}

void RecordingFilesTest::whatIsChangedIsSaid()
{
    QFETCH(const QString, statement);
    QFETCH(const QString, sentence);
    QTemporaryDir folder;
    const QString path = folder.filePath("run.lhrun");
    {
        const auto recorder = recorderAt(path, often(50));
        recorder->meta("seed", "3");
        recorder->onKeyframe({}, 0);
        Feeder feeder { *recorder };
        feeder.isKept = false;
        feeder.story(growth(6, 7));
        recorder->caption("say", "a", "A caption.", "scenario");
        recorder->measurement("m", 1, false, 0, "{}", "full", { { "total_s", 0.125 } });
        recorder->finish();
    }
    QCOMPARE((*Recording::open(path))->damage(), QString());
    change(path, statement);
    auto recording = Recording::open(path);
    QVERIFY2(recording, recording ? "" : recording.error().text.c_str());
    QVERIFY2((*recording)->damage().contains("is damaged: ") && (*recording)->damage().contains(sentence),
        qPrintable((*recording)->damage()));
    QCOMPARE((*recording)->damage().count('\n'), 0);
    QVERIFY((*recording)->rows("caption").size() <= 1);
    // It is exported nevertheless, and the caller is told.
    const ExportResult result = exportRun(**recording, folder.filePath("out"));
    QCOMPARE(result.problem, QString());
    QCOMPARE(result.damage, (*recording)->damage());
    QVERIFY(QFile::exists(folder.filePath("out/operations.csv")));
}

namespace {

// Everything that can be read of a recording.
QByteArray contentsOf(Recording& recording)
{
    QCryptographicHash hash(QCryptographicHash::Sha256);
    const auto add = [&hash](const QByteArray& bytes) {
        hash.addData(QByteArray::number(bytes.size()) + ':');
        hash.addData(bytes);
    };
    for (std::uint64_t cursor = 0; cursor < recording.events();) {
        const EventPage page = recording.eventsSince(cursor, 500);
        for (const RunEvent& event : page.events)
            add(QByteArray::number(event.process) + ' ' + QByteArray::number(event.runNs) + ' '
                + (event.event ? QByteArray::fromStdString(event.event->SerializeAsString()) : "gap"));
        cursor = page.next;
    }
    for (const char* table : { "meta", "process", "event_kind", "told", "gap", "keyframe", "keyframe_page", "operation",
             "caption", "measurement", "metric" })
        for (const auto& row : recording.rows(table))
            for (const auto& [column, value] : row)
                add(value.toByteArray());
    return hash.result();
}

} // namespace

void RecordingFilesTest::noChangeOfAByteIsSilent()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("run.lhrun"), other = folder.filePath("other.lhrun");
    makeRecording(path);
    QFile whole(path);
    QVERIFY(whole.open(QIODevice::ReadOnly));
    const QByteArray bytes = whole.readAll();
    const QByteArray truth = contentsOf(**Recording::open(path));
    int silent = 0, said = 0, cuts = 0;
    std::mt19937 random(13);
    for (int i = 0; i < 300; ++i) {
        QByteArray changed = bytes;
        const bool isCut = i % 6 == 0;
        qsizetype at = 0; // most pages of a small file are empty
        do
            at = qsizetype(random() % std::uint32_t(changed.size()));
        while (bytes[at] == 0);
        if (isCut)
            changed.truncate(at), ++cuts;
        else
            changed[at] ^= char(1 << random() % 8);
        QFile file(other);
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write(changed);
        file.close();
        auto recording = Recording::open(other);
        const bool isSaid = !recording || !(*recording)->damage().isEmpty();
        said += isSaid ? 1 : 0;
        // A bit outside all rows changes nothing.
        if (isSaid)
            continue;
        ++silent;
        QVERIFY2(!isCut, qPrintable(QString("cut to %1 bytes").arg(at)));
        QVERIFY2(contentsOf(**recording) == truth, qPrintable(QString("byte %1 of %2").arg(at).arg(bytes.size())));
    }
    QVERIFY2(cuts == 50 && said > 200, qPrintable(QString("%1 said").arg(said)));
    qInfo("%d said, %d without effect", said, silent);
}

void RecordingFilesTest::afterAHoleTheRestIsRead()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("run.lhrun");
    makeRecording(path);
    const std::uint64_t all = growth(6, 7).order.size();
    change(path, "DELETE FROM event WHERE id BETWEEN 20 AND 29");
    auto recording = Recording::open(path);
    QVERIFY(recording);
    QCOMPARE((*recording)->events(), all);
    QVERIFY2((*recording)->damage().contains(QString("of %1 events %2 can be read").arg(all).arg(all - 10)),
        qPrintable((*recording)->damage()));
    std::uint64_t cursor = 0, holes = 0, index = 0;
    while (cursor < all) {
        const EventPage page = (*recording)->eventsSince(cursor, 7);
        QVERIFY(!page.events.empty());
        for (const RunEvent& event : page.events) {
            QCOMPARE(event.index, ++index);
            holes += event.isGap() ? 1 : 0;
        }
        cursor = page.next;
    }
    QCOMPARE(holes, std::uint64_t(10));
    QVERIFY((*recording)->stateAt(19));
    QVERIFY(!(*recording)->stateAt(40)); // the events in the hole are unknown ...
    QVERIFY((*recording)->stateAt(all)); // ... until the next keyframe
}

// As in a read-only folder; also the file of a killed run without its log.
void RecordingFilesTest::aRecordingIsReadWithoutWritingBesideIt()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("run.lhrun");
    makeRecording(path);
    const auto names = [&] { return QDir(folder.path()).entryList(QDir::Files, QDir::Name); };
    QCOMPARE((*Recording::open(path))->damage(), QString());
    QCOMPARE(names(), QStringList { "run.lhrun" });
    change(path, "PRAGMA journal_mode = WAL");
    change(path, "UPDATE meta SET value = '0' WHERE key = 'clean'");
    QFile::remove(path + "-wal");
    QFile::remove(path + "-shm");
    QVERIFY(QFile::setPermissions(path, QFile::ReadOwner));
    auto recording = Recording::open(path);
    QVERIFY2(recording, recording ? "" : recording.error().text.c_str());
    QVERIFY((*recording)->unfinished().contains("has no end, because"));
    QCOMPARE((*recording)->damage(), QString());
    QCOMPARE((*recording)->events(), std::uint64_t(growth(6, 7).order.size()));
    QCOMPARE(names(), QStringList { "run.lhrun" });
}

void RecordingFilesTest::placesOfRecordings()
{
    QCOMPARE(networkFileSystem(0x6969), "NFS");
    QCOMPARE(networkFileSystem(std::int32_t(0xFF534D42)), "CIFS"); // f_type may be signed
    QVERIFY(networkFileSystem(0xEF53) == nullptr && networkFileSystem(0x01021994) == nullptr); // ext4, tmpfs
    QTemporaryDir state;
    QCOMPARE(placeProblem(state.path()), QString());
    const QByteArray former = qgetenv("XDG_STATE_HOME");
    qputenv("XDG_STATE_HOME", QFile::encodeName(state.path()));
    QString problem;
    const QString folder = folderForRecordings(problem);
    QCOMPARE(problem, QString());
    QCOMPARE(folder, state.filePath("lhrs-lab/recordings"));
    // The files of a closed window are kept for a week.
    const auto put = [&](const char* name, int days) {
        QFile file(folder + '/' + name);
        QVERIFY(file.open(QIODevice::WriteOnly)
            && file.setFileTime(QDateTime::currentDateTime().addDays(-days), QFileDevice::FileModificationTime));
    };
    const QByteArray own = "lhrs-" + QByteArray::number(QCoreApplication::applicationPid()) + "-1.lhrun";
    put("lhrs-999999999-1.lhrun", 8);
    put("lhrs-999999999-2.lhrun", 1);
    put("notes.lhrun", 8);
    put(own.constData(), 8);
    folderForRecordings(problem);
    QCOMPARE(QDir(folder).entryList(QDir::Files, QDir::Name),
        (QStringList { own, "lhrs-999999999-2.lhrun", "notes.lhrun" }));
    qputenv("XDG_STATE_HOME", "/dev/null");
    QCOMPARE(folderForRecordings(problem), QDir::tempPath());
    QCOMPARE(problem, QString());
    former.isEmpty() ? qunsetenv("XDG_STATE_HOME") : qputenv("XDG_STATE_HOME", former);
    const RecorderLimits limits = limitsFor(state.filePath("run.lhrun"));
    QVERIFY(limits.freeBytes > 0 && limits.freeBytes <= RecorderLimits().freeBytes
        && limits.freeBytes <= roomAt(state.path()).total / 10);
    QVERIFY(!roomAt(state.path() + "/no/such").isKnown);
}

namespace {

// The contents of a kept file: a run, and a row in most tables.
void writeKept(const QString& path)
{
    const auto recorder = recorderAt(path, often(100));
    recorder->onKeyframe({}, 0);
    Feeder feeder { *recorder };
    feeder.isKept = false;
    feeder.story(growth(6, 7));
    pb::Told told;
    told.mutable_paused()->set_is_paused(true);
    feeder.tell(kNodes + 1, told);
    told.mutable_gap()->set_first(900);
    told.mutable_gap()->set_last(907);
    feeder.tell(kNodes + 1, told);
    told.mutable_ended()->set_reason("killed");
    feeder.tell(kNodes + 1, told);
    recorder->caption("say", "a", "The file grows.", "grow.js");
    recorder->marker("mark", "here", "window");
    recorder->scenario("grow.js", "lab.step('a', 'The file grows');");
    recorder->expectation({ 3, "six splits", true, "" });
    recorder->finish();
}

} // namespace

// Files of users are never rewritten: a file of an older version can be opened for ever. Each is kept as that version
// wrote it, compressed by qCompress. A new version keeps a file of its own: LHRS_KEEP=1 writes it, once.
void RecordingFilesTest::theKeptFileOfEachVersionOpens()
{
    QTemporaryDir folder;
    const QString kept = QStringLiteral(LHRS_SOURCE_DIR "/tests/recordings/version_%1.lhrun.z");
    if (QFile file(kept.arg(kRecordingVersion)); qEnvironmentVariableIsSet("LHRS_KEEP") && !file.exists()) {
        writeKept(folder.filePath("new.lhrun"));
        QFile made(folder.filePath("new.lhrun"));
        QVERIFY(made.open(QIODevice::ReadOnly) && file.open(QIODevice::WriteOnly));
        QVERIFY(file.write(qCompress(made.readAll(), 9)) > 0);
    }
    for (std::uint32_t version = 1; version <= kRecordingVersion; ++version) {
        QFile file(kept.arg(version)), run(folder.filePath("run.lhrun"));
        QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(file.fileName() + " is missing"));
        QVERIFY(run.open(QIODevice::WriteOnly | QIODevice::Truncate));
        run.write(qUncompress(file.readAll()));
        run.close();
        auto recording = Recording::open(run.fileName());
        QVERIFY2(recording, recording ? "" : recording.error().text.c_str());
        QCOMPARE((*recording)->damage(), QString());
        const Story story = growth(6, 7);
        QCOMPARE((*recording)->events(), std::uint64_t(story.order.size() + 1)); // and a gap
        const EventPage page = (*recording)->eventsSince(0, 100'000);
        QCOMPARE(std::count_if(page.events.begin(), page.events.end(), [](const RunEvent& e) { return e.isGap(); }),
            std::ptrdiff_t(1));
        for (std::size_t i = 0; i < story.order.size(); ++i)
            QCOMPARE(page.events[i].event->body_case(),
                story.told.at(story.order[i].first)[story.order[i].second].body_case());
        const auto state = (*recording)->stateAt((*recording)->events());
        QVERIFY2(state, state ? "" : state.error().text.c_str());
        QCOMPARE(state->data.size(), std::size_t(7));
        QCOMPARE(state->file.buckets, 7u);
        QCOMPARE(state->processes.at(kNodes + 1).endReason, std::string("killed"));
        std::uint64_t records = 0;
        for (const auto& [number, bucket] : state->data)
            records += bucket.ranks.count();
        QVERIFY(records > 20);
        QCOMPARE((*recording)->captions().front().text, QString("The file grows."));
        QCOMPARE((*recording)->markers().front().text, QString("here"));
        QCOMPARE((*recording)->rows("expectation").size(), std::size_t(1));
        QVERIFY((*recording)->nextOf({ pb::Event::kSplitFinishedFieldNumber }, 0, false) > 0); // the index of kinds
        QVERIFY(!(*recording)->rows("operation").empty());
    }
}

QTEST_GUILESS_MAIN(RecordingFilesTest)
#include "tst_recording_files.moc"
