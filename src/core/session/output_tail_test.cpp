#include "core/session/output_tail.h"

#include "base/prng.h"

#include <doctest/doctest.h>

#include <map>
#include <string>

namespace muster::session {
namespace {

using piece = output_tail::piece;

TEST_CASE("what was written is read from any position, in pieces") {
    output_tail tail(100);
    tail.add(0, "hello ");
    tail.add(6, "world");

    CHECK(tail.read(0, 100) == piece{0, "hello world"});
    CHECK(tail.read(4, 3) == piece{4, "o w"});
    CHECK_FALSE(tail.read(11, 100).has_value());
    CHECK(tail.end() == 11);
}

TEST_CASE("only the last bytes are kept, and a late reader sees how many it missed") {
    output_tail tail(4);
    tail.add(0, "abc");
    tail.add(3, "defgh");

    CHECK(tail.size() == 4);
    CHECK(tail.read(0, 100) == piece{4, "efgh"});
    CHECK(tail.end() == 8);
}

TEST_CASE("a gap stays a gap, and what comes twice is here once") {
    output_tail tail(100);
    tail.add(0, "ab");
    tail.add(5, "fg");
    tail.add(4, "efgh");

    CHECK(tail.read(0, 100) == piece{0, "ab"});
    CHECK(tail.read(2, 100) == piece{5, "fgh"});

    tail.extend_to(12);
    tail.add(9, "late");
    CHECK(tail.end() == 13);
    CHECK(tail.read(8, 100) == piece{12, "e"});
}

// The dumb form: every byte by its offset.
struct reference {
    std::map<std::uint64_t, char> bytes;
    std::uint64_t end = 0;

    void add(std::uint64_t offset, const std::string& content, std::size_t bytes_max) {
        for (std::size_t n = 0; n < content.size(); ++n)
            if (offset + n >= end) bytes[offset + n] = content[n];
        if (!content.empty()) end = std::max(end, offset + content.size());
        while (bytes.size() > bytes_max) bytes.erase(bytes.begin());
    }
    std::optional<piece> read(std::uint64_t position, std::size_t bytes_max) const {
        auto it = bytes.lower_bound(position);
        if (it == bytes.end()) return std::nullopt;
        piece match{it->first, {}};
        for (auto at = it->first; it != bytes.end() && it->first == at; ++it, ++at)
            if (match.content.size() < bytes_max) match.content += it->second;
        return match;
    }
};

TEST_CASE("a tail answers every question as if it had kept each byte by itself") {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        prng random(seed);
        const std::size_t bytes_max = seed % 3 == 0 ? 40'000 : 1 + random.below(300);
        output_tail tail(bytes_max);
        reference model;
        for (int step = 0; step < 200; ++step) {
            const auto jump = random.below(10) == 0 ? random.below(50) : 0;
            const auto back = random.below(10) == 0 ? random.below(50) : 0;
            const auto at = model.end + jump - std::min<std::uint64_t>(back, model.end);
            std::string content;
            const auto size = random.below(20) == 0 ? random.below(20'000) : random.below(100);
            for (std::uint64_t n = 0; n < size; ++n)
                content += static_cast<char>('a' + static_cast<int>(random.below(26)));
            tail.add(at, content);
            model.add(at, content, bytes_max);

            const auto position = random.below(model.end + 5);
            const auto desired = 1 + random.below(500);
            REQUIRE(tail.read(position, desired) == model.read(position, desired));
            REQUIRE(tail.end() == model.end);
            REQUIRE(tail.size() == model.bytes.size());
        }
    }
}

}  // namespace
}  // namespace muster::session
