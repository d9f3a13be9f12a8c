// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/lhrs/record_block.h"
#include "node/lhrs/store/record_store.h"

#include <string_view>

namespace lhrs {

// Reads a record block for a caller that looks up each key in a store. It also prefetches for the entries ahead: first
// their places in the index, then the records at those places.
class FetchingReader {
public:
    FetchingReader(std::string_view block, const RecordStore& store)
        : m_store(store), m_reader(block), m_near(block), m_far(block)
    {
        for (int i = 0; i < kFar; ++i)
            fetchIndex();
        for (int i = 0; i < kNear; ++i)
            fetchRecord();
    }
    // Like BlockReader::next().
    bool next(BlockEntry& entry)
    {
        fetchIndex();
        fetchRecord();
        return m_reader.next(entry);
    }

private:
    static constexpr int kNear = 6, kFar = 12; // number of entries ahead

    void fetchIndex()
    {
        if (m_far.next(m_ahead))
            m_store.prefetchIndex(m_ahead.key);
    }
    void fetchRecord()
    {
        if (m_near.next(m_ahead))
            m_store.prefetchRecord(m_ahead.key);
    }

    const RecordStore& m_store;
    BlockReader m_reader, m_near, m_far;
    BlockEntry m_ahead;
};

} // namespace lhrs
