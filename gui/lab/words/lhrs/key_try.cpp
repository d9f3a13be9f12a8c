// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/words/lhrs/key_try.h"

namespace lhrs::gui {

KeyTry tryKey(std::uint64_t key, FileImage image, FileImage truth)
{
    KeyTry result;
    result.key = key;
    result.image = image;
    result.truth = truth;
    result.believed = addressOf(Key(key), image).value;
    result.right = addressOf(Key(key), truth).value;
    if (result.believed >= bucketCount(truth))
        return result; // the client then asks the coordinator for the location
    BucketNumber at(result.believed), last(result.believed);
    result.path.push_back(at.value);
    for (BucketNumber next = forwardTo(at, levelOf(at, truth), Key(key)); next != at;
         next = forwardTo(at, levelOf(at, truth), Key(key))) {
        last = at;
        at = next;
        result.path.push_back(at.value);
    }
    if (result.path.size() > 1) {
        const Level level = levelOf(last, truth);
        result.adjustment = KeyTry::Adjustment { last.value, level, adjustImage(image, last, level) };
    }
    return result;
}

BucketBelief beliefOf(std::uint32_t a, FileImage image, FileImage truth)
{
    const bool isBelieved = a < bucketCount(image), isThere = a < bucketCount(truth);
    if (!isBelieved)
        return BucketBelief::Unknown;
    if (!isThere)
        return BucketBelief::Gone;
    return levelOf(BucketNumber(a), image) == levelOf(BucketNumber(a), truth) ? BucketBelief::Right
                                                                              : BucketBelief::Stale;
}

} // namespace lhrs::gui
