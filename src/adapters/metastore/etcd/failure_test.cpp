#include "adapters/metastore/etcd/failure.h"

#include <doctest/doctest.h>

namespace muster::etcd {
namespace {

failure of(grpc::StatusCode code, const char* text) {
    return explain(grpc::Status(code, text));
}

TEST_CASE("what etcd or gRPC may have carried out is never called undone") {
    using code = grpc::StatusCode;
    for (const auto& status :
         {of(code::DEADLINE_EXCEEDED, "Deadline Exceeded"),
          of(code::UNAVAILABLE, "Socket closed"),
          of(code::UNAVAILABLE, "Connection reset by peer"),
          of(code::UNAVAILABLE, "etcdserver: request timed out"),
          of(code::UNAVAILABLE,
             "etcdserver: request timed out, possibly due to previous leader failure"),
          of(code::UNAVAILABLE, "etcdserver: server stopped"),
          of(code::UNAVAILABLE, "etcdserver: leader changed"),
          of(code::CANCELLED, "CANCELLED"),
          of(code::UNKNOWN, "whatever"),
          of(code::INTERNAL, "whatever")}) {
        CHECK(status.kind == failure_kind::unknown);
        CHECK(status.error.code() == errc::timed_out);
    }
}

TEST_CASE("what was certainly not carried out may be tried again") {
    using code = grpc::StatusCode;
    CHECK(
        of(code::UNAVAILABLE, "failed to connect to all addresses").kind == failure_kind::not_done);
    CHECK(of(code::UNAVAILABLE, "etcdserver: no leader").kind == failure_kind::not_done);
    CHECK(
        of(code::RESOURCE_EXHAUSTED, "etcdserver: too many requests").kind
        == failure_kind::not_done);
    CHECK(
        of(code::UNAUTHENTICATED, "etcdserver: invalid auth token").kind
        == failure_kind::token_stale);
}

TEST_CASE("what can never succeed is told as what it is") {
    using code = grpc::StatusCode;
    CHECK(of(code::PERMISSION_DENIED, "x").error.code() == errc::denied);
    CHECK(
        of(code::INVALID_ARGUMENT, "etcdserver: authentication failed, invalid user ID or password")
            .error.code()
        == errc::denied);
    CHECK(
        of(code::INVALID_ARGUMENT, "etcdserver: too many operations").error.code()
        == errc::invalid);
    CHECK(
        of(code::NOT_FOUND, "etcdserver: requested lease not found").error.code()
        == errc::not_found);
    CHECK(
        of(code::OUT_OF_RANGE, "etcdserver: mvcc: required revision has been compacted").kind
        == failure_kind::compacted);
    CHECK(
        of(code::RESOURCE_EXHAUSTED, "etcdserver: mvcc: database space exceeded").error.code()
        == errc::unavailable);
}

}  // namespace
}  // namespace muster::etcd
