#include "adapters/metastore/etcd/failure.h"

#include "base/assert.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace muster::etcd {
namespace {

struct rule {
    grpc::StatusCode code;
    std::string_view text;  // what the message contains; empty: any
    fate what;
    errc told;
};

// The first rule that fits counts. etcd tells its errors apart by their text only; the texts are
// part of its API (rpctypes). What no rule knows may have happened.
constexpr std::array rules{
    rule{grpc::StatusCode::UNAUTHENTICATED, "", fate::token_stale, errc::denied},
    rule{grpc::StatusCode::INVALID_ARGUMENT, "user name is empty", fate::token_stale, errc::denied},
    rule{
        grpc::StatusCode::INVALID_ARGUMENT,
        "revision of auth store is old",
        fate::token_stale,
        errc::denied},
    rule{grpc::StatusCode::INVALID_ARGUMENT, "authentication failed", fate::refused, errc::denied},
    rule{grpc::StatusCode::INVALID_ARGUMENT, "", fate::refused, errc::invalid},
    rule{grpc::StatusCode::PERMISSION_DENIED, "", fate::refused, errc::denied},
    rule{
        grpc::StatusCode::NOT_FOUND,
        "requested lease not found",
        fate::lease_missing,
        errc::not_found},
    rule{
        grpc::StatusCode::FAILED_PRECONDITION,
        "lease already exists",
        fate::lease_taken,
        errc::conflict},
    rule{
        grpc::StatusCode::FAILED_PRECONDITION,
        "authentication is not enabled",
        fate::auth_off,
        errc::denied},
    rule{grpc::StatusCode::FAILED_PRECONDITION, "", fate::refused, errc::invalid},
    rule{grpc::StatusCode::OUT_OF_RANGE, "has been compacted", fate::compacted, errc::conflict},
    rule{grpc::StatusCode::OUT_OF_RANGE, "", fate::refused, errc::invalid},
    rule{grpc::StatusCode::RESOURCE_EXHAUSTED, "larger than max", fate::too_large, errc::invalid},
    rule{
        grpc::StatusCode::RESOURCE_EXHAUSTED,
        "database space exceeded",
        fate::refused,
        errc::unavailable},
    rule{grpc::StatusCode::RESOURCE_EXHAUSTED, "", fate::not_done, errc::unavailable},
    rule{grpc::StatusCode::DATA_LOSS, "", fate::refused, errc::corrupt},
    rule{grpc::StatusCode::UNIMPLEMENTED, "", fate::refused, errc::invalid},
    // gRPC never got as far as sending it.
    rule{grpc::StatusCode::UNAVAILABLE, "failed to connect", fate::not_done, errc::unavailable},
    // etcd looks for a leader before it proposes anything.
    rule{grpc::StatusCode::UNAVAILABLE, "etcdserver: no leader", fate::not_done, errc::unavailable},
    rule{grpc::StatusCode::UNAVAILABLE, "not capable", fate::not_done, errc::unavailable},
    rule{grpc::StatusCode::UNKNOWN, "raft proposal dropped", fate::not_done, errc::unavailable},
};

}  // namespace

failure explain(const grpc::Status& status) {
    MUSTER_ASSERT(!status.ok());
    const auto fits = [&status](const rule& rule) {
        return rule.code == status.error_code() && status.error_message().contains(rule.text);
    };
    const auto it = std::ranges::find_if(rules, fits);
    if (it == rules.end())
        return {fate::unknown, error(errc::timed_out, "etcd: " + status.error_message())};
    return {it->what, error(it->told, "etcd: " + status.error_message())};
}

}  // namespace muster::etcd
