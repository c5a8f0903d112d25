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
    failure_kind kind;
    errc code_for_caller;
};

// The first rule that fits counts. etcd tells its errors apart by their text only; the texts are
// part of its API (rpctypes). What no rule knows may have happened.
constexpr std::array rules{
    rule{grpc::StatusCode::UNAUTHENTICATED, "", failure_kind::token_stale, errc::denied},
    rule{
        grpc::StatusCode::INVALID_ARGUMENT,
        "user name is empty",
        failure_kind::token_stale,
        errc::denied},
    rule{
        grpc::StatusCode::INVALID_ARGUMENT,
        "revision of auth store is old",
        failure_kind::token_stale,
        errc::denied},
    rule{
        grpc::StatusCode::INVALID_ARGUMENT,
        "authentication failed",
        failure_kind::refused,
        errc::denied},
    rule{grpc::StatusCode::INVALID_ARGUMENT, "", failure_kind::refused, errc::invalid},
    rule{grpc::StatusCode::PERMISSION_DENIED, "", failure_kind::refused, errc::denied},
    rule{
        grpc::StatusCode::NOT_FOUND,
        "requested lease not found",
        failure_kind::lease_missing,
        errc::not_found},
    rule{
        grpc::StatusCode::FAILED_PRECONDITION,
        "lease already exists",
        failure_kind::lease_taken,
        errc::conflict},
    rule{
        grpc::StatusCode::FAILED_PRECONDITION,
        "authentication is not enabled",
        failure_kind::auth_off,
        errc::denied},
    rule{grpc::StatusCode::FAILED_PRECONDITION, "", failure_kind::refused, errc::invalid},
    rule{
        grpc::StatusCode::OUT_OF_RANGE,
        "has been compacted",
        failure_kind::compacted,
        errc::conflict},
    rule{grpc::StatusCode::OUT_OF_RANGE, "", failure_kind::refused, errc::invalid},
    rule{
        grpc::StatusCode::RESOURCE_EXHAUSTED,
        "larger than max",
        failure_kind::too_large,
        errc::invalid},
    rule{
        grpc::StatusCode::RESOURCE_EXHAUSTED,
        "database space exceeded",
        failure_kind::refused,
        errc::unavailable},
    rule{grpc::StatusCode::RESOURCE_EXHAUSTED, "", failure_kind::not_done, errc::unavailable},
    rule{grpc::StatusCode::DATA_LOSS, "", failure_kind::refused, errc::corrupt},
    rule{grpc::StatusCode::UNIMPLEMENTED, "", failure_kind::refused, errc::invalid},
    // gRPC never got as far as sending it.
    rule{
        grpc::StatusCode::UNAVAILABLE,
        "failed to connect",
        failure_kind::not_done,
        errc::unavailable},
    // etcd looks for a leader before it proposes anything.
    rule{
        grpc::StatusCode::UNAVAILABLE,
        "etcdserver: no leader",
        failure_kind::not_done,
        errc::unavailable},
    rule{grpc::StatusCode::UNAVAILABLE, "not capable", failure_kind::not_done, errc::unavailable},
    rule{
        grpc::StatusCode::UNKNOWN,
        "raft proposal dropped",
        failure_kind::not_done,
        errc::unavailable},
};

}  // namespace

failure explain(const grpc::Status& status) {
    MUSTER_ASSERT(!status.ok());
    const auto fits = [&status](const rule& rule) {
        return rule.code == status.error_code() && status.error_message().contains(rule.text);
    };
    const auto it = std::ranges::find_if(rules, fits);
    if (it == rules.end())
        return {failure_kind::unknown, error(errc::timed_out, "etcd: " + status.error_message())};
    return {it->kind, error(it->code_for_caller, "etcd: " + status.error_message())};
}

}  // namespace muster::etcd
