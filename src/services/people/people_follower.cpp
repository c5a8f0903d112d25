#include "services/people/people_follower.h"

#include "services/people/keys.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
#include <utility>
#include <variant>

namespace muster::people {
namespace {

cluster::prefix_follower::options following(
    std::string_view prefix, std::string text, const people_follower::options& options) {
    return {
        .prefix = std::string(prefix),
        .what = std::move(text),
        .reconcile_interval = options.reconcile_interval,
        .retry_pause = options.retry_pause};
}

std::shared_ptr<const access::roles> meanings_of(const records<role_record>& result) {
    access::roles all;
    for (const auto& [name, role] : result) all.emplace(name, role.record.rights);
    // Nobody can make a role of a built-in one's name; what stands here under one is not believed.
    for (const auto& [name, rights] : access::built_in_roles()) all.insert_or_assign(name, rights);
    return std::make_shared<const access::roles>(std::move(all));
}

}  // namespace

people_follower::people_follower(
    muster::metastore& metastore,
    muster::clock& clock,
    people_cache& cell,
    runtime::logger& log,
    options options)
    : cell_(cell),
      log_(log),
      users_(
          metastore,
          clock,
          log,
          hooks_for(&people_snapshot::users, keys::users, &decode_user),
          following(keys::users, "the users", options)),
      roles_(
          metastore,
          clock,
          log,
          hooks_for(&people_snapshot::roles, keys::roles, &decode_role),
          following(keys::roles, "the roles", options)),
      tokens_(
          metastore,
          clock,
          log,
          hooks_for(&people_snapshot::tokens, keys::tokens, &decode_token),
          following(keys::tokens, "the tokens", options)),
      sessions_(
          metastore,
          clock,
          log,
          hooks_for(&people_snapshot::sessions, keys::sessions, &decode_session),
          following(keys::sessions, "the sessions", options)) {}

template <class Record>
void people_follower::take(
    records<Record>& into,
    std::string_view prefix,
    result<Record> (*decode)(std::string_view),
    const kv::entry& from) {
    auto name = from.key.substr(prefix.size());
    auto read = decode(from.value);
    if (read) {
        into.insert_or_assign(
            std::move(name),
            known<Record>{
                .record = std::move(*read), .modified = from.modified, .lease = from.lease});
        return;
    }
    into.erase(name);
    ++skipped_;
    log_.error(
        "a record cannot be read and lets nobody in",
        {{"prefix", std::string(prefix)}, {"reason", to_string(read.error())}});
}

template <class Record>
cluster::prefix_follower::hooks people_follower::hooks_for(
    std::shared_ptr<const records<Record>> people_snapshot::* part,
    std::string_view prefix,
    result<Record> (*decode)(std::string_view)) {
    const auto set = [this, part](records<Record> all) {
        people_snapshot next = *cell_.read();
        next.*part = std::make_shared<const records<Record>>(std::move(all));
        publish(std::move(next));
    };
    return {
        .read =
            [this, prefix, decode, set](const std::vector<kv::entry>& all, kv::revision /*at*/) {
                records<Record> fresh;
                for (const auto& each : all) take(fresh, prefix, decode, each);
                set(std::move(fresh));
            },
        .changed =
            [this, part, prefix, decode, set](const kv::change_batch& batch) {
                records<Record> changed = *((*cell_.read()).*part);
                for (const auto& change : batch.changes) {
                    if (const auto* now = std::get_if<kv::written>(&change)) {
                        take(changed, prefix, decode, now->now);
                    } else {
                        changed.erase(key_of(change).substr(prefix.size()));
                    }
                }
                set(std::move(changed));
            }};
}

void people_follower::publish(people_snapshot next) {
    if (next.roles != cell_.read()->roles) next.meanings = meanings_of(*next.roles);
    cell_.publish(std::make_shared<const people_snapshot>(std::move(next)));
}

async<void> people_follower::catch_up() {
    for (auto* session : {&users_, &roles_, &tokens_, &sessions_}) {
        const auto read = co_await session->read_all();
        if (!read) co_return fail(read.error());
    }
    co_return result<void>();
}

bool people_follower::complete() const {
    return users_.complete() && roles_.complete() && tokens_.complete() && sessions_.complete();
}

boost::asio::awaitable<void> people_follower::run() {
    namespace asio = boost::asio;
    const auto executor = co_await asio::this_coro::executor;
    auto all = asio::experimental::make_parallel_group(
        asio::co_spawn(executor, users_.run(), asio::deferred),
        asio::co_spawn(executor, roles_.run(), asio::deferred),
        asio::co_spawn(executor, tokens_.run(), asio::deferred),
        asio::co_spawn(executor, sessions_.run(), asio::deferred));
    auto [order, users_threw, roles_threw, tokens_threw, sessions_threw] =
        co_await all.async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);
    for (const auto& each : {users_threw, roles_threw, tokens_threw, sessions_threw}) {
        if (each) std::rethrow_exception(each);
    }
}

}  // namespace muster::people
