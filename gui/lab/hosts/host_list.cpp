// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/hosts/host_list.h"

#include "common/ip.h"
#include "common/number_words.h"
#include "gui/lab/hosts/launcher.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <set>
#include <string_view>
#include <sstream>

namespace lhrs::gui {

namespace {

constexpr std::uint32_t kServersMost = 10'000;
constexpr std::string_view kMost = "max-"; // before the name of a pool
constexpr std::size_t kFileMost = 1 << 20; // bytes

using Set = std::function<Result<void>(HostEntry&, const std::string&)>;
struct Word {
    const char* name;
    Set set;
};

const std::vector<Word>& words()
{
    static const std::vector<Word> kWords {
        { "by",
            [](HostEntry& entry, const std::string& value) -> Result<void> {
                if (findLauncher(value) == nullptr)
                    return Error { '"' + value + "\" is no way to start programs there; there are " + launcherNames() };
                entry.by = value;
                return {};
            } },
        { "address",
            [](HostEntry& entry, const std::string& value) -> Result<void> {
                const auto ip = Ip::parse(value);
                if (!ip || ip->isAny() || ip->isLinkLocal() || ip->isMulticast())
                    return Error { '"' + value + "\" is not an address; write for instance 10.0.0.2 or fd00::2" };
                entry.address = ip->text(); // in the one way in which processes name it
                return {};
            } },
        { "programs",
            [](HostEntry& entry, const std::string& value) -> Result<void> {
                if (!value.starts_with('/'))
                    return Error { '"' + value + "\" is not an absolute path" };
                entry.programs = value;
                return {};
            } },
        { "config",
            [](HostEntry& entry, const std::string& value) -> Result<void> {
                entry.config = value;
                return {};
            } },
    };
    return kWords;
}

} // namespace

std::string hostWords()
{
    std::string all;
    for (const Word& word : words())
        all += (all.empty() ? "" : ", ") + std::string(word.name);
    return all + " and max-POOL";
}

Result<void> setHostWord(HostEntry& entry, const std::string& word, const std::string& value)
{
    if (word.starts_with(kMost) && word.size() > kMost.size()) {
        const auto number = readNumber<std::uint32_t>(value, 0, kServersMost, "a number");
        if (!number)
            return Error { word + ": " + number.error().text };
        entry.most[word.substr(kMost.size())] = *number;
        return {};
    }
    const auto known = std::find_if(words().begin(), words().end(), [&](const Word& w) { return w.name == word; });
    if (known == words().end())
        return Error { "a host has no \"" + word + "\"; it has " + hostWords() };
    if (const auto set = known->set(entry, value); !set)
        return Error { word + ": " + set.error().text };
    return {};
}

Result<void> checkHosts(const std::vector<HostEntry>& hosts)
{
    std::set<std::string> names;
    std::size_t here = 0;
    if (hosts.empty())
        return Error { "no host is named" };
    if (hosts.size() > kHostsMax)
        return Error { std::to_string(hosts.size()) + " hosts are more than " + std::to_string(kHostsMax) };
    for (const HostEntry& host : hosts) {
        // A name that begins with a dash would be an option of the launcher.
        if (host.name.empty() || host.name.front() == '-')
            return Error { '"' + host.name + "\" is not the name of a host" };
        if (!names.insert(host.name).second)
            return Error { "the host " + host.name + " is named twice" };
        here += host.by == kLauncherHere ? 1 : 0;
        if (host.by == kLauncherHere && host.address.empty())
            return Error { "the host " + host.name
                + " is this computer: say with address= at which of its addresses the others reach it" };
    }
    return here <= 1 ? Result<void>() : Result<void>(Error { "two hosts are this computer" });
}

Result<std::vector<HostEntry>> parseHosts(std::string_view text, const std::string& file)
{
    std::vector<HostEntry> hosts;
    std::istringstream lines { std::string(text) };
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
        const auto wrong = [&](const std::string& why) {
            return Error { file + ':' + std::to_string(number) + ": " + why };
        };
        std::istringstream wordsOfLine(line.substr(0, line.find('#')));
        HostEntry entry;
        if (!(wordsOfLine >> entry.name))
            continue;
        std::string word;
        while (wordsOfLine >> word) {
            const auto sign = word.find('=');
            if (sign == std::string::npos)
                return wrong('"' + word + "\" is not a word such as address=10.0.0.2; a host has " + hostWords());
            if (const auto set = setHostWord(entry, word.substr(0, sign), word.substr(sign + 1)); !set)
                return wrong(set.error().text);
        }
        hosts.push_back(std::move(entry));
    }
    if (const auto checked = checkHosts(hosts); !checked)
        return Error { file + ": " + checked.error().text };
    return hosts;
}

Result<std::vector<HostEntry>> readHosts(const std::string& file)
{
    std::ifstream in(file, std::ios::binary);
    std::string text(kFileMost + 1, '\0');
    in.read(text.data(), std::streamsize(text.size()));
    text.resize(std::size_t(std::max<std::streamsize>(in.gcount(), 0)));
    if (!in.eof() && !in)
        return Error { "the list of hosts " + file + " cannot be read" };
    if (text.size() > kFileMost)
        return Error { "the list of hosts " + file + " is longer than 1 MiB" };
    return parseHosts(text, file);
}

} // namespace lhrs::gui
