// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/requests/key_table.h"

#include <optional>
#include <string>
#include <vector>

namespace lhrs {

inline constexpr std::uint32_t kValueBytesMax = 65'535; // largest value that a client writes

// Makes a value that names its writer, so that a value read back can be checked. From 24 bytes on it begins with
// client, version, length and a checksum over them and the key; the rest is drawn from the same numbers.
std::string makeValue(std::uint64_t client, Key key, std::uint64_t version, std::uint32_t length);
// The same, into a string whose memory is reused.
void makeValue(std::uint64_t client, Key key, std::uint64_t version, std::uint32_t length, std::string& value);

// The writer and version of a value, if makeValue made it for this key.
struct Written {
    std::uint64_t client = 0, version = 0;
};
std::optional<Written> writerOf(Key key, const std::string& value);

// What a client knows of the keys that it wrote itself.
class Ledger {
public:
    struct Known {
        std::uint64_t version = 0; // request number of the write
        std::uint32_t length = 0;
        bool isGenerated = true; // the value was made by makeValue
        bool isUncertain = false; // a later change had an unknown outcome
    };
    void wrote(Key key, std::uint64_t version, std::uint32_t length, bool isGenerated);
    void erased(Key key);
    void uncertain(Key key);
    // Null if this client never wrote the key, or deleted it; valid until the next change.
    const Known* find(Key key) const;
    const std::vector<Key>& keys() const { return m_keys; }
    // How a value that was read compares with the one that this client, `self`, wrote last.
    struct Verdict {
        bool isWrong = false;
        bool isNewer = false; // not wrong: another client wrote it
        bool isOlder = false; // wrong: this client wrote it before its last write
    };
    Verdict compare(std::uint64_t self, Key key, const Known& known, const std::string& value);
    // Call this when the key will be written.
    void prefetch(Key key) const { m_places.prefetch(key); }
    // prefetchKey: the key at this place will be drawn soon. prefetchKnown: it is drawn and will be looked up when its
    // operation ends.
    void prefetchKey(std::size_t place) const { __builtin_prefetch(&m_keys[place]); }
    void prefetchKnown(std::size_t place) const
    {
        __builtin_prefetch(&m_known[place]);
        m_places.prefetch(m_keys[place]);
    }

private:
    KeyTable<std::uint32_t> m_places; // 1 + place in both lists
    std::vector<Key> m_keys; // for drawing a key
    std::vector<Known> m_known;
    std::string m_expected; // a value whose memory is reused
};

} // namespace lhrs
