#pragma once

#include "adapters/net/http/client.h"
#include "base/prng.h"
#include "runtime/async_event.h"
#include "runtime/log.h"
#include "runtime/metrics.h"
#include "runtime/task_group.h"
#include "services/events/event_json.h"
#include "services/events/event_log.h"
#include "services/events/event_watcher.h"
#include "services/events/webhook_address_policy.h"
#include "services/events/webhook_store.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

namespace muster::events {

// Sends events to the receivers of webhooks: in order, in batches, each at least once. Saves the
// position after each batch, so a crash repeats at most one batch and skips none. Each webhook has
// its own coroutine and connection: a slow receiver does not delay others. Undelivered events stay
// in the ledger, not in memory.
//
// Reads a webhook and its secret only when the webhook is new. Reports no more about an attempt
// than "no response" or "HTTP status 503": users must not explore the servers' network with
// webhooks.
//
// Runs on the server of the active driver. Of two servers, one finds the progress changed and
// stops. Not thread-safe; call from one strand.
class webhook_dispatcher {
public:
    struct dependencies {
        event_log& events;
        event_watcher& watcher;
        webhook_store& webhooks;
        const webhook_address_policy& addresses;
        muster::clock& clock;
        runtime::logger& log;
        const system_names& names;
    };
    struct options {
        webhook_policy policy = {};
        monotonic::duration poll_interval = std::chrono::seconds(2);  // of the list of webhooks
        std::chrono::milliseconds timeout{2'000};  // maximum time between two reads of events
        monotonic::duration save_interval = std::chrono::seconds(10);  // without deliveries
        std::size_t batch = 100;
        net::http::client_limits limits{
            .first_byte_time = std::chrono::seconds(15),
            .request_time = std::chrono::seconds(30),
            .body_bytes_max = std::size_t{64} * 1024};
        std::filesystem::path authorities = {};
        std::uint64_t seed = 1;
    };
    struct counters {
        std::atomic<std::uint64_t> delivered = 0;  // events
        std::atomic<std::uint64_t> failures = 0;   // attempts
        std::atomic<std::uint64_t> failing = 0;    // webhooks that fail now
    };

    webhook_dispatcher(dependencies deps, options options)
        : deps_(std::move(deps)), options_(std::move(options)), random_(options_.seed) {}
    webhook_dispatcher(const webhook_dispatcher&) = delete;
    webhook_dispatcher& operator=(const webhook_dispatcher&) = delete;

    // Runs until it is cancelled. Stops all deliveries while `active` is false. Spawns them in
    // `work`.
    boost::asio::awaitable<void> run(const std::atomic<bool>& active, runtime::task_group& work);

    const counters& metrics() const { return counters_; }
    void export_to(runtime::metrics& metrics) const;

private:
    // A webhook with a running delivery coroutine.
    struct active_hook {
        webhook_store::entry entry;
        event_filter filter;
        bool stop = false;
        bool finished = false;
        runtime::async_event wake;  // stop, or retry at once
        instant last_save{};
    };
    using active_hook_ptr = std::shared_ptr<active_hook>;

    async<void> run_once(runtime::task_group& work);
    async<void> check_hook(webhook_store::status status, runtime::task_group& work);
    void stop_all();
    void begin(webhook_store::entry entry, runtime::task_group& work);
    boost::asio::awaitable<void> serve(active_hook_ptr hook);
    result<std::shared_ptr<const net::tls_client>> prepare(active_hook& hook) const;
    async<void> deliver_next(active_hook_ptr hook, net::http::client* client);
    async<void> send(active_hook_ptr hook, event_log::page page, net::http::client* client);
    async<net::http::client_response> post(
        std::string url, net::http::client_request message, net::http::client* client);
    async<void> record_failure(active_hook_ptr hook, std::string reason, std::string detail);
    async<void> postpone(active_hook_ptr hook, std::string reason);
    async<void> abandon(active_hook_ptr hook, std::string reason);
    async<void> skip_to(active_hook_ptr hook, event_position next);
    async<void> save(active_hook_ptr hook, webhook_progress next);
    result<std::shared_ptr<const net::tls_client>> create_tls_client(
        const webhook_record& hook) const;

    dependencies deps_;
    options options_;
    prng random_;
    std::map<std::string, active_hook_ptr> active_hooks_;
    std::map<std::string, webhook_store::entry> entries_;  // with outdated progress
    counters counters_;
};

}  // namespace muster::events
