// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/sim/lhrs/shrink.h"

#include "node/sim/lhrs/simulation.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace lhrs {

namespace {

class Shrinker {
public:
    Shrinker(const pb::Case& failing, int invariant, std::uint32_t runsMax)
        : m_invariant(invariant), m_runsMax(runsMax), m_smallest(failing)
    {
    }

    Shrunk shrink()
    {
        // Operations come first, because every further run is quicker with fewer of them. They are tried once more at
        // the end, when fewer features are on.
        leaveOutParts([](pb::Case& c) { return c.mutable_operations(); });
        leaveOutParts([](pb::Case& c) { return c.mutable_actions(); });
        leaveOutParts([](pb::Case& c) { return c.mutable_failpoints(); });
        leaveOutFields([](pb::Case& c) { return static_cast<google::protobuf::Message*>(c.mutable_network()); });
        leaveOutFields([](pb::Case& c) { return static_cast<google::protobuf::Message*>(c.mutable_timers()); });
        for (const auto& simpler : simplerCases())
            tryOut(simpler);
        leaveOutParts([](pb::Case& c) { return c.mutable_operations(); });
        return { std::move(m_smallest), m_runs };
    }

private:
    // Keeps the change if the case still fails in the same way.
    bool tryOut(const std::function<void(pb::Case&)>& change)
    {
        if (m_runs >= m_runsMax)
            return false;
        pb::Case candidate = m_smallest;
        change(candidate);
        ++m_runs;
        Simulation simulation(candidate);
        if (simulation.run() || simulation.failure()->invariant != m_invariant)
            return false;
        m_smallest = std::move(candidate);
        return true;
    }

    // Leaves out halves of a list, then quarters, and so on down to single entries.
    template <class ListOf> void leaveOutParts(ListOf listOf)
    {
        for (int size = (listOf(m_smallest)->size() + 1) / 2; size >= 1 && m_runs < m_runsMax; size = size / 2) {
            for (int from = 0; from < listOf(m_smallest)->size();) {
                const int count = std::min(size, listOf(m_smallest)->size() - from);
                if (!tryOut([&](pb::Case& c) { listOf(c)->DeleteSubrange(from, count); }))
                    from += count;
                if (m_runs >= m_runsMax)
                    return;
            }
        }
    }

    // Sets every field of a part to its default.
    template <class PartOf> void leaveOutFields(PartOf partOf)
    {
        const auto* descriptor = partOf(m_smallest)->GetDescriptor();
        for (int i = 0; i < descriptor->field_count(); ++i) {
            const auto* field = descriptor->field(i);
            google::protobuf::Message* part = partOf(m_smallest);
            if (part->GetReflection()->HasField(*part, field))
                tryOut([&](pb::Case& c) { partOf(c)->GetReflection()->ClearField(partOf(c), field); });
        }
    }

    static std::vector<std::function<void(pb::Case&)>> simplerCases()
    {
        return { [](pb::Case& c) { c.set_clients(1); }, [](pb::Case& c) { c.set_window(1); },
            [](pb::Case& c) { c.set_drift_ppm(0); }, [](pb::Case& c) { c.set_by_registry(false); },
            [](pb::Case& c) { c.set_all_by_stream(false); }, [](pb::Case& c) { c.set_reparse_every(0); },
            [](pb::Case& c) { c.set_step_ns_per_kib(0); }, [](pb::Case& c) { c.set_inbox_max(0); },
            [](pb::Case& c) { c.set_paused_die(false); }, [](pb::Case& c) { c.set_spares_late(false); },
            [](pb::Case& c) { c.set_is_unbounded(false); }, [](pb::Case& c) { c.mutable_file()->set_availability(1); },
            [](pb::Case& c) { c.mutable_file()->clear_thresholds(); },
            [](pb::Case& c) { c.mutable_file()->set_mix_keys(false); } };
    }

    const int m_invariant;
    const std::uint32_t m_runsMax;
    pb::Case m_smallest;
    std::uint32_t m_runs = 0;
};

} // namespace

Shrunk shrink(const pb::Case& failing, int invariant, std::uint32_t runsMax)
{
    return Shrinker(failing, invariant, runsMax).shrink();
}

} // namespace lhrs
