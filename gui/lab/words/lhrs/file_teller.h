// SPDX-License-Identifier: GPL-3.0-or-later
// The story of a file of LH*RS: what is remembered between events, and the code that tells of one event.
#pragma once

#include "gui/lab/state/lhrs/file_view.h"
#include "gui/lab/words/lhrs/narrator_words.h"
#include "gui/lab/words/process/teller.h"

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace lhrs::gui {

struct FileMemory {
    // Consecutive ones told with all their sentences; later ones are only counted.
    static constexpr std::uint32_t kReconfigurations = 3;
    static constexpr std::size_t kFileStates = 64;

    // ---- file and spares
    bool isFirstRecordTold = false;
    std::optional<std::int64_t> fileSinceNs; // when the file was created, if that was observed
    std::map<pb::Role, std::pair<std::string, std::int64_t>> missing; // pool -> what waits, since when
    std::map<pb::Role, Run> spares;
    std::set<pb::Role> takenPools; // pools whose last spare was told to be taken
    Run clients;
    std::deque<std::pair<std::int64_t, std::uint32_t>> fileStates; // time, data buckets

    // ---- splits and merges
    struct Overflow {
        std::uint32_t bucket = 0;
        std::int64_t atNs = 0;
        std::uint64_t told = 0;
    };
    std::vector<Overflow> overflows; // reported, and no split was ordered for it yet
    std::set<std::uint32_t> underfull; // buckets that have reported underflow since the last merge
    std::set<std::uint32_t> undone; // buckets whose split was undone and is still owed
    struct Uncaused {
        std::uint64_t told = 0;
        std::int64_t atNs = 0;
        words::SplitOrder order;
    };
    std::optional<Uncaused> uncaused; // the last split, if its cause was not known
    struct Row {
        Run run; // splits, or merges, as they are ordered
        std::set<std::uint64_t> quiet; // those that are only counted, by their number
        std::uint32_t counted = 0;
        std::uint64_t told = 0;
    };
    Row splits, merges;

    // ---- clients
    std::map<ProcessId, Run> forwards, adjusted, lostKeys;

    // ---- failures
    struct Ill {
        bool isIll = false; // a member was declared failed
        words::Names suspected;
        std::uint64_t suspectedTold = 0;
        std::optional<std::int64_t> answeredNs; // when all had answered the probes
        words::Numbers failedData, failedColumns; // since the last epoch, for the same reason
        std::string failedReason;
        std::uint64_t failedTold = 0;
        bool isFrozenTold = false, isLostTold = false;
        std::uint64_t slicing = 0, slicesTold = 0; // the recovery whose slices are told
    };
    std::map<std::uint32_t, Ill> groups;
    std::map<std::uint32_t, Run> computed; // records computed from parity, by group
    std::set<std::pair<std::uint32_t, std::uint32_t>> failedParity; // (group, column)
    // The failed place of a process, and since when.
    std::map<ProcessId, std::pair<std::string, std::int64_t>> fencedPlace;
    std::set<ProcessId> foreign;
};

// The bucket of a process, or else its name.
class FileNames : public ProcessNames {
public:
    explicit FileNames(const FileView& file) : ProcessNames(file), m_file(file) { }
    std::string placeOf(const pb::Event& event) const override;
    std::string placeOf(const ProcessState& process) const override;
    std::string together(const words::Names& names) const override { return words::together(names); }
    std::string capital(std::string text) const override { return words::capital(std::move(text)); }
    QString coordinatorEnded(bool isOnPurpose) const override { return words::coordinatorEnded(isOnPurpose); }

private:
    const FileView& m_file;
};

struct FileTeller : Teller {
    FileTeller(
        StoryMemory& story, FileMemory& memory, const RunEvent& told, const FileNames& shown, const FileView& file)
        : Teller { story, told, shown }, f(memory), state(file)
    {
    }

    FileMemory& f;
    const FileView& state;

    // Tells what there is to tell of the event. False: nothing says what to do with events of its kind.
    bool take();

    std::string client(const pb::RequestId& operation) const; // "" if unknown
    std::uint32_t bucketAt(std::uint32_t group, std::uint32_t position) const { return group * state.m() + position; }

    using Teller::on;
    // ---- in file_teller.cpp
    void on(const pb::ProcessStarted& e);
    void on(const pb::FileCreated& e);
    void on(const pb::NodeRecruited& e);
    void on(const pb::SpareMissing& e);
    void on(const pb::RecordInserted& e);
    void on(const pb::BucketOverflowed& e);
    void on(const pb::SplitOrdered& e);
    void on(const pb::SplitCommitted& e);
    void on(const pb::SplitFinished& e);
    void on(const pb::SplitUndone& e);
    void on(const pb::MergeOrdered& e);
    void on(const pb::MergeCommitted& e);
    void on(const pb::MergeFinished& e);
    void on(const pb::MergeUndone& e);
    void on(const pb::FileStateChanged& e);
    void on(const pb::GroupCreated& e);
    void on(const pb::ParityCreationOrdered& e);
    void on(const pb::ParityAdded& e);
    void on(const pb::ParityCreationUndone& e);
    void on(const pb::OperationDone& e);
    void on(const pb::ImageAdjusted& e);

    // ---- in narrator_failures.cpp
    void on(const pb::MemberSuspected& e);
    void on(const pb::MembersAnswered& e);
    void on(const pb::BucketFailed& e);
    void on(const pb::EpochChanged& e);
    void on(const pb::CutAgreed& e);
    void on(const pb::RecoveryStarted& e);
    void on(const pb::DecoderChosen& e);
    void on(const pb::SliceRecovered& e);
    void on(const pb::RecoveryFinished& e);
    void on(const pb::RecordRecovered& e);
    void on(const pb::GroupLost& e);
    void on(const pb::LossAcknowledged& e);
    void on(const pb::NodeReleased& e);
    void on(const pb::CoordinatorListening& e);
    void on(const pb::CoordinatorRebuilt& e);
    void on(const pb::ForeignBucket& e);

private:
    void noteFile(std::uint32_t buckets);
    std::optional<FileMemory::Overflow> causeOfSplit();
    void setAge(words::Way& way, const pb::FileState& image) const;
    void begin(FileMemory::Row& row, std::uint64_t id);
};

} // namespace lhrs::gui
