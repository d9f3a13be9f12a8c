// SPDX-License-Identifier: GPL-3.0-or-later
// The tables beside the picture, each watched by Qt's model tester while rows are added, removed and changed; and the
// texts for screen readers.
#include "tests/rigs/lab/fold_story.h"
#include "tests/rigs/gui/view_stage.h"

#include "gui/view/panels/event_log.h"
#include "gui/view/lhrs/words/file_words.h"
#include "gui/view/lhrs/words/object_words.h"
#include "gui/window/caption/story.h"

#include <QAbstractItemModelTester>
#include <QAccessible>
#include <QSignalSpy>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

using Tester = QAbstractItemModelTester;
constexpr auto kFatal = Tester::FailureReportingMode::Fatal;
constexpr double kFrame = 0.016;

// Feeds a story in its order, this many events at a time.
struct Teller {
    ListFeed& feed;
    const Story& story;
    std::size_t next = 0;
    bool tell(std::size_t events)
    {
        for (; events > 0 && next < story.order.size(); --events, ++next) {
            const auto& [process, index] = story.order[next];
            feed.tell(process, story.told.at(process)[index]);
        }
        return next < story.order.size();
    }
};

// Advances the picture until all events are shown.
bool showAll(Pacer& pacer, const ListFeed& feed)
{
    for (int frame = 0; frame < 20'000; ++frame) {
        pacer.advance(0.05);
        if (!pacer.isBusy() && pacer.shownUpTo() == feed.committed())
            return true;
    }
    return false;
}

pb::Event at(pb::Role role, std::uint32_t number)
{
    pb::Event event;
    event.mutable_place()->set_role(role);
    event.mutable_place()->set_number(number);
    return event;
}

pb::Event inserted(std::uint32_t bucket, std::uint64_t key, std::uint32_t rank, std::uint32_t count)
{
    pb::Event event = at(pb::DATA, bucket);
    auto* record = event.mutable_record_inserted();
    record->set_key(key);
    record->set_rank(rank);
    record->set_count(count);
    record->set_sequence(count);
    return event;
}

pb::Event deleted(
    std::uint32_t bucket, std::uint64_t key, std::uint32_t rank, std::uint32_t count, std::uint64_t sequence)
{
    pb::Event event = at(pb::DATA, bucket);
    auto* record = event.mutable_record_deleted();
    record->set_key(key);
    record->set_rank(rank);
    record->set_count(count);
    record->set_sequence(sequence);
    return event;
}

pb::Event sent(const char* kind)
{
    pb::Event event;
    event.mutable_message_sent()->set_kind(kind);
    event.mutable_message_sent()->set_to(99);
    return event;
}

ContentsAnswer pageOf(std::uint32_t first, std::uint32_t last, const std::string& value)
{
    ContentsAnswer answer;
    answer.isOk = true;
    for (std::uint32_t rank = first; rank <= last; ++rank) {
        auto* record = answer.page.add_data();
        record->set_rank(rank);
        record->set_key(rank);
        record->set_length(std::uint32_t(value.size()));
        record->set_version(1);
        record->set_value(value);
    }
    answer.page.set_sequence(last);
    return answer;
}

QString cell(const QAbstractItemModel& model, int row, int column)
{
    return model.index(row, column).data().toString();
}

// Reads every cell of some rows, as a painted view does.
void look(const QAbstractItemModel& model, int first, int last)
{
    for (int row = first; row <= last && row < model.rowCount(); ++row) {
        for (int column = 0; column < model.columnCount(); ++column)
            (void)model.index(row, column).data();
    }
}

} // namespace

