#include "adapters/metastore/etcd/leases.h"

#include "adapters/metastore/etcd/reader.h"

#include <cstdint>
#include <string>

namespace muster::etcd {
namespace {

// If an earlier attempt may have been executed, the outcome is unknown whatever the last failure
// is.
template <class Request>
error error_of(const response<Request>& response) {
    if (!response.repeated) return response.failure->error;
    return {errc::timed_out, response.failure->error.detail()};
}

error lease_not_found(kv::lease_id lease) {
    return {errc::not_found, "lease \"" + std::to_string(lease.value()) + "\" not found"};
}

}  // namespace

async<kv::lease_id> leases::grant(std::chrono::seconds ttl) {
    const auto id = static_cast<std::int64_t>(random_.below(INT64_MAX)) + 1;
    etcdserverpb::LeaseGrantRequest request;
    request.set_ttl(ttl.count());
    request.set_id(id);
    CO_TRY(const auto response, co_await client_.request(std::move(request)));
    const bool already_granted = response.failure && response.repeated
                                 && response.failure->kind == failure_kind::lease_taken;
    if (response.failure && !already_granted) co_return fail(error_of(response));
    co_return kv::lease_id(id);
}

async<void> leases::keep_alive(kv::lease_id lease) {
    etcdserverpb::LeaseKeepAliveRequest request;
    request.set_id(lease.value());
    CO_TRY(const auto response, co_await client_.request(std::move(request)));
    if (response.failure && response.failure->kind != failure_kind::lease_missing)
        co_return fail(to_unavailable(*response.failure));
    const bool alive = !response.failure && response.reply.ttl() > 0;
    if (!alive) co_return fail(lease_not_found(lease));
    co_return result<void>();
}

async<void> leases::revoke(kv::lease_id lease) {
    etcdserverpb::LeaseRevokeRequest request;
    request.set_id(lease.value());
    CO_TRY(const auto response, co_await client_.request(std::move(request)));
    if (!response.failure) co_return result<void>();
    if (response.failure->kind != failure_kind::lease_missing) co_return fail(error_of(response));
    if (!response.repeated) co_return fail(lease_not_found(lease));
    co_return result<void>();  // an earlier try has revoked it
}

}  // namespace muster::etcd
