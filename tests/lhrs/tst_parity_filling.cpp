// SPDX-License-Identifier: GPL-3.0-or-later
// A further parity bucket of a live group fills itself from the data buckets while changes go on.
#include "tests/rigs/core/file_check.h"

#include <QTest>

#include <algorithm>
#include <deque>
#include <numeric>
#include <optional>

using namespace lhrs;
using namespace lhrs::test;

namespace {

using Change = ParityRig::Change;
using Block = ParityRig::Block;

ParityRig::Options beingFilled(std::set<std::uint32_t> positions = { 0 })
{
    ParityRig::Options options;
    options.column = 2;
    options.state = pb::INIT;
    options.data = std::move(positions);
    return options;
}

// What one data bucket does: changes, with blocks of its contents between them.
struct Story {
    std::vector<Change> changes;
    std::vector<Block> blocks;
    std::deque<std::string> values; // owns the bytes that the blocks point to
};

// The current records of these ranks, as a block of the story.
void takeBlock(ParityRig& rig, Story& story, std::uint32_t first, std::uint32_t last)
{
    Block block { .block = std::uint32_t(story.blocks.size()),
        .isLast = last == ~0u,
        .snap = rig.sequences[0],
        .first = first,
        .last = last };
    for (const auto& [rank, record] : rig.model.positions[0]) {
        if (rank < first || rank > last)
            continue;
        block.entries.push_back({ .kind = BlockEntry::Kind::Insert,
            .key = Key(record.key),
            .rank = Rank(rank),
            .length = std::uint32_t(record.value.size()),
            .version = record.version,
            .bytes = story.values.emplace_back(record.value) });
    }
    story.blocks.push_back(block);
}

using Teller = void (*)(ParityRig&, Story&);

// Key 10 leaves a rank that the first block contains and comes back at one that the second block contains.
void aKeyMovesUp(ParityRig& rig, Story& story)
{
    rig.insert(0, 1, 10, "ten");
    rig.insert(0, 2, 11, "eleven");
    takeBlock(rig, story, 1, 2);
    story.changes.push_back(rig.erase(0, 1));
    story.changes.push_back(rig.insert(0, 1, 12, "twelve"));
    story.changes.push_back(rig.insert(0, 3, 10, "ten again"));
    takeBlock(rig, story, 3, ~0u);
    story.changes.push_back(rig.update(0, 3, "ten, longer"));
    story.changes.push_back(rig.erase(0, 2));
}

void aKeyMovesDown(ParityRig& rig, Story& story)
{
    rig.insert(0, 1, 11, "eleven");
    rig.insert(0, 3, 10, "ten");
    takeBlock(rig, story, 1, 2);
    story.changes.push_back(rig.erase(0, 3));
    story.changes.push_back(rig.insert(0, 2, 10, "ten again"));
    takeBlock(rig, story, 3, ~0u);
    story.changes.push_back(rig.update(0, 2, "t"));
    story.changes.push_back(rig.insert(0, 3, 13, "thirteen"));
}

void aRankIsUsedAgain(ParityRig& rig, Story& story)
{
    rig.insert(0, 1, 11, "eleven");
    rig.insert(0, 3, 10, "ten");
    takeBlock(rig, story, 1, 2);
    story.changes.push_back(rig.erase(0, 3));
    story.changes.push_back(rig.insert(0, 3, 12, "twelve"));
    takeBlock(rig, story, 3, ~0u);
    story.changes.push_back(rig.erase(0, 3));
    story.changes.push_back(rig.insert(0, 3, 10, "ten again"));
}

void aKeyGoesUpAndComesBack(ParityRig& rig, Story& story)
{
    rig.insert(0, 1, 10, "ten");
    rig.insert(0, 2, 11, "eleven");
    takeBlock(rig, story, 1, 2);
    story.changes.push_back(rig.erase(0, 1));
    story.changes.push_back(rig.insert(0, 3, 10, "ten above"));
    takeBlock(rig, story, 3, ~0u);
    story.changes.push_back(rig.erase(0, 3));
    story.changes.push_back(rig.insert(0, 1, 10, "ten below"));
}

// Changes that were under way when the first block was taken: the block includes them.
void changesBeforeTheFirstBlock(ParityRig& rig, Story& story)
{
    story.changes.push_back(rig.insert(0, 1, 10, "ten"));
    story.changes.push_back(rig.insert(0, 2, 11, "eleven"));
    story.changes.push_back(rig.update(0, 1, "ten, once more"));
    takeBlock(rig, story, 1, 1);
    story.changes.push_back(rig.erase(0, 2));
    takeBlock(rig, story, 2, ~0u);
    story.changes.push_back(rig.insert(0, 2, 12, "twelve"));
}

void threeBlocks(ParityRig& rig, Story& story)
{
    rig.insert(0, 1, 10, "ten");
    rig.insert(0, 2, 11, "eleven");
    takeBlock(rig, story, 1, 1);
    story.changes.push_back(rig.update(0, 2, "eleven, new"));
    takeBlock(rig, story, 2, 2);
    story.changes.push_back(rig.erase(0, 1));
    story.changes.push_back(rig.insert(0, 3, 10, "ten above"));
    takeBlock(rig, story, 3, ~0u);
    story.changes.push_back(rig.insert(0, 1, 12, "twelve"));
}

} // namespace

