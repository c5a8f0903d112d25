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

// Brings events to the receivers of webhooks: in order, in batches, each at least once. The place
// is on record after each batch, so that a crash repeats one batch at most and skips none. Each
// hook has a coroutine and a connection of its own: one that is slow or refuses keeps nobody else
// waiting, and what it has not taken stays in the ledger, not in memory.
//
// A webhook is read, with its secret, when it is new, and not again. Of what became of an attempt
// others are told no more than "no answer" or "answered 503": whoever makes webhooks must not learn
// from them what there is in the servers' network.
//
// Works on one server at a time, that of the active driver; of two, one finds the progress changed
// and stops. Lives on one strand.
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
        monotonic::duration look = std::chrono::seconds(2);  // for hooks that are new or gone
        std::chrono::milliseconds timeout{2'000};            // looks for events at least this often
        monotonic::duration note_interval = std::chrono::seconds(10);  // of places without news
        std::size_t batch = 100;
        net::http::client_limits limits{
            .first_byte_time = std::chrono::seconds(15),
            .whole_time = std::chrono::seconds(30),
            .body_bytes_max = std::size_t{64} * 1024};
        std::filesystem::path authorities = {};
        std::uint64_t seed = 1;
    };
    struct counts {
        std::atomic<std::uint64_t> delivered = 0;  // events
        std::atomic<std::uint64_t> failures = 0;   // attempts
        std::atomic<std::uint64_t> failing = 0;    // hooks, now
    };

    webhook_dispatcher(dependencies deps, options options)
        : deps_(std::move(deps)), options_(std::move(options)), random_(options_.seed) {}
    webhook_dispatcher(const webhook_dispatcher&) = delete;
    webhook_dispatcher& operator=(const webhook_dispatcher&) = delete;

    // Until it is cancelled; works while `active` says so. What it spawns ends with `work`.
    boost::asio::awaitable<void> run(const std::atomic<bool>& active, runtime::task_group& work);

    const counts& counted() const { return counted_; }
    void export_to(runtime::metrics& where) const;

private:
    // One hook that is being served.
    struct webhook_delivery {
        webhook_store::entry what;
        event_filter wanted;
        bool stop = false;
        bool over = false;
        runtime::async_event wake;  // stop, or try at once
        instant noted{};
    };
    using errand_ptr = std::shared_ptr<webhook_delivery>;

    async<void> look(runtime::task_group& work);
    async<void> look_at(webhook_store::sighting sighting, runtime::task_group& work);
    void stop_all();
    void begin(webhook_store::entry entry, runtime::task_group& work);
    boost::asio::awaitable<void> serve(errand_ptr errand_ptr);
    result<std::shared_ptr<const net::tls_client>> prepare(
        webhook_delivery& webhook_delivery) const;
    async<void> turn(errand_ptr errand_ptr, net::http::client* through);
    async<void> send(errand_ptr errand_ptr, event_log::page page, net::http::client* through);
    async<net::http::answer> post(
        std::string url, net::http::outgoing message, net::http::client* through);
    async<void> note_failure(errand_ptr errand_ptr, std::string why, std::string detail);
    async<void> put_off(errand_ptr errand_ptr, std::string why);
    async<void> give_up(errand_ptr errand_ptr, std::string why);
    async<void> pass(errand_ptr errand_ptr, event_position next);
    async<void> save(errand_ptr errand_ptr, webhook_progress next);
    result<std::shared_ptr<const net::tls_client>> tls_for(const webhook_record& hook) const;

    dependencies deps_;
    options options_;
    prng random_;
    std::map<std::string, errand_ptr> served_;
    std::map<std::string, webhook_store::entry> known_;  // as they were made; progress is older
    counts counted_;
};

}  // namespace muster::events
