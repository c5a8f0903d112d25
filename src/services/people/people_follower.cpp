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

cluster::prefix_follower::options to_follower_options(
    std::string_view prefix, std::string subject, const people_follower::options& options) {
    return {
        .prefix = std::string(prefix),
        .subject = std::move(subject),
        .reconcile_interval = options.reconcile_interval,
        .retry_pause = options.retry_pause};
}

std::shared_ptr<const access::roles> to_role_rights(const records<role_record>& stored_roles) {
    access::roles role_rights;
    for (const auto& [name, role] : stored_roles) role_rights.emplace(name, role.record.rights);
    // A stored role with the name of a built-in one is ignored.
    for (const auto& [name, rights] : access::built_in_roles())
        role_rights.insert_or_assign(name, rights);
    return std::make_shared<const access::roles>(std::move(role_rights));
}

}  // namespace

people_follower::people_follower(
    muster::metastore& metastore,
    muster::clock& clock,
    people_cache& cache,
    runtime::logger& log,
    options options)
    : cache_(cache),
      log_(log),
      users_(
          metastore,
          clock,
          log,
          hooks_for(&people_snapshot::users, keys::users, &decode_user),
          to_follower_options(keys::users, "users", options)),
      roles_(
          metastore,
          clock,
          log,
          hooks_for(&people_snapshot::roles, keys::roles, &decode_role),
          to_follower_options(keys::roles, "roles", options)),
      tokens_(
          metastore,
          clock,
          log,
          hooks_for(&people_snapshot::tokens, keys::tokens, &decode_token),
          to_follower_options(keys::tokens, "tokens", options)),
      sessions_(
          metastore,
          clock,
          log,
          hooks_for(&people_snapshot::sessions, keys::sessions, &decode_session),
          to_follower_options(keys::sessions, "sessions", options)) {}

template <class Record>
void people_follower::apply_entry(
    records<Record>& records_by_name,
    std::string_view prefix,
    result<Record> (*decode)(std::string_view),
    const kv::entry& entry) {
    auto name = entry.key.substr(prefix.size());
    auto record = decode(entry.value);
    if (record) {
        records_by_name.insert_or_assign(
            std::move(name),
            versioned<Record>{
                .record = std::move(*record), .modified = entry.modified, .lease = entry.lease});
        return;
    }
    records_by_name.erase(name);
    ++skipped_;
    log_.error(
        "unreadable account record ignored",
        {{"prefix", std::string(prefix)}, {"error", to_string(record.error())}});
}

template <class Record>
cluster::prefix_follower::hooks people_follower::hooks_for(
    std::shared_ptr<const records<Record>> people_snapshot::* part,
    std::string_view prefix,
    result<Record> (*decode)(std::string_view)) {
    const auto set = [this, part](records<Record> updated) {
        people_snapshot snapshot = *cache_.read();
        snapshot.*part = std::make_shared<const records<Record>>(std::move(updated));
        publish(std::move(snapshot));
    };
    return {
        .on_read =
            [this, prefix, decode, set](
                const std::vector<kv::entry>& entries, kv::revision /*at*/) {
                records<Record> fresh;
                for (const auto& entry : entries) apply_entry(fresh, prefix, decode, entry);
                set(std::move(fresh));
            },
        .on_change =
            [this, part, prefix, decode, set](const kv::change_batch& batch) {
                records<Record> changed = *((*cache_.read()).*part);
                for (const auto& change : batch.changes) {
                    if (const auto* written = std::get_if<kv::written>(&change)) {
                        apply_entry(changed, prefix, decode, written->entry);
                    } else {
                        changed.erase(key_of(change).substr(prefix.size()));
                    }
                }
                set(std::move(changed));
            }};
}

void people_follower::publish(people_snapshot snapshot) {
    if (snapshot.roles != cache_.read()->roles)
        snapshot.role_rights = to_role_rights(*snapshot.roles);
    cache_.publish(std::make_shared<const people_snapshot>(std::move(snapshot)));
}

async<void> people_follower::refresh() {
    for (auto* follower : {&users_, &roles_, &tokens_, &sessions_}) {
        const auto read = co_await follower->read_all();
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
    auto followers = asio::experimental::make_parallel_group(
        asio::co_spawn(executor, users_.run(), asio::deferred),
        asio::co_spawn(executor, roles_.run(), asio::deferred),
        asio::co_spawn(executor, tokens_.run(), asio::deferred),
        asio::co_spawn(executor, sessions_.run(), asio::deferred));
    auto [order, users_threw, roles_threw, tokens_threw, sessions_threw] =
        co_await followers.async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);
    for (const auto& thrown : {users_threw, roles_threw, tokens_threw, sessions_threw}) {
        if (thrown) std::rethrow_exception(thrown);
    }
}

}  // namespace muster::people
