// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/machine/requests/ledger.h"

#include "node/machine/seeded_numbers.h"

#include <algorithm>
#include <cstring>

namespace lhrs {

namespace {

constexpr std::uint32_t kHeader = 24; // bytes of a value that identify its writer

} // namespace

std::string makeValue(std::uint64_t client, Key key, std::uint64_t version, std::uint32_t length)
{
    std::string value;
    makeValue(client, key, version, length, value);
    return value;
}

void makeValue(std::uint64_t client, Key key, std::uint64_t version, std::uint32_t length, std::string& value)
{
    value.resize(length);
    SeededNumbers numbers(SeededNumbers::mixed(client) ^ SeededNumbers::mixed(key.value + 1)
        ^ SeededNumbers::mixed(version * 0x10001) ^ length);
    std::size_t at = 0;
    if (length >= kHeader) {
        const auto check = std::uint32_t(numbers.next());
        std::memcpy(value.data(), &client, 8);
        std::memcpy(value.data() + 8, &version, 8);
        std::memcpy(value.data() + 16, &length, 4);
        std::memcpy(value.data() + 20, &check, 4);
        at = kHeader;
    }
    for (; at + 8 <= length; at += 8) {
        const std::uint64_t word = numbers.next();
        std::memcpy(value.data() + at, &word, 8);
    }
    if (at < length) {
        const std::uint64_t word = numbers.next();
        std::memcpy(value.data() + at, &word, length - at);
    }
}

std::optional<Written> writerOf(Key key, const std::string& value)
{
    if (value.size() < kHeader)
        return std::nullopt; // too short to identify its writer
    Written written;
    std::memcpy(&written.client, value.data(), 8);
    std::memcpy(&written.version, value.data() + 8, 8);
    if (value != makeValue(written.client, key, written.version, std::uint32_t(value.size())))
        return std::nullopt;
    return written;
}

void Ledger::wrote(Key key, std::uint64_t version, std::uint32_t length, bool isGenerated)
{
    std::uint32_t place = m_places.find(key);
    if (place == 0) {
        m_keys.push_back(key);
        m_known.emplace_back();
        place = std::uint32_t(m_keys.size());
        m_places.set(key, place);
    }
    m_known[place - 1] = { version, length, isGenerated, false };
}

void Ledger::erased(Key key)
{
    const std::uint32_t place = m_places.find(key);
    if (place == 0)
        return;
    m_places.erase(key);
    if (place < m_keys.size()) {
        m_keys[place - 1] = m_keys.back();
        m_known[place - 1] = m_known.back();
        m_places.set(m_keys[place - 1], place);
    }
    m_keys.pop_back();
    m_known.pop_back();
}

void Ledger::uncertain(Key key)
{
    if (m_places.find(key) == 0)
        wrote(key, 0, 0, false); // the key may exist
    m_known[m_places.find(key) - 1].isUncertain = true;
}

const Ledger::Known* Ledger::find(Key key) const
{
    const std::uint32_t place = m_places.find(key);
    return place == 0 ? nullptr : &m_known[place - 1];
}

Ledger::Verdict Ledger::compare(std::uint64_t self, Key key, const Known& known, const std::string& value)
{
    makeValue(self, key, known.version, known.length, m_expected);
    Verdict verdict;
    if (value == m_expected)
        return verdict;
    const auto written = writerOf(key, value);
    verdict.isNewer = written && written->client != self;
    verdict.isWrong = !verdict.isNewer;
    verdict.isOlder = verdict.isWrong && written && written->version < known.version;
    return verdict;
}

} // namespace lhrs
