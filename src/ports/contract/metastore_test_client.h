#pragma once

#include "ports/contract/metastore_contract.h"
#include "ports/metastore.h"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::contract {

// One client of the fixture's engine and the keys of one scenario. Its calls fail the test when the
// engine does not answer as a healthy one must; errc::unavailable is tried again for a while, since
// a client may still be recovering from an earlier scenario.
class metastore_test_client {
public:
    template <class T>
    using awaitable = boost::asio::awaitable<T>;

    struct listing {
        std::map<std::string, kv::entry> entries;
        kv::revision at;  // of its first page
    };

    explicit metastore_test_client(metastore_fixture& fixture);
    // Another client that looks at the same keys.
    metastore_test_client(metastore_fixture& fixture, std::string prefix);

    const std::string& prefix() const { return prefix_; }
    std::string key(std::string_view name) const { return prefix_ + std::string(name); }
    metastore& store() { return *metastore_; }
    muster::clock& clock() { return fixture_.where().clock(); }

    // These take and give whole keys.
    awaitable<kv::commit_result> commit(kv::transaction change);
    awaitable<error> failure_of(kv::transaction change);
    awaitable<kv::revision> put(std::string key, std::string value, kv::lease_id lease = {});
    awaitable<kv::revision> erase(std::string key);
    awaitable<std::optional<kv::entry>> get(std::string key);
    awaitable<kv::page> range(kv::range_request request);
    awaitable<listing> list(std::string prefix);
    awaitable<kv::lease_id> grant(std::chrono::seconds ttl);

    std::unique_ptr<metastore_watch> watch(kv::revision from) { return watch(prefix_, from); }
    std::unique_ptr<metastore_watch> watch(std::string prefix, kv::revision from) {
        return metastore_->watch(std::move(prefix), from);
    }
    awaitable<kv::watch_event> next_event(metastore_watch& from);
    awaitable<std::vector<kv::change>> next_changes(metastore_watch& from);
    // All changes up to and with the one of `last_key`.
    awaitable<std::vector<kv::change>> changes_until(metastore_watch& from, std::string last_key);
    // Fails the test when the watch has something to tell within a short while.
    awaitable<void> expect_silence(metastore_watch& from);

    awaitable<void> sleep(monotonic::duration span);

private:
    metastore_fixture& fixture_;
    std::string prefix_;
    std::shared_ptr<metastore> metastore_;
};

// Whether revisions never go back and each one's changes are in key order, without repeats.
bool well_ordered(const std::vector<kv::change>& changes);

// How often a client may be told `unavailable` or kept waiting before that is a failure.
inline constexpr auto answer_time_max = std::chrono::seconds(20);

}  // namespace muster::contract
