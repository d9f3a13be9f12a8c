// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/cluster_state.h"
#include "gui/lab/state/process/event_ring.h"
#include "gui/show/words/guide_words.h"
#include "gui/show/words/object_ref.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace lhrs::gui {

// The state of the window, as far as the tour needs it.
struct TourSight {
    enum class Link { None, Starting, Here, Gone };
    Link link = Link::None;
    bool isOurs = false; // the tour started this cluster
    QString trouble {}; // why there is no cluster, in a sentence
    bool isRecording = false; // a recording is shown instead
    bool isScenario = false; // a scenario controls the cluster
    bool isFull = true; // the detail level is full
    bool isClockPaused = false; // virtual time stands still
    ObjectRef selected {};
    ProcessId client = 0; // the one that the buttons use
    std::optional<std::uint32_t> table {}; // the bucket whose records are listed
    std::uint64_t count = 0; // number of operations per press of a button
    // Whether a past instant is shown, and which one, on the run's clock.
    bool isPast = false;
    std::int64_t shownNs = 0;

    // One symbol of an opened record group: the data records side by side, and parity column 0.
    struct Part {
        std::uint32_t bucket = 0;
        bool isThere = false; // false: it counts as zeros
        std::uint64_t key = 0;
        std::uint32_t symbol = 0;
    };
    struct Group {
        std::uint32_t number = 0, rank = 0;
        std::size_t index = 0; // of the symbol, from 0
        std::vector<Part> parts {}; // of buckets that exist; empty: not all bytes have been read
        std::uint32_t parity = 0;
        int digits = 4; // hexadecimal digits of a symbol
    };
    std::optional<Group> group {}; // the open record group
};

// An action of the tour that lets a stop begin; a person could do the same in the window.
struct TourDeed {
    enum class Kind {
        Start,
        Count,
        Client,
        Choose,
        Insert,
        InsertKey,
        Forget,
        Split,
        Spares,
        RunClock,
        PauseClock,
        Kill
    };
    Kind kind = Kind::Start;
    ProcessId process = 0; // the client, or the process to be killed
    std::uint64_t number = 0; // a count, or the key
    std::uint32_t bucket = 0; // bucket to be killed
    bool operator==(const TourDeed&) const = default;
};

// Whether a stop can begin. If nothing is set it can; otherwise an action is needed, something is being waited for,
// or it can never begin here.
struct TourNeed {
    std::optional<TourDeed> deed {};
    bool isWaiting = false;
    QString trouble {};
    bool isMet() const { return !deed && !isWaiting && trouble.isEmpty(); }
};

// "“Insert” (Ctrl+I, or menu Client)": the action with this id, with its menu and key.
using ActionWords = std::function<QString(const char* id)>;

// One stop: what to do, how it is detected, and what was observed. It receives all events from the beginning of the
// cluster, so that it also knows what a person did before its turn.
class TourStop {
public:
    virtual ~TourStop() = default;
    virtual QString title() const = 0;
    virtual TourNeed need(const ClusterState& state, const TourSight& sight) const = 0;
    virtual void take(const RunEvent& /*event*/, const ClusterState& /*state*/) { }
    // `isHere`: it is this stop's turn, and it has begun.
    virtual void look(const ClusterState& /*shown*/, const TourSight& /*sight*/, bool /*isHere*/) { }
    virtual QString task(const ClusterState& state) const = 0;
    virtual QStringList goals(const ClusterState& state, const ActionWords& words) const = 0;
    virtual QString hint(const ActionWords& words) const = 0;
    const std::vector<bool>& held() const { return m_held; }
    bool isDone() const { return !m_seen.isEmpty(); }
    const QString& seen() const { return m_seen; }

protected:
    explicit TourStop(std::size_t goals) : m_held(goals) { }
    std::vector<bool> m_held;
    QString m_seen;
};

// All stops, in their initial state.
std::vector<std::unique_ptr<TourStop>> tourStops();

// The cluster of the tour: a small file, so that all of it is visible at once.
inline constexpr std::uint32_t kTourM = 4, kTourK = 1, kTourB = 10, kTourRecordBytes = 16, kTourClients = 2;
inline constexpr std::uint32_t kTourDataServers = 12, kTourParityServers = 4;
inline constexpr std::uint64_t kTourSeed = 2004;

// LHRS Lab in eight stops, for a single user. This is not a widget: it receives the events and the state of the
// window, and returns what to do, what was observed, and which actions it needs.
class Tour {
public:
    explicit Tour(ActionWords words);
    ~Tour();
    Tour(const Tour&) = delete;
    Tour& operator=(const Tour&) = delete;

    static constexpr int kStops = 8;
    bool isOn() const { return m_stop > 0; }
    int stop() const { return m_stop; } // from 1; 0: the tour is off
    // Goes to this stop; what was observed of this cluster is kept.
    void begin(int stop);
    // Restarts the same stop on a new cluster.
    void beginAnew();
    void leave() { m_stop = 0; }

    // The cluster was replaced; nothing has been observed of the new one.
    void forgetCluster();
    // Takes the events in order, each once; `state` already contains the event.
    void take(const RunEvent& event, const ClusterState& state);
    // Called once per frame with the state that the picture shows and the newest state.
    void look(const ClusterState& shown, const ClusterState& newest, const TourSight& sight);

    // The next action for the stop; returned once, then done() must follow.
    std::optional<TourDeed> takeDeed();
    bool isPreparing() const { return isOn() && !m_isReady; }
    // The result of the action; `why`: the reason of a failure, in words.
    void done(bool isGood, const QString& why);

    GuideWords words(const ClusterState& newest, const TourSight& sight) const;

private:
    TourStop& now() const { return *m_stops[std::size_t(m_stop - 1)]; }
    bool hasEffect(const ClusterState& newest, const TourSight& sight) const;
    QString trouble(const ClusterState& newest, const TourSight& sight) const;

    ActionWords m_words;
    std::vector<std::unique_ptr<TourStop>> m_stops;
    int m_stop = 0;
    bool m_isReady = false; // the needs of the stop are met
    QString m_task; // the stop's task with the figures at its start; it does not change while it is read
    bool m_wasDoneBefore = false; // already when the stop began
    std::optional<TourDeed> m_deed, m_under; // to be taken; under way
    bool m_isAnswered = false; // done() was called for m_under
    std::vector<TourDeed> m_did; // for this stop
    QString m_needTrouble, m_deedTrouble;
    int m_failures = 0; // consecutive failed actions
    std::uint64_t m_last = 0; // index of the last event
};

} // namespace lhrs::gui
