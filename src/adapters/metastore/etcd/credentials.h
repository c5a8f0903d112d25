#pragma once

#include "ports/async.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace muster::etcd {

// The authentication token. Only one request for it runs at a time, because checking a password
// costs etcd tens of milliseconds. Not thread-safe; use it from one strand.
class credentials {
public:
    using authenticate = std::function<async<std::string>()>;

    // `authenticate` requests a token. Empty: no user, and the token is empty.
    explicit credentials(authenticate authenticate) : authenticate_(std::move(authenticate)) {}

    async<std::string> token();

    // Discards a token that etcd does not accept any more.
    void discard(const std::string& token) {
        if (token_ == token) token_.reset();
    }

private:
    void publish(const result<std::string>& outcome);

    authenticate authenticate_;
    std::optional<std::string> token_;
    bool authenticating_ = false;
    std::vector<completion<std::string>> waiters_;
};

}  // namespace muster::etcd
