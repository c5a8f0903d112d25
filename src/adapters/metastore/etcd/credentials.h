#pragma once

#include "ports/async.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace muster::etcd {

// The token that says who we are. However many want it, one asks etcd for it at a time: checking a
// password costs etcd tens of milliseconds. Lives on one strand.
class credentials {
public:
    using authenticate = std::function<async<std::string>()>;

    // Without a user the token is empty and nobody is asked.
    explicit credentials(authenticate ask) : ask_(std::move(ask)) {}

    async<std::string> token();

    // etcd does not take this token any more.
    void forget(const std::string& token) {
        if (token_ == token) token_.reset();
    }

private:
    void publish(const result<std::string>& outcome);

    authenticate ask_;
    std::optional<std::string> token_;
    bool asking_ = false;
    std::vector<completion<std::string>> waiting_;
};

}  // namespace muster::etcd
