// SPDX-License-Identifier: GPL-3.0-or-later
// A tour without a window: events written as text, and what a window would show.
#pragma once

#include "gui/show/lhrs/tour.h"

#include "common/errors.h"

#include <google/protobuf/text_format.h>

#include <QRegularExpression>
#include <QString>

namespace lhrs::gui {

// A file of three buckets in one group, and two clients. A test decides what happens in it, and what is visible.
class TourStory {
public:
    enum : ProcessId { kCoordinator = 1, kAlice = 2, kBob = 3, kParity = 9, kData = 10, kSpare = 20 };

    explicit TourStory(int stop = 1)
        : tour([](const char* id) { return QStringLiteral("<%1>").arg(QLatin1String(id)); })
    {
        state.isSimulated = true;
        introduce(kCoordinator, pb::COORDINATOR, "coordinator");
        introduce(kAlice, pb::CLIENT, "alice");
        introduce(kBob, pb::CLIENT, "bob");
        introduce(kParity, pb::NODE, "parity-1");
        for (ProcessId i = 0; i < 3; ++i)
            introduce(kData + i, pb::NODE, "data-" + std::to_string(i + 1));
        introduce(kSpare, pb::NODE, "data-9");
        state.processes[kSpare].pool = pb::DATA;
        state.file.exists = true;
        state.file.config.set_m(kTourM);
        state.file.config.set_b(kTourB);
        state.file.config.set_availability(kTourK);
        setBuckets(3, 1, 1);
        state.parity[{ 0, 0 }].process = kParity;
        state.groups[0].k = 1;
        sight.link = TourSight::Link::Here;
        sight.isOurs = true;
        sight.client = kAlice;
        sight.count = 1;
        tour.begin(stop);
    }

    void setBuckets(std::uint32_t count, std::uint32_t i, std::uint32_t n)
    {
        state.data.clear();
        for (std::uint32_t number = 0; number < count; ++number) {
            DataBucketState& bucket = state.data[number];
            bucket.number = number;
            bucket.level = i + (number < n || number >= (1U << i) ? 1 : 0);
            bucket.process = kData + number;
            bucket.state = pb::UP;
        }
        state.file.i = i;
        state.file.n = n;
        state.file.buckets = count;
    }
    void put(std::uint32_t bucket, std::uint32_t rank, std::uint64_t key) { state.data[bucket].ranks.set(rank, key); }

    // The process publishes an event; `text` is in protobuf text format: "bucket_overflowed { count: 11 }".
    void tell(ProcessId process, const char* text, std::int64_t ns = 0)
    {
        auto event = std::make_shared<pb::Event>();
        LHRS_CHECK(google::protobuf::TextFormat::ParseFromString(text, event.get()));
        tour.take({ ++m_index, process, ns, event, 0, 0 }, state);
    }
    // Repeats the previous event, as when the past is played.
    void tellAgain(ProcessId process, const char* text)
    {
        --m_index;
        tell(process, text);
    }
    // Frames until nothing is left to do; returns what was done.
    std::vector<TourDeed> prepare(const std::function<void(const TourDeed&)>& carryOut, int limit = 60)
    {
        std::vector<TourDeed> deeds;
        for (int i = 0; i < limit; ++i) {
            look();
            const auto deed = tour.takeDeed();
            if (!deed)
                return deeds;
            deeds.push_back(*deed);
            carryOut(*deed);
            tour.done(true, {});
        }
        return deeds;
    }
    // Shown times count from the start of the run, state times from the start of the program.
    void look()
    {
        ClusterState shown = state;
        shown.originNs = originNs;
        tour.look(shown, state, sight);
    }
    GuideWords words()
    {
        look();
        return tour.words(state, sight);
    }

    ClusterState state;
    TourSight sight;
    std::int64_t originNs = 0;
    Tour tour;

private:
    void introduce(ProcessId id, pb::ProcessKind kind, const std::string& name)
    {
        ProcessState& process = state.processes[id];
        process.id = id;
        process.kind = kind;
        process.name = name;
        if (kind == pb::CLIENT) {
            state.clients[id].process = id;
            state.clients[id].name = name;
        }
    }
    std::uint64_t m_index = 0;
};

} // namespace lhrs::gui
