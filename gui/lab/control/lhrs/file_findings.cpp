// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/control/lhrs/file_findings.h"

#include "gui/lab/control/invariant_findings.h"

namespace lhrs::gui {

pb::Told::Judged findingsOf(const GroupAudit& audit)
{
    pb::Told::Judged judged;
    // Where the key lists differ, the parity of that rank was not compared.
    addFinding(judged, 1, audit.ranks - audit.unlisted, audit.unequal - audit.unlisted, audit.firstWrong);
    addFinding(judged, 2, audit.ranks, audit.unlisted, audit.firstUnlisted);
    addFinding(judged, 3, audit.keys, audit.doubled, audit.firstDoubled);
    addFinding(judged, 4, audit.keys, audit.misplaced, audit.firstMisplaced);
    return judged;
}

pb::Told::Judged findingsOf(const Comparison& compared)
{
    pb::Told::Judged judged;
    addFinding(judged, 13, compared.records, compared.different,
        std::to_string(compared.different) + " of " + std::to_string(compared.records) + " records of " + compared.place
            + " are not what was lost");
    return judged;
}

} // namespace lhrs::gui
