// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/cluster_state.h"
#include "gui/view/paint/theme.h"
#include "gui/view/system/selection.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <optional>
#include <vector>

namespace lhrs::gui {

// One line about a process: "Role", "client". `isChanged`: it differs from before.
struct NodeFact {
    QString name, value;
    bool isRestless = false; // it changes all the time, so that a change means nothing
    bool isChanged = false;
};

// What is said of the things of one system outside its picture: in lists, logs, diagrams and scenario lines. What all
// systems have, their processes, faults and clients, is said here.
class SystemWords {
public:
    SystemWords() = default;
    virtual ~SystemWords() = default;
    SystemWords(const SystemWords&) = delete;
    SystemWords& operator=(const SystemWords&) = delete;

    // ---- things
    // "client alice", "coordinator", "fault 1": the short names that scenarios and the log use.
    virtual QString nameOf(const ClusterState& state, ObjectRef object) const;
    // As a sentence calls it: "alice", "coordinator".
    virtual QString shortNameOf(const ClusterState& state, ObjectRef object) const;
    // The object whose name is `words`, in small letters, with or without its first word. Nothing: none has this name.
    ObjectRef named(const ClusterState& state, const QString& words) const;
    // The thing of the picture that a process is; nothing: the picture does not show it.
    virtual ObjectRef objectOf(const ClusterState& state, ProcessId process) const;
    // The thing is a process (`a`), whatever it holds; a place that processes hold is none.
    virtual bool isProcess(ObjectRef object) const;
    // As a list names it among the processes to choose from: "client alice"; one without a place by its own name.
    virtual QString choiceOf(const ClusterState& state, const ProcessState& process) const;
    // The place of such things among the processes of a list: the coordinator comes first.
    virtual int listOrderOf(ObjectRef object) const;
    // The process that the thing is, or that holds it now; 0: none.
    virtual ProcessId processOf(const ClusterState& state, ObjectRef object) const;
    // What a person can search for in the picture, with examples.
    virtual QString wordsToFind() const = 0;
    // Everything that can be selected, in reading order.
    virtual std::vector<ObjectRef> objectsOf(const ClusterState& state) const = 0;
    // How a scenario names the place, whichever process holds it: lab.data(5). Empty: it is no place.
    virtual QString placeLine(ObjectRef object) const;
    // "Fault on purpose: data 1 is cut off from everybody else".
    QString faultSentence(const ClusterState& state, std::uint64_t number) const;
    // The warning before these processes, called `names`, are killed at once: what is lost with them, as far as that is
    // known. Empty: nothing.
    virtual QString warningOfKill(
        const ClusterState& state, const std::vector<ProcessId>& processes, const QString& names) const = 0;

    // Messages that may be lost or late on purpose: a word for some of them, and their names in the .proto file.
    struct MessagesNamed {
        QString words;
        QStringList kinds;
    };
    virtual std::vector<MessagesNamed> messagesToBreak() const { return {}; }
    // The events at which a process may be killed on purpose, by the names of their types; the first is proposed.
    virtual QStringList stepsToKillAt() const { return {}; }

    // How far the system has grown since it was created; 0: not at all.
    virtual std::uint64_t growthOf(const ClusterState& /*state*/) const { return 0; }
    // How much a picture of this state tells of the system: the higher, the more; 0: no more than one of the end.
    virtual std::int64_t tellingOf(const ClusterState& /*state*/) const { return 0; }
    // The numbers of the events after which it may tell more than before.
    virtual std::vector<int> tellingKinds() const { return {}; }

    // ---- work
    // What is told of a finished workload in this system only, beside answers and forwards.
    virtual QStringList workWords(const pb::WorkloadResult& /*result*/) const { return {}; }
    // After a process was started again.
    virtual QString restartedWords(bool isCoordinator) const;
    // The scenario lines that start a small cluster and have a client store something.
    virtual QStringList firstLines() const = 0;
    // Keys of records of the cluster, as far as events have reported them: drawn with the seed, with possible
    // repetitions. Empty: no key is known.
    virtual std::vector<std::uint64_t> keysKnown(
        const ClusterState& state, std::uint64_t count, std::uint64_t seed) const;

    // ---- events
    // The place that an event of the process is about.
    virtual ObjectRef placeOf(const pb::Event& event, ProcessId process) const;
    // The number of the part of the place that the event is about, for example of a record; 0: none.
    virtual std::uint32_t partOf(const pb::Event& event) const;
    // Whether a part that an event is about belongs to what is pointed at.
    virtual bool belongsTo(const ClusterState& state, const Pointed& own, const Pointed& pointed) const;
    // How a rare event of the system is marked in a track of the run. Where marks are crowded, those with more weight
    // stay.
    struct EventMark {
        Glyph glyph = Glyph::None;
        QColor Theme::*colour = &Theme::text;
        int weight = 0;
    };
    virtual std::optional<EventMark> markOf(const pb::Event& event) const;
    // The numbers of all events with a mark.
    virtual std::vector<int> markedKinds() const { return {}; }

    // ---- processes
    // The group of processes that stand together in a diagram.
    struct LaneGroup {
        int order = 0; // among the kinds of groups
        std::uint64_t number = 0; // among the groups of a kind
        QString id, name;
        bool operator<(const LaneGroup& other) const
        {
            return std::tie(order, number) < std::tie(other.order, other.number);
        }
    };
    // `object`: of a process.
    virtual LaneGroup laneGroupOf(const ClusterState& state, ObjectRef object) const;
    // What is said of a process: its role, if it is a server; its membership; its numbers.
    enum class Facts { Role, Membership, Contents };
    virtual std::vector<NodeFact> factsOf(const ClusterState& state, const ProcessState& process,
        const pb::NodeSample* sample, const pb::Gauges& gauges, Facts which) const;
    // What it has sent to, or taken from, the other members of its group, with a title.
    virtual std::pair<QString, std::vector<NodeFact>> exchangeOf(
        const ProcessState& process, const pb::NodeSample& sample) const;

protected:
    static QString processName(const ClusterState& state, ProcessId process);
    // The messages of the .proto message `of`, by their classes; a class without any is left out.
    struct ClassWord {
        MessageClass messageClass;
        QString words;
    };
    static std::vector<MessagesNamed> messagesByClass(
        const google::protobuf::Descriptor& of, const std::vector<ClassWord>& classes);
};

} // namespace lhrs::gui
