// SPDX-License-Identifier: GPL-3.0-or-later
// The table of a bucket's records as a tool: sorted, filtered, compared with a witness, exported. What is read is
// stored in the recording, and comes from there in a replay.
#include "tests/rigs/lab/data_dictionary.h"
#include "tests/rigs/lab/recording_rig.h"
#include "tests/rigs/gui/text_check.h"
#include "tests/rigs/gui/view_stage.h"

#include "gui/view/lhrs/records/record_table.h"
#include "gui/window/lhrs/live_or_recorded_contents.h"

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QTemporaryDir>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

// A bucket whose process answers when the test tells it to. Its records are those of fileOf(): key 100 rank + number.
struct Stage {
    ListFeed feed;
    Pacer pacer { feed };
    HeldContents contents;
    RecordModel model { pacer, contents };
    QAbstractItemModelTester tester { &model, QAbstractItemModelTester::FailureReportingMode::Fatal };
    double now = 1;
    std::map<std::uint32_t, std::string> bytes; // by rank, if they are not "rank N"
    std::set<std::uint32_t> gone;

    explicit Stage(std::uint32_t records = 20)
    {
        FileShape shape { 2, 4, 1 };
        shape.records = records;
        shape.b = records;
        feed.known() = fileOf(shape);
        pacer.advance(1.0 / 60);
        model.setBucket({ ObjectKind::Data, 1, 0 });
    }
    pb::ContentsPage page(std::uint32_t from, std::uint32_t count) const
    {
        pb::ContentsPage page;
        page.mutable_place()->set_role(pb::DATA);
        page.mutable_place()->set_number(1);
        page.set_sequence(20);
        const std::uint32_t last = pacer.state().data.at(1).ranks.rankMax();
        for (std::uint32_t rank = from; rank < from + count && rank <= last; ++rank) {
            if (gone.contains(rank))
                continue;
            auto* record = page.add_data();
            record->set_rank(rank);
            record->set_key(std::uint64_t(rank) * 100 + 1);
            record->set_value(bytes.contains(rank) ? bytes.at(rank) : "rank " + std::to_string(rank));
            record->set_length(std::uint32_t(record->value().size()));
            record->set_version(1);
        }
        return page;
    }
    // Frames until all requests are answered.
    void run()
    {
        for (int turn = 0; turn < 50; ++turn) {
            model.refresh(now += 1);
            for (const HeldContents::Request& request : std::exchange(contents.requests, {}))
                request.done({ true, page(request.rankFrom, request.count), {} });
        }
    }
    QStringList column(int column) const
    {
        QStringList cells;
        for (int row = 0; row < model.rowCount(); ++row)
            cells << model.index(row, column).data().toString();
        return cells;
    }
};

} // namespace

class RecordsTest : public QObject {
    Q_OBJECT
private slots:
    void aFilterSaysWhatItMeans_data();
    void aFilterSaysWhatItMeans();
    void rowsAreSortedByWhatIsKnownOfAll();
    void onlyRowsThatAreLikeTheFilterAreListed();
    void aTextIsLookedForInTheWholeBucket();
    void aWitnessIsComparedRecordByRecord();
    void rowsAreWrittenAsCsv();
    void whatCannotBeReadIsSaidInTheTablesPlace();
    void aLongTitleTakesLinesAndNoWidth();
    void whatWasReadIsInTheRecording();
    void aMillionRanksAreListedWithoutReading();
};

void RecordsTest::aFilterSaysWhatItMeans_data()
{
    QTest::addColumn<QString>("words");
    QTest::addColumn<int>("kind");
    QTest::addColumn<quint64>("from");
    QTest::addColumn<quint64>("to");
    using K = RecordFilter::Kind;
    QTest::newRow("nothing") << "  " << int(K::All) << quint64(0) << quint64(0);
    QTest::newRow("number") << "17" << int(K::Number) << quint64(17) << quint64(17);
    QTest::newRow("rank") << "rank 17" << int(K::Rank) << quint64(17) << quint64(17);
    QTest::newRow("ranks") << "Rank 3 - 9" << int(K::Rank) << quint64(3) << quint64(9);
    QTest::newRow("range") << "3-9" << int(K::Rank) << quint64(3) << quint64(9);
    QTest::newRow("keys") << "key 100-18446744073709551615" << int(K::Key) << quint64(100) << ~quint64(0);
    QTest::newRow("too long") << "99999999999999999999" << int(K::Bytes) << quint64(0) << quint64(0);
    QTest::newRow("text") << "rank and file" << int(K::Bytes) << quint64(0) << quint64(0);
    QTest::newRow("hex") << "de ad" << int(K::Bytes) << quint64(0) << quint64(0);
}