class TestParityFilling : public QObject {
    Q_OBJECT

private slots:
    void itAsksEachDataBucketOfItsGroupOnce();
    void itReportsWhenTheContentsOfAllPositionsAreIn();
    void itIsNotFilledWhileAChangeOfAnEarlierBlockIsMissing();
    void anEmptyGroupIsFilledAtOnce();
    void changesThatCameBeforeTheContentsAreHeld();
    void contentsAndDeltasInEveryOrderGiveTheSameParity_data();
    void contentsAndDeltasInEveryOrderGiveTheSameParity();
    void aBlockThatComesTwiceChangesNothing();
    void aMalformedBlockIsNotAcknowledged();
    void contentsForAnotherAreIgnored();
    void itIsUpWhenTheEpochSaysSo();
    void resultsOfRequestsComeWithTheContents();
    void aLostDeltaComesAgainThoughTheOthersHaveIt();
    void aLiveGroupGetsAnotherParityBucketWhateverTheNetworkDoes_data();
    void aLiveGroupGetsAnotherParityBucketWhateverTheNetworkDoes();
};

void TestParityFilling::itAsksEachDataBucketOfItsGroupOnce()
{
    ParityRig rig(beingFilled({ 0, 1, 3 })); // position 2 is a dummy bucket
    const Step step = rig.addParity();
    QCOMPARE(step.count(Body::kSendContents), std::size_t(3));
    for (const std::uint32_t q : { 0u, 1u, 3u }) {
        const auto asked = step.of(Body::kSendContents, ParityRig::nodeOf(q));
        QCOMPARE(asked.size(), std::size_t(1));
        QCOMPARE(asked[0].message.send_contents().position(), q);
        QCOMPARE(asked[0].message.send_contents().column(), 2u);
        QCOMPARE(asked[0].message.send_contents().incarnation(), ParityRig::kIncarnation);
    }
    QCOMPARE(rig.addParity().count(Body::kSendContents), std::size_t(0)); // a copy of the order
    QCOMPARE(rig.driven.pass(40ms).count(Body::kSendContents), std::size_t(3)); // not acknowledged: again
}

void TestParityFilling::itReportsWhenTheContentsOfAllPositionsAreIn()
{
    std::vector<std::uint32_t> order { 0, 1, 3 };
    do {
        ParityRig rig(beingFilled({ 0, 1, 3 }));
        rig.addParity();
        for (std::size_t at = 0; at < order.size(); ++at) {
            const std::uint32_t q = order[at];
            const std::string value = "value of position " + std::to_string(q);
            rig.insert(q, 1 + q / 2, 50 + q, value);
            const Step step = rig.contents({ .q = q,
                .snap = 1,
                .entries = { { .kind = BlockEntry::Kind::Insert,
                    .key = Key(50 + q),
                    .rank = Rank(1 + q / 2),
                    .length = std::uint32_t(value.size()),
                    .version = 1,
                    .bytes = value } } });
            const auto done = step.of(Body::kContentsDone, ParityRig::kCoordinator);
            QCOMPARE(done.size(), std::size_t(at + 1 == order.size()));
            QCOMPARE(step.count(Happened::kParityBucketFilled), done.size());
            if (!done.empty())
                QCOMPARE(done[0].message.contents_done().records(), 2u);
        }
        QCOMPARE(rig.differenceToModel(), "");
    } while (std::next_permutation(order.begin(), order.end()));
}

