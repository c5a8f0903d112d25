#include "sim/engines/metastore_machine.h"

#include "base/assert.h"

#include <utility>

namespace muster::sim {

namespace {

// Requests reach a machine only from our own callers and our own journal, both of which are
// guarded by checksums.
kv_request decode_request(std::string_view bytes) {
    auto request = decode<kv_request>(bytes);
    MUSTER_ASSERT(request.has_value());
    return *std::move(request);
}

template <class Kind>
bool is_a(std::string_view request) {
    return encodes<Kind>(std::type_identity<kv_request>(), request);
}

}  // namespace

bool metastore_machine::is_logged(std::string_view request) const {
    return is_a<kv_commit>(request) || is_a<kv_grant>(request) || is_a<kv_revoke>(request)
           || is_a<kv_compact>(request);
}

bool metastore_machine::is_ready(std::string_view request) const {
    if (!is_a<kv_watch>(request)) return true;
    const auto watch = std::get<kv_watch>(decode_request(request));
    return store_.changes_since(watch.prefix, watch.from).has_value();
}

std::string metastore_machine::apply(std::string_view request, instant now) {
    return std::visit(
        [this, now](const auto& decoded) { return execute(decoded, now); },
        decode_request(request));
}

std::string metastore_machine::execute(const kv_get& kv_get, instant /*now*/) {
    return encode(store_.get(kv_get.key));
}

std::string metastore_machine::execute(const kv_range& kv_range, instant /*now*/) {
    return encode(store_.range(kv_range.request));
}

std::string metastore_machine::execute(const kv_commit& kv_commit, instant /*now*/) {
    auto outcome = store_.commit(kv_commit.transaction);
    simulation_.tracing.fold(static_cast<std::uint64_t>(store_.at().value()));
    if (!outcome) return encode(result<kv::commit_result>(fail(outcome.error())));
    return encode(result<kv::commit_result>(std::move(outcome->result)));
}

std::string metastore_machine::execute(const kv_grant& kv_grant, instant now) {
    return encode(store_.grant(kv_grant.ttl, now));
}

std::string metastore_machine::execute(const kv_keep_alive& kv_keep_alive, instant now) {
    return encode(store_.keep_alive(kv_keep_alive.lease, now));
}

std::string metastore_machine::execute(const kv_revoke& kv_revoke, instant /*now*/) {
    const auto revoked = store_.revoke(kv_revoke.lease);
    if (!revoked) return encode(result<void>(fail(revoked.error())));
    return encode(result<void>());
}

std::string metastore_machine::execute(const kv_watch& kv_watch, instant /*now*/) {
    auto observed = store_.changes_since(kv_watch.prefix, kv_watch.from);
    if (observed && std::holds_alternative<kv::compacted>(*observed)) {
        simulation_.probes.reached(probe::watch_compacted);
    }
    return encode(result<std::optional<kv::watch_event>>(std::move(observed)));
}

std::string metastore_machine::execute(const kv_compact& kv_compact, instant /*now*/) {
    return encode(store_.compact(kv_compact.oldest));
}

std::vector<std::string> metastore_machine::expire(instant now) {
    std::vector<std::string> revocations;
    for (const auto& expired_lease : store_.expire(now)) {
        simulation_.probes.reached(probe::lease_expired);
        revocations.push_back(encode(kv_request(kv_revoke{expired_lease.lease})));
    }
    return revocations;
}

std::optional<std::string> metastore_machine::snapshot(instant /*now*/) {
    return encode(store_.take_snapshot());
}

result<void> metastore_machine::restore(std::string_view snapshot, instant now) {
    TRY(const auto state, decode<kv::snapshot>(snapshot));
    TRY(store_, kv::store::restore(state, options_, now));
    return {};
}

// Leases were not kept alive while the engine was away, through no fault of their holders: their
// time starts anew.
void metastore_machine::recovered(instant now) {
    auto restored = kv::store::restore(store_.take_snapshot(), options_, now);
    MUSTER_ASSERT(restored.has_value());
    store_ = *std::move(restored);
}

std::string metastore_machine::refusal(const error& reason) const {
    return encode(result<void>(fail(reason)));
}

}  // namespace muster::sim
