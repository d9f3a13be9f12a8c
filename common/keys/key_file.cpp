// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/keys/key_file.h"

#include "common/keys/key_ring.h"

#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

namespace lhrs {

namespace {

constexpr std::string_view kFirstWord = "LHRS-KEY 1 "; // 1: the version of the format

struct Field {
    const char* name;
    KeyBytes KeyFile::*bytes;
};

// The lines after the first one, in their order.
std::vector<Field> fieldsOf(KeyRole role)
{
    switch (role) {
    case KeyRole::Cluster: return { { "secret", &KeyFile::secret } };
    case KeyRole::Client:
        return { { "secret", &KeyFile::secret }, { "servers", &KeyFile::servers },
            { "operators", &KeyFile::operators } };
    case KeyRole::Operator:
        return { { "secret", &KeyFile::secret }, { "servers", &KeyFile::servers }, { "clients", &KeyFile::clients } };
    }
    return {};
}

std::string hexOf(const KeyBytes& bytes)
{
    std::string hex(2 * kKeyBytes + 1, '\0');
    sodium_bin2hex(hex.data(), hex.size(), bytes.data(), bytes.size());
    hex.pop_back();
    return hex;
}

bool readHex(std::string_view hex, KeyBytes& bytes)
{
    std::size_t length = 0;
    const char* end = nullptr;
    return hex.size() == 2 * kKeyBytes
        && sodium_hex2bin(bytes.data(), bytes.size(), hex.data(), hex.size(), nullptr, &length, &end) == 0
        && length == kKeyBytes && end == hex.data() + hex.size();
}

// Takes the first line off the text, without its end.
std::string_view takeLine(std::string_view& text)
{
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

std::string systemText(int number) { return std::strerror(number); }

// An open file, closed at the end.
struct OpenFile {
    explicit OpenFile(int opened) : number(opened) { }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    ~OpenFile()
    {
        if (number >= 0)
            ::close(number);
    }
    const int number;
};

Result<void> writeKey(const std::string& path, const KeyFile& key)
{
    const OpenFile file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (file.number < 0)
        return Error { "the key file " + path + " cannot be made: " + systemText(errno) };
    std::string text = textOf(key);
    std::size_t done = 0; // a write that is cut short says why only when the next one fails
    ssize_t count = 0;
    while (done < text.size() && (count = ::write(file.number, text.data() + done, text.size() - done)) > 0)
        done += std::size_t(count);
    const bool isWritten = done == text.size() && ::fsync(file.number) == 0;
    const int error = errno;
    sodium_memzero(text.data(), text.size());
    if (!isWritten) {
        ::unlink(path.c_str());
        return Error { "the key file " + path + " cannot be written: " + systemText(error) };
    }
    return {};
}

// Whether the access list of the file names nobody but its owner and this user. The mode's bits of the group are then
// those of the list's mask, and no group has them: systemd gives a unit's user its credential (LoadCredential=) that
// way.
bool isListedForAlone(int file, uid_t user)
{
    struct Entry { // of linux/posix_acl_xattr.h, in which all numbers have their low byte first
        std::uint16_t tag, rights;
        std::uint32_t id;
    };
    enum Tag : std::uint16_t { kOwner = 1, kNamedUser = 2, kMask = 16 };
    std::array<unsigned char, 256> bytes; // a longer list names too many anyway
    const ssize_t length = ::fgetxattr(file, "system.posix_acl_access", bytes.data(), bytes.size());
    constexpr std::size_t kHead = 4; // the version of the format
    if (length < ssize_t(kHead))
        return false;
    for (std::size_t at = kHead; at + sizeof(Entry) <= std::size_t(length); at += sizeof(Entry)) {
        Entry entry;
        std::memcpy(&entry, bytes.data() + at, sizeof entry);
        const bool isAllowed = entry.tag == kOwner || entry.tag == kMask
            || (entry.tag == kNamedUser && (entry.id == user || entry.id == 0));
        if (!isAllowed && entry.rights != 0)
            return false;
    }
    return true;
}

// Whether nobody but its owner can read or write the file, and the owner is the user of this process.
Result<void> checkOwner(const std::string& path, int opened, const struct stat& file)
{
    if (!S_ISREG(file.st_mode))
        return Error { path + " is not a key file: it is not a file" };
    const uid_t user = ::geteuid();
    if ((file.st_mode & 0077) != 0 && ((file.st_mode & 0007) != 0 || !isListedForAlone(opened, user))) {
        char mode[8];
        std::snprintf(mode, sizeof mode, "%04o", unsigned(file.st_mode & 07777));
        return Error { "the key file " + path + " is open to other users (mode " + mode
            + "), so its key may be known; make new keys, or if it is not: chmod 600 " + path };
    }
    if (user != 0 && file.st_uid != user && file.st_uid != 0)
        return Error { "the key file " + path + " belongs to another user, who knows its key; use one of your own" };
    return {};
}

} // namespace

KeyFile::~KeyFile() { sodium_memzero(secret.data(), secret.size()); }

const char* wordOf(KeyRole role)
{
    switch (role) {
    case KeyRole::Cluster: return "cluster";
    case KeyRole::Client: return "client";
    case KeyRole::Operator: return "operator";
    }
    return "unknown";
}

std::string textOf(const KeyFile& key)
{
    std::string text = std::string(kFirstWord) + wordOf(key.role) + '\n';
    for (const Field& field : fieldsOf(key.role))
        text += std::string(field.name) + ' ' + hexOf(key.*field.bytes) + '\n';
    return text;
}

Result<KeyFile> parseKey(std::string_view text)
{
    if (text.size() > kKeyTextMax)
        return Error { "it is too long for a key file" };
    const std::string_view first = takeLine(text);
    if (!first.starts_with(kFirstWord))
        return Error { "it is not a key file of this version: its first line does not begin with \"LHRS-KEY 1\"" };
    KeyFile key;
    bool isKnown = false;
    for (const KeyRole role : { KeyRole::Cluster, KeyRole::Client, KeyRole::Operator })
        if (first.substr(kFirstWord.size()) == wordOf(role)) {
            key.role = role;
            isKnown = true;
        }
    if (!isKnown)
        return Error { "its first line names no role: cluster, client or operator" };
    for (const Field& field : fieldsOf(key.role)) {
        const std::string_view line = takeLine(text);
        const std::string word = std::string(field.name) + ' ';
        if (!line.starts_with(word) || !readHex(line.substr(word.size()), key.*field.bytes))
            return Error { "it is damaged: a line \"" + std::string(field.name) + "\" with 64 hexadecimal digits is "
                + "missing" };
    }
    if (!text.empty())
        return Error { "it is damaged: something follows its last line" };
    return key;
}

Result<void> makeKeys(const std::string& folder)
{
    if (sodium_init() < 0)
        return Error { "no random numbers for keys can be had from the system" };
    KeyFile cluster;
    randombytes_buf(cluster.secret.data(), cluster.secret.size());
    const std::vector<std::pair<std::string, KeyFile>> files { { folder + '/' + kClusterKeyName, cluster },
        { folder + '/' + kClientKeyName, clientKeyOf(cluster) },
        { folder + '/' + kOperatorKeyName, operatorKeyOf(cluster) } };
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
        return Error { "the folder " + folder + " cannot be made: " + systemText(errno) };
    for (const auto& [path, key] : files)
        if (struct stat there {}; ::lstat(path.c_str(), &there) == 0)
            return Error { "there is a key already, " + path
                + "; nothing was changed, because processes may use it; name another folder" };
    for (auto file = files.begin(); file != files.end(); ++file) {
        const auto written = writeKey(file->first, file->second);
        if (written)
            continue;
        // Some keys of a cluster without the others are of no use, and would be in the way of the next attempt.
        for (auto made = files.begin(); made != file; ++made)
            ::unlink(made->first.c_str());
        return written;
    }
    return {};
}

Result<KeyFile> readKeyFile(const std::string& path)
{
    if (sodium_init() < 0)
        return Error { "the library of the keys cannot be used on this computer" };
    const OpenFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.number < 0)
        return Error { "the key file " + path + " cannot be read: " + systemText(errno)
            + (errno == ENOENT ? "; lhrs-coordinator --make-keys FOLDER makes keys" : "") };
    struct stat found { };
    if (::fstat(file.number, &found) != 0)
        return Error { "the key file " + path + " cannot be read: " + systemText(errno) };
    if (const auto checked = checkOwner(path, file.number, found); !checked)
        return checked.error();
    std::array<char, kKeyTextMax + 1> text;
    std::size_t length = 0;
    ssize_t got = 0;
    while (length < text.size() && (got = ::read(file.number, text.data() + length, text.size() - length)) > 0)
        length += std::size_t(got);
    if (got < 0)
        return Error { "the key file " + path + " cannot be read: " + systemText(errno) };
    auto key = parseKey({ text.data(), length });
    sodium_memzero(text.data(), text.size());
    if (!key)
        return Error { "the key file " + path + " cannot be used: " + key.error().text };
    return key;
}

} // namespace lhrs