// The last block overtakes a Delta for a rank that the first block brought.
void TestParityFilling::itIsNotFilledWhileAChangeOfAnEarlierBlockIsMissing()
{
    ParityRig rig(beingFilled());
    rig.addParity();
    Story story;
    rig.insert(0, 1, 10, "ten");
    rig.insert(0, 2, 11, "eleven");
    takeBlock(rig, story, 1, 1);
    const Change late = rig.update(0, 1, "ten, new");
    const Change later = rig.update(0, 2, "eleven, new");
    takeBlock(rig, story, 2, ~0u);
    QCOMPARE(rig.contents(story.blocks[0]).count(Body::kContentsDone), std::size_t(0));
    QCOMPARE(rig.contents(story.blocks[1]).count(Body::kContentsDone), std::size_t(0));
    QCOMPARE(rig.delta(later).count(Body::kContentsDone), std::size_t(0));
    const Step step = rig.delta(late);
    QCOMPARE(step.of(Body::kContentsDone, ParityRig::kCoordinator).size(), std::size_t(1));
    QCOMPARE(step.count(Happened::kParityBucketFilled), std::size_t(1));
    QCOMPARE(rig.differenceToModel(), "");
}

void TestParityFilling::anEmptyGroupIsFilledAtOnce()
{
    ParityRig rig(beingFilled());
    rig.addParity();
    const Step step = rig.contents({ .snap = 0 });
    QCOMPARE(step.count(Body::kContentsDone), std::size_t(1));
    QCOMPARE(appliedSaid(rig.delta(rig.insert(0, 1, 10, "first")), 0), 1);
    QCOMPARE(rig.differenceToModel(), "");
}

void TestParityFilling::changesThatCameBeforeTheContentsAreHeld()
{
    ParityRig rig(beingFilled());
    rig.addParity();
    const Change first = rig.insert(0, 1, 10, "ten");
    const Change second = rig.insert(0, 2, 11, "eleven");
    QCOMPARE(appliedSaid(rig.delta(first), 0), 0);
    QCOMPARE(appliedSaid(rig.delta(second), 0), 0);
    QCOMPARE(rig.parity().store().recordGroups(), 0u);
    // The contents are those after sequence 1: they include the first change, but not the second.
    const Step step = rig.contents({ .snap = 1,
        .entries = { { .kind = BlockEntry::Kind::Insert,
            .key = Key(10),
            .rank = Rank(1),
            .length = 3,
            .version = 1,
            .bytes = "ten" } } });
    QCOMPARE(appliedSaid(step, 0), 2);
    QCOMPARE(rig.parity().held(), 0u);
    QCOMPARE(rig.differenceToModel(), "");
}

void TestParityFilling::contentsAndDeltasInEveryOrderGiveTheSameParity_data()
{
    QTest::addColumn<int>("teller");
    QTest::newRow("a key moves up") << 0;
    QTest::newRow("a key moves down") << 1;
    QTest::newRow("a rank is used again") << 2;
    QTest::newRow("a key goes up and comes back") << 3;
    QTest::newRow("changes before the first block") << 4;
    QTest::newRow("three blocks") << 5;
}

void TestParityFilling::contentsAndDeltasInEveryOrderGiveTheSameParity()
{
    QFETCH(int, teller);
    constexpr Teller kTellers[] = { aKeyMovesUp, aKeyMovesDown, aRankIsUsedAgain, aKeyGoesUpAndComesBack,
        changesBeforeTheFirstBlock, threeBlocks };
    std::size_t items = 0;
    {
        ParityRig rig(beingFilled());
        Story story;
        kTellers[teller](rig, story);
        items = story.changes.size() + 1; // the blocks follow each other, so they are one item: "the next block"
    }
    // All interleavings: each order of the changes, each choice of places for the blocks.
    std::vector<std::size_t> order(items - 1);
    std::iota(order.begin(), order.end(), std::size_t(0));
    int cases = 0;
    do {
        const std::size_t places = order.size() + 1;
        for (std::size_t choice = 0; choice < places * places * places; ++choice) {
            ParityRig rig(beingFilled());
            Story story;
            kTellers[teller](rig, story);
            const std::size_t at[3] = { choice % places, choice / places % places, choice / places / places };
            if (at[0] > at[1] || at[1] > at[2] || (story.blocks.size() == 2 && at[2] != at[1]))
                continue;
            ++cases;
            rig.addParity();
            std::size_t sent = 0;
            std::optional<pb::Message> open; // a block that is not acknowledged: the next one waits
            bool isDone = false;
            const auto look = [&](const Step& step) {
                isDone = isDone || step.count(Body::kContentsDone) > 0;
                if (open && step.acknowledges(*open))
                    open.reset();
            };
            const auto sendBlocks = [&](std::size_t place) {
                while (!open && sent < story.blocks.size() && at[sent] <= place) {
                    open = rig.contentsMessage(story.blocks[sent++]);
                    look(rig.driven.message(*open));
                }
            };
            for (std::size_t place = 0; place < order.size(); ++place) {
                sendBlocks(place);
                look(rig.delta(story.changes[order[place]]));
            }
            sendBlocks(places);
            QVERIFY(!open);
            QCOMPARE(sent, story.blocks.size());
            QVERIFY(isDone);
            QCOMPARE(rig.parity().applied(Position(0)), rig.sequences[0]);
            QCOMPARE(rig.parity().held(), 0u);
            QCOMPARE(rig.differenceToModel(), "");
        }
    } while (std::next_permutation(order.begin(), order.end()));
    QVERIFY(cases >= 100);
}

