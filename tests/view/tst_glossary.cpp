// SPDX-License-Identifier: GPL-3.0-or-later
// The glossary: each term explained in one sentence with its source, with examples whose numbers are those of the
// state.
#include "tests/rigs/gui/view_stage.h"

#include "gui/show/glossary.h"
#include "gui/show/named_things.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QSet>

#include <set>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

constexpr qsizetype kWordsMax = 30;

qsizetype wordsIn(const QString& text)
{
    static const QRegularExpression kBetween("\\s+");
    return text.split(kBetween, Qt::SkipEmptyParts).size();
}

// Sources that were looked up in the papers, which are not in the tree.
const QSet<QString> kLookedUp {
    "Litwin, Moussa, Schwarz 2004 (VLDB), section 2",
    "Litwin, Moussa, Schwarz 2004 (VLDB), section 3",
    "Litwin, Moussa, Schwarz 2004 (VLDB), section 4",
    "Litwin, Moussa, Schwarz 2004 (VLDB), sections 2 and 4",
    "Moussa 2003 (report), section 4.1",
    "Moussa 2003 (report), section 5.1",
    "Moussa 2003 (report), section 8.4",
    "Litwin, Moussa, Schwarz 2005 (TODS), online appendix",
    "Litwin, Neimat, Schneider 1996 (TODS), abstract",
};

// Terms without a source, and why.
const std::map<QString, QString> kWithoutSource {
    { "fault", "a word of this window: no paper breaks anything on purpose while it explains it" },
};

// What is wrong with a source; empty: nothing. A source in the tree must exist.
QString sourceFault(const QString& source)
{
    const QString own = "LHRS Lab, ";
    if (!source.startsWith(own))
        return kLookedUp.contains(source) ? QString() : source + " was not looked up";
    const QString place = source.mid(own.size()), path = place.section(", ", 0, 0), heading = place.section(", ", 1);
    QFile file(QStringLiteral(LHRS_SOURCE_DIR "/") + path);
    if (!file.open(QIODevice::ReadOnly))
        return path + " is not in the tree";
    const QStringList lines = QString::fromUtf8(file.readAll()).remove('`').split('\n');
    const bool hasHeading = std::any_of(lines.begin(), lines.end(),
        [&](const QString& line) { return line.startsWith('#') && line.section(' ', 1) == heading; });
    return heading.isEmpty() || hasHeading ? QString() : path + " has no heading " + heading;
}

void putDown(ClusterState& state, std::uint32_t bucket, pb::GroupState then, bool isLost = false)
{
    const std::uint32_t m = state.m();
    GroupState& group = state.groups[bucket / m];
    group.state = then;
    DownMember& down = group.down[{ pb::DATA, bucket % m }];
    down.process = state.data[bucket].process;
    down.isLost = isLost;
    state.data[bucket].state = pb::FAILED;
}

// Fourteen buckets in four groups: each term has an example.
ClusterState troubled()
{
    ClusterState s = fileOf({ 14, 4, 2 });
    s.data[5].count = 43;
    s.data[5].isOverflowed = true;
    putDown(s, 1, pb::GROUP_DEGRADED);
    s.groups[0].suspected[{ pb::PARITY, 1 }] = { "not heard for 150 ms", 0 };
    RecoveryState& recovery = s.groups[0].recovery;
    recovery.id = 7;
    recovery.buckets = { 1 };
    recovery.isStarted = true;
    recovery.sliceRanks = 10;
    recovery.slices = 2;
    recovery.records = 17;
    putDown(s, 6, pb::GROUP_FROZEN);
    for (const std::uint32_t bucket : { 8u, 9u, 10u })
        putDown(s, bucket, pb::GROUP_LOST, true);
    s.clients[kFileClients + 1].isHeld = true;
    FileClient& bob = s.fileClients[kFileClients + 1];
    bob.imageAdjustments = 3;
    OperationState operation;
    operation.imageAdjusted = true;
    operation.adjustedBucket = 2;
    operation.adjustedLevel = 3;
    operation.imageAfter.set_i(2);
    operation.imageAfter.set_n(3);
    bob.last.push_back(operation);
    auto sample = std::make_shared<pb::NodeSample>();
    sample->set_grants_needed(2);
    sample->set_grants_held(2);
    sample->set_lease_left_ns(214'000'000);
    s.processes[kFileData + 12].samples.push_back({ 0, sample });
    s.processes[kFileData + 13].isGated = true;
    s.processes[kFileData + 12].faults[4].words = "loses each second message";
    s.processes[77] = processOf(77, pb::NODE, "node-77");
    s.displacedData[77].number = 3;
    s.displacedData[77].incarnation = 2;
    pb::Event done;
    done.set_sequence(1);
    auto* operationDone = done.mutable_operation_done();
    operationDone->set_kind(pb::SEARCH);
    operationDone->set_result(pb::OK);
    s.apply(kFileClients, done, 1'000'000);
    return s;
}

