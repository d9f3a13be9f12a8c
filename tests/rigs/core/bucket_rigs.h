// SPDX-License-Identifier: GPL-3.0-or-later
// One data bucket or one parity bucket under test, with the messages that the rest of its file would send it.
#pragma once

#include "common/lhrs/record_block.h"
#include "tests/rigs/core/core_harness.h"

#include <map>
#include <set>

namespace lhrs::test {

// ---- the code again, symbol by symbol and bit by bit, so that the check shares no code with what it checks

std::uint32_t bitwiseProduct(std::uint32_t x, std::uint32_t y, bool isGf16);

// P for m = 4 and k = 3 as printed in the demo paper (table 1), with a fourth column; and the matrix for GF(2^8), which
// the papers do not give.
std::uint32_t printedCoefficient(std::uint32_t q, std::uint32_t p, bool isGf16);

// The parity field of column p over these members by position, without trailing zeros.
std::string expectedParity(const std::map<std::uint32_t, std::string>& members, std::uint32_t p, bool isGf16);

// What a parity bucket should hold: records by position and rank.
struct GroupModel {
    struct Record {
        std::uint64_t key = 0;
        std::string value = {};
        Sequence version = 0;
        bool operator==(const Record&) const = default;
    };
    std::map<std::uint32_t, std::map<std::uint32_t, Record>> positions;

    // "" if the parity bucket holds exactly this; otherwise the first difference as text.
    std::string differenceTo(const ParityBucket& bucket, std::uint32_t p, bool isGf16, bool withVersions = true) const;
};

std::string difference(std::string a, std::string b);

// ---- a data bucket

class DataRig : public NodeRig {
public:
    struct Options {
        std::uint32_t bucket = 0;
        Level level = 0;
        pb::FileConfig config = fileConfig();
        std::uint32_t k = 2;
        std::set<std::uint32_t> init = {}; // columns that are being filled
        pb::MemberState state = pb::UP;
        std::uint64_t creation = 0; // the split that creates it
        std::uint64_t lastSplit = 0; // the last split that was ordered before
        std::map<std::uint32_t, HolderInfo> table = {}; // other buckets
        pb::Timers timers = {};
    };
    struct Ask {
        pb::OperationKind kind = pb::SEARCH;
        std::uint64_t key = 0;
        std::string value = {};
        std::uint64_t number = 0; // 0: the next one
        std::uint64_t doneBelow = 1;
        std::uint64_t client = kClient;
        std::int64_t target = -1; // -1: this bucket
        std::uint64_t incarnation = kIncarnation;
        std::uint32_t forwards = 0, forwarder = 0, forwarderLevel = 0;
    };

    explicit DataRig(Options o);
    DataRig();

    pb::View view(std::uint64_t epoch) const;

    static pb::Message requestOf(Peer& sender, const Ask& ask, std::uint32_t self);

    Step ask(Ask ask);
    Step insert(std::uint64_t key, const std::string& value);
    Step update(std::uint64_t key, const std::string& value);
    Step erase(std::uint64_t key) { return ask({ .kind = pb::DELETE, .key = key }); }
    Step search(std::uint64_t key) { return ask({ .kind = pb::SEARCH, .key = key }); }

    // `incarnation`: whose changes are acknowledged; `by`: the incarnation of the acknowledging parity bucket.
    Step deltaAck(std::uint32_t p, Sequence applied, std::uint64_t incarnation = kIncarnation, std::uint64_t by = 0);
    // All parity buckets acknowledge everything so far. Returns the step of the last acknowledgement.
    Step allAcked();
    // Stores the record, acknowledged by all parity buckets.
    void put(std::uint64_t key, const std::string& value);
    Step ack(const pb::Message& sent, std::uint64_t from) { return driven.message(Peer(from).ack(sent)); }