void TestParityFilling::aBlockThatComesTwiceChangesNothing()
{
    ParityRig rig(beingFilled());
    Story story;
    aRankIsUsedAgain(rig, story);
    rig.addParity();
    std::vector<pb::Message> messages;
    for (const Block& block : story.blocks)
        messages.push_back(rig.contentsMessage(block));
    for (const Change& change : story.changes)
        rig.delta(change);
    for (const pb::Message& message : messages) {
        for (int copy = 0; copy < 2; ++copy)
            QVERIFY(rig.driven.message(message).acknowledges(message));
    }
    for (const pb::Message& message : messages)
        QVERIFY(rig.driven.message(message).acknowledges(message)); // late
    QCOMPARE(rig.differenceToModel(), "");
}

void TestParityFilling::aMalformedBlockIsNotAcknowledged()
{
    ParityRig rig(beingFilled());
    rig.addParity();
    pb::Message message = rig.contentsMessage({ .snap = 1,
        .entries = { { .kind = BlockEntry::Kind::Insert,
            .key = Key(10),
            .rank = Rank(1),
            .length = 3,
            .version = 1,
            .bytes = "ten" } } });
    const std::string whole = message.contents().records();
    for (std::size_t length = 1; length < whole.size(); ++length) {
        message.mutable_contents()->set_records(whole.substr(0, length));
        QVERIFY(!rig.driven.message(message).acknowledges(message));
        QCOMPARE(rig.parity().store().recordGroups(), 0u);
    }
    // A block that comes before its predecessor waits for it.
    pb::Message second = rig.contentsMessage({ .block = 1, .snap = 1 });
    QVERIFY(!rig.driven.message(second).acknowledges(second));
    message.mutable_contents()->set_records(whole);
    QVERIFY(rig.driven.message(message).acknowledges(message));
}

void TestParityFilling::contentsForAnotherAreIgnored()
{
    ParityRig rig(beingFilled());
    rig.addParity();
    // This process was to become this parity bucket once before, and that was undone.
    const pb::Message late = rig.contentsMessage({ .snap = 1,
        .entries = { { .kind = BlockEntry::Kind::Insert,
            .key = Key(10),
            .rank = Rank(1),
            .length = 1,
            .version = 1,
            .bytes = "x" } },
        .asker = 5 });
    const Step step = rig.driven.message(late);
    QCOMPARE(step.count(Body::kContentsDone), std::size_t(0));
    QCOMPARE(rig.parity().store().recordGroups(), 0u);
}

void TestParityFilling::itIsUpWhenTheEpochSaysSo()
{
    ParityRig rig(beingFilled());
    rig.addParity();
    rig.contents({ .snap = 0 });
    QCOMPARE(rig.parity().state(), pb::INIT);
    rig.options.state = pb::UP;
    const Step step = rig.epoch(rig.view(2));
    QCOMPARE(rig.parity().state(), pb::UP);
    QCOMPARE(step.of(Happened::kStateChanged).at(0).state_changed().state(), pb::UP);
}

void TestParityFilling::resultsOfRequestsComeWithTheContents()
{
    // Parity buckets keep the results, so that they can hand them to a spare. Whether a change reached the new parity
    // bucket as a Delta or in a block, its result must be there; also the result of a change that was still under way.
    DataRig data({ .k = 2, .init = { 1 } });
    data.put(10, "ten"); // complete
    data.insert(11, "eleven"); // under way: parity bucket 0 has not acknowledged
    pb::Message order = Peer(DataRig::kParity + 1).message();
    order.mutable_send_contents()->set_column(1);
    order.mutable_send_contents()->set_epoch(1);
    order.mutable_send_contents()->set_incarnation(501);
    const auto blocks = data.driven.message(order).of(Body::kContents);
    QCOMPARE(blocks.size(), std::size_t(1));
    std::set<std::uint64_t> numbers;
    for (const BlockEntry& entry : entriesOf(blocks[0].message.contents().records())) {
        if (entry.kind != BlockEntry::Kind::Result)
            continue;
        numbers.insert(entry.number);
        QCOMPARE(int(entry.result), int(pb::OK)); // as in the Delta
    }
    QCOMPARE(numbers, (std::set<std::uint64_t> { 1, 2 }));

    ParityRig rig(beingFilled());
    rig.addParity();
    const Change early = rig.insert(0, 1, 10, "ten");
    rig.contents({ .isLast = false, .snap = 0, .last = 1 });
    const Change skipped = rig.insert(0, 2, 11, "eleven"); // the second block includes its effect
    rig.delta(early);
    rig.delta(skipped);
    rig.contents({ .block = 1,
        .snap = 2,
        .first = 2,
        .entries = { { .kind = BlockEntry::Kind::Insert,
            .key = Key(11),
            .rank = Rank(2),
            .length = 6,
            .version = 2,
            .bytes = "eleven" } } });
    QCOMPARE(rig.differenceToModel(), "");
    QCOMPARE(rig.parity().results(Position(0)).size(), std::size_t(2));
}