QString example(const char* term, const ClusterState& state, ObjectRef object = {}, std::uint32_t rank = 0)
{
    return exampleOf(*termOf(term), state, object, rank);
}

constexpr ObjectRef data(std::uint64_t number) { return { ObjectKind::Data, number, 0 }; }

} // namespace

class GlossaryTest : public QObject {
    Q_OBJECT
private slots:
    void eachTermIsOneShortSentence();
    void eachSourceIsThere();
    void aWrongSourceIsFound();
    void eachKindOfThingHasOneTerm();
    void aTermMayHaveNoExample();
    void aCaptionNamesThePlacesOfEachSystem();
    void eachTermHasAnExampleSomewhereAndNoneInAnEmptyCluster();
    void theNumbersAreThoseOfTheState_data();
    void theNumbersAreThoseOfTheState();
    void theExampleIsMadeFromWhatIsPointedAt();
    void levelsSayWhichKeysABucketKeeps_data();
    void levelsSayWhichKeysABucketKeeps();
    void theSearchFindsPartsOfWords();
};

void GlossaryTest::eachTermIsOneShortSentence()
{
    QSet<QString> ids, names;
    for (const auto& term : glossary()) {
        QVERIFY2(!ids.contains(term.id) && !names.contains(term.name), term.id);
        ids << term.id;
        names << term.name;
        QVERIFY2(wordsIn(term.meaning) <= kWordsMax,
            qPrintable(QString("%1: %2 words").arg(term.id).arg(wordsIn(term.meaning))));
        QVERIFY2(wordsIn(term.meaning) >= 5 && term.meaning.endsWith('.') && !term.meaning.contains(". "), term.id);
        QVERIFY2(!term.brief.isEmpty() && term.brief.size() <= 40 && !term.brief.endsWith('.'), term.id);
        QCOMPARE(termOf(term.id), &term);
        QVERIFY2(!term.related.empty(), term.id);
        for (const char* const other : term.related)
            QVERIFY2(termOf(other) && QLatin1String(other) != QLatin1String(term.id),
                qPrintable(QString("%1: %2").arg(term.id, other)));
    }
    for (const char* const wanted : { "i", "n", "j", "M", "K", "k", "m", "b", "rank", "record-group", "bucket-group",
             "delta", "epoch", "incarnation", "lease", "client-image", "forward", "image-adjustment", "slice", "cut",
             "recovery-manager", "coordinator", "spare", "load-factor", "data-bucket", "parity-bucket", "overflow",
             "suspect", "degraded-group", "frozen-group", "lost-group", "gate", "hold", "invariant" })
        QVERIFY2(ids.contains(wanted), wanted);
    QVERIFY(!termOf("nothing"));
}

void GlossaryTest::eachSourceIsThere()
{
    for (const auto& term : glossary()) {
        QVERIFY2(term.source.isEmpty() == kWithoutSource.contains(term.id), term.id);
        for (const QString& source : term.source.split("; ", Qt::SkipEmptyParts))
            QVERIFY2(sourceFault(source).isEmpty(), qPrintable(QString("%1: %2").arg(term.id, sourceFault(source))));
    }
}

void GlossaryTest::aWrongSourceIsFound()
{
    QVERIFY(!sourceFault("Litwin, Moussa, Schwarz 2004 (VLDB), section 9").isEmpty());
    QVERIFY(!sourceFault("LHRS Lab, node/NOTHING.md").isEmpty());
    QVERIFY(!sourceFault("LHRS Lab, node/lhrs/PROTOCOL.md, A heading that is not there").isEmpty());
    QVERIFY(sourceFault("LHRS Lab, node/lhrs/PROTOCOL.md, Epoch").isEmpty());
}

