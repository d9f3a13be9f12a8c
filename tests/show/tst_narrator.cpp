// SPDX-License-Identifier: GPL-3.0-or-later
// The narrator: events without a sentence, many events in one sentence, and the story of whole scenarios on a simulated
// cluster.
#include "gui/lab/live/ingest.h"
#include "tests/rigs/lab/lab_stage.h"
#include "tests/show/narrator_story.h"

#include <QRegularExpression>
#include <QTest>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

// A scenario on a simulated cluster, up to a place in its text; returns the events of its processes.
std::vector<RunEvent> played(const QString& name, const QString& end, QString& problem)
{
    ClusterStage stage;
    stage.limit = 100s * kSlower;
    stage.session.local().preferSimulated(SimulatedOptions());
    QString source = textOf(LHRS_SOURCE_DIR "/scenarios/" + name);
    if (!end.isEmpty())
        source = source.left(source.indexOf(end));
    const ScriptResult result = stage.play(source);
    if (result.outcome != ScriptOutcome::Held)
        problem = stage.story(result);
    std::vector<RunEvent> events;
    for (std::uint64_t cursor = 0;;) {
        EventPage page = stage.session.ingest().eventsSince(cursor, 10'000);
        if (page.missed > 0)
            problem = "events are missing";
        if (page.events.empty())
            return events;
        cursor = page.next;
        events.insert(events.end(), page.events.begin(), page.events.end());
    }
}

// "Key 7: alice's image said bucket 0", the path, and the age of the image.
const QRegularExpression kForward("^(Key [0-9]+: [a-z]+'s image said bucket [0-9]+), (bucket|but)[^:.]*(?:: that image "
                                  "was (at least )?([0-9]+) splits? old)?");

struct NarratedSplit {
    std::optional<std::uint32_t> full;
    std::uint32_t bucket = 0;
};

std::optional<NarratedSplit> splitIn(const QString& text)
{
    static const QRegularExpression kSplit("^(?:Bucket ([0-9]+) (?:is|was) full.*)?bucket ([0-9]+) splits"),
        kAlone("^The split pointer n stands at ([0-9]+), so");
    if (const auto match = kSplit.match(text); match.hasMatch())
        return NarratedSplit { match.captured(1).toUInt(), match.captured(2).toUInt() };
    if (const auto match = kAlone.match(text); match.hasMatch())
        return NarratedSplit { std::nullopt, match.captured(1).toUInt() };
    return std::nullopt;
}

// The bucket was ordered to split, and the full bucket had reported before.
bool isOrderedBecause(const std::vector<RunEvent>& events, const NarratedSplit& split)
{
    std::int64_t fullNs = split.full ? std::numeric_limits<std::int64_t>::max() : 0;
    for (const RunEvent& event : events)
        if (!event.isGap() && event.event->has_bucket_overflowed() && event.event->place().number() == split.full)
            fullNs = std::min(fullNs, event.runNs);
    return std::any_of(events.begin(), events.end(), [&](const RunEvent& event) {
        return !event.isGap() && event.event->has_split_ordered()
            && event.event->split_ordered().bucket() == split.bucket && event.runNs >= fullNs;
    });
}

} // namespace

class NarratorTest : public QObject {
    Q_OBJECT
private slots:
    void theFileBegins();
    void insertsAreQuiet();
    void whatStaysAsItIsIsQuiet();
    void manyForwardsAreOneSentence();
    void whatIsShownSlowlyIsToldOneByOne();
    void manySplitsAreCounted();
    void whatNobodyHasSeenIsNotReplaced();
    void endsAndPausesAreSeenByLooking();
    void anotherClusterIsAnotherStory();
    void aRecoveryIsToldInItsOrder();
    void aFileThatGrowsIsToldInItsOrder();
    void noOrderOfTheEventsMakesItSayWhatIsWrong_data();
    void noOrderOfTheEventsMakesItSayWhatIsWrong();
};

