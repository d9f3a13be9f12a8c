// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/series/process/message_pairs.h"

namespace lhrs::gui {

std::vector<MessagePair> pairMessages(const std::vector<MessageWord>& words, bool hasNumber)
{
    std::vector<MessagePair> pairs;
    std::size_t sendings = 0;
    for (int i = 0; i < int(words.size()); ++i) {
        const MessageWord& word = words[std::size_t(i)];
        if (word.what == MessageWord::What::Sent) {
            pairs.push_back({ i, -1, false });
            ++sendings;
        } else if (word.what == MessageWord::What::GivenUp) {
            for (std::size_t at = 0; at < sendings; ++at)
                pairs[at].isGivenUp = true;
        } else {
            MessagePair* found = nullptr;
            for (std::size_t at = 0; at < sendings && hasNumber; ++at) {
                const MessageWord& sent = words[std::size_t(pairs[at].sent)];
                if (word.causeProcess == sent.process && word.causeSequence != 0 && sent.sequence > word.causeSequence)
                    break;
                if (pairs[at].received < 0 || found == nullptr)
                    found = &pairs[at];
            }
            if (found != nullptr && found->received < 0)
                found->received = i;
            else
                pairs.push_back({ found != nullptr ? found->sent : -1, i, false });
        }
    }
    return pairs;
}

} // namespace lhrs::gui