void GlossaryTest::eachKindOfThingHasOneTerm()
{
    // What a message is, its picture says; a node of a ring has its sentence there, too.
    const std::set<ObjectKind> without { ObjectKind::None, ObjectKind::Message, ObjectKind::Node };
    for (int kind = 0; kind <= int(ObjectKind::Node); ++kind) {
        const auto terms = std::count_if(glossary().begin(), glossary().end(), [kind](const Term& term) {
            return std::count(term.explains.begin(), term.explains.end(), ObjectKind(kind)) > 0;
        });
        QVERIFY2(terms == (without.contains(ObjectKind(kind)) ? 0 : 1),
            qPrintable(QString("%1 terms for kind %2").arg(terms).arg(kind)));
        QCOMPARE(termIdOf({ ObjectKind(kind), 0, 0 }).empty(), terms == 0);
    }
}

void GlossaryTest::aTermMayHaveNoExample()
{
    const Term term { "walk", "walk", "a query passed on", "A query goes from node to node.", {}, {} };
    QCOMPARE(exampleOf(term, troubled(), {}, 0), QString());
}

void GlossaryTest::aCaptionNamesThePlacesOfEachSystem()
{
    QCOMPARE(thingsNamed("Bucket 3 splits, and parity bucket 0.1 tells the coordinator and Alice.", { "alice" }),
        QStringList({ "data 3", "parity 0.1", "coordinator", "client alice" }));
    QCOMPARE(thingsNamed("The master lets node-12 join before node-3. Node-12 is no node-free-12.", {}),
        QStringList({ "master", "node-12", "node-3" }));
}

void GlossaryTest::eachTermHasAnExampleSomewhereAndNoneInAnEmptyCluster()
{
    const ClusterState some = troubled(), none;
    for (const auto& term : glossary()) {
        const QString words = exampleOf(term, some);
        QVERIFY2(words.startsWith("Here: ") && words.endsWith('.') && !words.contains('%' + QString("1")),
            qPrintable(QString("%1: %2").arg(term.id, words)));
        for (const ObjectRef object : { ObjectRef(), data(3), ObjectRef { ObjectKind::Parity, 1, 0 },
                 ObjectRef { ObjectKind::Client, 7, 0 }, ObjectRef { ObjectKind::Group, 99, 0 } })
            QVERIFY2(exampleOf(term, none, object, 4).isEmpty(),
                qPrintable(QString("%1: %2").arg(term.id, exampleOf(term, none, object, 4))));
    }
    // A term for something that does not occur in a file at rest has no example there.
    const ClusterState rest = fileOf({ 5, 4, 1 });
    for (const char* const term :
        { "overflow", "suspect", "frozen-group", "degraded-group", "lost-group", "cut", "recovery-manager", "slice",
            "displaced", "fault", "gate", "hold", "lease", "invariant", "image-adjustment" })
        QVERIFY2(example(term, rest).isEmpty(), qPrintable(example(term, rest)));
}

