// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/sim/lhrs/oracle/answers.h"
#include "node/sim/lhrs/oracle/epochs.h"
#include "node/sim/lhrs/oracle/record_groups.h"
#include "proto/config.pb.h"

#include <string>

namespace lhrs {

// The model: it sees all processes of a simulated cluster and knows what was requested, changed and acknowledged. After
// each step it checks what the step affected; at rest it checks everything. Each of its parts keeps one kind of
// knowledge and looks only at the parts named above it. The state is copied into plain structs and judged by
// common/check, which shares no code with the store.
class Oracle : public SimObserver {
public:
    using Counts = Findings::Counts;

    Oracle(const pb::FileConfig& config, const SimCluster& cluster);

    void onStep(const SimProcess& process, const SimInput& input, Effects& effects, Time now) override;
    void onCopied(const pb::Message& message) override { m_answers.onCopied(message); }
    // The process is about to be killed.
    void onKilled(const SimProcess& process);
    // Checks everything when nothing is under way; `file` is the coordinator's description.
    void checkAtRest(const pb::FileDescription& file);
    // The run itself found a violation.
    void fail(int invariant, const std::string& text) { m_part.fail(invariant, text); }

    const std::optional<Findings::Failure>& failure() const { return m_findings.failure; }
    const Counts& counts() const { return m_findings.counts; }
    FileGrowth& growth() { return m_growth; }
    Losses& losses() { return m_losses; }
    const Losses& losses() const { return m_losses; }
    const Availability& availability() const { return m_availability; }
    Answers& answers() { return m_answers; }
    const Answers& answers() const { return m_answers; }

private:
    void onEvent(const SimProcess& process, const pb::Event& event);
    void onCoordinatorEvent(const pb::Event& event);
    void onChange(const SimProcess& process, const pb::Event& event, check::RequestKind kind, const auto& changed);
    void onCut(const SimProcess& manager, const pb::CutAgreed& agreed);
    void onEnded(std::uint32_t number);
    void onRebuilt(const pb::CoordinatorRebuilt& rebuilt);

    const check::FileSettings m_settings;
    Findings m_findings;
    const OraclePart m_part;
    Places m_places { m_part };
    Epochs m_epochs { m_part, m_places };
    FileGrowth m_growth;
    Losses m_losses { m_part, m_places, m_growth };
    Availability m_availability { m_part, m_places, m_growth, m_losses };
    Answers m_answers { m_part, m_places, m_growth, m_losses, m_availability };
    BucketHistories m_histories { m_part, m_places, m_availability, m_answers.ledger() };
    RecordGroups m_recordGroups { m_part, m_places, m_histories };
};

} // namespace lhrs