void TestParityFilling::aLostDeltaComesAgainThoughTheOthersHaveIt()
{
    // The client is answered when the parity buckets that are UP have the change. The one that is being filled must
    // still receive every change.
    DataRig rig({ .k = 2, .init = { 1 } });
    QCOMPARE(rig.insert(10, "ten").count(Body::kDelta), std::size_t(2));
    QCOMPARE(replyOf(rig.deltaAck(0, 1)).result(), pb::OK);
    const Step step = rig.driven.pass(100ms);
    QVERIFY(step.count(Body::kDelta, DataRig::kParity + 1) >= 1);
    QCOMPARE(step.count(Body::kDelta, DataRig::kParity), std::size_t(0));
    rig.deltaAck(1, 1);
    QCOMPARE(rig.driven.pass(5s).count(Body::kDelta), std::size_t(0));
}

void TestParityFilling::aLiveGroupGetsAnotherParityBucketWhateverTheNetworkDoes_data()
{
    QTest::addColumn<quint64>("seed");
    for (quint64 seed = 1; seed <= 40; ++seed)
        QTest::addRow("seed %llu", seed) << seed;
}

void TestParityFilling::aLiveGroupGetsAnotherParityBucketWhateverTheNetworkDoes()
{
    QFETCH(quint64, seed);
    // Long values, so that contents take several blocks while a window of changes goes on.
    FileRig::Options options;
    options.config = fileConfig(2, std::uint32_t(seed % 3), 1000);
    options.config.set_field(seed % 2 ? pb::GF_16 : pb::GF_8);
    options.network = { .delay = 200us, .jitter = 3ms, .loss = 150, .doubled = 150, .seed = seed };
    FileRig rig(options);
    QVERIFY(rig.waitForFile());
    pb::Command more;
    more.mutable_force_split();
    rig.cluster.ask(FileRig::kCoordinator, more, 60s);

    QVERIFY(rig.insertMany(24, 20000, 4).results().at("OK") == 24);

    pb::Command load;
    auto* mix = load.mutable_run_workload();
    mix->set_count(250);
    mix->set_length(20000);
    mix->set_window(8);
    mix->set_seed(seed);
    for (const std::uint32_t weight : { 3u, 2u, 3u, 1u })
        mix->add_mix(weight);
    const std::uint64_t loadTicket = rig.cluster.command(FileRig::kClient, load);
    pb::Command raise;
    raise.mutable_raise_availability()->set_availability(options.config.availability() + 1);
    QCOMPARE(
        rig.cluster.ask(FileRig::kCoordinator, raise).availability().availability(), options.config.availability() + 1);
    pb::Command create;
    create.mutable_create_parity()->set_group(0);
    const pb::CommandReply created = rig.cluster.ask(FileRig::kCoordinator, create, 60s);
    QVERIFY2(created.has_parity(), created.text().c_str());
    QCOMPARE(created.parity().k(), options.config.availability() + 1);
    QVERIFY(rig.cluster.runUntil([&] { return rig.cluster.reply(loadTicket) != nullptr; }, 120s));
    QCOMPARE(rig.cluster.reply(loadTicket)->workload().wrong(), 0u);
    rig.cluster.heal();
    rig.cluster.run(3s);

    // At rest every parity bucket has everything, and the new one equals one that was there from the start.
    QCOMPARE(parityProblem(rig), "");
    for (std::uint32_t p = 0; p <= options.config.availability(); ++p)
        QCOMPARE(modelOf(rig, 0).differenceTo(*rig.parity(0, p), p, seed % 2 != 0), ""); // versions too
}

QTEST_APPLESS_MAIN(TestParityFilling)
#include "tst_parity_filling.moc"
