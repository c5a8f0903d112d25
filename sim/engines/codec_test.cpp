#include "sim/engines/codec.h"

#include "base/prng.h"
#include "sim/engines/bus_machine.h"
#include "sim/engines/ledger_machine.h"
#include "sim/engines/metastore_machine.h"
#include "sim/engines/packet.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>

namespace muster::sim {
namespace {

TEST_CASE("values come back as they were") {
    CHECK(*decode<std::string>(encode(std::string("a\0b", 3))) == std::string("a\0b", 3));
    CHECK(*decode<double>(encode(-0.5)) == -0.5);
    for (const std::int64_t number :
         {std::int64_t{0},
          std::int64_t{-1},
          std::numeric_limits<std::int64_t>::min(),
          std::numeric_limits<std::int64_t>::max()}) {
        CHECK(*decode<std::int64_t>(encode(number)) == number);
    }
    const table::row cells{table::null{}, true, std::int64_t{-7}, 2.5, "web1", table::blob{"\0x"}};
    CHECK(*decode<table::row>(encode(cells)) == cells);
    const result<kv::lease_id> refused = fail(errc::not_found, "lease 7");
    CHECK(decode<result<kv::lease_id>>(encode(refused))->error() == refused.error());
}

TEST_CASE("a request comes back as it was") {
    kv::transaction change;
    change.when.emplace_back(kv::unchanged{"node/web1", kv::revision(7)});
    change.then.emplace_back(kv::put{"node/web1", "up", kv::lease_id(3)});
    change.then.emplace_back(kv::erase_prefix{"node/web2/"});
    const kv_request request = kv_commit{change};

    CHECK(encode(*decode<kv_request>(encode(request))) == encode(request));
}

TEST_CASE("bytes that are cut short or too long are refused") {
    const std::string whole = encode(request_packet{.client = 3, .call = 400, .body = "abcdefgh"});

    for (std::size_t size = 0; size < whole.size(); ++size) {
        CHECK_FALSE(decode<request_packet>(whole.substr(0, size)).has_value());
    }
    CHECK_FALSE(decode<request_packet>(whole + "x").has_value());
}

TEST_CASE("no bytes whatever break the decoder") {
    prng random(2031);
    for (int round = 0; round < 20'000; ++round) {
        std::string bytes(random.below(40), '\0');
        for (char& byte : bytes) byte = static_cast<char>(random.below(256));
        // Whether such bytes mean something is all the same: they must not crash or hang it.
        const bool any = decode<kv_request>(bytes).has_value()
                         || decode<bus_request>(bytes).has_value()
                         || decode<ledger_request>(bytes).has_value()
                         || decode<stream::message_log_snapshot>(bytes).has_value();
        static_cast<void>(any);
    }
}

}  // namespace
}  // namespace muster::sim
