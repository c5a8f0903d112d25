#pragma once

#include "adapters/os/background_worker.h"
#include "base/result.h"
#include "ports/async.h"

#include <cstddef>
#include <string>
#include <utility>

namespace muster::pam {

struct stack {
    std::string service;         // file that names the modules, such as "muster"
    std::string directory = {};  // of that file; empty: /etc/pam.d
};
struct credentials {
    std::string user;
    std::string password;
};

// Verifies user and password with PAM, and that the account is valid. errc::denied if not;
// errc::unavailable if PAM fails.
result<void> authenticate(const stack& stack, const credentials& credentials);

// Authenticates on a background thread: a module may ask a directory on the network. Disables PAM's
// delay after failures, because callers limit attempts themselves. Thread-safe.
class checker {
public:
    static constexpr std::size_t waiting_max = 64;

    explicit checker(pam::stack stack) : stack_(std::move(stack)), worker_(waiting_max) {}

    async<void> check(credentials credentials);

private:
    pam::stack stack_;
    os::background_worker worker_;
};

}  // namespace muster::pam
