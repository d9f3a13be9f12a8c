// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/transport/packet_tag.h"

#include "node/transport/crc32c.h"

#include <sodium.h>

#include <cstring>

namespace lhrs {

namespace {

static_assert(kTagBytes == crypto_generichash_BYTES_MIN && kKeyBytes == crypto_generichash_KEYBYTES);

const unsigned char* bytesOf(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

} // namespace

PacketTag tagOf(const KeyBytes* key, std::string_view front, std::string_view back)
{
    PacketTag tag {};
    if (key == nullptr) {
        const std::uint32_t crc = crc32c(back, crc32c(front));
        std::memcpy(tag.data(), &crc, sizeof crc);
    } else if (back.empty()) {
        crypto_generichash(tag.data(), tag.size(), bytesOf(front), front.size(), key->data(), key->size());
    } else {
        crypto_generichash_state state;
        crypto_generichash_init(&state, key->data(), key->size(), tag.size());
        crypto_generichash_update(&state, bytesOf(front), front.size());
        crypto_generichash_update(&state, bytesOf(back), back.size());
        crypto_generichash_final(&state, tag.data(), tag.size());
    }
    return tag;
}

bool isSameTag(const PacketTag& tag, std::string_view bytes)
{
    return bytes.size() == tag.size() && sodium_memcmp(tag.data(), bytes.data(), tag.size()) == 0;
}

KeyBytes keyFrom(const KeyBytes& key, std::string_view contributions)
{
    KeyBytes made;
    crypto_generichash(made.data(), made.size(), bytesOf(contributions), contributions.size(), key.data(), key.size());
    return made;
}

void fillRandomly(KeyBytes& bytes) { randombytes_buf(bytes.data(), bytes.size()); }

} // namespace lhrs