void RecordsTest::aFilterSaysWhatItMeans()
{
    QFETCH(const QString, words);
    const RecordFilter filter = RecordFilter::of(words);
    QTEST(int(filter.kind), "kind");
    QTEST(quint64(filter.from), "from");
    QTEST(quint64(filter.to), "to");
}

void RecordsTest::rowsAreSortedByWhatIsKnownOfAll()
{
    Stage stage(5);
    QCOMPARE(stage.column(0), QStringList({ "1", "2", "3", "4", "5" }));
    stage.model.sort(1, Qt::DescendingOrder);
    QCOMPARE(stage.column(1), QStringList({ "501", "401", "301", "201", "101" }));
    QCOMPARE(stage.model.rankOfRow(0), 5u);
    QCOMPARE(stage.model.rowOfRank(5), 0);
    QVERIFY(stage.model.canSortBy(0) && stage.model.canSortBy(1));
    QVERIFY(!stage.model.canSortBy(4)); // bytes are read page by page
    stage.model.sort(4, Qt::AscendingOrder);
    QCOMPARE(stage.model.rankOfRow(0), 5u);
    stage.model.sort(0, Qt::AscendingOrder);
    QCOMPARE(stage.column(0), QStringList({ "1", "2", "3", "4", "5" }));
    QVERIFY(stage.contents.requests.empty()); // nothing was read for it
}

void RecordsTest::onlyRowsThatAreLikeTheFilterAreListed()
{
    Stage stage;
    stage.model.setFilter("rank 3-5");
    QCOMPARE(stage.column(0), QStringList({ "3", "4", "5" }));
    stage.model.setFilter("1701");
    QCOMPARE(stage.column(0), QStringList({ "17" }));
    stage.model.setFilter("key 100-350");
    QCOMPARE(stage.column(0), QStringList({ "1", "2", "3" }));
    QVERIFY2(stage.model.headline().contains("3 of 20 records listed"), qPrintable(stage.model.headline()));
    stage.model.setFilter("key 7");
    QCOMPARE(stage.model.rowCount(), 0);
    // A new record is listed, and a removed one is not.
    stage.model.setFilter("rank 18-30");
    QCOMPARE(stage.model.rowCount(), 3);
    pb::Event event;
    event.mutable_place()->set_role(pb::DATA);
    event.mutable_place()->set_number(1);
    event.mutable_record_inserted()->set_rank(21);
    event.mutable_record_inserted()->set_key(4711);
    event.mutable_record_inserted()->set_count(21);
    event.mutable_record_inserted()->set_sequence(21);
    stage.feed.tell(kFileData + 1, event);
    for (int frame = 0; frame < 200; ++frame)
        stage.pacer.advance(0.05);
    stage.model.refresh(stage.now += 1);
    QCOMPARE(stage.column(1), QStringList({ "1801", "1901", "2001", "4711" }));
    stage.model.setFilter({});
    QCOMPARE(stage.model.rowCount(), 21);
}

void RecordsTest::aTextIsLookedForInTheWholeBucket()
{
    Stage stage(700); // three pages
    stage.bytes[650] = "here is the Needle";
    stage.model.setFilter("needle");
    QCOMPARE(stage.model.rowCount(), 0); // nothing has been read yet
    QVERIFY(stage.model.isReadingAll());
    QVERIFY2((stage.model.refresh(2), stage.model.headline()).contains("reading the whole bucket"),
        qPrintable(stage.model.headline()));
    stage.run();
    QVERIFY(!stage.model.isReadingAll());
    QCOMPARE(stage.column(0), QStringList({ "650" }));
    stage.model.setFilter("4e 65 65"); // the same as hexadecimal pairs
    stage.run();
    QCOMPARE(stage.column(0), QStringList({ "650" }));
}

