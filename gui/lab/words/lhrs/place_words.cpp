// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/words/lhrs/place_words.h"

#include "gui/lab/state/process/sentence_words.h"

namespace lhrs::gui {

std::string placeName(const pb::Place& place)
{
    switch (place.role()) {
    case pb::DATA: return "data " + num(place.number());
    case pb::PARITY: return "parity " + num(place.number()) + "." + num(place.column());
    case pb::NO_ROLE:
    case pb::Role_INT_MIN_SENTINEL_DO_NOT_USE_:
    case pb::Role_INT_MAX_SENTINEL_DO_NOT_USE_: break;
    }
    return {};
}

std::string roleWord(pb::Role role)
{
    switch (role) {
    case pb::DATA: return "data";
    case pb::PARITY: return "parity";
    case pb::NO_ROLE:
    case pb::Role_INT_MIN_SENTINEL_DO_NOT_USE_:
    case pb::Role_INT_MAX_SENTINEL_DO_NOT_USE_: break;
    }
    return "no";
}

std::string stateWord(pb::MemberState state)
{
    switch (state) {
    case pb::INIT: return "starting";
    case pb::UP: return "up";
    case pb::SPLITTING: return "splitting";
    case pb::MERGING: return "merging";
    case pb::FAILED: return "failed";
    case pb::RECOVERING: return "being rebuilt";
    case pb::MEMBER_LOST: return "lost";
    case pb::MEMBER_UNKNOWN:
    case pb::MemberState_INT_MIN_SENTINEL_DO_NOT_USE_:
    case pb::MemberState_INT_MAX_SENTINEL_DO_NOT_USE_: break;
    }
    return "in an unknown state";
}

std::string recoveryWord(pb::RecoveryWay way)
{
    return way == pb::RECOVERY_AUTOMATIC ? "automatic"
        : way == pb::RECOVERY_ON_ALARM   ? "onAlarm"
        : way == pb::RECOVERY_MANUAL     ? "manual"
                                         : "off";
}

std::string groupStateWord(pb::GroupState state)
{
    switch (state) {
    case pb::GROUP_UP: return "up";
    case pb::GROUP_FROZEN: return "frozen";
    case pb::GROUP_DEGRADED: return "degraded";
    case pb::GROUP_LOST: return "lost";
    case pb::GroupState_INT_MIN_SENTINEL_DO_NOT_USE_:
    case pb::GroupState_INT_MAX_SENTINEL_DO_NOT_USE_: break;
    }
    return "in an unknown state";
}

std::string fullWords(const pb::FullServer& full)
{
    const std::string number = num(full.number());
    return full.role() == pb::PARITY ? "parity bucket " + number + "." + num(full.column()) : "data bucket " + number;
}

std::string imageText(const pb::FileState& image) { return "(i = " + num(image.i()) + ", n = " + num(image.n()) + ")"; }

} // namespace lhrs::gui