void GlossaryTest::theNumbersAreThoseOfTheState_data()
{
    QTest::addColumn<int>("state"); // 0: five buckets; 1: eight, k = 2; 2: in trouble
    QTest::addColumn<QString>("term");
    QTest::addColumn<QString>("words");
    const auto row = [](int state, const char* term, const char* words) {
        QTest::newRow(qPrintable(QString("%1 %2").arg(state).arg(term)))
            << state << QString(term) << QString::fromUtf8(words);
    };
    row(0, "file", "5 data buckets in 2 groups hold 100 records");
    row(0, "i", "i = 2, so this round began with 4 buckets; each bucket has level 2 or 3");
    row(0, "n", "n = 1, so bucket 1 splits next, whichever is full");
    row(0, "M", "M = 2^2 + 1 = 5");
    row(0, "j", "bucket 0 has level j = 3, so it keeps keys whose last 3 bits are 000");
    row(0, "K", "K = 1, and 2 of 2 groups have that many parity buckets");
    row(0, "k", "group 0 has k = 1, so it survives the loss of any 1 bucket");
    row(0, "b", "bucket 0 holds 20 records, and b = 40");
    row(0, "m", "m = 4, so bucket 0 is in group 0, at position 0");
    row(0, "load-factor", "100 records / (40 × 5) = 50 %");
    row(0, "rank", "the record with key 100 has rank 1 in bucket 0");
    row(0, "record-group", "rank 1 of group 0 is one record group, with the keys 100, 101, 102 and 103");
    row(0, "bucket-group", "group 0 has data buckets 0, 1, 2 and 3 and 1 parity bucket");
    row(0, "dummy-bucket", "buckets 5, 6 and 7 of group 1 do not exist yet");
    row(0, "delta", "of 20 changes of bucket 0, parity bucket 0.0 has applied 20");
    row(0, "epoch", "group 0 is in epoch 3");
    row(0, "incarnation", "process node-1 holds bucket 0 under incarnation 1");
    row(0, "client-image", "alice assumes (2, 1), so 5 buckets; the file has 5");
    row(0, "forward", "12\u202F345 operations of alice took 17 forwards");
    row(0, "spare", "6 data servers and 4 parity servers wait");
    row(0, "coordinator", "it keeps the file state (i, n) = (2, 1), so its next split is of bucket 1");
    row(0, "split", "bucket 4 came from the split of bucket 0");
    row(1, "i", "i = 3 and n = 0, so all 8 buckets have level 3");
    row(1, "n", "n = 0, so bucket 0 splits next, whichever is full");
    row(1, "M", "M = 2^3 + 0 = 8");
    row(1, "k", "group 0 has k = 2, so it survives the loss of any 2 buckets");
    row(1, "bucket-group", "group 0 has data buckets 0, 1, 2 and 3 and 2 parity buckets");
    row(1, "dummy-bucket", "");
    row(1, "load-factor", "160 records / (40 × 8) = 50 %");
    row(2, "k", "group 0 has k = 2, and 1 bucket is down: it survives 1 loss more");
    row(2, "overflow", "bucket 5 holds 43 records, 3 more than b = 40");
    row(2, "load-factor", "243 records / (40 × 14) = 43 %"); // without the 60 lost records
    row(2, "degraded-group", "group 0 is degraded, without bucket 1");
    row(2, "frozen-group", "group 1 is frozen, without bucket 6");
    row(2, "lost-group", "group 2 is lost, with bucket 8, bucket 9 and bucket 10");
    row(2, "cut", "the survivors of group 1 agree on the cut of bucket 6");
    row(2, "suspect", "parity bucket 0.1 is suspected: not heard for 150 ms");
    row(2, "recovery-manager", "parity bucket 0.0 computes bucket 1");
    row(2, "slice", "2 slices of 10 ranks brought back 17 records of bucket 1");
    row(2, "lease", "bucket 12 has 2 of 2 grants and may answer reads for 214 ms more");
    row(2, "image-adjustment", "bucket 2 of level 3 corrected the image of bob from (0, 0) to (2, 3)");
    row(2, "displaced", "node-77 was data bucket 3 under incarnation 2");
    row(2, "fault", "node-13 loses each second message");
    row(2, "gate", "messages wait at the 1 closed gate");
    row(2, "hold", "bob begins no new operations");
}

void GlossaryTest::theNumbersAreThoseOfTheState()
{
    QFETCH(const int, state);
    QFETCH(const QString, term);
    QFETCH(const QString, words);
    const ClusterState shown = state == 0 ? fileOf({ 5, 4, 1 }) : state == 1 ? fileOf({ 8, 4, 2 }) : troubled();
    QCOMPARE(example(qPrintable(term), shown), words.isEmpty() ? QString() : "Here: " + words + '.');
}

