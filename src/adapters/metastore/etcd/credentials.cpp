#include "adapters/metastore/etcd/credentials.h"

#include <utility>

namespace muster::etcd {

async<std::string> credentials::token() {
    if (!authenticate_) co_return std::string();
    if (token_) co_return *token_;
    if (authenticating_) {
        co_return co_await await_callback<std::string>(
            [this](completion<std::string> done) { waiters_.push_back(std::move(done)); });
    }
    authenticating_ = true;
    auto outcome = co_await authenticate_();
    publish(outcome);
    co_return outcome;
}

void credentials::publish(const result<std::string>& outcome) {
    authenticating_ = false;
    if (outcome) token_ = *outcome;
    for (const auto& done : std::exchange(waiters_, {})) done(outcome);
}

}  // namespace muster::etcd
