#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace muster {

// A code exists only if some caller reacts to it in its own way. Everything else is `detail`.
enum class errc {
    not_found,    // the named object does not exist
    conflict,     // the state differs from what the caller expects; read again
    invalid,      // the request can never succeed as it is
    denied,       // the caller may not do this
    unavailable,  // the request was not executed; a retry may succeed
    timed_out,    // no response in time: the request may or may not have been executed
    cancelled,    // the caller stopped waiting
    corrupt,      // stored or received data is malformed
};

std::string_view to_string(errc code);

class error {
public:
    error(errc code, std::string detail) : code_(code), detail_(std::move(detail)) {}

    errc code() const { return code_; }
    const std::string& detail() const { return detail_; }

    // The same error with the step in front of its detail: "opening the ledger: disk full".
    error with_context(std::string_view step) const;

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

// Discards an error on purpose, with a reason. The only way to do so, so that grep finds all
// places.
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

// Bind a value or return the error: TRY(const job loaded, load_job(db, id));
#define TRY(decl, ...) MUSTER_TRY_IMPL(return, MUSTER_CONCAT(try_, __COUNTER__), decl, __VA_ARGS__)
#define CHECK_OK(...) MUSTER_CHECK_IMPL(return, MUSTER_CONCAT(try_, __COUNTER__), __VA_ARGS__)
#define CO_TRY(decl, ...) \
    MUSTER_TRY_IMPL(co_return, MUSTER_CONCAT(try_, __COUNTER__), decl, __VA_ARGS__)
#define CO_CHECK_OK(...) MUSTER_CHECK_IMPL(co_return, MUSTER_CONCAT(try_, __COUNTER__), __VA_ARGS__)
