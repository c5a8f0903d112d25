#include "adapters/metastore/etcd/method.h"

#include <doctest/doctest.h>
#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <string>

namespace muster::etcd {
namespace {

template <class Request>
void check_declared() {
    std::string name = std::string(method<Request>::path).substr(1);
    std::ranges::replace(name, '/', '.');
    const auto* const declared =
        google::protobuf::DescriptorPool::generated_pool()->FindMethodByName(name);

    REQUIRE_MESSAGE(declared != nullptr, name);
    CHECK(declared->input_type() == Request::descriptor());
    CHECK(declared->output_type() == reply_to<Request>::descriptor());
}

TEST_CASE("every method we call is one of etcd's API, with its request and reply") {
    check_declared<etcdserverpb::RangeRequest>();
    check_declared<etcdserverpb::TxnRequest>();
    check_declared<etcdserverpb::CompactionRequest>();
    check_declared<etcdserverpb::WatchRequest>();
    check_declared<etcdserverpb::LeaseGrantRequest>();
    check_declared<etcdserverpb::LeaseRevokeRequest>();
    check_declared<etcdserverpb::LeaseKeepAliveRequest>();
    check_declared<etcdserverpb::AuthenticateRequest>();
    check_declared<etcdserverpb::StatusRequest>();
}

}  // namespace
}  // namespace muster::etcd
