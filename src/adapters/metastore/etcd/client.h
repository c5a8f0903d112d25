#pragma once

#include "adapters/metastore/etcd/call_queue.h"
#include "adapters/metastore/etcd/credentials.h"
#include "adapters/metastore/etcd/endpoints.h"
#include "adapters/metastore/etcd/failure.h"
#include "adapters/metastore/etcd/options.h"
#include "base/backoff.h"
#include "base/prng.h"
#include "ports/limit_hits.h"
#include "runtime/clock.h"
#include "runtime/task_group.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/system_error.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>

namespace muster::etcd {

// The reply to a request, or its failure.
template <class Request>
struct response {
    reply_to<Request> reply;
    std::optional<etcd::failure> failure;
    bool repeated = false;  // an earlier attempt may have been executed
};

// Whether the failure is the member's, so that another member may succeed.
bool is_member_failure(const grpc::Status& status);

// The pauses and the deadline of the attempts of one request.
class retry_state {
public:
    retry_state(instant deadline, prng random)
        : deadline_(deadline),
          pause_(
              {.first = std::chrono::milliseconds(20), .longest = std::chrono::milliseconds(500)},
              random) {}

    // The pause before the next attempt; nothing when the deadline passes first.
    std::optional<monotonic::duration> next() {
        const auto pause = pause_.next();
        if (runtime::monotonic_now() + pause >= deadline_) return std::nullopt;
        return pause;
    }

private:
    instant deadline_;
    backoff pause_;
};

// The base of reads, commits, leases and watches: the strand and thread on which the adapter runs,
// the channels to the members, and the credentials. Not thread-safe: use it on its strand.
class client {
public:
    client(etcd_options options, endpoints members);
    client(const client&) = delete;
    client& operator=(const client&) = delete;
    ~client();

    // Ends all calls. Only stop(), run() and post() may be called from outside the strand.
    void stop();

    // Runs `work` on the strand and resumes the caller on its own executor.
    template <class T>
    async<T> run(async<T> work);

    template <class Work>
    void post(Work work) {
        boost::asio::post(loop_, std::move(work));
    }

    void spawn(std::string name, boost::asio::awaitable<void> task) {
        tasks_.spawn(std::move(name), std::move(task));
    }

    // Sends a request until there is a response or the timeout ends. Only for idempotent requests.
    template <class Request>
    async<response<Request>> request(Request request);

    // One attempt on the current endpoint; switches to the next one if the member fails.
    template <class Request>
    async<call_outcome<Request>> attempt(std::shared_ptr<const Request> request, std::string token);

    // The pause after a failed attempt; nothing when a retry cannot help. Discards a token that
    // etcd does not accept any more.
    std::optional<monotonic::duration> pause_after(
        const etcd::failure& failure, const std::string& token, retry_state& retry);

    // Connects to a member; errc::unavailable when none was reached within `retry`.
    async<void> connect_to_member(std::shared_ptr<retry_state> retry);

    retry_state new_retry_state() {
        return {runtime::monotonic_now() + options_.timeout, new_prng()};
    }
    prng new_prng() { return random_.fork(); }

    async<std::string> token() { return credentials_.token(); }
    void discard_token(const std::string& token) { credentials_.discard(token); }
    runtime::system_clock& clock() { return clock_; }
    const etcd_options& options() const { return options_; }
    call_queue& calls() { return calls_; }
    endpoints& members() { return members_; }

    std::uint64_t requests() const { return requests_; }
    std::uint64_t retries() const { return retries_; }
    void count_request() { ++requests_; }
    void count_retry() { ++retries_; }
    limit_counter& count_limits() { return limits_hit_; }
    limit_hits hits() const { return limits_hit_.read(); }

private:
    template <class T>
    static boost::asio::awaitable<void> deliver(async<T> work, completion<T> done);

    async<std::string> authenticate();

    etcd_options options_;
    endpoints members_;
    prng random_;
    runtime::system_clock clock_;
    std::atomic<std::uint64_t> requests_ = 0;
    std::atomic<std::uint64_t> retries_ = 0;
    limit_counter limits_hit_;
    call_queue calls_;
    boost::asio::io_context loop_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
    runtime::task_group tasks_;
    credentials credentials_;
    std::thread strand_;
};

template <class T>
boost::asio::awaitable<void> client::deliver(async<T> work, completion<T> done) {
    // Only stop() cancels, and only cancellation comes as an exception.
    result<T> outcome = fail(errc::cancelled);
    try {
        outcome = co_await std::move(work);
    } catch (const boost::system::system_error&) {
        outcome = fail(errc::cancelled);
    }
    if (!outcome && outcome.error().code() == errc::cancelled)
        outcome = fail(errc::unavailable, "etcd client is closed");
    done(std::move(outcome));
}

template <class T>
async<T> client::run(async<T> work) {
    return await_callback<T>([this, work = std::move(work)](completion<T> done) mutable {
        post([this, work = std::move(work), done = std::move(done)]() mutable {
            tasks_.spawn("etcd request", deliver<T>(std::move(work), std::move(done)));
        });
    });
}

template <class Request>
async<call_outcome<Request>> client::attempt(
    std::shared_ptr<const Request> request, std::string token) {
    const auto member = members_.current();
    count_request();
    call_settings settings{.deadline = options_.request_deadline, .token = std::move(token)};
    auto outcome = co_await calls_.call(member.channel, std::move(request), std::move(settings));
    if (outcome && is_member_failure(outcome->status)) members_.mark_failed(member.index);
    co_return outcome;
}

template <class Request>
async<response<Request>> client::request(Request request) {
    auto retry = new_retry_state();
    const auto shared_request = std::make_shared<const Request>(std::move(request));
    response<Request> response;
    while (true) {
        CO_TRY(const std::string token, co_await credentials_.token());
        CO_TRY(auto outcome, co_await attempt(shared_request, token));
        if (outcome.status.ok()) {
            response.reply = std::move(outcome.reply);
            response.failure.reset();
            co_return response;
        }
        response.failure = explain(outcome.status);
        const auto pause = pause_after(*response.failure, token, retry);
        if (!pause) co_return response;
        response.repeated = response.repeated || response.failure->kind == failure_kind::unknown;
        CO_CHECK_OK(co_await clock_.sleep_for(*pause));
    }
}

}  // namespace muster::etcd
