// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/lhrs/linear_hash.h"
#include "common/lhrs/split_lineage.h"

#include <QTest>

#include <algorithm>
#include <bit>
#include <functional>
#include <optional>
#include <random>
#include <set>
#include <vector>

using namespace lhrs;

namespace {

// The state of a file that has grown to M buckets without merges: M = 2^i + n.
FileImage stateOf(std::uint32_t bucketsWanted)
{
    FileImage image;
    while (2u << image.i <= bucketsWanted)
        ++image.i;
    image.n = bucketsWanted - (1u << image.i);
    return image;
}

// Every key behaves like its residue modulo 2^(level of the largest bucket) = 2^(i+1).
std::uint32_t residueCount(FileImage file) { return 2u << file.i; }

// The buckets that a key operation visits, from the one that the client addresses to the one that accepts it.
std::vector<BucketNumber> pathOf(Key key, FileImage image, FileImage file)
{
    std::vector<BucketNumber> path = { addressOf(key, image) };
    while (path.size() < 10 && path.back().value < bucketCount(file)) {
        const BucketNumber next = forwardTo(path.back(), levelOf(path.back(), file), key);
        if (next == path.back())
            break;
        path.push_back(next);
    }
    return path;
}

// The image after the operation. Nothing changes without a forward.
FileImage imageAfter(FileImage image, const std::vector<BucketNumber>& path, FileImage file, bool isLastForwarder)
{
    if (path.size() < 2)
        return image;
    const BucketNumber named = isLastForwarder ? path[path.size() - 2] : path.front();
    return adjustImage(image, named, levelOf(named, file));
}

} // namespace

class TestLinearHash : public QObject {
    Q_OBJECT

private slots:
    void aFileStartsWithOneBucket();
    void splitsFollowTheSplitPointerRoundByRound();
    void theAddressIsTheOnlyBucketWhoseLevelFitsTheKey();
    void levelsAreThoseOfTheDefinition();
    void noOperationIsForwardedMoreThanTwice();
    void whoForwardsToABucketIsOneOfItsRelatives();
    void theSameKeyIsNeverMisaddressedAgainAfterTheLastForwardersAdjustment();
    void anImageNeverGetsAheadOfTheFile();
    void anAdjustmentThatTellsNothingNewChangesNothing();
    void afterMergesARequestMeetsNoBucketOrTheRightOne();
    void aScanReachesEveryBucketExactlyOnce();
    void aScanFromTheFirstImageTakesTenRoundsForAThousandBuckets();
    void keysOf64BitsAreHashedByTheirLowBits();
    void theLargestFileHasBucketNumbersOf32Bits();
    void scrambledKeysAreOneToOneAndSpread();
};

void TestLinearHash::aFileStartsWithOneBucket()
{
    QCOMPARE(bucketCount({}), 1u);
    QCOMPARE(levelOf(BucketNumber(0), {}), Level(0));
    QCOMPARE(addressOf(Key(0xffffffffffffffff), {}), BucketNumber(0));
    QCOMPARE(forwardTo(BucketNumber(0), 0, Key(7)), BucketNumber(0));
    QVERIFY(isValid({}));
    QVERIFY(!isValid({ 0, 1 }));
    QVERIFY(isValid({ 3, 7 }));
    QVERIFY(!isValid({ 3, 8 }));
    QVERIFY(!isValid({ 32, 0 }));
}

void TestLinearHash::splitsFollowTheSplitPointerRoundByRound()
{
    FileImage file;
    std::vector<std::uint32_t> split;
    for (std::uint32_t count = 1; count <= 300; ++count) {
        QCOMPARE(file, stateOf(count));
        QCOMPARE(bucketCount(file), count);
        QCOMPARE(splitTarget(file), BucketNumber(count));
        QCOMPARE(splitTarget(file).value, file.n + (1u << file.i));
        const FileImage after = advanceSplit(file);
        QCOMPARE(levelOf(BucketNumber(file.n), file), file.i);
        QCOMPARE(levelOf(BucketNumber(file.n), after), file.i + 1);
        QCOMPARE(levelOf(splitTarget(file), after), file.i + 1);
        split.push_back(file.n);
        file = after;
    }
    split.resize(15);
    QCOMPARE(split, (std::vector<std::uint32_t> { 0, 0, 1, 0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7 }));
}

