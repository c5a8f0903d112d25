#pragma once

#include "adapters/os/background_worker.h"
#include "base/result.h"
#include "ports/async.h"

#include <cstddef>
#include <string>
#include <utility>

namespace muster::pam {

struct stack {
    std::string service;         // the file that names the modules, such as "muster"
    std::string directory = {};  // where it is; empty: where the machine has them, /etc/pam.d
};
struct credentials {
    std::string user;
    std::string password;
};

// Asks PAM whether user and password belong together and the account is good now. errc::denied
// when they do not or it is not; errc::unavailable when PAM could not tell.
result<void> authenticate(const stack& by, const credentials& credentials);

// The same on a thread of its own: a module may ask a directory on the network and take its time.
// Modules do not slow down a refusal: whoever asks has limits of its own. Thread-safe.
class checker {
public:
    static constexpr std::size_t waiting_max = 64;

    explicit checker(stack by) : by_(std::move(by)), worker_(waiting_max) {}

    async<void> check(credentials credentials);

private:
    stack by_;
    os::background_worker worker_;
};

}  // namespace muster::pam
