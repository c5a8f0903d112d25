#include "base/prng.h"
#include "core/kv/store.h"

#include <doctest/doctest.h>

#include <chrono>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace muster::kv {
namespace {

using namespace std::chrono_literals;

using plain_map = std::map<std::string, entry>;

constexpr std::uint64_t seeds = 60;
constexpr int steps = 200;

// A metastore so naive that it is right at sight: every revision's whole map, copied.
struct naive_store {
    std::vector<plain_map> at = {{}};  // index is the revision

    const plain_map& current() const { return at.back(); }

    bool holds(const condition& condition) const {
        if (const auto* alternative = std::get_if<absent>(&condition))
            return !current().contains(alternative->key);
        if (const auto* alternative = std::get_if<present>(&condition))
            return current().contains(alternative->key);
        if (const auto* alternative = std::get_if<unchanged>(&condition)) {
            return current().contains(alternative->key)
                   && current().at(alternative->key).modified == alternative->modified;
        }
        const auto& alternative = std::get<value_is>(condition);
        return current().contains(alternative.key)
               && current().at(alternative.key).value == alternative.value;
    }

    bool commit(const transaction& change) {
        for (const auto& one : change.when) {
            if (!holds(one)) return false;
        }
        const revision next(static_cast<std::int64_t>(at.size()));
        plain_map map = current();
        bool changed = false;
        for (const auto& one : change.then) {
            if (const auto* p = std::get_if<put>(&one)) {
                const revision created = map.contains(p->key) ? map.at(p->key).created : next;
                map[p->key] = {p->key, p->value, created, next, p->lease};
                changed = true;
            } else if (const auto* e = std::get_if<erase>(&one)) {
                changed = map.erase(e->key) > 0 || changed;
            } else {
                const auto& prefix = std::get<erase_prefix>(one).prefix;
                changed =
                    std::erase_if(
                        map, [&](const auto& stored) { return stored.first.starts_with(prefix); })
                        > 0
                    || changed;
            }
        }
        if (changed) at.push_back(std::move(map));
        return true;
    }

    void end_lease(lease_id lease) {
        plain_map map = current();
        const auto gone =
            std::erase_if(map, [lease](const auto& one) { return one.second.lease == lease; });
        if (gone > 0) at.push_back(std::move(map));
    }
};

plain_map everything_in(const store& kv) {
    plain_map map;
    range_request next{.limit = 3};
    while (true) {
        const auto page = kv.range(next);
        REQUIRE(page.has_value());
        for (const entry& entry : page->entries) map[entry.key] = entry;
        if (!page->more) return map;
        next.after = page->entries.back().key;
    }
}

// Draws small worlds, so that conditions meet, prefixes overlap and leases run out.
class dice {
public:
    explicit dice(std::uint64_t seed) : random_(seed) {}

    std::string key() {
        return std::string(1, static_cast<char>('a' + random_.below(2))) + "/"
               + std::to_string(random_.below(4));
    }
    std::string value() { return std::to_string(random_.below(3)); }

    condition any_condition(const store& kv) {
        const auto key_drawn = key();
        switch (random_.below(4)) {
            case 0:
                return absent{key_drawn};
            case 1:
                return present{key_drawn};
            case 2:
                return value_is{key_drawn, value()};
            default:
                break;
        }
        const auto match = kv.get(key_drawn);
        const auto observed = match->found ? match->found->modified : revision(1);
        return unchanged{key_drawn, random_.chance(700) ? observed : revision(1)};
    }

    operation any_operation(lease_id lease) {
        switch (random_.below(6)) {
            case 0:
                return erase{key()};
            case 1:
                return erase_prefix{random_.chance(500) ? "a/" : "b/1"};
            case 2:
                return put{key(), value(), lease};
            default:
                return put{key(), value()};
        }
    }

    transaction any_transaction(const store& kv, lease_id lease) {
        transaction drawn;
        for (auto n = random_.below(3); n > 0; --n) drawn.when.push_back(any_condition(kv));
        for (auto n = random_.below(4); n > 0; --n) drawn.then.push_back(any_operation(lease));
        return drawn;
    }

