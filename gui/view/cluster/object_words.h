// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/cluster_state.h"
#include "gui/show/number_words.h"
#include "gui/show/object_ref.h"
#include "gui/view/paint/theme.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace lhrs::gui {

// The image of a client as "(i, n)".
QString imageWords(const pb::FileState& image);
// What is wrong with the coordinator of a file, and what that means for it; empty: nothing.
QString coordinatorTrouble(const ClusterState& state);
// "data 5", "parity 1.0", "spare node-3", "client alice", "group 2": short, as scenarios and log write it.
QString nameOf(const ClusterState& state, ObjectRef object);
// The bucket or process that an object is, as the canvas knows it; nothing if it is none.
ObjectRef objectOf(const ClusterState& state, ProcessId process);
// What a process is right now, as it is drawn.
// `silent`: processes of which nothing is heard; may be null.
Look lookOf(const ClusterState& state, ObjectRef object, const std::set<ProcessId>* silent);
// One sentence for a screen reader: "Data bucket 5, group 1, position 1, level 3, 37 of 40 records, up".
QString sentenceOf(const ClusterState& state, ObjectRef object);
// What the hover card says, line by line.
QStringList detailsOf(const ClusterState& state, ObjectRef object);
// What is known last of a bucket that does not serve: what, when, and by whose word. Line by line, each in several wordings, the
// longest first; empty: it serves.
std::vector<QStringList> lastWordsOf(const ClusterState& state, ObjectRef object);
// The lease under which a data bucket answers reads. No event tells of it: it is known while the node is watched.
struct LeaseShown {
    std::int64_t leftNs = 0, atNs = 0; // what was left at that instant of the run
    std::uint32_t held = 0, needed = 0; // grants of the parity buckets
};
// Nothing: it needs none, or nobody watches it at this instant.
std::optional<LeaseShown> leaseOf(const ClusterState& state, const DataBucketState& bucket, std::int64_t nowNs = 0);
// The multicast group of a pool of spares, "239.76.156.65"; empty: recruiting goes through the registry, or is simulated.
QString multicastWords(const ClusterState& state, pb::Role pool);
// All that the canvas can select, in reading order.
std::vector<ObjectRef> objectsOf(const ClusterState& state);
} // namespace lhrs::gui
