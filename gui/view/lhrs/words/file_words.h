// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/system/system_words.h"

namespace lhrs::gui {

// What is said of the things of a file: its buckets, groups, spares and their events. Other rooms of LH*RS call
// fileWords(), and the functions of object_words.h.
class FileWords : public SystemWords {
public:
    // "data 5", "parity 1.0", "spare node-3", "client alice", "group 2"
    QString nameOf(const ClusterState& state, ObjectRef object) const override;
    QString shortNameOf(const ClusterState& state, ObjectRef object) const override;
    ObjectRef objectOf(const ClusterState& state, ProcessId process) const override;
    bool isProcess(ObjectRef object) const override;
    QString choiceOf(const ClusterState& state, const ProcessState& process) const override;
    // Coordinator, data buckets, parity buckets, clients, the others.
    int listOrderOf(ObjectRef object) const override;
    QString wordsToFind() const override;
    ProcessId processOf(const ClusterState& state, ObjectRef object) const override;
    std::vector<ObjectRef> objectsOf(const ClusterState& state) const override;
    QString placeLine(ObjectRef object) const override;
    QString warningOfKill(
        const ClusterState& state, const std::vector<ProcessId>& processes, const QString& names) const override;
    std::vector<MessagesNamed> messagesToBreak() const override;
    QStringList stepsToKillAt() const override;
    QStringList workWords(const pb::WorkloadResult& result) const override;
    QString restartedWords(bool isCoordinator) const override;
    QStringList firstLines() const override;
    std::uint64_t growthOf(const ClusterState& state) const override;
    // How much has failed or is being rebuilt, and how much has been rebuilt already.
    std::int64_t tellingOf(const ClusterState& state) const override;
    std::vector<int> tellingKinds() const override;
    std::vector<std::uint64_t> keysKnown(
        const ClusterState& state, std::uint64_t count, std::uint64_t seed) const override;
    ObjectRef placeOf(const pb::Event& event, ProcessId process) const override;
    std::uint32_t partOf(const pb::Event& event) const override;
    bool belongsTo(const ClusterState& state, const Pointed& own, const Pointed& pointed) const override;
    std::optional<EventMark> markOf(const pb::Event& event) const override;
    std::vector<int> markedKinds() const override;
    LaneGroup laneGroupOf(const ClusterState& state, ObjectRef object) const override;
    std::vector<NodeFact> factsOf(const ClusterState& state, const ProcessState& process, const pb::NodeSample* sample,
        const pb::Gauges& gauges, Facts which) const override;
    std::pair<QString, std::vector<NodeFact>> exchangeOf(
        const ProcessState& process, const pb::NodeSample& sample) const override;
};
const FileWords& fileWords();

} // namespace lhrs::gui
