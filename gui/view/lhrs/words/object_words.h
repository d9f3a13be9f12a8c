// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/cluster_state.h"
#include "gui/show/words/object_ref.h"
#include "gui/show/words/quantity_words.h"
#include "gui/view/lhrs/words/file_looks.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace lhrs::gui {

// The image of a client as "(i, n)".
QString imageWords(const pb::FileState& image);
// What is wrong with the coordinator of a file, and what that means for the file; empty: nothing is wrong.
QString coordinatorTrouble(const ClusterState& state);
// The object of the canvas for a process: a bucket or the process itself; nothing if the canvas does not show it.
ObjectRef objectOf(const ClusterState& state, ProcessId process);
// The current state of an object, as it is drawn.
// `silent`: processes that have been silent for a while; may be null.
Look lookOf(const ClusterState& state, ObjectRef object, const std::set<ProcessId>* silent);
// One sentence for a screen reader: "Data bucket 5, group 1, position 1, level 3, 37 of 40 records, up".
QString sentenceOf(const ClusterState& state, ObjectRef object);
// The details in the hover card, line by line.
QStringList detailsOf(const ClusterState& state, ObjectRef object);
// What was last known of a bucket that does not serve: what, when, and which process said so. Each line has several
// wordings, the longest first; empty: the bucket serves.
std::vector<QStringList> lastWordsOf(const ClusterState& state, ObjectRef object);
// The lease under which a data bucket answers reads. No event reports it, so it is known only while the node is
// watched.
struct LeaseShown {
    std::int64_t leftNs = 0, atNs = 0; // the time left at that instant of the run
    std::uint32_t held = 0, needed = 0; // grants of the parity buckets
    bool hadOne = false; // since it is watched: a bucket that has just begun has no lease yet
};
// Nothing: the bucket needs no lease, or the node is not watched at this instant.
std::optional<LeaseShown> leaseOf(const ClusterState& state, const DataBucketState& bucket, std::int64_t nowNs = 0);
// The multicast group of a pool of spares, "239.76.156.65"; empty: spares are recruited through the registry, or
// simulated.
QString multicastWords(const ClusterState& state, pb::Role pool);
// Everything that the canvas can select, in reading order.
std::vector<ObjectRef> objectsOf(const ClusterState& state);
} // namespace lhrs::gui