class ModelsTest : public QObject {
    Q_OBJECT
private slots:
    void theRecordTableFollowsAFileThatGrows();
    void bytesAreReadPageByPageAndOnlyWhenLookedAt();
    void anAnswerForAnotherBucketIsDropped();
    void aChangeOfTheBucketIsSeenInTheTable();
    void aBucketThatIsReleasedLeavesAnEmptyTable();
    void theLogListsWhatIsShownAndNothingElse();
    void theLogFilters();
    void theLogListsWhatADisplacedServerDoes();
    void theLogForgetsWithTheRing();
    void everyRowOfTheLogIsASentence();
    void theStoryKeepsItsLines();
    void everyObjectHasAName();
    void aProcessThatAnEventNamesFirstGetsItsName();
    void theCanvasIsAListForScreenReaders();
    void anArrowKeyStaysInItsRow();
};

void ModelsTest::theRecordTableFollowsAFileThatGrows()
{
    ListFeed feed;
    Pacer pacer(feed);
    HeldContents contents;
    RecordModel data(pacer, contents), parity(pacer, contents);
    Tester dataTester(&data, kFatal), parityTester(&parity, kFatal);
    data.setBucket({ ObjectKind::Data, 0, 0 });
    parity.setBucket({ ObjectKind::Parity, 0, 0 });
    const Story story = growth(12, 7);
    Teller teller { feed, story };
    int rowsMost = 0;
    double now = 0;
    bool hasShrunk = false;
    for (bool isMore = true; isMore || pacer.isBusy();) {
        isMore = teller.tell(3);
        for (int frame = 0; frame < 40; ++frame)
            pacer.advance(kFrame);
        now += 1;
        data.refresh(now);
        parity.refresh(now);
        hasShrunk = hasShrunk || data.rowCount() < rowsMost;
        rowsMost = std::max(rowsMost, data.rowCount());
        look(data, 0, 20);
        look(parity, 0, 20);
        for (HeldContents::Request& request : std::exchange(contents.requests, {}))
            request.done(pageOf(request.rankFrom, request.rankFrom + 3, "bytes"));
    }
    QVERIFY(rowsMost > 5);
    QVERIFY(hasShrunk); // a split removed records
    const DataBucketState& bucket = feed.known().data.at(0);
    QCOMPARE(data.rowCount(), int(bucket.ranks.rankMax()));
    for (std::uint32_t rank = 1; rank <= bucket.ranks.rankMax(); ++rank)
        QCOMPARE(cell(data, int(rank) - 1, 1),
            bucket.ranks.has(rank) ? QString::number(bucket.ranks.at(rank)) : QString("free rank"));
    QCOMPARE(parity.columnCount(), 6); // rank, four positions, bytes
    QCOMPARE(parity.headerData(2, Qt::Horizontal).toString(), QString("bucket 1"));
    data.setBucket({ ObjectKind::Coordinator, 1, 0 });
    QCOMPARE(data.columnCount(), 0);
}

