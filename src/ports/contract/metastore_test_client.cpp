#include "ports/contract/metastore_test_client.h"

#include "ports/deadline.h"

#include <doctest/doctest.h>

#include <functional>
#include <utility>

namespace muster::contract {
namespace {

using namespace std::chrono_literals;

constexpr auto pause_between_attempts = 50ms;
constexpr auto silence = 300ms;

// Asks until the answer is another than `unavailable`, or the timeout is over.
template <class T>
async<T> patiently(muster::clock& clock, std::function<async<T>()> ask) {
    const instant timeout_end = clock.now() + answer_time_max;
    while (true) {
        auto answer = co_await within(clock, answer_time_max, ask());
        if (answer || answer.error().code() != errc::unavailable) co_return answer;
        if (clock.now() >= timeout_end) co_return answer;
        CO_CHECK_OK(co_await clock.sleep_for(pause_between_attempts));
    }
}

template <class T>
T required(result<T> answer) {
    if (!answer) FAIL(to_string(answer.error()));
    return *std::move(answer);
}

}  // namespace

metastore_test_client::metastore_test_client(metastore_fixture& fixture)
    : metastore_test_client(fixture, fixture.fresh_prefix()) {}

metastore_test_client::metastore_test_client(metastore_fixture& fixture, std::string prefix)
    : fixture_(fixture), prefix_(std::move(prefix)), metastore_(fixture.open()) {}

boost::asio::awaitable<kv::commit_result> metastore_test_client::commit(kv::transaction change) {
    const std::function<async<kv::commit_result>()> ask = [&] {
        return metastore_->commit(change);
    };
    co_return required(co_await patiently(clock(), ask));
}

boost::asio::awaitable<error> metastore_test_client::failure_of(kv::transaction change) {
    const std::function<async<kv::commit_result>()> ask = [&] {
        return metastore_->commit(change);
    };
    const auto answer = co_await patiently(clock(), ask);
    REQUIRE_FALSE(answer.has_value());
    co_return answer.error();
}

boost::asio::awaitable<kv::revision> metastore_test_client::put(
    std::string key, std::string value, kv::lease_id lease) {
    kv::transaction change{.then = {kv::put{std::move(key), std::move(value), lease}}};
    const auto verdict = co_await commit(std::move(change));
    co_return verdict.at;
}

boost::asio::awaitable<kv::revision> metastore_test_client::erase(std::string key) {
    kv::transaction change{.then = {kv::erase{std::move(key)}}};
    const auto verdict = co_await commit(std::move(change));
    co_return verdict.at;
}

boost::asio::awaitable<std::optional<kv::entry>> metastore_test_client::get(std::string key) {
    const std::function<async<kv::lookup>()> ask = [&] {
        return metastore_->get(key);
    };
    co_return required(co_await patiently(clock(), ask)).found;
}

boost::asio::awaitable<kv::page> metastore_test_client::range(kv::range_request request) {
    const std::function<async<kv::page>()> ask = [&] {
        return metastore_->range(request);
    };
    co_return required(co_await patiently(clock(), ask));
}

boost::asio::awaitable<metastore_test_client::listing> metastore_test_client::list(
    std::string prefix) {
    listing whole;
    kv::range_request next{.prefix = std::move(prefix), .limit = 100};
    while (true) {
        auto page = co_await range(next);
        if (!whole.at) whole.at = page.at;
        for (auto& entry : page.entries) whole.entries.insert_or_assign(entry.key, entry);
        if (!page.more) co_return whole;
        REQUIRE_FALSE(page.entries.empty());
        next.after = page.entries.back().key;
    }
}

boost::asio::awaitable<kv::lease_id> metastore_test_client::grant(std::chrono::seconds ttl) {
    const std::function<async<kv::lease_id>()> ask = [&] {
        return metastore_->grant(ttl);
    };
    co_return required(co_await patiently(clock(), ask));
}

boost::asio::awaitable<kv::watch_event> metastore_test_client::next_event(metastore_watch& from) {
    const std::function<async<kv::watch_event>()> ask = [&] {
        return from.next();
    };
    co_return required(co_await patiently(clock(), ask));
}

boost::asio::awaitable<std::vector<kv::change>> metastore_test_client::next_changes(
    metastore_watch& from) {
    auto event = co_await next_event(from);
    auto* const batch = std::get_if<kv::change_batch>(&event);
    REQUIRE_MESSAGE(batch != nullptr, "the watch says compacted");
    for (const kv::change& change : batch->changes)
        REQUIRE(kv::revision_of(change) <= batch->up_to);
    co_return std::move(batch->changes);
}

boost::asio::awaitable<std::vector<kv::change>> metastore_test_client::changes_until(
    metastore_watch& from, std::string last_key) {
    std::vector<kv::change> all;
    while (all.empty() || kv::key_of(all.back()) != last_key) {
        auto some = co_await next_changes(from);
        for (auto& result : some) all.push_back(std::move(result));
    }
    co_return all;
}

boost::asio::awaitable<void> metastore_test_client::expect_silence(metastore_watch& from) {
    const auto event = co_await within(clock(), silence, from.next());
    REQUIRE_FALSE(event.has_value());
    CHECK(event.error().code() == errc::timed_out);
}

boost::asio::awaitable<void> metastore_test_client::sleep(monotonic::duration span) {
    const auto slept = co_await clock().sleep_for(span);
    REQUIRE(slept.has_value());
}

bool well_ordered(const std::vector<kv::change>& changes) {
    for (std::size_t i = 1; i < changes.size(); ++i) {
        const auto before = std::pair(kv::revision_of(changes[i - 1]), kv::key_of(changes[i - 1]));
        const auto after = std::pair(kv::revision_of(changes[i]), kv::key_of(changes[i]));
        if (!(before < after)) return false;
    }
    return true;
}

}  // namespace muster::contract
