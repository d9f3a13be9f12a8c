// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/sim/engine/random.h"
#include "tests/thrash/fleet.h"
#include "tests/thrash/nemesis.h"
#include "tests/thrash/writers.h"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace lhrs::thrash {

// One member more of a group is gone than its parity replaces. The loss must be declared, only for that group, and no
// value may be invented. After a person has acknowledged it, the lost buckets come back empty, and everything else is
// as before. In one of three drills, the group first serves with exactly m members left and no spare (Ceph's minimum
// size).
class LossDrill {
public:
    LossDrill(Fleet& fleet, Nemesis& nemesis, Writers& writers, const Shape& shape, std::uint64_t seed,
        std::function<void(const std::string&)> tell);

    // Call it when the file is whole and without writes. Afterwards the writers go on, and the file must be mended.
    // Returns what is wrong.
    std::vector<std::string> play();

private:
    enum class Way { AtOnce, MinimumSize, OneSleeps };
    using Fate = Writers::Fate;

    bool wrong(const std::string& what);
    // Waits until it holds; false: not in time, or a process ended that should not have.
    bool awaitThat(const char* what, const std::function<bool()>& holds, std::chrono::milliseconds patience);
    bool describe();
    const pb::FileDescription::Group* group() const;
    bool prepare();
    void chooseVictims();
    void endSpares();
    bool sinkToMinimum();
    bool lose(Way way);
    bool checkDeclared();
    bool acknowledge(Way way);
    gui::Answer say(pb::Command command, std::chrono::milliseconds patience);
    void remove(std::uint64_t node, const char* how);

    Fleet& m_fleet;
    Nemesis& m_nemesis;
    Writers& m_writers;
    const Shape m_shape;
    Generator m_draws;
    const std::function<void(const std::string&)> m_tell;
    std::vector<std::string> m_wrong;
    pb::FileDescription m_file;
    std::uint32_t m_group = 0;
    std::vector<pb::Member> m_victims;
    std::uint64_t m_sleeper = 0;
};

} // namespace lhrs::thrash
