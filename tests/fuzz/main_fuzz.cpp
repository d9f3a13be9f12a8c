// SPDX-License-Identifier: GPL-3.0-or-later
// lhrs-fuzz NAME [--minutes T] [--seed S]: mutates the inputs of a target until the time is over; it starts with its
// seeds and the files in tests/fuzz/corpus/NAME. lhrs-fuzz NAME FILE replays one input. An input that ends the process
// is saved; the last line of output names the file. Move it to tests/fuzz/corpus/NAME.
#include "common/number_words.h"
#include "common/protobuf_text.h"
#include "tests/fuzz/targets.h"

#include <QCoreApplication>

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace {

using namespace lhrs::fuzz;

// For the signal handler: the current input, and the path where to save it.
std::string current;
char crashFile[256];

void onCrash(int number)
{
    const int file = ::open(crashFile, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file >= 0 && ::write(file, current.data(), current.size()) == ssize_t(current.size())) {
        constexpr char kText[] = "the input that did it is in ";
        [[maybe_unused]] auto written = ::write(2, kText, sizeof kText - 1);
        written = ::write(2, crashFile, std::strlen(crashFile));
        written = ::write(2, "\n", 1);
    }
    std::signal(number, SIG_DFL);
    std::raise(number);
}

int usage()
{
    std::fprintf(stderr, "lhrs-fuzz NAME [FILE] [--minutes T] [--seed S]; the targets are\n");
    for (const Target& target : targets())
        std::fprintf(stderr, "  %-10s %s\n", target.name, target.tells);
    return 2;
}

int wrong(const std::string& sentence)
{
    std::fprintf(stderr, "lhrs-fuzz: %s.\n", sentence.c_str());
    return 2;
}

} // namespace

int main(int argc, char** argv)
{
    const QCoreApplication application(argc, argv); // the script engine needs one
    const Target* target = nullptr;
    for (const Target& one : targets())
        if (argc >= 2 && std::strcmp(one.name, argv[1]) == 0)
            target = &one;
    if (target == nullptr)
        return usage();
    double minutes = 1;
    std::uint64_t seed = 1;
    const char* replayed = nullptr;
    for (int i = 2; i < argc; ++i) {
        if (std::strcmp(argv[i], "--minutes") == 0 && i + 1 < argc) {
            const auto read = lhrs::readNumber<double>(argv[++i], 0.001, 100'000);
            if (!read)
                return wrong("--minutes: " + read.error().text);
            minutes = *read;
        } else if (std::strcmp(argv[i], "--seed") == 0 && i + 1 < argc) {
            const auto read = lhrs::readSeed(argv[++i]);
            if (!read)
                return wrong("--seed: " + read.error().text);
            seed = *read;
        } else if (argv[i][0] != '-')
            replayed = argv[i];
        else
            return usage();
    }
    if (replayed != nullptr) {
        std::ifstream file(replayed, std::ios::binary);
        if (!file) {
            std::fprintf(stderr, "there is no file %s\n", replayed);
            return 2;
        }
        target->run(std::string((std::istreambuf_iterator<char>(file)), {}));
        return 0;
    }
    lhrs::takeProtobufLog({}); // no log of unparsable texts
    std::snprintf(crashFile, sizeof crashFile, "crash-%s-%d.bin", target->name, int(::getpid()));
    for (const int number : { SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL })
        std::signal(number, &onCrash);
    auto seeds = target->seeds();
    std::error_code error;
    for (const auto& entry :
        std::filesystem::directory_iterator(std::string(LHRS_SOURCE_DIR "/tests/fuzz/corpus/") + target->name, error)) {
        std::ifstream file(entry.path(), std::ios::binary);
        seeds.emplace_back((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    }
    for (const std::string& one : seeds)
        target->run(current = one);
    Mutator mutator(seed);
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(60 * minutes);
    std::uint64_t tries = 0;
    std::vector<std::string> pool = seeds;
    while (std::chrono::steady_clock::now() < end) {
        current = pool[mutator.below(pool.size())];
        target->mutate(current, pool[mutator.below(pool.size())], mutator);
        target->run(current);
        if (++tries % 16 == 0 && !current.empty()) { // changes accumulate
            if (pool.size() < 4 * seeds.size())
                pool.push_back(current);
            else
                pool[seeds.size() + mutator.below(pool.size() - seeds.size())] = current;
        }
    }
    std::printf("%s: %zu inputs and %llu mutations, nothing found\n", target->name, seeds.size(),
        static_cast<unsigned long long>(tries));
    return 0;
}
