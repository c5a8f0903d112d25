#include "adapters/metastore/etcd/leases.h"

#include "adapters/metastore/etcd/reader.h"

#include <cstdint>
#include <string>

namespace muster::etcd {
namespace {

// After a try that may have been carried out, a later one that surely was not proves nothing.
template <class Request>
error told_of(const answer<Request>& input) {
    if (!input.repeated) return input.failed->told;
    return {errc::timed_out, input.failed->told.detail()};
}

error no_such_lease(kv::lease_id lease) {
    return {errc::not_found, "lease " + std::to_string(lease.value()) + " does not exist"};
}

}  // namespace

async<kv::lease_id> leases::grant(std::chrono::seconds ttl) {
    const auto number = static_cast<std::int64_t>(random_.below(INT64_MAX)) + 1;
    etcdserverpb::LeaseGrantRequest request;
    request.set_ttl(ttl.count());
    request.set_id(number);
    CO_TRY(const auto answer, co_await ground_.ask(std::move(request)));
    const bool granted_before =
        answer.failed && answer.repeated && answer.failed->what == fate::lease_taken;
    if (answer.failed && !granted_before) co_return fail(told_of(answer));
    co_return kv::lease_id(number);
}

async<void> leases::keep_alive(kv::lease_id lease) {
    etcdserverpb::LeaseKeepAliveRequest request;
    request.set_id(lease.value());
    CO_TRY(const auto answer, co_await ground_.ask(std::move(request)));
    if (answer.failed && answer.failed->what != fate::lease_missing)
        co_return fail(nothing_done(*answer.failed));
    const bool alive = !answer.failed && answer.reply.ttl() > 0;
    if (!alive) co_return fail(no_such_lease(lease));
    co_return result<void>();
}

async<void> leases::revoke(kv::lease_id lease) {
    etcdserverpb::LeaseRevokeRequest request;
    request.set_id(lease.value());
    CO_TRY(const auto answer, co_await ground_.ask(std::move(request)));
    if (!answer.failed) co_return result<void>();
    if (answer.failed->what != fate::lease_missing) co_return fail(told_of(answer));
    if (!answer.repeated) co_return fail(no_such_lease(lease));
    co_return result<void>();  // an earlier try has revoked it
}

}  // namespace muster::etcd