void TestLinearHash::theAddressIsTheOnlyBucketWhoseLevelFitsTheKey()
{
    for (std::uint32_t count = 1; count <= 96; ++count) {
        const FileImage file = stateOf(count);
        for (std::uint32_t c = 0; c < residueCount(file); ++c) {
            std::optional<BucketNumber> home;
            for (BucketNumber a; a.value < count; a = a.next()) {
                if (c % (1u << levelOf(a, file)) != a.value)
                    continue;
                QVERIFY(!home);
                home = a;
            }
            QVERIFY(home);
            QCOMPARE(addressOf(Key(c), file), *home);
        }
    }
}

void TestLinearHash::levelsAreThoseOfTheDefinition()
{
    const FileImage file = { 3, 2 }; // buckets 0, 1, 8, 9 have split or were created in this round
    const std::vector<Level> levels = { 4, 4, 3, 3, 3, 3, 3, 3, 4, 4 };
    for (std::uint32_t a = 0; a < 10; ++a)
        QCOMPARE(levelOf(BucketNumber(a), file), levels[a]);
}

void TestLinearHash::noOperationIsForwardedMoreThanTwice()
{
    std::vector<int> cases(3);
    for (std::uint32_t count = 1; count <= 96; ++count) {
        const FileImage file = stateOf(count);
        for (std::uint32_t known = 1; known <= count; ++known) {
            for (std::uint32_t c = 0; c < residueCount(file); ++c) {
                const auto path = pathOf(Key(c), stateOf(known), file);
                for (std::size_t hop = 0; hop < path.size(); ++hop) {
                    QVERIFY(path[hop].value < count);
                    QVERIFY(hop == 0 || path[hop - 1] < path[hop]);
                }
                QCOMPARE(path.back(), addressOf(Key(c), file));
                QVERIFY(path.size() <= 3);
                ++cases[path.size() - 1];
            }
        }
    }
    QCOMPARE(cases, (std::vector<int> { 227928, 203056, 17918 }));
    QCOMPARE(cases[0] + cases[1] + cases[2], 448902);
}