void RecordsTest::aWitnessIsComparedRecordByRecord()
{
    Stage stage;
    QSignalSpy read(&stage.model, &RecordModel::wholeRead);
    QVERIFY(!stage.model.hasWitness());
    stage.gone = { 7 }; // becomes available later
    stage.model.readAll();
    stage.run();
    QCOMPARE(read.size(), 1);
    QCOMPARE(read[0][0].toString(), QString());
    stage.model.takeWitness();
    stage.bytes[3] = "something else";
    stage.gone = { 12 };
    stage.model.compare();
    stage.run();
    QCOMPARE(read.size(), 2);
    const auto& verdicts = stage.model.verdicts();
    QCOMPARE(verdicts.size(), std::size_t(20));
    QCOMPARE(verdicts.at(3), WitnessVerdict::Changed);
    QCOMPARE(verdicts.at(7), WitnessVerdict::Extra);
    QCOMPARE(verdicts.at(12), WitnessVerdict::Missing);
    QCOMPARE(verdicts.at(1), WitnessVerdict::Equal);
    QVERIFY2(stage.model.comparisonWords().endsWith("17 equal, 1 changed, 1 missing, 1 extra"),
        qPrintable(stage.model.comparisonWords()));
    const int last = stage.model.columnCount() - 1;
    QCOMPARE(stage.model.headerData(last, Qt::Horizontal).toString(), QString("witness"));
    QCOMPARE(stage.column(last)[2], QString("changed"));
    stage.model.sort(last, Qt::AscendingOrder); // differing rows come first
    QCOMPARE(stage.column(last).mid(0, 4), QStringList({ "extra", "missing", "changed", "equal" }));
    stage.model.endComparison();
    QCOMPARE(stage.model.columnCount(), last);
    // After a recovery that restored everything, nothing differs.
    stage.bytes.clear();
    stage.gone = { 7 };
    stage.model.compare();
    stage.run();
    QVERIFY2(stage.model.comparisonWords().endsWith("19 equal, 0 changed, 0 missing, 0 extra"),
        qPrintable(stage.model.comparisonWords()));
}

void RecordsTest::rowsAreWrittenAsCsv()
{
    Stage stage(3);
    stage.bytes[2] = std::string("a,\"\0", 4);
    stage.model.readAll();
    stage.run();
    QCOMPARE(stage.model.csv(),
        QString("rank,key,length,version,bytes_hex\r\n1,101,6,1,72616e6b2031\r\n2,201,4,1,612c2200\r\n3,301,6,1,"
                "72616e6b2033\r\n"));
    QCOMPARE(stage.model.rowsAsText({ 0 }), QString("1\t101\t6\t1\t72 61 6e 6b 20 31\trank 1"));
    stage.model.setFilter("key 201");
    QVERIFY(!stage.model.csv().contains("301")); // only listed rows
    stage.model.setFilter({});
    stage.model.takeWitness();
    stage.model.compare();
    stage.run();
    const QStringList documented = documentedColumns("records.csv");
    QCOMPARE(stage.model.csv().section("\r\n", 0, 0).split(','), documented.mid(0, documented.indexOf("key_*")));
}

void RecordsTest::whatCannotBeReadIsSaidInTheTablesPlace()
{
    Stage stage;
    Selection selection;
    RecordTable table(stage.pacer, stage.contents, selection);
    table.setTheme(Theme());
    table.resize(500, 500);
    table.show();
    selection.select({ ObjectKind::Data, 1, 0 });
    table.refresh(1);
    auto* view = table.findChild<QTableView*>();
    QVERIFY(view->isVisible() && table.filter().isVisible());
    table.filter().setText("key 7");
    table.refresh(1);
    QVERIFY(!view->isVisible() && table.filter().isVisible()); // so that the filter can be cleared
    table.filter().clear();
    table.refresh(1);
    QVERIFY(view->isVisible());
    // Go to a rank; it stays the current one when rows are sorted.
    table.findChild<QSpinBox*>()->setValue(9);
    QCOMPARE(selection.part(), 9u);
    table.model().sort(1, Qt::DescendingOrder);
    QCOMPARE(view->currentIndex().row(), 11);
    QCOMPARE(selection.part(), 9u);
    stage.feed.known().markEnded(kFileData + 1, "killed", 1);
    for (int frame = 0; frame < 100; ++frame)
        stage.pacer.advance(0.05);
    table.refresh(1);
    QVERIFY(!view->isVisible());
    QString said;
    for (const QLabel* label : table.findChildren<QLabel*>())
        said += label->isVisible() ? label->text() + "\n" : QString();
    QVERIFY2(said.contains("The process of data 1 has ended (killed)"), qPrintable(said));
    // A request for the whole bucket is refused with the reason.
    QSignalSpy read(&table.model(), &RecordModel::wholeRead);
    table.model().readAll();
    table.refresh(1);
    QCOMPARE(read.size(), 1);
    QVERIFY(read[0][0].toString().contains("has ended"));
}

