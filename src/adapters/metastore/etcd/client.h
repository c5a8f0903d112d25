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

// A reply, or why there is none.
template <class Request>
struct answer {
    reply_to<Request> reply;
    std::optional<failure> failed;
    bool repeated = false;  // an earlier try may have been carried out
};

// Whether another member may do better.
bool fault_of_member(const grpc::Status& status);

// How often and how long one request has been tried.
class retry_state {
public:
    retry_state(instant until, prng random)
        : until_(until),
          pause_(
              {.first = std::chrono::milliseconds(20), .longest = std::chrono::milliseconds(500)},
              random) {}

    // How long to wait before the next try; nothing when the timeout is over.
    std::optional<monotonic::duration> next() {
        const auto pause = pause_.next();
        if (runtime::monotonic_now() + pause >= until_) return std::nullopt;
        return pause;
    }

private:
    instant until_;
    backoff pause_;
};

// The ground that reads, commits, leases and watches stand on: one strand with a thread of its own,
// on which everything inside the adapter runs, the members' channels, and who we are to etcd.
class client {
public:
    client(etcd_options options, endpoints members);
    client(const client&) = delete;
    client& operator=(const client&) = delete;
    ~client();

    // Ends everything under way. The only method but run() and post() that may be called from
    // outside the strand.
    void stop();

    // Does `work` on the strand and resumes the caller where it was.
    template <class T>
    async<T> run(async<T> work);

    template <class Work>
    void post(Work work) {
        boost::asio::post(loop_, std::move(work));
    }

    void spawn(std::string name, boost::asio::awaitable<void> task) {
        tasks_.spawn(std::move(name), std::move(task));
    }

    // Asks until there is an answer or the timeout ends; for requests that may be repeated.
    template <class Request>
    async<answer<Request>> ask(Request request);

    // One try on the current endpoint; moves on to the next one when it is no use.
    template <class Request>
    async<call_outcome<Request>> attempt(std::shared_ptr<const Request> request, std::string token);

    // After a try that failed: how long to wait before the next. Nothing when there is no sense in
    // one. Gives up the token where that may help.
    std::optional<monotonic::duration> pause_after(
        const failure& failed, const std::string& token, retry_state& tries);

    // Makes sure that the current member is connected; errc::unavailable when none was reached
    // before `tries` ran out.
    async<void> reach_a_member(std::shared_ptr<retry_state> tries);

    retry_state new_persistence() {
        return {runtime::monotonic_now() + options_.timeout, new_prng()};
    }
    prng new_prng() { return random_.fork(); }

    async<std::string> token() { return credentials_.token(); }
    void forget_token(const std::string& token) { credentials_.forget(token); }
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
        outcome = fail(errc::unavailable, "the etcd client was closed");
    done(std::move(outcome));
}

template <class T>
async<T> client::run(async<T> work) {
    return completed<T>([this, work = std::move(work)](completion<T> done) mutable {
        post([this, work = std::move(work), done = std::move(done)]() mutable {
            tasks_.spawn("a request to etcd", deliver<T>(std::move(work), std::move(done)));
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
    if (outcome && fault_of_member(outcome->status)) members_.failed(member.index);
    co_return outcome;
}

template <class Request>
async<answer<Request>> client::ask(Request request) {
    auto tries = new_persistence();
    const auto asked = std::make_shared<const Request>(std::move(request));
    answer<Request> input;
    while (true) {
        CO_TRY(const std::string token, co_await credentials_.token());
        CO_TRY(auto outcome, co_await attempt(asked, token));
        if (outcome.status.ok()) {
            input.reply = std::move(outcome.reply);
            input.failed.reset();
            co_return input;
        }
        input.failed = explain(outcome.status);
        const auto pause = pause_after(*input.failed, token, tries);
        if (!pause) co_return input;
        input.repeated = input.repeated || input.failed->what == fate::unknown;
        CO_CHECK_OK(co_await clock_.sleep_for(*pause));
    }
}

}  // namespace muster::etcd
