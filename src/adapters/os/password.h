#pragma once

#include "base/bounded_queue.h"
#include "base/result.h"
#include "ports/async.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace muster::os {

inline constexpr std::size_t password_bytes_max = 1024;

// Argon2id (RFC 9106) with a salt of its own, in the usual "$argon2id$v=19$…" form.
result<std::string> hash_password(std::string_view password);

// errc::denied when the password is not the one that was hashed.
result<void> verify_password(const std::string& hash, std::string_view password);

// Verifies on a thread of its own: a check costs a tenth of a second and 64 MiB on purpose, which
// must neither stop an event loop nor happen many times at once. When `waiting_max` checks wait,
// further ones are refused with errc::unavailable. Thread-safe.
class password_verifier {
public:
    static constexpr std::size_t waiting_max = 64;

    password_verifier();
    password_verifier(const password_verifier&) = delete;
    password_verifier& operator=(const password_verifier&) = delete;
    ~password_verifier();

    async<void> verify(std::string hash, std::string password);

private:
    struct check {
        std::string hash;
        std::string password;
        completion<void> done;
    };

    void enqueue(check next);
    void work();

    std::mutex guard_;
    std::condition_variable changed_;
    bounded_queue<check> waiting_{waiting_max};
    bool stopping_ = false;
    std::thread worker_;
};

}  // namespace muster::os
