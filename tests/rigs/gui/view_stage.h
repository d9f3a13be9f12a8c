// SPDX-License-Identifier: GPL-3.0-or-later
// The base of the view tests: a program without a screen, files of any shape as a state, a feed of events that a test
// publishes, a source of contents that answers when the test says so.
#pragma once

#include "gui/view/canvas/cluster_canvas.h"
#include "gui/view/lhrs/cluster_picture.h"
#include "gui/view/paint/field_style.h"
#include "gui/lab/state/event_feed.h"
#include "gui/view/lhrs/records/record_table.h"
#include "gui/view/paint/theme.h"

#include <QApplication>
#include <QTest>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace lhrs::gui {

// Runs a test class without a screen, in the window's style and fonts.
template <class Test> int runOffscreen(int count, char** arguments)
{
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(count, arguments);
    QApplication::setStyle(new FieldStyle);
    Theme::registerFonts();
    Test test;
    return QTest::qExec(&test, count, arguments);
}

// ---- states

struct FileShape {
    std::uint32_t buckets = 8, m = 4, k = 1, dataSpares = 6, paritySpares = 4, clients = 2, b = 40, records = 20;
};

inline constexpr ProcessId kFileCoordinator = 1, kFileClients = 10, kFileData = 1'000, kFileParity = 100'000,
                           kFileSpares = 500'000;

ProcessState processOf(ProcessId id, pb::ProcessKind kind, const std::string& name);

inline ProcessId parityProcess(std::uint32_t group, std::uint32_t column) { return kFileParity + group * 8 + column; }

// A file at rest with this many data buckets; every group has k parity buckets.
ClusterState fileOf(const FileShape& shape);

// ---- pictures

// The state as the canvas draws it at rest.
struct Drawn {
    ClusterLayout layout;
    DisplayList list;
};

Drawn drawn(const ClusterState& state, QSizeF view, const Theme& theme = Theme(), Layers layers = {},
    const std::set<ProcessId>* silent = nullptr);

// ---- events

// Events as a test publishes them: folded at once, as the ingest does, and kept for the reader.
class ListFeed : public EventFeed {
public:
    explicit ListFeed(std::size_t eventsMax = EventRing::kEvents) : m_ring(eventsMax) { }

    // The event gets the process's next number unless it has one. Returns its number.
    std::uint64_t tell(ProcessId process, pb::Event event, std::int64_t afterNs = 1'000);
    // Changes the state of the ingest by something that no event says.
    ClusterState& known() { return m_state; }
    void passTime(std::int64_t ns) { m_nowNs += ns; }

    ClusterState state() const override { return m_state; }
    std::uint64_t committed() const override { return m_ring.lastIndex(); }
    EventPage eventsSince(std::uint64_t cursor, std::size_t max) const override { return m_ring.since(cursor, max); }
    std::int64_t nowNs() const override { return m_nowNs; }

private:
    ClusterState m_state;
    EventRing m_ring;
    std::map<ProcessId, std::uint64_t> m_last;
    std::int64_t m_nowNs = 0;
};

// Keeps the requests; answers when the test says so.
class HeldContents : public ContentsSource {
public:
    struct Request {
        ProcessId process = 0;
        std::uint32_t rankFrom = 0, count = 0;
        std::function<void(ContentsAnswer)> done;
    };
    std::vector<Request> requests;

    void readContents(ProcessId process, std::uint32_t rankFrom, std::uint32_t count, QObject*,
        std::function<void(ContentsAnswer)> done) override;
};

} // namespace lhrs::gui