    Step epoch(const pb::View& newer);
    pb::Message splitOrder(std::uint64_t split, std::uint32_t target, const HolderInfo& holder);
    pb::Message commitOrder(std::uint64_t split);
    pb::Message abortOrder(std::uint64_t split);
    pb::Message finishOrder(std::uint64_t split);

    Options options;
    Peer client { kClient };
    std::uint64_t lastNumber = 0;
};

// The reply of a step; a reply without a result if there is none or more than one.
pb::Reply replyOf(const Step& step);

// The entries of a block; their bytes point into it.
std::vector<BlockEntry> entriesOf(const std::string& block);

std::string blockOf(const std::vector<BlockEntry>& entries);

// ---- a parity bucket

class ParityRig : public NodeRig {
public:
    struct Options {
        std::uint32_t column = 1;
        pb::FileConfig config = fileConfig();
        pb::MemberState state = pb::UP;
        std::set<std::uint32_t> data { 0, 1, 2, 3 }; // positions that exist
        pb::Timers timers = {};
    };
    struct Change {
        std::uint32_t q = 0;
        Sequence sequence = 1;
        pb::ChangeKind kind = pb::CHANGE_INSERT;
        std::uint32_t rank = 1;
        std::uint64_t key = 0;
        std::string delta = {};
        std::uint32_t length = 0;
        std::uint64_t epoch = 1;
        std::uint64_t incarnation = 0; // 0: that of the position
        std::uint64_t number = 0; // of the request; 0: the sequence
        std::uint64_t doneBelow = 1;
    };

    explicit ParityRig(Options o);
    ParityRig();

    bool isGf16() const { return options.config.field() == pb::GF_16; }
    static std::uint64_t incarnationOf(std::uint32_t q) { return 200 + q; }
    static std::uint64_t nodeOf(std::uint32_t q) { return kData + q; }

    pb::View view(std::uint64_t epoch) const;

    pb::Message deltaMessage(const Change& change);
    Step delta(const Change& change, bool moreFollow = false)
    {
        return driven.message(deltaMessage(change), moreFollow);
    }
    // A change as the bucket at position q would make it; the model is changed too.
    Change insert(std::uint32_t q, std::uint32_t rank, std::uint64_t key, const std::string& value);
    Change update(std::uint32_t q, std::uint32_t rank, const std::string& value);
    Change erase(std::uint32_t q, std::uint32_t rank);
    std::string differenceToModel() const { return model.differenceTo(parity(), options.column, isGf16()); }

    Step epoch(const pb::View& newer);
    struct Batch {
        std::uint32_t q = 0;
        std::uint64_t split = 9;
        Sequence sequence = 1;
        Level level = 3;
        std::uint32_t block = 0;
        bool isLast = true;
        std::vector<BlockEntry> entries = {};
        bool asksOnly = false;
        std::uint64_t epoch = 1;
    };
    pb::Message batchMessage(const Batch& b);
    Step batch(const Batch& b) { return driven.message(batchMessage(b)); }
    Step commit(std::uint64_t split, std::uint32_t bucket);
    Step abort(std::uint64_t split, std::uint32_t bucket);
    Step addParity();
    struct Block {
        std::uint32_t q = 0;
        std::uint32_t block = 0;
        bool isLast = true;
        Sequence snap = 0;
        std::uint32_t first = 1;
        std::uint32_t last = ~0u;
        std::vector<BlockEntry> entries = {};
        std::uint64_t asker = kIncarnation;
    };
    pb::Message contentsMessage(const Block& b);
    Step contents(const Block& b) { return driven.message(contentsMessage(b)); }

    Peer& sender(std::uint32_t q) { return m_senders.try_emplace(q, nodeOf(q)).first->second; }

    Options options;
    GroupModel model;
    std::map<std::uint32_t, Sequence> sequences;

private:
    std::map<std::uint32_t, Peer> m_senders;
};

// The applied sequence of position q in the last acknowledgement of the step; -1: it has none.
std::int64_t appliedSaid(const Step& step, std::uint32_t q);

} // namespace lhrs::test
