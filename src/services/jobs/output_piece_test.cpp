#include "services/jobs/output_piece.h"

#include "base/prng.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

namespace muster::jobs {
namespace {

TEST_CASE("pieces come out as they went in, however the stream was cut") {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        CAPTURE(seed);
        prng random(seed);
        std::vector<output_piece> output_pieces;
        std::string stream;
        for (int n = 0; n < 20; ++n) {
            output_piece piece{
                .attempt = static_cast<std::uint32_t>(random.below(5)),
                .offset = random.below(std::uint64_t{1} << 40U),
                .content = {},
                .ended = random.below(4) == 0};
            for (auto left = random.below(300); left > 0; --left)
                piece.content += static_cast<char>(random.below(256));
            stream += encode(piece);
            output_pieces.push_back(std::move(piece));
        }

        output_reader reader;
        std::vector<output_piece> message;
        while (!stream.empty()) {
            const auto part = std::min<std::size_t>(1 + random.below(500), stream.size());
            reader.feed(stream.substr(0, part));
            stream.erase(0, part);
            for (auto next = reader.next().value(); next; next = reader.next().value())
                message.push_back(*std::move(next));
        }
        CHECK(message == output_pieces);
    }
}

TEST_CASE("what no node says is refused, and no line makes a reader wait for ever") {
    for (const auto* const wrong :
         {"\n",
          "1 2 3\n",
          "1 2 0 later\n",
          "-1 2 0 more\n",
          "1 2 99999999 more\n",
          "1 18446744073709551616 0 more\n",
          "1111111111111111111111111111111111111111111111111111111111111111"}) {
        CAPTURE(wrong);
        output_reader reader;
        reader.feed(wrong);
        const auto next = reader.next();
        REQUIRE_FALSE(next.has_value());
        CHECK(next.error().code() == errc::corrupt);
    }
}

}  // namespace
}  // namespace muster::jobs