void NarratorTest::theFileBegins()
{
    ClusterState state;
    Narrator narrator;
    pb::Event created, inserted;
    created.mutable_file_created()->mutable_config()->set_m(4);
    created.mutable_file_created()->mutable_config()->set_b(16);
    created.mutable_file_created()->mutable_config()->set_availability(1);
    inserted.mutable_place()->set_role(pb::DATA);
    QStringList texts;
    auto give = [&, index = std::uint64_t(0)](ProcessId process, const pb::Event& event) mutable {
        state.apply(process, event, std::int64_t(++index));
        narrator.take({ .index = index,
                          .process = process,
                          .runNs = std::int64_t(index),
                          .event = std::make_shared<const pb::Event>(event) },
            state);
        for (const Telling& telling : narrator.takeTellings())
            texts << telling.text;
    };
    give(ProcessId(1), created);
    for (std::uint32_t i = 1; i <= 3; ++i) {
        inserted.mutable_record_inserted()->set_key(74 + i);
        inserted.mutable_record_inserted()->set_rank(i);
        inserted.mutable_record_inserted()->set_sequence(i);
        inserted.mutable_record_inserted()->set_count(i);
        give(ProcessId(2), inserted);
    }
    QCOMPARE(texts,
        QStringList({ "The file begins with bucket 0 and 1 parity bucket; a bucket with more than 16 records is full.",
            "Key 75 is the first record: the file has one bucket, so every key belongs in bucket 0." }));
}

