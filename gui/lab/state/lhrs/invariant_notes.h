// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace lhrs::gui {

// The memory of one check of the invariants between events: four numbers under a key of three numbers, sorted and
// bounded. A copy is thus a plain memory copy, and a run of any length costs the same. What was dropped is not judged.
class InvariantNotes {
public:
    using Key = std::array<std::uint64_t, 3>;
    using Value = std::array<std::uint64_t, 4>;
    using Entry = std::pair<Key, Value>;
    // Limits per first number, and in total. Beyond the first limit the lowest note with the same first number is
    // dropped, beyond the second one the lowest of all.
    static constexpr std::size_t kPerFirst = 96, kAll = 768;

    const Value* find(const Key& key) const;
    Value* find(const Key& key);
    void set(const Key& key, const Value& value);
    // Removes the note and returns it; empty if there was none.
    std::optional<Value> take(const Key& key);
    // Removes all notes with this first number.
    void eraseOf(std::uint64_t first);
    // The position of the first note at or above the key; the range of notes with this first number, or with these
    // two.
    std::size_t from(const Key& key) const { return position(key); }
    std::pair<std::size_t, std::size_t> rangeOf(std::uint64_t first) const;
    std::pair<std::size_t, std::size_t> rangeOf(std::uint64_t first, std::uint64_t second) const;
    const Entry& at(std::size_t index) const { return m_entries[index]; }
    void eraseAt(std::size_t index);
    void clear() { m_entries.clear(); }
    const std::vector<Entry>& entries() const { return m_entries; }
    bool operator==(const InvariantNotes&) const = default;

private:
    std::size_t position(const Key& key) const;
    std::vector<Entry> m_entries;
};

} // namespace lhrs::gui
