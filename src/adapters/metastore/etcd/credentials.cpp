#include "adapters/metastore/etcd/credentials.h"

#include <utility>

namespace muster::etcd {

async<std::string> credentials::token() {
    if (!ask_) co_return std::string();
    if (token_) co_return *token_;
    if (asking_) {
        co_return co_await completed<std::string>(
            [this](completion<std::string> done) { waiting_.push_back(std::move(done)); });
    }
    asking_ = true;
    auto outcome = co_await ask_();
    publish(outcome);
    co_return outcome;
}

void credentials::publish(const result<std::string>& outcome) {
    asking_ = false;
    if (outcome) token_ = *outcome;
    for (const auto& done : std::exchange(waiting_, {})) done(outcome);
}

}  // namespace muster::etcd
