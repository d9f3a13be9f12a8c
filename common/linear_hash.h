// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/ids.h"

#include <vector>

namespace lhrs {

// (i,n): file level and split pointer. The coordinator's is the true state of the file, a client's is what it believes
// (lhrs.md 1.2); a new client's is (0,0), one bucket. Valid when i <= 31 and n < 2^i: bucket numbers have 32 bits.
struct FileImage {
    Level i = 0;
    std::uint32_t n = 0;
    bool operator==(const FileImage&) const = default;
};

bool isValid(FileImage image);

// M = 2^i + n data buckets, numbered 0..M-1. This and all functions below check that the image is valid.
std::uint32_t bucketCount(FileImage image);

// The bucket of the key, right if the image is exact (lhrs.md 1.1).
BucketNumber addressOf(Key key, FileImage image);

// The level j of bucket a, which must exist in the image (lhrs.md 1.1). For a client's image it is also the level a
// scan carries to bucket a (12.1).
Level levelOf(BucketNumber a, FileImage image);

// "A1" (lhrs.md 1.3): what bucket a of level j does with a key operation that reached it. Returns a when a is right,
// else the bucket to forward to, which always has a larger number and exists. a < 2^j (check).
BucketNumber forwardTo(BucketNumber a, Level j, Key key);

// The client's image after an image adjustment message that names bucket a of level j, the last one that forwarded
// (lhrs.md 1.5). An image that knows as much already stays.
FileImage adjustImage(FileImage image, BucketNumber a, Level j);

// The bucket that a split of bucket n creates: n + 2^i (lhrs.md 2.4).
BucketNumber splitTarget(FileImage file);

// The state after the split of bucket n has committed (lhrs.md 2.4).
FileImage advanceSplit(FileImage file);

// The state after the last bucket has been merged back into the one it was split from (lhrs.md 6.1); two buckets at
// least (check).
FileImage retreatMerge(FileImage file);

// A scan on its way to one bucket, with the level that the sender believes the bucket to have.
struct ScanPart {
    BucketNumber bucket;
    Level level = 0;
    bool operator==(const ScanPart&) const = default;
};

// What a client with this image sends to start a scan: one part to each bucket of its image (lhrs.md 12.1).
std::vector<ScanPart> scanParts(FileImage image);

// What bucket a of level j forwards when a scan reaches it with `levelSent`: one part to each bucket split off since
// (lhrs.md 12.1). None when levelSent >= j.
std::vector<ScanPart> scanForwards(BucketNumber a, Level j, Level levelSent);

// A one-to-one scrambling of keys that are badly spread in their low bits; switch "mix64" (lhrs.md 1.1, ours): the
// finalizer of SplitMix64. Client and buckets of a file must both use it or both not.
Key mix64(Key key);

} // namespace lhrs