    prng& random() { return random_; }

private:
    prng random_;
};

// The real store and the naive one through the same random life.
struct two_stores {
    explicit two_stores(std::uint64_t seed) : chance(seed) {}

    void step() {
        now += std::chrono::milliseconds(chance.random().below(1000));
        for (const auto& ended : kv.expire(now)) naive.end_lease(ended.lease);
        switch (chance.random().below(10)) {
            case 0:
                lease = kv.grant(std::chrono::seconds(1 + chance.random().below(5)), now).value();
                return;
            case 1:
                ignore_error(kv.keep_alive(lease, now), "it may have ended");
                return;
            case 2:
                if (kv.revoke(lease)) naive.end_lease(lease);
                return;
            default:
                commit();
                return;
        }
    }

    void commit() {
        const auto before = kv.take_snapshot();
        const auto change = chance.any_transaction(kv, lease);
        const auto outcome = kv.commit(change);
        if (!outcome || !outcome->result.committed) {
            CHECK(kv.take_snapshot() == before);
            if (outcome) CHECK_FALSE(naive.commit(change));
            return;
        }
        CHECK(naive.commit(change));
        const auto expected_revision = outcome->changes.empty() ? before.at : before.at.next();
        CHECK(outcome->result.at == expected_revision);
        CHECK(kv.at() == expected_revision);
    }

    dice chance;
    store kv;
    naive_store naive;
    lease_id lease;
    instant now = instant(1h);
};

void replay(const store& kv, std::string_view prefix, revision from, plain_map& map) {
    while (const auto event = kv.changes_since(prefix, from)) {
        const auto& batch = std::get<change_batch>(*event);
        for (const change& change : batch.changes) {
            REQUIRE(revision_of(change) >= from);
            REQUIRE(revision_of(change) <= batch.up_to);
            REQUIRE(key_of(change).starts_with(prefix));
            map.erase(key_of(change));
            if (const auto* write = std::get_if<written>(&change))
                map[write->entry.key] = write->entry;
        }
        from = batch.up_to.next();
    }
}

TEST_CASE("every random life leaves the store as the naive model has it") {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        CAPTURE(seed);
        two_stores both(seed);
        for (int i = 0; i < steps; ++i) {
            both.step();
            REQUIRE(both.kv.at().value() + 1 == static_cast<std::int64_t>(both.naive.at.size()));
            REQUIRE(everything_in(both.kv) == both.naive.current());
        }
    }
}

TEST_CASE("replaying a watch from any revision rebuilds the same map") {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        CAPTURE(seed);
        two_stores both(seed);
        for (int i = 0; i < steps; ++i) both.step();

        for (std::size_t from = 0; from < both.naive.at.size(); ++from) {
            plain_map map = both.naive.at[from];
            replay(both.kv, "", revision(static_cast<std::int64_t>(from) + 1), map);
            REQUIRE(map == both.naive.current());
        }
    }
}

TEST_CASE("a store restored from a snapshot goes on as the original does") {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        CAPTURE(seed);
        two_stores both(seed);
        for (int i = 0; i < steps; ++i) both.step();

        auto copy = store::restore(both.kv.take_snapshot(), {}, both.now);
        REQUIRE(copy.has_value());
        CHECK(copy->take_snapshot() == both.kv.take_snapshot());
        CHECK(copy->bytes() == both.kv.bytes());
        for (int i = 0; i < 50; ++i) {
            const auto change = both.chance.any_transaction(both.kv, both.lease);
            const auto ours = both.kv.commit(change);
            const auto theirs = copy->commit(change);
            REQUIRE(ours.has_value() == theirs.has_value());
            if (ours) REQUIRE(ours->changes == theirs->changes);
        }
        CHECK(copy->take_snapshot() == both.kv.take_snapshot());
    }
}

}  // namespace
}  // namespace muster::kv