// A wide title would take room from the picture beside the table.
void RecordsTest::aLongTitleTakesLinesAndNoWidth()
{
    Stage stage;
    Selection selection;
    RecordTable table(stage.pacer, stage.contents, selection);
    table.setTheme(Theme(Theme::Kind::Light, 1.5));
    table.resize(360, 500);
    table.show();
    const int usual = table.minimumSizeHint().width();
    stage.feed.known().markEnded(kFileCoordinator, "killed by signal 9 (Killed), core file written", 1);
    for (int frame = 0; frame < 100; ++frame)
        stage.pacer.advance(0.05);
    selection.select({ ObjectKind::Coordinator, kFileCoordinator, 0 });
    table.refresh(1);
    QCoreApplication::processEvents();
    const auto* title = table.findChild<QLabel*>("recordTitle");
    // Otherwise it is no long title.
    QVERIFY2(title->fontMetrics().horizontalAdvance(title->text()) > table.width(), qPrintable(title->text()));
    QVERIFY2(table.minimumSizeHint().width() <= std::max(usual, 360),
        qPrintable(QString::number(table.minimumSizeHint().width())));
    QVERIFY2(title->height() >= 2 * title->fontMetrics().height(), qPrintable(QString::number(title->height())));
    QVERIFY2(clipped(table).isEmpty(), qPrintable(clipped(table)));
}

void RecordsTest::whatWasReadIsInTheRecording()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("run.lhrun");
    Stage stage;
    {
        const auto recorder = recorderAt(path, often(50));
        recorder->onKeyframe(fileOf({ 2, 4, 1 }), 0);
        Feeder feeder { *recorder };
        feeder.state = fileOf({ 2, 4, 1 });
        feeder.isKept = false;
        TimeLine live(stage.feed, [] { return Result<std::unique_ptr<Recording>>(Error { "none" }); });
        Recorder* kept = nullptr;
        LiveOrRecordedContents source(stage.contents, live, stage.pacer, [&kept] { return kept; });
        pb::Event event;
        event.mutable_place()->set_role(pb::DATA);
        event.mutable_place()->set_number(0);
        event.mutable_bucket_overflowed();
        feeder.event(kFileData, event); // before anything is read
        recorder->flush();
        const auto readAll = [&] {
            source.readContents(kFileData + 1, 1, 256, &stage.model, [](const ContentsAnswer&) {});
            stage.contents.requests.back().done({ true, stage.page(1, 256), {} });
        };
        readAll(); // nothing is recorded yet
        kept = recorder.get();
        readAll();
        readAll(); // the same page is not written again
        feeder.event(kFileData, event);
        recorder->flush();
        stage.bytes[3] = "changed";
        source.readContents(kFileData + 1, 3, 1, &stage.model, [](const ContentsAnswer&) {});
        stage.contents.requests.back().done({ true, stage.page(3, 1), {} });
        feeder.event(kFileData, event);
        recorder->finish();
    }
    auto recording = Recording::open(path);
    QVERIFY2(recording, recording ? "" : recording.error().text.c_str());
    QCOMPARE((*recording)->rows("capture").size(), std::size_t(2));
    TimeLine replay(stage.feed, [] { return Result<std::unique_ptr<Recording>>(Error { "none" }); });
    replay.showRecording(std::move(*recording));
    Pacer pacer(replay);
    LiveOrRecordedContents source(stage.contents, replay, pacer, [] { return nullptr; });
    const auto read = [&](std::uint64_t event) {
        replay.seek(event);
        pacer.reset();
        pacer.advance(0.1);
        std::optional<ContentsAnswer> answer;
        source.readContents(kFileData + 1, 1, 256, &stage.model, [&](ContentsAnswer a) { answer = std::move(a); });
        return QTest::qWaitFor([&] { return answer.has_value(); }) ? *answer : ContentsAnswer();
    };
    ContentsAnswer first = read(0);
    QVERIFY(!first.isOk);
    QVERIFY2(first.why.contains("they had not been read"), qPrintable(first.why));
    first = read(1);
    QVERIFY(first.isOk);
    QCOMPARE(first.page.data_size(), 20);
    QCOMPARE(first.page.data(2).value(), std::string("rank 3"));
    const ContentsAnswer second = read(replay.newest());
    QCOMPARE(second.page.data_size(), 20);
    QCOMPARE(second.page.data(2).value(), std::string("changed")); // the newer reading of one rank
    QCOMPARE(second.page.data(3).value(), std::string("rank 4"));
}

void RecordsTest::aMillionRanksAreListedWithoutReading()
{
    Stage stage(1);
    DataBucketState& bucket = stage.feed.known().data[1];
    for (std::uint32_t rank = 2; rank <= 1'000'000; ++rank)
        bucket.ranks.set(rank, rank);
    bucket.sequence = bucket.count = 1'000'000;
    stage.pacer.reset();
    stage.pacer.advance(0.1);
    stage.model.refresh(stage.now += 1);
    QCOMPARE(stage.model.rowCount(), 1'000'000);
    QVERIFY(stage.contents.requests.empty());
    stage.model.setFilter("rank 500000-500002");
    QCOMPARE(stage.column(0), QStringList({ "500000", "500001", "500002" }));
}

int main(int count, char** arguments) { return runOffscreen<RecordsTest>(count, arguments); }
#include "tst_records.moc"
