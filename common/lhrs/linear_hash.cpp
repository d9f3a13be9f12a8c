// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/lhrs/linear_hash.h"

#include "common/errors.h"
#include "common/failpoints.h"

namespace lhrs {

namespace {

constexpr Level kFileLevelMax = 31;
constexpr Level kBucketLevelMax = kFileLevelMax + 1;

constexpr std::uint64_t powerOfTwo(Level level) { return std::uint64_t(1) << level; }

// h_l(c) = c mod 2^l, for l <= 32.
std::uint32_t hash(Level level, Key key) { return std::uint32_t(key.value & (powerOfTwo(level) - 1)); }

} // namespace

bool isValid(FileImage image) { return image.i <= kFileLevelMax && image.n < powerOfTwo(image.i); }

std::uint32_t bucketCount(FileImage image)
{
    LHRS_CHECK(isValid(image));
    return std::uint32_t(powerOfTwo(image.i)) + image.n;
}

BucketNumber addressOf(Key key, FileImage image)
{
    LHRS_CHECK(isValid(image));
    const std::uint32_t a = hash(image.i, key);
    return BucketNumber(a < image.n ? hash(image.i + 1, key) : a);
}

Level levelOf(BucketNumber a, FileImage image)
{
    LHRS_CHECK(a.value < bucketCount(image));
    return a.value < image.n || a.value >= powerOfTwo(image.i) ? image.i + 1 : image.i;
}

BucketNumber forwardTo(BucketNumber a, Level j, Key key)
{
    LHRS_CHECK(j <= kBucketLevelMax && a.value < powerOfTwo(j));
    std::uint32_t a1 = hash(j, key);
    if (a1 == a.value)
        return a; // always the result for j = 0
    const std::uint32_t a2 = hash(j - 1, key);
    if (a2 > a.value && a2 < a1 && !LHRS_MUTANT(ForwardWithoutLevelTest))
        a1 = a2;
    return BucketNumber(a1);
}

FileImage adjustImage(FileImage image, BucketNumber a, Level j)
{
    LHRS_CHECK(isValid(image) && j <= kBucketLevelMax && a.value < powerOfTwo(j));
    if (j <= image.i)
        return image;
    FileImage adjusted = { j - 1, a.value + (LHRS_MUTANT(ImageOffByOne) ? 2 : 1) };
    if (adjusted.n >= powerOfTwo(adjusted.i))
        adjusted = { adjusted.i + 1, 0 };
    // Several requests may be under way, and a late reply may name a bucket that the image already covers: the image
    // only grows.
    return bucketCount(adjusted) > bucketCount(image) ? adjusted : image;
}

BucketNumber splitTarget(FileImage file)
{
    return BucketNumber(bucketCount(file)); // n + 2^i is also the lowest unused number
}

FileImage advanceSplit(FileImage file)
{
    LHRS_CHECK(isValid(file));
    ++file.n;
    return file.n == powerOfTwo(file.i) ? FileImage { file.i + 1, 0 } : file;
}

FileImage retreatMerge(FileImage file)
{
    LHRS_CHECK(bucketCount(file) >= 2);
    if (file.n == 0)
        return { file.i - 1, std::uint32_t(powerOfTwo(file.i - 1)) - 1 };
    --file.n;
    return file;
}

std::vector<ScanPart> scanParts(FileImage image)
{
    std::vector<ScanPart> parts;
    parts.reserve(bucketCount(image));
    for (BucketNumber a; a.value < bucketCount(image); a = a.next())
        parts.push_back({ a, levelOf(a, image) });
    return parts;
}

std::vector<ScanPart> scanForwards(BucketNumber a, Level j, Level levelSent)
{
    LHRS_CHECK(j <= kBucketLevelMax && a.value < powerOfTwo(j));
    std::vector<ScanPart> parts;
    for (Level level = levelSent; level < j; ++level)
        parts.push_back({ BucketNumber(a.value + std::uint32_t(powerOfTwo(level))), level + 1 });
    return parts;
}

Key mix64(Key key)
{
    std::uint64_t x = key.value;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return Key(x ^ x >> 31);
}

} // namespace lhrs
