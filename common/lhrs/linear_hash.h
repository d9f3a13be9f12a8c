// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/lhrs/file_ids.h"

#include <vector>

namespace lhrs {

// (i,n): file level and split pointer. The coordinator's image is the true state of the file; a client's may lag
// behind. A new client's image is (0,0), one bucket. Valid when i <= 31 and n < 2^i: bucket numbers have 32 bits.
struct FileImage {
    Level i = 0;
    std::uint32_t n = 0;
    bool operator==(const FileImage&) const = default;
};

bool isValid(FileImage image);

// M = 2^i + n data buckets, numbered 0..M-1. This and all functions below check that the image is valid.
std::uint32_t bucketCount(FileImage image);

// The bucket of the key; correct if the image is exact.
BucketNumber addressOf(Key key, FileImage image);

// The level j of bucket a, which must exist in the image. With a client's image it is also the level that a scan
// carries to bucket a.
Level levelOf(BucketNumber a, FileImage image);

// Algorithm A1: what bucket a of level j does with a key operation that has reached it. Returns a if a is correct,
// otherwise the bucket to which to forward, which exists and always has a larger number. a < 2^j (check).
BucketNumber forwardTo(BucketNumber a, Level j, Key key);

// The client's image after an image adjustment message that names bucket a of level j, the last bucket that forwarded.
// An image that already knows as many buckets is unchanged.
FileImage adjustImage(FileImage image, BucketNumber a, Level j);

// The bucket that a split of bucket n creates: n + 2^i.
BucketNumber splitTarget(FileImage file);

// The state after the split of bucket n has committed.
FileImage advanceSplit(FileImage file);

// The state after the last bucket has been merged into the bucket from which it was split; at least two buckets
// (check).
FileImage retreatMerge(FileImage file);

// A scan sent to one bucket, with the level that the sender believes the bucket to have.
struct ScanPart {
    BucketNumber bucket;
    Level level = 0;
    bool operator==(const ScanPart&) const = default;
};

// What a client with this image sends to start a scan: one part to each bucket of its image.
std::vector<ScanPart> scanParts(FileImage image);

// What bucket a of level j forwards when a scan reaches it with `levelSent`: one part to each bucket that was split off
// since that level. None if levelSent >= j.
std::vector<ScanPart> scanForwards(BucketNumber a, Level j, Level levelSent);

// A one-to-one mixing of keys that are unevenly distributed in their low bits; option "mix64". It is the finalizer of
// SplitMix64. Either all clients and buckets of a file use it, or none.
Key mix64(Key key);

} // namespace lhrs
