// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/cluster_state.h"
#include "gui/lab/state/event_ring.h"
#include "gui/show/guide_words.h"
#include "gui/show/object_ref.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace lhrs::gui {

// What the window shows, as far as the tour asks for it.
struct TourSight {
    enum class Link { None, Starting, Here, Gone };
    Link link = Link::None;
    bool isOurs = false;        // the tour has started this cluster
    QString trouble {};         // why there is none, in a sentence
    bool isRecording = false;   // a recording is shown instead
    bool isScenario = false;    // a scenario drives the cluster
    bool isFull = true;         // processes publish everything
    bool isClockPaused = false; // virtual time stands still
    ObjectRef selected {};
    ProcessId client = 0;       // the one that the buttons work with
    std::optional<std::uint32_t> table {}; // the bucket whose records are listed
    std::uint64_t count = 0;    // of operations at a press of a button
    // An instant of the past is shown; at which of the run.
    bool isPast = false;
    std::int64_t shownNs = 0;

    // One symbol of an opened record group: the data records beside each other, and parity column 0.
    struct Part {
        std::uint32_t bucket = 0;
        bool isThere = false; // else it counts as zeros
        std::uint64_t key = 0;
        std::uint32_t symbol = 0;
    };
    struct Group {
        std::uint32_t number = 0, rank = 0;
        std::size_t index = 0;        // of the symbol, from 0
        std::vector<Part> parts {};   // of buckets that exist; empty: not all bytes have been read
        std::uint32_t parity = 0;
        int digits = 4;               // hexadecimal, of a symbol
    };
    std::optional<Group> group {}; // that is open before the eyes
};

// What the tour has done in the cluster so that a stop can begin: each is a thing that a person could do in the window.
struct TourDeed {
    enum class Kind { Start, Count, Client, Choose, Insert, InsertKey, Forget, Split, Spares, RunClock, PauseClock,
        Kill };
    Kind kind = Kind::Start;
    ProcessId process = 0;    // the client, or who is killed
    std::uint64_t number = 0; // how many, or the key
    std::uint32_t bucket = 0; // that is killed
    bool operator==(const TourDeed&) const = default;
};

// Whether a stop can begin: it can (nothing of these), or something is to be done or waited for first, or it never can
// here.
struct TourNeed {
    std::optional<TourDeed> deed {};
    bool isWaiting = false;
    QString trouble {};
    bool isMet() const { return !deed && !isWaiting && trouble.isEmpty(); }
};

// "“Insert” (Ctrl+I, or menu Client)": the action with this id, as menu and key name it.
using ActionWords = std::function<QString(const char* id)>;

// One stop: what to do, how it is seen that it was done, and what was seen. It is told of all events from the cluster's
// beginning,
// so that it also knows what somebody did before it was its turn.
class TourStop {
public:
    virtual ~TourStop() = default;
    virtual QString title() const = 0;
    virtual TourNeed need(const ClusterState& state, const TourSight& sight) const = 0;
    virtual void take(const RunEvent& /*event*/, const ClusterState& /*state*/) {}
    // `isHere`: it is the stop's turn, and it has begun.
    virtual void look(const ClusterState& /*shown*/, const TourSight& /*sight*/, bool /*isHere*/) {}
    virtual QString task(const ClusterState& state) const = 0;
    virtual QStringList goals(const ClusterState& state, const ActionWords& words) const = 0;
    virtual QString hint(const ActionWords& words) const = 0;
    const std::vector<bool>& held() const { return m_held; }
    bool isDone() const { return !m_seen.isEmpty(); }
    const QString& seen() const { return m_seen; }

protected:
    explicit TourStop(std::size_t goals) : m_held(goals) {}
    std::vector<bool> m_held;
    QString m_seen;
};

// All stops, as nobody has been there yet.
std::vector<std::unique_ptr<TourStop>> tourStops();

// What the tour runs on: a small file, so that all of it is seen at once.
inline constexpr std::uint32_t kTourM = 4, kTourK = 1, kTourB = 10, kTourRecordBytes = 16, kTourClients = 2;
inline constexpr std::uint32_t kTourDataServers = 12, kTourParityServers = 4;
inline constexpr std::uint64_t kTourSeed = 2004;

// LHRS Lab in eight stops, for somebody who is alone. No widget: it is told what happens and what the window shows, and
// says what
// to do, what was seen, and what it wants to be done for it.
class Tour {
public:
    explicit Tour(ActionWords words);
    ~Tour();
    Tour(const Tour&) = delete;
    Tour& operator=(const Tour&) = delete;

    static constexpr int kStops = 8;
    bool isOn() const { return m_stop > 0; }
    int stop() const { return m_stop; } // from 1; 0: it is not on
    // Goes to this stop; what was seen of this cluster is still known.
    void begin(int stop);
    // The same stop on a new cluster.
    void beginAnew();
    void leave() { m_stop = 0; }

    // The cluster is another one: nothing has been seen of it.
    void forgetCluster();
    // Events in order, each once; `state` has it.
    void take(const RunEvent& event, const ClusterState& state);
    // Once a frame: what the picture shows, and what is known now.
    void look(const ClusterState& shown, const ClusterState& newest, const TourSight& sight);

    // What is to be done for the stop now; taken once, then it is waited for done().
    std::optional<TourDeed> takeDeed();
    bool isPreparing() const { return isOn() && !m_isReady; }
    // How it ended; `why`: in words, when it did not work.
    void done(bool isGood, const QString& why);

    GuideWords words(const ClusterState& newest, const TourSight& sight) const;

private:
    TourStop& now() const { return *m_stops[std::size_t(m_stop - 1)]; }
    bool hasEffect(const ClusterState& newest, const TourSight& sight) const;
    QString trouble(const ClusterState& newest, const TourSight& sight) const;

    ActionWords m_words;
    std::vector<std::unique_ptr<TourStop>> m_stops;
    int m_stop = 0;
    bool m_isReady = false;       // what the stop needs is there
    QString m_task;               // of the stop, with the figures as they were then: it does not change under the eyes
    bool m_wasDoneBefore = false; // when it began
    std::optional<TourDeed> m_deed, m_under; // to be taken; under way
    bool m_isAnswered = false;    // the one under way
    std::vector<TourDeed> m_did;  // for this stop
    QString m_needTrouble, m_deedTrouble;
    int m_failures = 0;           // of deeds, one after the other
    std::uint64_t m_last = 0;     // event
};

} // namespace lhrs::gui