void ModelsTest::bytesAreReadPageByPageAndOnlyWhenLookedAt()
{
    ListFeed feed;
    feed.known() = fileOf({ 1, 4, 1, 1, 1, 1, 1'000, 600 });
    Pacer pacer(feed);
    pacer.advance(kFrame);
    HeldContents contents;
    RecordModel model(pacer, contents);
    Tester tester(&model, kFatal);
    model.setBucket({ ObjectKind::Data, 0, 0 });
    contents.requests.clear(); // requests caused by the tester
    RecordModel quiet(pacer, contents);
    quiet.setBucket({ ObjectKind::Data, 0, 0 });
    quiet.refresh(1);
    QVERIFY(contents.requests.empty());
    look(quiet, 300, 320);
    quiet.refresh(2);
    QCOMPARE(contents.requests.size(), std::size_t(1));
    QCOMPARE(contents.requests[0].process, kFileData);
    QCOMPARE(contents.requests[0].rankFrom, 257u);
    QCOMPARE(contents.requests[0].count, RecordModel::kPage);
    QCOMPARE(cell(quiet, 300, 4), QString("…"));
    QVERIFY(quiet.headline().contains("reading"));
    quiet.refresh(3); // an answer is under way: no second request
    look(quiet, 300, 320);
    QCOMPARE(contents.requests.size(), std::size_t(1));
    QSignalSpy changed(&quiet, &QAbstractItemModel::dataChanged);
    contents.requests[0].done(pageOf(257, 512, "ab\x01"));
    QCOMPARE(changed.size(), 1);
    QCOMPARE(changed[0][0].toModelIndex().row(), 256);
    QCOMPARE(changed[0][1].toModelIndex().row(), 511);
    QCOMPARE(cell(quiet, 300, 4), QString("61 62 01"));
    QCOMPARE(cell(quiet, 300, 5), QString("ab."));
    QVERIFY(quiet.headline().contains("512"));
    look(quiet, 300, 320);
    quiet.refresh(9);
    QCOMPARE(contents.requests.size(), std::size_t(1)); // nothing changed, so nothing is read again
    // A missing answer is requested again; an answer with a reason is shown.
    look(quiet, 0, 3);
    quiet.refresh(10);
    QCOMPARE(contents.requests.size(), std::size_t(2));
    look(quiet, 0, 3);
    quiet.refresh(17);
    QCOMPARE(contents.requests.size(), std::size_t(3));
    ContentsAnswer refused;
    refused.why = "the process does not answer";
    contents.requests[2].done(refused);
    QVERIFY(quiet.headline().contains(refused.why));
}

void ModelsTest::anAnswerForAnotherBucketIsDropped()
{
    ListFeed feed;
    feed.known() = fileOf({ 2, 4, 1 });
    Pacer pacer(feed);
    pacer.advance(kFrame);
    HeldContents contents;
    RecordModel model(pacer, contents);
    Tester tester(&model, kFatal);
    model.setBucket({ ObjectKind::Data, 0, 0 });
    look(model, 0, 3);
    model.refresh(1);
    QCOMPARE(contents.requests.size(), std::size_t(1));
    model.setBucket({ ObjectKind::Data, 1, 0 });
    contents.requests[0].done(pageOf(1, 20, "of bucket 0"));
    QCOMPARE(cell(model, 0, 4), QString("…"));
    look(model, 0, 3);
    model.refresh(2);
    QCOMPARE(contents.requests[1].process, kFileData + 1);
    contents.requests[1].done(pageOf(1, 20, "x"));
    QCOMPARE(cell(model, 0, 5), QString("x"));
}

void ModelsTest::aChangeOfTheBucketIsSeenInTheTable()
{
    ListFeed feed;
    feed.known() = fileOf({ 1, 4, 1 });
    Pacer pacer(feed);
    pacer.advance(kFrame);
    HeldContents contents;
    RecordModel model(pacer, contents);
    Tester tester(&model, kFatal);
    model.setBucket({ ObjectKind::Data, 0, 0 });
    look(model, 0, 19);
    model.refresh(1);
    contents.requests.at(0).done(pageOf(1, 20, "old"));
    // A record in the middle leaves: the number of rows is unchanged, but one of them says so, and views are notified.
    QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
    feed.tell(kFileData, deleted(0, 500, 5, 19, 21));
    QVERIFY(showAll(pacer, feed));
    model.refresh(2);
    QCOMPARE(model.rowCount(), 20);
    QCOMPARE(cell(model, 4, 1), QString("free rank"));
    QVERIFY(changed.size() > 0);
    // An update leaves keys and ranks unchanged: the bytes are read again when a view needs them.
    const auto asked = contents.requests.size();
    pb::Event updated = at(pb::DATA, 0);
    updated.mutable_record_updated()->set_rank(7);
    updated.mutable_record_updated()->set_sequence(22);
    feed.tell(kFileData, updated);
    QVERIFY(showAll(pacer, feed));
    changed.clear();
    model.refresh(3);
    QVERIFY(changed.size() > 0);
    look(model, 0, 19);
    model.refresh(4);
    QVERIFY(contents.requests.size() > asked);
    contents.requests.back().done(pageOf(1, 20, "new"));
    QCOMPARE(cell(model, 6, 5), QString("new"));
    // A change just after a page was read is read too, a moment later.
    look(model, 0, 19);
    updated.mutable_record_updated()->set_sequence(23);
    feed.tell(kFileData, updated);
    QVERIFY(showAll(pacer, feed));
    model.refresh(4.1);
    look(model, 0, 19);
    const auto before = contents.requests.size();
    for (double now = 4.2; now < 5; now += 0.1)
        model.refresh(now);
    QCOMPARE(contents.requests.size(), before + 1);
}

void ModelsTest::aBucketThatIsReleasedLeavesAnEmptyTable()
{
    ListFeed feed;
    feed.known() = fileOf({ 2, 4, 1 });
    Pacer pacer(feed);
    pacer.advance(kFrame);
    HeldContents contents;
    RecordModel model(pacer, contents);
    Tester tester(&model, kFatal);
    model.setBucket({ ObjectKind::Data, 1, 0 });
    QCOMPARE(model.rowCount(), 20);
    pb::Event released;
    released.mutable_node_released()->set_pool(pb::DATA);
    feed.tell(kFileData + 1, released);
    QVERIFY(showAll(pacer, feed));
    model.refresh(1);
    QCOMPARE(model.rowCount(), 0);
    model.refresh(2);
    QCOMPARE(model.rowCount(), 0);
    QVERIFY(contents.requests.empty());
}

// ---- the event log

void ModelsTest::theLogListsWhatIsShownAndNothingElse()
{
    ListFeed feed;
    Pacer pacer(feed);
    EventLogModel log(feed, pacer);
    Tester tester(&log, kFatal);
    log.setFilter({ LogFilter::Kind::Everything, {}, {} });
    const Story story = growth(8, 3);
    Teller teller { feed, story };
    std::uint64_t before = 0;
    for (bool isMore = true; isMore || pacer.isBusy();) {
        isMore = teller.tell(5);
        pacer.advance(kFrame);
        while (log.refresh(7)) { }
        QVERIFY(log.listed() <= pacer.shownUpTo()); // everything in the list is in the picture
        QVERIFY(log.listed() >= before);
        before = log.listed();
    }
    while (log.refresh()) { }
    QCOMPARE(log.listed(), feed.committed());
    QCOMPARE(log.hidden(), 0u);
    log.clear();
    QCOMPARE(log.rowCount(), 0);
    log.refresh();
    QCOMPARE(log.rowCount(), 0); // starts after the newest event
    feed.tell(kFileData, inserted(0, 1, 1, 1));
    QVERIFY(showAll(pacer, feed));
    log.refresh();
    QCOMPARE(log.rowCount(), 1);
}

void ModelsTest::theLogFilters()
{
    ListFeed feed;
    feed.known() = fileOf({ 4, 4, 1 });
    Pacer pacer(feed);
    pacer.advance(kFrame);
    EventLogModel log(feed, pacer);
    Tester tester(&log, kFatal);
    feed.tell(kFileData, inserted(0, 4711, 21, 21));
    feed.tell(kFileData, sent("delta"));
    feed.tell(kFileData + 1, inserted(1, 4712, 21, 21));
    pb::Event overflow = at(pb::DATA, 1);
    overflow.mutable_bucket_overflowed()->set_count(41);
    feed.tell(kFileData + 1, overflow);
    QVERIFY(showAll(pacer, feed));
    const auto rows = [&](const LogFilter& filter) {
        log.setFilter(filter);
        while (log.refresh(2)) { }
        return log.rowCount();
    };
    QCOMPARE(rows({ LogFilter::Kind::Everything, {}, {} }), 4);
    QCOMPARE(rows({ LogFilter::Kind::WithoutMessages, {}, {} }), 3);
    QCOMPARE(log.hidden(), 1u);
    QCOMPARE(rows({ LogFilter::Kind::Structure, {}, {} }), 1);
    QCOMPARE(log.hidden(), 3u);
    QCOMPARE(rows({ LogFilter::Kind::Everything, { ObjectKind::Data, 1, 0 }, {} }), 2);
    QCOMPARE(log.objectOfRow(0), (ObjectRef { ObjectKind::Data, 1, 0 }));
    QCOMPARE(rows({ LogFilter::Kind::Everything, {}, "4711" }), 1);
    QCOMPARE(rows({ LogFilter::Kind::Everything, {}, "no such words" }), 0);
    QCOMPARE(log.hidden(), 4u);
    QCOMPARE(log.objectOfRow(0), ObjectRef());
}

void ModelsTest::theLogListsWhatADisplacedServerDoes()
{
    constexpr ProcessId kFormer = 77;
    ListFeed feed;
    feed.known() = fileOf({ 4, 4, 1 });
    feed.known().processes[kFormer] = processOf(kFormer, pb::NODE, "node-77");
    feed.known().displacedData[kFormer].number = 1;
    Pacer pacer(feed);
    pacer.advance(kFrame);
    EventLogModel log(feed, pacer);
    log.setFilter({ LogFilter::Kind::Everything, objectOf(pacer.state(), kFormer), {} });
    feed.tell(kFormer, sent("alive"));
    feed.tell(kFileData + 1, sent("alive"));
    QVERIFY(showAll(pacer, feed));
    while (log.refresh()) { }
    QCOMPARE(log.rowCount(), 1);
    QVERIFY2(cell(log, 0, EventLogModel::Who).contains("node-77"), qPrintable(cell(log, 0, EventLogModel::Who)));
}

void ModelsTest::theLogForgetsWithTheRing()
{
    ListFeed feed(200);
    Pacer pacer(feed);
    EventLogModel log(feed, pacer);
    Tester tester(&log, kFatal);
    pacer.advance(kFrame);
    for (std::uint32_t burst = 0; burst < 12; ++burst) {
        for (std::uint32_t i = 1; i <= 50; ++i)
            feed.tell(kFileData, inserted(0, burst * 50 + i, burst * 50 + i, burst * 50 + i));
        QVERIFY(showAll(pacer, feed));
        while (log.refresh(30)) { }
        QVERIFY(log.rowCount() <= 200);
    }
    QCOMPARE(log.rowCount(), 200);
    QCOMPARE(log.forgotten() + log.listed(), feed.committed());
    QVERIFY(cell(log, 199, EventLogModel::What).contains("600"));
    QVERIFY(cell(log, 0, EventLogModel::What).contains("401"));
}

void ModelsTest::everyRowOfTheLogIsASentence()
{
    ListFeed feed;
    Pacer pacer(feed);
    EventLogModel log(feed, pacer);
    log.setFilter({ LogFilter::Kind::Everything, {}, {} });
    const Story story = growth(6, 11);
    Teller teller { feed, story };
    teller.tell(story.order.size());
    QVERIFY(showAll(pacer, feed));
    while (log.refresh()) { }
    QVERIFY(log.rowCount() > 200);
    for (int row = 0; row < log.rowCount(); ++row) {
        const QString words = cell(log, row, EventLogModel::What);
        QVERIFY2(words.size() > 10 && words.endsWith('.'), qPrintable(words));
        QVERIFY(cell(log, row, EventLogModel::Time).endsWith(" s"));
        QVERIFY(!cell(log, row, EventLogModel::Who).isEmpty());
    }
}

// ---- other tables

void ModelsTest::theStoryKeepsItsLines()
{
    StoryModel story;
    Tester tester(&story, kFatal);
    story.add({ { StoryLine::Kind::Step, "(a)  A file" }, { StoryLine::Kind::Say, "It begins." } });
    story.add({});
    story.add({ { StoryLine::Kind::Held, "one bucket" }, { StoryLine::Kind::Failed, "two buckets (1)" },
        { StoryLine::Kind::Note, "aside" } });
    QCOMPARE(story.rowCount(), 5);
    QCOMPARE(cell(story, 2, 0), QString("✓ one bucket"));
    QCOMPARE(cell(story, 3, 0), QString("✗ two buckets (1)")); // a sign, not only a colour
    QVERIFY(story.index(0).data(Qt::FontRole).value<QFont>().bold());
    QSignalSpy changed(&story, &QAbstractItemModel::dataChanged);
    story.setTheme(Theme(Theme::Kind::Dark, 1.5));
    QCOMPARE(changed.size(), 1);
    story.clear();
    QCOMPARE(story.rowCount(), 0);
}

// ---- words

void ModelsTest::everyObjectHasAName()
{
    const ClusterState state = fileOf({ 6, 4, 2 });
    QStringList names;
    for (const ObjectRef object : objectsOf(state)) {
        const QString name = fileWords().nameOf(state, object), words = sentenceOf(state, object);
        QVERIFY2(!name.isEmpty() && !names.contains(name), qPrintable(name));
        QVERIFY2(words.size() > 8 && words[0].isUpper(), qPrintable(words));
        QVERIFY2(!detailsOf(state, object).isEmpty(), qPrintable(name));
        names << name;
    }
    for (const char* name : { "data 5", "parity 1.1", "group 1", "client alice", "coordinator", "spare spare-1" })
        QVERIFY2(names.contains(name), name);
    const ObjectRef bucket { ObjectKind::Data, 5, 0 };
    QCOMPARE(sentenceOf(state, bucket),
        QString("Data bucket 5, group 1, position 1, level 3, 20 of 40 records, up, parity up to date"));
    QVERIFY(sentenceOf(state, { ObjectKind::Dummy, 6, 0 }).contains("does not exist yet"));
    QCOMPARE(objectOf(state, parityProcess(1, 1)), (ObjectRef { ObjectKind::Parity, 1, 1 }));
    QCOMPARE(grouped(1'234'567), QString::fromUtf8("1\u202f234\u202f567"));
    QCOMPARE(durationWords(412'000), QString("412 µs"));
    QCOMPARE(durationWords(1'250'000'000), QString("1.25 s"));
}

// A snapshot adds a process without an event. So the shown state may contain a bucket of whose process only the number
// is known.
void ModelsTest::aProcessThatAnEventNamesFirstGetsItsName()
{
    ListFeed feed;
    feed.known() = fileOf({ 2, 4, 1 });
    const ProcessState spare = feed.known().processes.at(kFileSpares);
    feed.known().processes.erase(kFileSpares);
    Pacer pacer(feed);
    for (int frame = 0; frame < 40; ++frame)
        pacer.advance(kFrame); // starts with the newest state, then goes over to slow motion
    QVERIFY(!pacer.isLive() && !pacer.state().processes.contains(kFileSpares));
    pb::Event recruited = at(pb::DATA, 2);
    recruited.mutable_node_recruited()->set_incarnation(9);
    feed.tell(kFileSpares, recruited);
    // Each causes the next, so the show stays busy, and does not jump to a newer state.
    ProcessId process = kFileSpares;
    std::uint64_t number = 1;
    for (std::uint32_t i = 0; i < 6; ++i) {
        pb::Event next = inserted(i % 2, 1'000 + i, 100 + i, 100 + i);
        next.set_cause_process(process);
        next.set_cause_sequence(number);
        process = kFileData + i % 2;
        number = feed.tell(process, next);
    }
    feed.known().processes.at(kFileSpares).kind = spare.kind;
    feed.known().processes.at(kFileSpares).name = spare.name;
    feed.known().processes.at(kFileSpares).pid = spare.pid;
    const auto name = [&] {
        const auto shown = pacer.state().processes.find(kFileSpares);
        return shown == pacer.state().processes.end() ? std::string() : shown->second.name;
    };
    for (int frame = 0; frame < 60 && name().empty(); ++frame)
        pacer.advance(kFrame);
    QVERIFY(pacer.isBusy());
    QCOMPARE(name(), spare.name);
    QCOMPARE(pacer.state().processes.at(kFileSpares).pid, spare.pid);
    QCOMPARE(pacer.state().data.at(2).process, kFileSpares);
}

void ModelsTest::theCanvasIsAListForScreenReaders()
{
    ListFeed feed;
    feed.known() = fileOf({ 6, 4, 1 });
    Pacer pacer(feed);
    Selection selection;
    ClusterCanvas canvas(pacer, selection);
    canvas.setTheme(Theme());
    canvas.resize(1280, 520);
    canvas.show();
    QVERIFY(QTest::qWaitForWindowExposed(&canvas));
    pacer.advance(kFrame);
    canvas.refresh(0.1);
    QAccessibleInterface* list = QAccessible::queryAccessibleInterface(&canvas);
    QVERIFY(list != nullptr);
    QCOMPARE(list->role(), QAccessible::List);
    const std::vector<ObjectRef> objects = objectsOf(feed.state());
    QCOMPARE(list->childCount(), int(objects.size()));
    for (int i = 0; i < list->childCount(); ++i) {
        QAccessibleInterface* child = list->child(i);
        QVERIFY(child != nullptr && child->isValid());
        QCOMPARE(child->role(), QAccessible::ListItem);
        QCOMPARE(child->text(QAccessible::Name), sentenceOf(feed.state(), objects[std::size_t(i)]));
        QCOMPARE(list->indexOfChild(child), i);
        QCOMPARE(child->parent(), list);
        if (objects[std::size_t(i)].kind == ObjectKind::Data) {
            const QPoint centre = child->rect().center();
            QCOMPARE(list->childAt(centre.x(), centre.y()), child);
        }
    }
    selection.select({ ObjectKind::Data, 3, 0 });
    const auto index = std::find(objects.begin(), objects.end(), selection.selected()) - objects.begin();
    QVERIFY(list->child(int(index))->state().selected);
    // The arrow keys reach every object from the first one.
    std::set<ObjectRef> reached;
    selection.select({});
    canvas.setFocus();
    QTest::keyClick(&canvas, Qt::Key_Right);
    QCOMPARE(selection.selected(), (ObjectRef { ObjectKind::Data, 0, 0 }));
    std::vector<ObjectRef> open { selection.selected() };
    while (!open.empty()) {
        const ObjectRef here = open.back();
        open.pop_back();
        if (!reached.insert(here).second)
            continue;
        for (const int key : { Qt::Key_Left, Qt::Key_Right, Qt::Key_Up, Qt::Key_Down }) {
            selection.select(here);
            QTest::keyClick(&canvas, Qt::Key(key));
            open.push_back(selection.selected());
        }
    }
    for (const ObjectRef object : objects)
        QVERIFY2(object.kind == ObjectKind::Group || reached.contains(object),
            qPrintable(fileWords().nameOf(feed.state(), object)));
    QCOMPARE(canvas.accessibleDescription(), sentenceOf(feed.state(), selection.selected()));
}

// In little room a bucket is low: the pool of spares below it is nearer than the bucket beside it.
void ModelsTest::anArrowKeyStaysInItsRow()
{
    ListFeed feed;
    feed.known() = fileOf({ 3, 4, 1 });
    Pacer pacer(feed);
    Selection selection;
    ClusterCanvas canvas(pacer, selection);
    canvas.setTheme(Theme());
    canvas.resize(1280, 300);
    canvas.show();
    QVERIFY(QTest::qWaitForWindowExposed(&canvas));
    pacer.advance(kFrame);
    canvas.refresh(0.1);
    canvas.setFocus();
    for (const auto& [from, key, to] : { std::tuple(1U, Qt::Key_Left, 0U), std::tuple(1U, Qt::Key_Right, 2U) }) {
        selection.select({ ObjectKind::Data, from, 0 });
        QTest::keyClick(&canvas, key);
        QCOMPARE(selection.selected(), (ObjectRef { ObjectKind::Data, to, 0 }));
    }
}

int main(int count, char** arguments) { return runOffscreen<ModelsTest>(count, arguments); }
#include "tst_models.moc"
