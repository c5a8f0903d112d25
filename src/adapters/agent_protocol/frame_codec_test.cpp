#include "adapters/agent_protocol/frame_codec.h"

#include "base/prng.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

using namespace muster;
using namespace muster::agent_protocol;

namespace {

Frame beat(std::uint64_t sequence) {
    Frame frame;
    frame.mutable_beat()->set_sequence(sequence);
    return frame;
}

Frame facts_of(std::size_t bytes) {
    Frame frame;
    (*frame.mutable_facts()->mutable_set())["os.name"] = std::string(bytes, 'x');
    return frame;
}

}  // namespace

TEST_CASE("frames come out as they went in, however the network cuts them") {
    prng random(4711);
    for (int round = 0; round < 200; ++round) {
        std::string wire;
        const std::size_t count = 1 + random.below(8);
        for (std::size_t n = 0; n < count; ++n)
            append(wire, random.chance(500) ? beat(random.next()) : facts_of(random.below(3000)));

        frame_reader reader;
        std::string again;
        std::string_view left = wire;
        while (!left.empty()) {
            const auto piece = std::min<std::size_t>(left.size(), 1 + random.below(700));
            reader.feed(left.substr(0, piece));
            left.remove_prefix(piece);
            while (true) {
                const auto frame = reader.next();
                REQUIRE(frame.has_value());
                if (!*frame) break;
                append(again, **frame);
            }
        }

        CHECK(again == wire);
        CHECK(reader.empty());
    }
}

TEST_CASE("a frame over the limit is refused by its size alone, before it came") {
    frame_reader reader(frame_limits::hello_bytes_max);
    const std::string wire = encode(facts_of(frame_limits::hello_bytes_max));

    reader.feed(std::string_view(wire).substr(0, frame_limits::prefix_bytes));

    CHECK(reader.next().error().code() == errc::invalid);
}

TEST_CASE("after what is no frame nothing more is read") {
    const std::vector<std::string> damaged = {
        std::string(4, '\0'),                  // no bytes
        std::string("\0\0\0\2\xff\xff", 6),    // no protobuf
        std::string("\0\0\0\3\xfa\x01\0", 7),  // a kind of number 31
        std::string("\xff\xff\xff\xff", 4),
    };
    for (const auto& bytes : damaged) {
        frame_reader reader;
        reader.feed(bytes);
        CHECK(reader.next().error().code() == errc::invalid);

        reader.feed(encode(beat(1)));

        CHECK(reader.next().error().code() == errc::invalid);
    }
}

TEST_CASE("a larger limit holds from the next frame on") {
    frame_reader reader(16);
    reader.feed(encode(beat(1)));
    REQUIRE(reader.next().value().has_value());

    reader.set_limit(frame_limits::frame_bytes_max);
    reader.feed(encode(facts_of(5000)));

    CHECK(reader.next().value().has_value());
}
