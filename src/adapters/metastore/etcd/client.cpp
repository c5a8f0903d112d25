#include "adapters/metastore/etcd/client.h"

#include <fmt/format.h>

#include <exception>
#include <random>
#include <utility>

namespace muster::etcd {
namespace {

constexpr std::size_t password_bytes_max = 4096;

// Our coroutines report failure as values: what they throw nobody can answer for.
[[noreturn]] void stop_the_process(const std::string& /*task*/, const std::exception_ptr& thrown) {
    std::rethrow_exception(thrown);  // out of the strand's thread
}

std::uint64_t any_seed() {
    std::random_device device;
    return (std::uint64_t{device()} << 32) | device();
}

}  // namespace

bool fault_of_member(const grpc::Status& status) {
    if (status.ok()) return false;
    const auto what = explain(status).what;
    return what == fate::not_done || what == fate::unknown;
}

client::client(etcd_options options, endpoints members)
    : options_(std::move(options)),
      members_(std::move(members)),
      random_(any_seed()),
      work_(loop_.get_executor()),
      tasks_(loop_.get_executor(), stop_the_process),
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
    const failure& failed, const std::string& token, retry_state& tries) {
    switch (failed.what) {
        case fate::refused:
        case fate::lease_missing:
        case fate::lease_taken:
        case fate::compacted:
        case fate::too_large:
        case fate::auth_off:
            return std::nullopt;
        case fate::token_stale:
            credentials_.forget(token);
            break;
        case fate::not_done:
        case fate::unknown:
            break;
    }
    ++retries_;
    return tries.next();
}

async<void> client::reach_a_member(std::shared_ptr<retry_state> tries) {
    while (true) {
        const auto member = members_.current();
        CO_TRY(
            const bool ready, co_await calls_.connected(member.channel, options_.request_deadline));
        if (ready) co_return result<void>();
        members_.failed(member.index);
        const auto pause = tries->next();
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
    auto tries = new_persistence();
    while (true) {
        CO_TRY(auto outcome, co_await attempt<etcdserverpb::AuthenticateRequest>(request, ""));
        if (outcome.status.ok()) co_return outcome.reply.token();
        const auto failed = explain(outcome.status);
        if (failed.what == fate::auth_off) co_return std::string();
        const auto pause = pause_after(failed, "", tries);
        if (!pause) {
            // Whatever was to be asked with the token was not asked.
            const auto code =
                failed.told.code() == errc::timed_out ? errc::unavailable : failed.told.code();
            co_return fail(
                code, "logging in to etcd as " + options_.user + ": " + failed.told.detail());
        }
        CO_CHECK_OK(co_await clock_.sleep_for(*pause));
    }
}

}  // namespace muster::etcd
