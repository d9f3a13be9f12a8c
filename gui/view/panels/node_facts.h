// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/system/system_words.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <vector>

namespace lhrs::gui {

// What is known of one process at the shown instant, in words and numbers; node_picture draws it. `isChanged`: it
// differs from before (markChanges).
struct NodeFacts {
    enum class Watch {
        NotWatched, // there is no sample of that time
        Now, // the samples go up to the shown instant
        Former, // it was watched before, but is not now
        Ended, // the process has ended: its last values
    };
    // One thread. Shares are of the time between the first and the last sample of about one second.
    struct Lane {
        QString name, shortName;
        QString words; // what it does, e.g. "in handler insert"
        QString closed; // why the thread is not there (any more); empty: it is there
        pb::NodeSample::ThreadState state = pb::NodeSample::THREAD_UNKNOWN;
        std::vector<pb::NodeSample::ThreadState> samples; // oldest first; THREAD_UNKNOWN: the thread was not there
        bool hasShare = false;
        double handler = 0, coreWait = 0, socket = 0; // of the time
        double cpu = -1; // of one core; < 0: not known
        bool isChanged = false;
        double share() const { return handler + coreWait + socket; }
    };
    struct Queue {
        QString name, unit, whenFull;
        std::uint64_t length = 0, bound = 0, highMark = 0, dropped = 0;
        bool hasHighMark = false;
        bool isChanged = false;
    };
    struct Awaited {
        std::uint64_t id = 0;
        QString kind, to, sent, tries, next;
        bool isChanged = false;
    };
    struct Held { // by the gate
        std::uint64_t number = 0;
        QString kind, from, size;
        bool isChanged = false;
    };

    ProcessId process = 0;
    QString title; // "data 5", "client alice"
    QString subtitle; // name and address of the process
    Watch watch = Watch::NotWatched;
    QString sampling; // how recent the samples are, in words
    bool isSimulated = false;
    bool isThere = false; // the process is known
    std::vector<NodeFact> facts;
    std::vector<Lane> lanes;
    QString noLanes; // why there are no lanes
    std::vector<Queue> queues;
    std::vector<Awaited> awaited;
    std::uint32_t awaitedCount = 0;
    bool isGated = false;
    std::vector<Held> held; // the oldest first
    std::uint32_t heldCount = 0;
    std::vector<NodeFact> columns; // what it exchanges with the members of its group
    QString columnsTitle;
};

// `nowNs`: the shown instant, on the run's clock.
NodeFacts nodeFacts(const ClusterState& state, ProcessId process, std::int64_t nowNs);
// Marks the facts that differ from those in `before`, of the same process; returns how many.
int markChanges(NodeFacts& facts, const NodeFacts& before);
// What a thread does, in words.
QString threadWords(pb::NodeSample::ThreadState state, const QString& handler);

} // namespace lhrs::gui
