// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/check/lhrs/invariants.h"
#include "common/check/say.h"
#include "node/sim/engine/sim_cluster.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace lhrs {

// What the parts of the oracle have found: the first violation, and how often they checked what.
struct Findings {
    struct Failure {
        check::Violation violation;
        Time at {};
    };
    // How often each kind of check was made; used to test the oracle itself.
    struct Counts {
        std::uint64_t recordGroups = 0;
        std::uint64_t acknowledgements = 0;
        std::uint64_t replies = 0;
        std::uint64_t splits = 0;
        std::uint64_t beside = 0; // splits staged while another split was under way
        std::uint64_t undone = 0;
        std::uint64_t forwards = 0;
        std::uint64_t parityAdded = 0;
        std::uint64_t failed = 0; // members declared failed
        std::uint64_t cuts = 0; // cuts of lost buckets
        std::uint64_t withdrawn = 0; // recoveries whose cut excluded a change
        std::uint64_t recovered = 0; // data buckets recovered
        std::uint64_t degraded = 0; // records recovered while their bucket was missing
        std::uint64_t lost = 0; // groups lost
        std::uint64_t merges = 0; // merges decided
        std::uint64_t full = 0; // counted each time a server reached its memory limit
        std::uint64_t rebuilt = 0; // files rebuilt by a coordinator
        std::uint64_t readopted = 0; // failed buckets that a takeover accepted; nothing is judged after that
    };

    std::optional<Failure> failure; // the first violation; later ones may be its consequences
    Counts counts;
};

// What each part of the oracle sees besides other parts: the cluster, the parameters of its file, and where findings
// go.
class OraclePart {
public:
    OraclePart(const SimCluster& cluster, const check::FileSettings& settings, Findings& findings)
        : m_cluster(cluster), m_settings(settings), m_findings(findings)
    {
    }

    const check::FileSettings& settings() const { return m_settings; }
    Findings::Counts& counts() const { return m_findings.counts; }
    void report(check::Violations violations) const
    {
        if (!violations.empty() && !m_findings.failure && counts().readopted == 0)
            m_findings.failure = { std::move(violations.front()), m_cluster.now() };
    }
    // This invariant is violated; the parts are the words of its sentence.
    template <class... Parts> void fail(int invariant, const Parts&... parts) const
    {
        report({ { invariant, check::say(parts...) } });
    }

protected:
    const SimCluster& m_cluster;
    const check::FileSettings& m_settings;

private:
    Findings& m_findings;
};

} // namespace lhrs