void GlossaryTest::theExampleIsMadeFromWhatIsPointedAt()
{
    const ClusterState state = fileOf({ 14, 4, 2 });
    QCOMPARE(example("j", state, data(5)),
        QString("Here: bucket 5 has level j = 4, so it keeps keys whose last 4 bits are 0101."));
    QCOMPARE(example("m", state, data(6)), QString("Here: m = 4, so bucket 6 is in group 1, at position 2."));
    QCOMPARE(example("split", state, data(13)), QString("Here: bucket 13 came from the split of bucket 5."));
    QCOMPARE(example("rank", state, data(6), 5), QString("Here: the record with key 506 has rank 5 in bucket 6."));
    QCOMPARE(example("record-group", state, { ObjectKind::Parity, 3, 1 }, 7),
        QString("Here: rank 7 of group 3 is one record group, with the keys 712 and 713."));
    QCOMPARE(example("parity-bucket", state, { ObjectKind::Parity, 2, 1 }),
        QString("Here: parity bucket 2.1 holds 20 parity records for bucket group 2."));
    QCOMPARE(example("k", state, { ObjectKind::Group, 3, 0 }),
        QString("Here: group 3 has k = 2, so it survives the loss of any 2 buckets."));
    QCOMPARE(example("k", troubled(), data(8)),
        QString("Here: group 2 has k = 2, and more than that failed together: records are lost."));
    QCOMPARE(example("epoch", state, data(9)), QString("Here: group 2 is in epoch 3."));
    QCOMPARE(example("client-image", state, { ObjectKind::Client, kFileClients + 1, 0 }),
        QString("Here: bob assumes (3, 0), so 8 buckets; the file has 14."));
    QCOMPARE(example("spare", state, { ObjectKind::Spare, kFileSpares + 7, 0 }),
        QString("Here: spare-8 waits in the pool of the parity servers."));
    // For an unused rank, or a bucket that does not exist, the example is another one.
    QCOMPARE(example("rank", state, data(6), 500), QString("Here: the record with key 106 has rank 1 in bucket 6."));
    QCOMPARE(example("data-bucket", state, data(99)), QString("Here: bucket 0 holds 20 records in process node-1."));
}

void GlossaryTest::levelsSayWhichKeysABucketKeeps_data()
{
    QTest::addColumn<int>("buckets");
    QTest::addColumn<int>("bucket");
    QTest::addColumn<bool>("isMixed");
    QTest::addColumn<QString>("words");
    QTest::newRow("one bucket") << 1 << 0 << false << "Here: bucket 0 has level j = 0, so it keeps all keys.";
    QTest::newRow("two buckets") << 2 << 1 << false
                                 << "Here: bucket 1 has level j = 1, so it keeps keys whose last bit is 1.";
    QTest::newRow("not split yet") << 6 << 2 << false
                                   << "Here: bucket 2 has level j = 2, so it keeps keys whose last 2 bits are 10.";
    QTest::newRow("split already") << 6 << 5 << false
                                   << "Here: bucket 5 has level j = 3, so it keeps keys whose last 3 bits are 101.";
    QTest::newRow("scrambled keys")
        << 6 << 5 << true
        << "Here: bucket 5 has level j = 3, so it keeps keys which end with the bits 101 after they are scrambled.";
}

void GlossaryTest::levelsSayWhichKeysABucketKeeps()
{
    QFETCH(const int, buckets);
    QFETCH(const int, bucket);
    QFETCH(const bool, isMixed);
    QFETCH(const QString, words);
    ClusterState state = fileOf({ std::uint32_t(buckets), 4, 1 });
    state.file.config.set_mix_keys(isMixed);
    QCOMPARE(example("j", state, data(std::uint64_t(bucket))), words);
}

void GlossaryTest::theSearchFindsPartsOfWords()
{
    const auto first = [](const char* words) {
        return QString(findTerms(words).empty() ? "" : findTerms(words).front()->id);
    };
    const auto has = [](const char* words, const char* id) {
        const auto found = findTerms(words);
        return std::find(found.begin(), found.end(), termOf(id)) != found.end();
    };
    QCOMPARE(findTerms({}).size(), glossary().size());
    QCOMPARE(findTerms("   ").size(), glossary().size());
    QCOMPARE(first("adjustm"), QString("image-adjustment"));
    QCOMPARE(first("pointer"), QString("n"));
    QCOMPARE(first("FORW"), QString("forward"));
    QCOMPARE(first("cord gro"), QString("record-group"));
    QCOMPARE(first("group bucket"), QString("bucket-group")); // in any order
    for (const char* const letter : { "i", "n", "j", "M", "K", "k", "m", "b" })
        QCOMPARE(first(letter), QString(letter));
    // Only meanings match.
    QVERIFY(has("XOR", "delta") && has("membership", "epoch") == false && has("multipl", "load-factor") == false);
    QVERIFY(has("divided by", "load-factor"));
    QVERIFY(findTerms("no such word").empty());
    for (const auto& term : glossary()) // the middle of its name finds each term
        QVERIFY2(has(qPrintable(term.name.mid(1, std::max<qsizetype>(2, term.name.size() - 2))), term.id), term.id);
}

QTEST_APPLESS_MAIN(GlossaryTest)
#include "tst_glossary.moc"
