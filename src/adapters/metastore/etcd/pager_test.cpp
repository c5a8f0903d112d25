#include "adapters/metastore/etcd/pager.h"

#include "base/prng.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace muster::etcd {
namespace {

// etcd as far as a range goes, and what its answers cost: it counts every key of the span.
class counting_etcd {
public:
    explicit counting_etcd(std::vector<std::string> keys) : keys_(std::move(keys)) {
        std::ranges::sort(keys_);
    }

    etcdserverpb::RangeResponse response(const etcdserverpb::RangeRequest& request) {
        const auto first = std::ranges::lower_bound(keys_, request.key());
        const auto end = request.range_end() == std::string(1, '\0')
                             ? keys_.end()
                             : std::ranges::lower_bound(keys_, request.range_end());
        etcdserverpb::RangeResponse reply;
        reply.mutable_header()->set_revision(7);
        for (auto key = first; key < end && reply.kvs_size() < request.limit(); ++key) {
            auto& stored = *reply.add_kvs();
            stored.set_key(*key);
            stored.set_value(std::string(value_bytes, 'v'));
        }
        const auto there = std::max<std::int64_t>(0, end - first);
        reply.set_count(there);
        reply.set_more(there > reply.kvs_size());
        counted += there;
        ++asked;
        return reply;
    }

    std::size_t value_bytes = 1;
    std::int64_t counted = 0;
    int asked = 0;

private:
    std::vector<std::string> keys_;
};

struct listing {
    std::vector<std::string> keys;
    std::size_t pages = 0;
};

listing list_all(counting_etcd& engine, const keyspace& keys, kv::range_request request) {
    listing all;
    std::optional<key_step> step;
    while (true) {
        pager pages(keys, request, step);
        while (const auto next = pages.next()) pages.add_response(engine.response(*next));
        const auto page = pages.page();
        REQUIRE(page.entries.size() <= request.limit);
        for (const auto& entry : page.entries) all.keys.push_back(entry.key);
        ++all.pages;
        if (!page.more) return all;
        request.after = page.entries.back().key;
        step = pages.step();
    }
}

std::vector<std::string> numbered(const std::string& prefix, int count) {
    std::vector<std::string> keys;
    for (int i = 0; i < count; ++i) {
        auto digits = std::to_string(i);
        keys.push_back(prefix + std::string(8 - digits.size(), '0') + digits);
    }
    return keys;
}

TEST_CASE("a small range is one request") {
    counting_etcd engine(numbered("ns/zones/", 10));

    const auto all = list_all(engine, keyspace("ns/"), {.prefix = "zones/", .limit = 100});

    CHECK(all.keys.size() == 10);
    CHECK(all.pages == 1);
    CHECK(engine.asked == 1);
}

TEST_CASE("a page that is exactly full knows whether there is more") {
    counting_etcd engine(numbered("zones/", 10));

    CHECK(list_all(engine, keyspace(""), {.prefix = "zones/", .limit = 10}).pages == 1);
    CHECK(list_all(engine, keyspace(""), {.prefix = "zones/", .limit = 5}).pages == 2);
}

TEST_CASE("paging through many keys does not count the whole rest again for every page") {
    constexpr int count = 100'000;
    counting_etcd engine(numbered("zones/default/slots/", count));

    const auto all = list_all(engine, keyspace(""), {.prefix = "zones/", .limit = 1000});

    CHECK(all.keys.size() == count);
    CHECK(engine.asked < 220);
    CHECK(engine.counted < 15LL * count);  // with a limit over the rest it would be 50 times
}

TEST_CASE("keys of every shape are listed once, in order, however they lie") {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        INFO("seed " << seed);
        prng random(seed);
        std::vector<std::string> keys;
        for (int i = 0; i < 3000; ++i) {
            std::string key = "p/";
            const auto length = 1 + random.below(12);
            const auto letters = random.chance(500) ? 2 : 256;
            for (std::uint64_t n = 0; n < length; ++n)
                key += static_cast<char>(random.below(static_cast<std::uint64_t>(letters)));
            keys.push_back(key);
        }
        keys.push_back("o/other");
        keys.push_back("p");
        keys.push_back("p0");
        std::ranges::sort(keys);
        keys.erase(std::ranges::unique(keys).begin(), keys.end());
        counting_etcd engine(keys);

        const auto limit = 1 + random.below(60);
        const auto all = list_all(engine, keyspace(""), {.prefix = "p/", .limit = limit});

        std::erase_if(keys, [](const std::string& key) { return !key.starts_with("p/"); });
        CHECK(all.keys == keys);
    }
}

TEST_CASE("without prefix and namespace all keys are listed") {
    counting_etcd engine({"a", "\xff\xff", std::string(1, '\0')});

    const auto all = list_all(engine, keyspace(""), {.prefix = "", .limit = 2});

    CHECK(all.keys.size() == 3);
}

TEST_CASE("a listing that is asked to begin behind its prefix is empty") {
    counting_etcd engine({"a/1", "z"});

    const auto all = list_all(engine, keyspace(""), {.prefix = "a/", .after = "z", .limit = 10});

    CHECK(all.keys.empty());
}

TEST_CASE("a page of large entries ends early rather than fill the memory") {
    counting_etcd engine(numbered("big/", 500));
    engine.value_bytes = 256 * std::size_t{1024};
    const keyspace keys("");

    pager pages(keys, {.prefix = "big/", .limit = 400}, std::nullopt, {.request_entries_max = 50});
    while (const auto next = pages.next()) pages.add_response(engine.response(*next));

    CHECK(pages.page().more);
    CHECK(pages.page().entries.size() < 200);
    CHECK(list_all(engine, keys, {.prefix = "big/", .limit = 400}).keys.size() == 500);
}

TEST_CASE("an answer that is too large is asked for in smaller parts") {
    const keyspace keys("");
    pager pages(keys, {.prefix = "big/", .limit = 400}, std::nullopt);
    const auto before = pages.next()->limit();

    REQUIRE(pages.shrink_request());

    CHECK(pages.next()->limit() < before);
    while (pages.shrink_request()) {}
    CHECK(pages.next()->limit() == 1);
}

}  // namespace
}  // namespace muster::etcd
