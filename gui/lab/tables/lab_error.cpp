// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/tables/lab_error.h"

namespace lhrs::gui {

QString nameOf(LabCode code)
{
    switch (code) {
    case LabCode::BadArgument: return "BadArgument";
    case LabCode::NoCluster: return "NoCluster";
    case LabCode::ClusterMismatch: return "ClusterMismatch";
    case LabCode::NoSpares: return "NoSpares";
    case LabCode::NotAllowed: return "NotAllowed";
    case LabCode::Refused: return "Refused";
    case LabCode::Unreachable: return "Unreachable";
    case LabCode::Timeout: return "Timeout";
    case LabCode::ExpectationFailed: return "ExpectationFailed";
    case LabCode::Unsupported: return "Unsupported";
    case LabCode::Stopped: return "Stopped";
    }
    return {};
}

} // namespace lhrs::gui