void TestLinearHash::whoForwardsToABucketIsOneOfItsRelatives()
{
    QCOMPARE(splitLineageOf(BucketNumber(5), 16), (std::vector { BucketNumber(1), BucketNumber(0), BucketNumber(13) }));
    QCOMPARE(splitLineageOf(BucketNumber(0), 4).size(), std::size_t(3));
    QCOMPARE(splitLineageOf(BucketNumber(9'999), 10'000).size(),
        std::size_t(std::popcount(9'999u))); // a new one: its ancestors only
    const auto knows = [](BucketNumber a, BucketNumber other, std::uint32_t M) {
        const auto lineage = splitLineageOf(a, M);
        return std::find(lineage.begin(), lineage.end(), other) != lineage.end();
    };
    for (std::uint32_t count = 1; count <= 96; ++count) {
        const FileImage file = stateOf(count);
        for (std::uint32_t known = 1; known <= count; ++known) {
            for (std::uint32_t c = 0; c < residueCount(file); ++c) {
                const auto path = pathOf(Key(c), stateOf(known), file);
                for (std::size_t i = 1; i < path.size(); ++i)
                    QVERIFY(knows(path[i - 1], path[i], count) && knows(path[i], path[i - 1], count));
            }
        }
        // No image that has the bucket gives it a lower level than that at its creation.
        for (BucketNumber a; a.value < count; a = a.next())
            for (const ScanPart& part : scanForwards(a, levelOf(a, file), Level(std::bit_width(a.value))))
                QVERIFY(knows(a, part.bucket, count));
    }
}

void TestLinearHash::theSameKeyIsNeverMisaddressedAgainAfterTheLastForwardersAdjustment()
{
    int forwarded = 0;
    int misaddressedLast = 0;
    int misaddressedFirst = 0;
    for (std::uint32_t count = 1; count <= 96; ++count) {
        const FileImage file = stateOf(count);
        for (std::uint32_t known = 1; known <= count; ++known) {
            const FileImage image = stateOf(known);
            for (std::uint32_t c = 0; c < residueCount(file); ++c) {
                const auto path = pathOf(Key(c), image, file);
                if (path.size() == 1)
                    continue;
                ++forwarded;
                const FileImage last = imageAfter(image, path, file, true);
                const FileImage first = imageAfter(image, path, file, false);
                for (const FileImage after : { last, first }) {
                    QVERIFY(bucketCount(after) > known);
                    QVERIFY(bucketCount(after) <= count);
                }
                misaddressedLast += addressOf(Key(c), last) != path.back();
                misaddressedFirst += addressOf(Key(c), first) != path.back();
                QCOMPARE(addressOf(Key(c), first) != path.back(), path.size() == 3); // exactly the two-forward cases
            }
        }
    }
    QCOMPARE(forwarded, 220974);
    QCOMPARE(misaddressedLast, 0);
    QCOMPARE(misaddressedFirst, 17918);
}

void TestLinearHash::anImageNeverGetsAheadOfTheFile()
{
    // While the file grows to 66 buckets: every image that a client can have reached by adjustments at this size or any
    // smaller one, in both variants of the adjustment.
    int cases = 0;
    for (const bool isLastForwarder : { true, false }) {
        std::set<std::uint32_t> reached = { 1 }; // bucket counts stand for images: M = 2^i + n is one-to-one
        FileImage file;
        for (; bucketCount(file) <= 66; file = advanceSplit(file)) {
            std::vector<std::uint32_t> open(reached.begin(), reached.end());
            while (!open.empty()) {
                const FileImage image = stateOf(open.back());
                open.pop_back();
                for (std::uint32_t c = 0; c < residueCount(file); ++c) {
                    ++cases;
                    const FileImage after = imageAfter(image, pathOf(Key(c), image, file), file, isLastForwarder);
                    QVERIFY(isValid(after));
                    QVERIFY(bucketCount(after) <= bucketCount(file));
                    if (reached.insert(bucketCount(after)).second)
                        open.push_back(bucketCount(after));
                }
            }
        }
        QCOMPARE(reached.size(), std::size_t(66)); // every smaller file is a reachable image
    }
    QCOMPARE(cases, 271884);
}

void TestLinearHash::anAdjustmentThatTellsNothingNewChangesNothing()
{
    QCOMPARE(adjustImage({ 3, 2 }, BucketNumber(5), 3), (FileImage { 3, 2 }));
    QCOMPARE(adjustImage({ 3, 2 }, BucketNumber(1), 2), (FileImage { 3, 2 }));
    QCOMPARE(adjustImage({ 0, 0 }, BucketNumber(0), 1), (FileImage { 1, 0 }));
    QCOMPARE(adjustImage({ 2, 1 }, BucketNumber(3), 4), (FileImage { 3, 4 }));
    QCOMPARE(adjustImage({ 2, 1 }, BucketNumber(7), 4), (FileImage { 4, 0 }));
    // With several requests under way, the answer to an older one arrives last: bucket 0 has level 4 in this image
    // already.
    QCOMPARE(adjustImage({ 3, 2 }, BucketNumber(0), 4), (FileImage { 3, 2 }));
    QCOMPARE(adjustImage({ 3, 2 }, BucketNumber(1), 4), (FileImage { 3, 2 }));
    QCOMPARE(adjustImage({ 3, 2 }, BucketNumber(2), 4), (FileImage { 3, 3 }));
}

void TestLinearHash::afterMergesARequestMeetsNoBucketOrTheRightOne()
{
    int cases = 0;
    int withoutBucket = 0;
    for (std::uint32_t count = 1; count <= 48; ++count) {
        const FileImage file = stateOf(count);
        for (std::uint32_t believed = count + 1; believed <= 96; ++believed) {
            const FileImage image = stateOf(believed);
            for (std::uint32_t c = 0; c < residueCount(image); ++c) {
                ++cases;
                const BucketNumber a = addressOf(Key(c), image);
                if (a.value >= count)
                    ++withoutBucket;
                else
                    QCOMPARE(a, addressOf(Key(c), file));
            }
        }
    }
    QCOMPARE(cases, 304284);
    QCOMPARE(withoutBucket, 198590);
}

void TestLinearHash::aScanReachesEveryBucketExactlyOnce()
{
    for (std::uint32_t count = 1; count <= 96; ++count) {
        const FileImage file = stateOf(count);
        for (std::uint32_t known = 1; known <= count; ++known) {
            std::vector<ScanPart> parts = scanParts(stateOf(known));
            QCOMPARE(parts.size(), std::size_t(known));
            std::vector<int> visits(count);
            std::uint64_t covered = 0; // in units of 2^-32
            for (std::size_t next = 0; next < parts.size(); ++next) {
                const ScanPart part = parts[next];
                QVERIFY(part.bucket.value < count);
                const Level j = levelOf(part.bucket, file);
                QVERIFY(part.level <= j);
                ++visits[part.bucket.value];
                covered += std::uint64_t(1) << (32 - j);
                for (const ScanPart forwarded : scanForwards(part.bucket, j, part.level))
                    parts.push_back(forwarded);
            }
            QCOMPARE(visits, std::vector<int>(count, 1)); // M messages
            QCOMPARE(covered, std::uint64_t(1) << 32); // the sum of 2^-j is 1
        }
    }
}

void TestLinearHash::aScanFromTheFirstImageTakesTenRoundsForAThousandBuckets()
{
    const FileImage file = stateOf(1000);
    std::vector<ScanPart> round = scanParts({});
    std::size_t messages = 0;
    int rounds = 0;
    for (; !round.empty(); ++rounds) { // the client's own messages are the first
        messages += round.size();
        std::vector<ScanPart> next;
        for (const ScanPart part : round) {
            const auto forwards = scanForwards(part.bucket, levelOf(part.bucket, file), part.level);
            next.insert(next.end(), forwards.begin(), forwards.end());
        }
        round = std::move(next);
    }
    QCOMPARE(messages, std::size_t(1000));
    QCOMPARE(rounds, 10);
}

void TestLinearHash::keysOf64BitsAreHashedByTheirLowBits()
{
    const FileImage file = { 3, 2 };
    QCOMPARE(addressOf(Key(0xfedcba9876543210), file), BucketNumber(0)); // ...0000, bucket 0 has split: 4 bits
    QCOMPARE(addressOf(Key(0xfedcba9876543219), file), BucketNumber(9)); // ...1001
    QCOMPARE(addressOf(Key(0x800000000000000a), file), BucketNumber(2)); // ...010, bucket 2 has not: 3 bits
    QCOMPARE(addressOf(Key(0xffffffffffffffff), file), BucketNumber(7));
}

void TestLinearHash::theLargestFileHasBucketNumbersOf32Bits()
{
    const FileImage file = { 31, 0x7ffffffe };
    QCOMPARE(bucketCount(file), 0xfffffffe);
    QCOMPARE(addressOf(Key(0x1fffffffd), file), BucketNumber(0xfffffffd));
    QCOMPARE(levelOf(BucketNumber(0xfffffffd), file), Level(32));
    QCOMPARE(forwardTo(BucketNumber(0x7ffffffd), 32, Key(0xfffffffd)), BucketNumber(0xfffffffd));
    QCOMPARE(advanceSplit(file), (FileImage { 31, 0x7fffffff }));
    QCOMPARE(adjustImage({ 30, 5 }, BucketNumber(6), 32), (FileImage { 31, 7 }));
    QCOMPARE(scanForwards(BucketNumber(5), 32, 31), (std::vector<ScanPart> { { BucketNumber(0x80000005), 32 } }));
}

void TestLinearHash::scrambledKeysAreOneToOneAndSpread()
{
    QCOMPARE(mix64(Key(0x9e3779b97f4a7c15)), Key(0xe220a8397b1dcdaf)); // the first output of SplitMix64 from seed 0
    QCOMPARE(mix64(Key(0)), Key(0));
    std::set<Key> seen;
    std::vector<int> load(16);
    for (std::uint64_t c = 0; c < 16000; ++c) {
        const Key mixed = mix64(Key(c << 20)); // all low bits equal
        seen.insert(mixed);
        ++load[addressOf(mixed, { 4, 0 }).value];
    }
    QCOMPARE(seen.size(), std::size_t(16000));
    for (const int records : load)
        QVERIFY(records > 850 && records < 1150);
}

QTEST_APPLESS_MAIN(TestLinearHash)
#include "tst_linear_hash.moc"
