// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/transport/envelope.h"

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace lhrs::fuzz {

// Datagrams that no process of ours would send, from a seed: random bytes; random bytes behind our magic; packets of
// the cluster with flipped bits, truncated or extended; packets with a correct tag around random bytes or around
// mutated real messages, so that the parser and the machines are reached.
class RandomDatagrams {
public:
    RandomDatagrams(std::uint64_t seed, std::uint64_t cluster) : m_random(seed), m_envelope(cluster, NodeId(seed | 1))
    {
    }

    // Valid until the next call.
    std::string_view next()
    {
        switch (below(8)) {
        case 0: noise(below(64)); break;
        case 1: noise(below(1'500)); break;
        case 2: noise(below(64) == 0 ? below(kDatagramMax + 1) : below(200)); break;
        case 3:
            noise(below(256) + 4);
            m_bytes.replace(0, 4, "LHRS");
            break;
        case 4:
            sealed(true);
            m_bytes[below(m_bytes.size())] ^= char(1u << below(8));
            break;
        case 5:
            sealed(true);
            m_bytes.resize(below(2 * m_bytes.size()));
            break;
        case 6: sealed(false); break;
        default: sealed(true); break;
        }
        return m_bytes;
    }

private:
    std::size_t below(std::size_t bound) { return std::size_t(m_random() % bound); }

    void noise(std::size_t length)
    {
        m_bytes.resize(length);
        for (char& byte : m_bytes)
            byte = char(m_random());
    }

    // A packet with a correct tag. Its body is random, or a message with some bytes changed.
    void sealed(bool isMessage)
    {
        std::string body;
        if (isMessage) {
            body.resize(1 + below(3 * 1'024) % 200);
            for (char& byte : body)
                byte = char(m_random());
            // A length, the tag of one of the messages (20 to 55), the length of that message; the rest is noise.
            const std::uint32_t tag = std::uint32_t(20 + below(36)) << 3 | 2;
            body.insert(0, { char(tag | 0x80), char(tag >> 7), char(body.size() & 0x7f) });
            const std::size_t length = body.size();
            if (length < 128)
                body.insert(0, 1, char(length));
            else
                body.insert(0, { char(length | 0x80), char(length >> 7) });
        } else {
            body.resize(below(200));
            for (char& byte : body)
                byte = char(m_random());
        }
        m_bytes.assign(kEnvelopeBytes + body.size(), '\0');
        m_bytes.replace(kHeaderBytes, body.size(), body);
        m_envelope.seal(m_bytes.data(), body.size(), NodeId());
    }

    std::mt19937_64 m_random;
    Envelope m_envelope;
    std::string m_bytes;
};

} // namespace lhrs::fuzz