void NarratorTest::insertsAreQuiet()
{
    NarratorStage stage;
    for (const std::string& line : insertsOf(1'000))
        QVERIFY2(stage.tell(line), line.c_str());
    QCOMPARE(stage.state.data.at(0).count, 1'000u);
    QCOMPARE(stage.story.texts(), QStringList());
}

void NarratorTest::whatStaysAsItIsIsQuiet()
{
    NarratorStage stage;
    for (int i = 1; i <= 100; ++i) {
        const std::string operation = "operation { client: =alice number: " + std::to_string(i) + " } ";
        QVERIFY(stage.tell(
            "alice " + operation + "operation_started { kind: SEARCH key: 75 bucket: 3 image { i: 2 n: 0 } }"));
        QVERIFY(stage.tell("d3 " + operation + "record_read { key: 75 rank: 1 }"));
        QVERIFY(
            stage.tell("alice " + operation + "operation_done { kind: SEARCH key: 75 result: OK bucket: 3 rank: 1 }"));
        QVERIFY(stage.tell("C file_state_changed { file { i: 2 n: 0 } buckets: 4 availability: 2 }"));
        QVERIFY(
            stage.tell("C epoch_changed { view { group: 0 epoch: " + std::to_string(i) + " state: GROUP_UP k: 2 } }"));
        QVERIFY(stage.tell("C members_answered { group: 0 }"));
        stage.tell("look");
    }
    QCOMPARE(stage.story.texts(), QStringList());
}

void NarratorTest::manyForwardsAreOneSentence()
{
    NarratorStage stage;
    for (int i = 1; i <= 20; ++i)
        for (const QString& line : forwardOf(i, 75 + 4 * i, 1, 3, i == 20))
            QVERIFY2(stage.tell(line.toStdString()), qPrintable(line));
    QCOMPARE(stage.story.texts(),
        QStringList { "20 requests of alice were forwarded, because its image was old: it counts 4 buckets now." });
    QVERIFY(stage.isWhole);
    QVERIFY(stage.tell("wait 2000")); // another run of operations
    for (const QString& line : forwardOf(21, 75, 1, 3, false))
        QVERIFY(stage.tell(line.toStdString()));
    QCOMPARE(stage.story.texts().size(), 2);
    QCOMPARE(stage.story.texts().last(),
        QString("Key 75: alice's image said bucket 1, bucket 1 forwarded to 3: that image was 2 splits old."));
}

void NarratorTest::whatIsShownSlowlyIsToldOneByOne()
{
    NarratorStage stage;
    for (int i = 1; i <= 3; ++i) {
        for (const QString& line : forwardOf(i, 75 + 4 * i, 1, 3, false))
            QVERIFY(stage.tell(line.toStdString()));
        for (int frame = 0; frame < 60; ++frame)
            stage.tell("look");
    }
    QCOMPARE(stage.story.texts().size(), 3);
    QVERIFY(stage.story.texts().last().startsWith("Key 87: alice's image said bucket 1, bucket 1 forwarded to 3"));
}

void NarratorTest::manySplitsAreCounted()
{
    NarratorStage stage;
    for (std::uint32_t i = 0; i < 12; ++i) {
        const std::uint32_t level = i < 4 ? 2 : 3, n = i < 4 ? i : i - 4,
                            next = (i < 4 ? i + 1 : i - 3) % (1u << level);
        const std::string split = "split: " + std::to_string(i + 1) + " bucket: " + std::to_string(n)
            + " new_bucket: " + std::to_string(4 + i);
        const std::string file = " file { i: " + std::to_string(next == 0 ? level + 1 : level)
            + " n: " + std::to_string(next) + " }";
        QVERIFY(stage.tell("d0 bucket_overflowed { count: 17 level: 2 }"));
        QVERIFY(stage.tell("C split_ordered { " + split + " }"));
        QVERIFY(stage.tell("C split_committed { " + split + file + " }"));
        QVERIFY(stage.tell("C split_finished { " + split + " moved: 8 total_ns: 3000000 }"));
    }
    const QStringList texts = stage.story.texts();
    QCOMPARE(texts.size(), 3 * 3 + 1);
    QCOMPARE(texts.at(3), QString("Bucket 0 is full. The split pointer n stands at 1, so bucket 1 splits."));
    QCOMPARE(texts.last(),
        QString("9 further splits follow closely: the file has 16 data buckets, and the split pointer n stands at 0."));
    QVERIFY(stage.isWhole);
}

// If a caller asks only after two sentences, of which the second continues the first, it gets one.
void NarratorTest::whatNobodyHasSeenIsNotReplaced()
{
    NarratorStage stage;
    std::vector<Telling> told;
    pb::Event overflowed, ordered;
    overflowed.mutable_place()->set_role(pb::DATA);
    overflowed.mutable_place()->set_number(1);
    overflowed.mutable_bucket_overflowed()->set_count(17);
    ordered.mutable_split_ordered()->set_split(1);
    ordered.mutable_split_ordered()->set_new_bucket(4);
    for (const auto& [process, event] : { std::pair(stage.of("d1"), overflowed), std::pair(stage.of("C"), ordered) }) {
        stage.state.apply(process, event, 1);
        stage.narrator.take({ .index = 100 + process,
                                .process = process,
                                .runNs = 1,
                                .event = std::make_shared<const pb::Event>(event) },
            stage.state);
    }
    told = stage.narrator.takeTellings();
    QCOMPARE(told.size(), 1u);
    QCOMPARE(told.at(0).text, QString("Bucket 1 is full. The split pointer n stands at 0, so bucket 0 splits."));
    QCOMPARE(told.at(0).instead, 0u);
    QCOMPARE(told.at(0).event, 100 + stage.of("C"));
    // Of three sentences, only the first was taken; the last one replaces it.
    NarratorStage seen;
    QVERIFY(seen.tell("d1 fault_begun { fault { number: 5 crash { } } }"));
    const std::uint64_t first = seen.story.tellings().at(0).event;
    pb::Event killed;
    killed.mutable_fault_begun()->mutable_fault()->set_number(5);
    killed.mutable_fault_begun()->mutable_fault()->mutable_crash();
    for (const char* name : { "s8", "s9" }) {
        RunEvent run { .index = ++seen.index,
            .process = seen.of(name),
            .runNs = seen.nowNs,
            .event = std::make_shared<const pb::Event>(killed) };
        seen.state.apply(run.process, killed, run.runNs);
        seen.narrator.take(run, seen.state);
    }
    told = seen.narrator.takeTellings();
    QCOMPARE(told.size(), 1u);
    QCOMPARE(
        told.at(0).text, QString("Bucket 1, data-8 and data-9 are killed on purpose: their processes end at once."));
    QCOMPARE(told.at(0).instead, first);
}

void NarratorTest::endsAndPausesAreSeenByLooking()
{
    NarratorStage stage;
    stage.state.markEnded(stage.of("s9"), "it was ended", stage.nowNs); // before the first frame: no sentence
    stage.tell("look");
    stage.tell("look");
    QCOMPARE(stage.story.texts(), QStringList());
    stage.state.markPaused(stage.of("d3"), true, stage.nowNs);
    stage.tell("look");
    stage.tell("look");
    stage.state.markPaused(stage.of("d3"), false, stage.nowNs);
    stage.tell("look");
    stage.state.markEnded(stage.of("d1"), "killed on request", stage.nowNs);
    stage.state.markEnded(stage.of("d2"), "killed on request", stage.nowNs);
    stage.state.markEnded(stage.of("s8"), "the coordinator no longer lists it", stage.nowNs);
    stage.tell("look");
    stage.state.markEnded(stage.of("C"), "killed on request", stage.nowNs);
    stage.tell("look");
    stage.tell("look");
    QCOMPARE(stage.story.texts(),
        QStringList({ "Bucket 3 stands still: its process is paused, and to all others it looks dead.",
            "Bucket 3 goes on: its process is no longer paused.",
            "Buckets 1 and 2 are gone: their processes were killed on request.",
            "data-8 is taken for ended (the coordinator no longer lists it).",
            "The coordinator has ended: key operations go on, but nothing splits or is recovered until there is "
            "another." }));
    // What an event has already said is not repeated after a frame.
    QVERIFY(stage.tell("d0 fault_begun { fault { number: 9 pause { } } }"));
    stage.tell("look");
    QVERIFY(stage.tell("d0 fault_ended { fault { number: 9 pause { } } achieved { lasted_ns: 20000000 } }"));
    stage.tell("look");
    QVERIFY(stage.tell("d0 fault_begun { fault { number: 10 crash { } } }"));
    stage.state.markEnded(stage.of("d0"), "killed on request", stage.nowNs);
    stage.tell("look");
    QCOMPARE(stage.story.texts().mid(5),
        QStringList({ "Bucket 0 stands still on purpose: to all others it looks dead.",
            "Bucket 0 goes on after a pause of 20 ms.", "Bucket 0 is killed on purpose: its process ends at once." }));
}

void NarratorTest::anotherClusterIsAnotherStory()
{
    NarratorStage stage;
    QVERIFY(stage.tell("d1 bucket_overflowed { count: 17 level: 2 }"));
    QVERIFY(stage.tell("C member_suspected { group: 0 role: DATA index: 2 reason: \"a client has no answer of it\" }"));
    stage.state.markEnded(stage.of("d2"), "killed on request", stage.nowNs);
    stage.narrator.reset();
    stage.story = {};
    stage.tell("look");
    QVERIFY(stage.tell("C split_ordered { split: 1 bucket: 0 new_bucket: 4 level: 3 }"));
    QVERIFY(stage.tell("C members_answered { group: 0 }"));
    QVERIFY(stage.tell("s8 process_started { process { node: =s8 kind: NODE name: \"data-8\" pool: DATA } }"));
    QCOMPARE(stage.story.texts(), QStringList { "The split pointer n stands at 0, so bucket 0 splits into 0 and 4." });
}

// Each of these begins a sentence, in this order; others may be between them.
QString missingIn(const QStringList& texts, const QStringList& beginnings)
{
    qsizetype at = 0;
    for (const QString& text : texts)
        if (at < beginnings.size() && text.startsWith(beginnings.at(at)))
            ++at;
    return at == beginnings.size()
        ? QString()
        : beginnings.at(at) + " is not after what was expected before it in:\n" + texts.join('\n');
}

void NarratorTest::aRecoveryIsToldInItsOrder()
{
    QString problem;
    const std::vector<RunEvent> events = played("recover_k.js", {}, problem);
    QCOMPARE(problem, QString());
    const Reading reading = read(events, 0);
    const QStringList texts = reading.story.texts();
    QVERIFY(reading.isWhole);
    QCOMPARE(tooLong(reading.all), QString());
    const QString missing = missingIn(texts,
        { "The file begins with bucket 0 and 2 parity buckets", "Key ",
            "Bucket 0 is full, and the split pointer n stands at it: bucket 0 splits.",
            "Buckets 1 and 2 are killed on purpose", "Bucket",
            "Buckets 1 and 2 do not answer and are declared failed: group 0 survives no further failure.",
            "Group 0 is frozen", "The survivors of group 0 agree on one cut of buckets 1 and 2",
            "Parity bucket 0.0, the first of the group that is up, is the recovery manager: it rebuilds buckets 1 and "
            "2 on spares.",
            "Slice by slice, parity bucket 0.0 computes the lost records from buckets 0 and 3 and parity buckets 0.0 "
            "and 0.1.",
            "3 slices are computed by Reed-Solomon decoding", "Buckets 1 and 2 are back on spares with ",
            "All members of group 0 are back: it survives 2 failures again.",
            "Bucket 0 and parity bucket 0.0 are killed on purpose",
            "Bucket 0 and parity bucket 0.0 do not answer and are declared failed",
            "Parity bucket 0.1, the first of the group that is up, is the recovery manager: it rebuilds bucket 0 on a "
            "spare.",
            "Bucket 0 is back on a spare", "Parity bucket 0.0 is lost: a spare is to take its place",
            "Parity bucket 0.0 is back on a spare", "All members of group 0 are back",
            "Bucket 3 stands still on purpose", "Bucket 3 is suspected", "Bucket 3 does not answer",
            "Bucket 3 is back on a spare", "All members of group 0 are back", "Bucket 3 goes on after a pause of " });
    QVERIFY2(missing.isEmpty(), qPrintable(missing));
    QVERIFY2(std::any_of(texts.begin(), texts.end(),
                 [](const QString& text) { return text.contains(" goes on, but bucket 3 has another process"); }),
        qPrintable(texts.join('\n')));
    // No sentence occurs twice for one recovery.
    QStringList part;
    bool hasFailed = false;
    for (const QString& text : texts) {
        hasFailed = hasFailed || text.contains("killed on purpose");
        QVERIFY2(!hasFailed || !part.contains(text), qPrintable(text));
        part << text;
        if (text.startsWith("All members of group 0 are back"))
            part.clear();
    }
}

void NarratorTest::aFileThatGrowsIsToldInItsOrder()
{
    QString problem;
    const std::vector<RunEvent> events = played("grow.js", "lab.step('g'", problem);
    QCOMPARE(problem, QString());
    const Reading fast = read(events, 0), slow = read(events, 60);
    QVERIFY(fast.isWhole && slow.isWhole);
    QCOMPARE(tooLong(fast.all + slow.all), QString());
    const QStringList both { "The file begins with bucket 0 and 1 parity bucket", "Key 0 is the first record",
        "Bucket 0 is full, and the split pointer n stands at it: bucket 0 splits.",
        "The split of bucket 0 is decided and ends a round: the level i is 1 now",
        "Bucket 0 is split: ", "Bucket 1 is full. The split pointer n stands at 0, so bucket 0 splits.",
        "Both buckets and their parity have staged the split of bucket 0",
        "Bucket 0 is split: ", "Bucket 4 is the first bucket of group 1" };
    for (const Reading* reading : { &fast, &slow }) {
        const QStringList texts = reading->story.texts();
        const QString missing = missingIn(texts, both);
        QVERIFY2(missing.isEmpty(), qPrintable(missing));
        QVERIFY2(std::any_of(texts.begin(), texts.end(),
                     [](const QString& text) {
                         return text.contains(
                             "bob's image said bucket 0, bucket 0 forwarded to 3, and 3 to 7: that image was 7 splits "
                             "old. The reply corrects it: it counts 8 buckets now.");
                     }),
            qPrintable(texts.filter("bob").join('\n')));
    }
    // In quick succession some splits are only counted; in slow motion each has its sentences.
    const auto splits = std::count_if(events.begin(), events.end(),
        [](const RunEvent& event) { return !event.isGap() && event.event->has_split_finished(); });
    const auto told = [](const Reading& reading, const char* words) {
        return reading.story.texts().filter(words).size();
    };
    QCOMPARE(told(slow, " is split: "), splits);
    QCOMPARE(told(slow, "further split"), 0);
    QCOMPARE(told(fast, " is split: "), 3);
    QCOMPARE(told(fast, "further split"), 1);
}

void NarratorTest::noOrderOfTheEventsMakesItSayWhatIsWrong_data()
{
    QTest::addColumn<QString>("scenario");
    QTest::addColumn<QString>("end");
    QTest::newRow("grow") << "grow.js"
                          << "lab.step('g'";
    QTest::newRow("recover_k") << "recover_k.js"
                               << "";
}

// A whole run, in many orders: every statement about a cause or a number is true.
void NarratorTest::noOrderOfTheEventsMakesItSayWhatIsWrong()
{
    QFETCH(QString, scenario);
    QFETCH(QString, end);
    QString problem;
    const std::vector<RunEvent> events = played(scenario, end, problem);
    QCOMPARE(problem, QString());
    const Reading inOrder = read(events, 60);
    const std::set<QString> right(inOrder.all.begin(), inOrder.all.end());
    int causes = 0, ages = 0;
    for (std::uint32_t seed = 1; seed <= 20; ++seed) {
        const Reading reading = read(interleaved(events, seed), 60, false);
        QVERIFY(reading.isWhole);
        for (const QString& text : reading.all) {
            const QByteArray what = QString("seed %1: %2").arg(seed).arg(text).toUtf8();
            if (const auto split = splitIn(text)) {
                causes += split->full ? 1 : 0;
                QVERIFY2(isOrderedBecause(events, *split), what.constData());
            } else if (const auto forward = kForward.match(text); forward.hasMatch()) {
                // Part of the path, or the age of the image, may be missing, but what is said is true.
                const int age = forward.captured(4).toInt();
                ages += age > 0 ? 1 : 0;
                QVERIFY2(std::any_of(right.begin(), right.end(),
                             [&](const QString& r) {
                                 const auto all = kForward.match(r);
                                 const int exact = all.captured(4).toInt();
                                 return all.captured(1) == forward.captured(1)
                                     && (age == 0 || age == exact || (age < exact && !forward.captured(3).isEmpty()));
                             }),
                    what.constData());
            } else {
                // What is known at a time, and which of several events comes first, depend on the order.
                const bool isOfOrder = text.endsWith(" is killed on purpose: its process ends at once.")
                    || text.contains(" joins with the oldest image") || text.startsWith("As far as is known");
                // Or its beginning, while b of the file is unknown.
                QVERIFY2(isOfOrder
                        || std::any_of(right.begin(), right.end(),
                            [&](const QString& r) { return r.startsWith(text.chopped(1)); }),
                    what.constData());
            }
        }
    }
    QVERIFY(causes > 0);
    QVERIFY(ages > 0);
}

QTEST_GUILESS_MAIN(NarratorTest)
#include "tst_narrator.moc"
