#include "adapters/metastore/etcd/client.h"

#include <fmt/format.h>

#include <exception>
#include <random>
#include <utility>

namespace muster::etcd {
namespace {

constexpr std::size_t password_bytes_max = 4096;

// Coroutines of the adapter report failures as values, so an exception is a bug.
[[noreturn]] void rethrow(const std::string& /*task*/, const std::exception_ptr& thrown) {
    std::rethrow_exception(thrown);  // out of the strand's thread
}

std::uint64_t random_seed() {
    std::random_device device;
    return (std::uint64_t{device()} << 32) | device();
}

}  // namespace

bool is_member_failure(const grpc::Status& status) {
    if (status.ok()) return false;
    const auto kind = explain(status).kind;
    return kind == failure_kind::not_done || kind == failure_kind::unknown;
}

client::client(etcd_options options, endpoints members)
    : options_(std::move(options)),
      members_(std::move(members)),
      random_(random_seed()),
      work_(loop_.get_executor()),
      tasks_(loop_.get_executor(), rethrow),
      credentials_(
          options_.user.empty() ? credentials::authenticate() : [this] { return authenticate(); }),
      strand_([this] { loop_.run(); }) {}

client::~client() {
    stop();
}

void client::stop() {
    if (!strand_.joinable()) return;
    post([this] { tasks_.cancel(); });
    work_.reset();
    strand_.join();
    calls_.stop();
}

std::optional<monotonic::duration> client::pause_after(
    const etcd::failure& failure, const std::string& token, retry_state& retry) {
    switch (failure.kind) {
        case failure_kind::refused:
        case failure_kind::lease_missing:
        case failure_kind::lease_taken:
        case failure_kind::compacted:
        case failure_kind::too_large:
        case failure_kind::auth_off:
            return std::nullopt;
        case failure_kind::token_stale:
            credentials_.discard(token);
            break;
        case failure_kind::not_done:
        case failure_kind::unknown:
            break;
    }
    ++retries_;
    return retry.next();
}

async<void> client::connect_to_member(std::shared_ptr<retry_state> retry) {
    while (true) {
        const auto member = members_.current();
        CO_TRY(
            const bool ready,
            co_await calls_.wait_connected(member.channel, options_.request_deadline));
        if (ready) co_return result<void>();
        members_.mark_failed(member.index);
        const auto pause = retry->next();
        if (!pause) {
            co_return fail(
                errc::unavailable,
                fmt::format("cannot connect to etcd at {}", fmt::join(options_.endpoints, ", ")));
        }
        CO_CHECK_OK(co_await clock_.sleep_for(*pause));
    }
}

async<std::string> client::authenticate() {
    CO_TRY(std::string password, read_small_file(options_.password_file, password_bytes_max));
    while (!password.empty() && (password.back() == '\n' || password.back() == '\r'))
        password.pop_back();
    const auto request = std::make_shared<etcdserverpb::AuthenticateRequest>();
    request->set_name(options_.user);
    request->set_password(std::move(password));
    auto retry = new_retry_state();
    while (true) {
        CO_TRY(auto outcome, co_await attempt<etcdserverpb::AuthenticateRequest>(request, ""));
        if (outcome.status.ok()) co_return outcome.reply.token();
        const auto failure = explain(outcome.status);
        if (failure.kind == failure_kind::auth_off) co_return std::string();
        const auto pause = pause_after(failure, "", retry);
        if (!pause) {
            // The request that needs the token was not sent.
            const auto code =
                failure.error.code() == errc::timed_out ? errc::unavailable : failure.error.code();
            co_return fail(
                code, "logging in to etcd as " + options_.user + ": " + failure.error.detail());
        }
        CO_CHECK_OK(co_await clock_.sleep_for(*pause));
    }
}

}  // namespace muster::etcd
