#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace muster {

// A code exists only when some caller reacts to it in its own way; the rest is `detail`.
enum class errc {
    not_found,    // what was named does not exist
    conflict,     // the world is not as the caller thought; look again
    invalid,      // the request can never succeed as it is
    denied,       // the caller may not do this
    unavailable,  // it did not happen; later it may
    timed_out,    // no answer in time: it may or may not have happened
    cancelled,    // we ourselves gave up waiting
    corrupt,      // stored or received data is not what it must be
};

std::string_view to_string(errc code);

class error {
public:
    error(errc code, std::string detail) : code_(code), detail_(std::move(detail)) {}

    errc code() const { return code_; }
    const std::string& detail() const { return detail_; }

    // The same failure seen from one step further out: "opening the ledger: disk full".
    error within(std::string_view step) const;

    friend bool operator==(const error&, const error&) = default;

private:
    errc code_;
    std::string detail_;
};

// "unavailable: disk full", for logs and test output.
std::string to_string(const error& failure);

// Derives from std::expected only to add [[nodiscard]].
template <class T>
class [[nodiscard]] result : public std::expected<T, error> {
    using base = std::expected<T, error>;

public:
    using base::base;
    result() = default;
    result(base other) : base(std::move(other)) {}  // NOLINT(google-explicit-constructor)
};

inline std::unexpected<error> fail(errc code, std::string detail = {}) {
    return std::unexpected<error>(error(code, std::move(detail)));
}

inline std::unexpected<error> fail(error failure) {
    return std::unexpected<error>(std::move(failure));
}

// The one spelling for "I looked, and dropping this is right". Greppable.
template <class T>
void ignore_error(const result<T>& /*outcome*/, const char* /*why*/) {}

}  // namespace muster

#define MUSTER_CONCAT_IMPL(a, b) a##b
#define MUSTER_CONCAT(a, b) MUSTER_CONCAT_IMPL(a, b)
#define MUSTER_TRY_IMPL(leave, tmp, decl, ...)                              \
    auto tmp = (__VA_ARGS__);                                               \
    if (!tmp) leave std::unexpected<muster::error>(std::move(tmp).error()); \
    decl = *std::move(tmp)
#define MUSTER_CHECK_IMPL(leave, tmp, ...) \
    auto tmp = (__VA_ARGS__);              \
    if (!tmp) leave std::unexpected<muster::error>(std::move(tmp).error())

// Bind a value or leave with the error: TRY(const job loaded, load_job(db, id));
#define TRY(decl, ...) MUSTER_TRY_IMPL(return, MUSTER_CONCAT(try_, __COUNTER__), decl, __VA_ARGS__)
#define CHECK_OK(...) MUSTER_CHECK_IMPL(return, MUSTER_CONCAT(try_, __COUNTER__), __VA_ARGS__)
#define CO_TRY(decl, ...) \
    MUSTER_TRY_IMPL(co_return, MUSTER_CONCAT(try_, __COUNTER__), decl, __VA_ARGS__)
#define CO_CHECK_OK(...) MUSTER_CHECK_IMPL(co_return, MUSTER_CONCAT(try_, __COUNTER__), __VA_ARGS__)
