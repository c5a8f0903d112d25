#include "services/events/webhook_dispatcher.h"

#include "adapters/net/http/url.h"
#include "adapters/os/file.h"
#include "adapters/pki/certificate.h"
#include "ports/deadline.h"
#include "services/events/webhook_message.h"

#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace muster::events {
namespace {

namespace asio = boost::asio;
namespace http = net::http;

constexpr auto pause_after_failure = std::chrono::seconds(1);  // of an engine

// Describes a failed POST; empty if the receiver accepted it.
std::string failure_text(const result<http::client_response>& response) {
    if (!response) return "no response";
    if (response->status >= 200 && response->status < 300) return {};
    return "HTTP status " + std::to_string(response->status);
}

bool is_cancelled(const error& failure) {
    return failure.code() == errc::cancelled;
}

bool has_moved(const event_filter& filter, const event_position& from, const event_position& to) {
    return from.events != to.events || (filter.returns && from.tasks != to.tasks);
}

}  // namespace

result<std::shared_ptr<const net::tls_client>> webhook_dispatcher::create_tls_client(
    const webhook_record& hook) const {
    TRY(const auto address, http::parse_url(hook.url));
    if (address.transport == http::url::security::none)
        return std::shared_ptr<const net::tls_client>();
    auto pem = hook.authorities;
    if (pem.empty()) {
        auto content = os::load_file(options_.authorities);
        if (!content)
            return fail(
                errc::unavailable,
                "the server has no trusted CA certificates; install the package ca-certificates, "
                "set outbound.ca, or set `ca` of the webhook");
        pem = std::move(*content);
    }
    TRY(auto trusted, pki::certificate::chain_from_pem(pem));
    return net::tls_client::create(
        {.trusted = net::trusted_authorities{std::move(trusted)}, .protocols = {"http/1.1"}});
}

async<void> webhook_dispatcher::save(active_hook_ptr hook, webhook_progress next) {
    CO_TRY(
        hook->entry.saved,
        co_await deps_.webhooks.save(hook->entry.hook.name, next, hook->entry.saved));
    hook->entry.progress = std::move(next);
    hook->last_save = deps_.clock.now();
    co_return result<void>();
}

// Moves the position over events that the webhook does not want. Saves the position from time to
// time only: after a crash they are read again without harm.
async<void> webhook_dispatcher::skip_to(active_hook_ptr hook, event_position next) {
    const bool has_progress = has_moved(hook->filter, hook->entry.progress.position, next);
    hook->entry.progress = after_skip(hook->entry.progress, next);
    if (!has_progress || deps_.clock.now() < hook->last_save + options_.save_interval)
        co_return result<void>();
    co_return co_await save(hook, hook->entry.progress);
}

// Checks the address before each request: the name may resolve to another address by now.
async<http::client_response> webhook_dispatcher::post(
    std::string url, http::client_request message, http::client* client) {
    CO_CHECK_OK(co_await deps_.addresses.check_resolved(std::move(url)));
    co_return co_await client->send(std::move(message));
}

async<void> webhook_dispatcher::send(
    active_hook_ptr hook, event_log::page page, http::client* client) {
    const auto count = page.items.size();
    const auto next = page.next;
    const webhook_request request{
        .since = hook->entry.progress.position, .next = next, .items = std::move(page.items)};
    auto message = webhook_message(hook->entry.hook, request, deps_.names, deps_.clock.wall());
    const auto response = co_await post(hook->entry.hook.url, std::move(message), client);
    if (!response && is_cancelled(response.error())) co_return fail(response.error());
    auto reason = failure_text(response);
    if (reason.empty()) {
        counters_.delivered += count;
        const delivery done{
            .next = next, .events = static_cast<std::int64_t>(count), .at = deps_.clock.wall()};
        co_return co_await save(hook, after_delivery(hook->entry.progress, done));
    }
    auto detail = response ? reason : response.error().detail();
    co_return co_await record_failure(hook, std::move(reason), std::move(detail));
}

// Stores `reason` for users; writes `detail` to the server log only.
async<void> webhook_dispatcher::record_failure(
    active_hook_ptr hook, std::string reason, std::string detail) {
    ++counters_.failures;
    const auto after =
        after_failure(hook->entry.progress, std::move(reason), deps_.clock.wall(), options_.policy);
    if (after.given_up)
        deps_.log.warning(
            "webhook suspended after repeated delivery failures",
            {{"webhook", hook->entry.hook.name},
             {"failures", after.failures},
             {"error", detail},
             {"hint", "resume the webhook: muster webhooks resume"}});
    else if (after.failures == 1)
        deps_.log.warning(
            "webhook delivery failed", {{"webhook", hook->entry.hook.name}, {"error", detail}});
    CO_CHECK_OK(co_await save(hook, after));
    const auto pause = pause_after(after, options_.policy, random_);
    const auto woken = co_await within(deps_.clock, pause, hook->wake.wait());
    if (!woken && is_cancelled(woken.error())) co_return fail(woken.error());
    co_return result<void>();
}

// Waits and ends the coroutine: the settings of this server do not allow the webhook, but they may
// change.
async<void> webhook_dispatcher::postpone(active_hook_ptr hook, std::string reason) {
    if (hook->entry.progress.failures == 0)
        deps_.log.warning(
            "webhook refused by server settings",
            {{"webhook", hook->entry.hook.name}, {"error", reason}});
    auto after =
        after_failure(hook->entry.progress, std::move(reason), deps_.clock.wall(), options_.policy);
    CO_CHECK_OK(co_await save(hook, std::move(after)));
    const auto woken =
        co_await within(deps_.clock, options_.policy.longest_pause, hook->wake.wait());
    if (!woken && is_cancelled(woken.error())) co_return fail(woken.error());
    co_return result<void>();
}

async<void> webhook_dispatcher::abandon(active_hook_ptr hook, std::string reason) {
    deps_.log.error(
        "webhook suspended: invalid event position",
        {{"webhook", hook->entry.hook.name}, {"error", reason}});
    co_return co_await save(
        hook, after_give_up(hook->entry.progress, std::move(reason), deps_.clock.wall()));
}

async<void> webhook_dispatcher::deliver_next(active_hook_ptr hook, http::client* client) {
    const auto from = hook->entry.progress.position;
    auto page = co_await deps_.events.read(hook->filter, from, options_.batch);
    if (!page) {
        const auto code = page.error().code();
        if (code == errc::cancelled) co_return fail(page.error());
        if (code == errc::invalid)
            co_return co_await abandon(
                hook,
                "event position of the webhook is ahead of all events: the ledger was restored "
                "from a backup; remove the webhook and add it again");
        if (code == errc::corrupt)
            co_return co_await record_failure(
                hook, "next events in the ledger are unreadable", page.error().detail());
        co_return co_await deps_.clock.sleep_for(pause_after_failure);
    }
    if (!page->items.empty()) co_return co_await send(hook, std::move(*page), client);
    const bool more = page->more;
    CO_CHECK_OK(co_await skip_to(hook, page->next));
    if (more) co_return result<void>();
    const auto waited =
        co_await deps_.watcher.wait(hook->filter, hook->entry.progress.position, options_.timeout);
    if (!waited && is_cancelled(waited.error())) co_return fail(waited.error());
    if (!waited) co_return co_await deps_.clock.sleep_for(pause_after_failure);
    co_return result<void>();
}

result<std::shared_ptr<const net::tls_client>> webhook_dispatcher::prepare(
    active_hook& hook) const {
    TRY(hook.filter, filter_of(hook.entry.hook.kinds));
    CHECK_OK(deps_.addresses.check(hook.entry.hook.url));
    return create_tls_client(hook.entry.hook);
}

asio::awaitable<void> webhook_dispatcher::serve(active_hook_ptr hook) {
    auto tls = prepare(*hook);
    result<void> outcome;
    if (!tls) {
        outcome = co_await postpone(hook, tls.error().detail());
    } else {
        http::client client(
            {.clock = &deps_.clock, .tls = std::move(*tls), .limits = options_.limits});
        while (outcome && !hook->stop && !hook->entry.progress.given_up)
            outcome = co_await deliver_next(hook, &client);
    }
    hook->finished = true;
    // A conflict is the progress of another server: the next run continues from there.
    if (!outcome && outcome.error().code() != errc::conflict && !is_cancelled(outcome.error()))
        deps_.log.warning(
            "webhook processing failed",
            {{"webhook", hook->entry.hook.name}, {"error", to_string(outcome.error())}});
}

void webhook_dispatcher::begin(webhook_store::entry entry, runtime::task_group& work) {
    auto hook = std::make_shared<active_hook>();
    hook->entry = std::move(entry);
    hook->last_save = deps_.clock.now();
    active_hooks_[hook->entry.hook.name] = hook;
    work.spawn("serve webhook " + hook->entry.hook.name, serve(hook));
}

void webhook_dispatcher::stop_all() {
    for (auto& [name, hook] : active_hooks_) {
        hook->stop = true;
        hook->wake.notify();
    }
}

// Does not spawn into a cancelled group: the coroutine would never end.
async<void> webhook_dispatcher::check_hook(
    webhook_store::status status, runtime::task_group& work) {
    const auto it = active_hooks_.find(status.name);
    if (it != active_hooks_.end()) {
        // Stop if the webhook was created again, or another server or user changed its progress.
        auto& hook = *it->second;
        if (status.created == hook.entry.created && status.saved <= hook.entry.saved)
            co_return result<void>();
        hook.stop = true;
        hook.wake.notify();
        co_return result<void>();
    }
    if (status.progress.given_up) co_return result<void>();
    auto cached = entries_.find(status.name);
    if (cached == entries_.end() || cached->second.created != status.created) {
        auto stored = co_await deps_.webhooks.find(status.name);
        if (!stored && stored.error().code() == errc::not_found) co_return result<void>();
        if (!stored) co_return fail(stored.error());
        cached = entries_.insert_or_assign(status.name, *std::move(stored)).first;
    }
    const auto cancellation = co_await asio::this_coro::cancellation_state;
    if (cancellation.cancelled() != asio::cancellation_type::none)
        co_return fail(errc::cancelled, "server is stopping");
    auto entry = cached->second;
    if (entry.saved <= status.saved) {
        entry.progress = std::move(status.progress);
        entry.saved = status.saved;
    }
    begin(std::move(entry), work);
    co_return result<void>();
}

async<void> webhook_dispatcher::run_once(runtime::task_group& work) {
    CO_TRY(auto statuses, co_await deps_.webhooks.read_status());
    std::erase_if(active_hooks_, [](const auto& entry) { return entry.second->finished; });
    std::set<std::string> names;
    std::uint64_t failing = 0;
    for (auto& status : statuses) {
        names.insert(status.name);
        if (status.progress.failures > 0) ++failing;
        CO_CHECK_OK(co_await check_hook(std::move(status), work));
    }
    for (auto& [name, hook] : active_hooks_) {
        if (names.contains(name)) continue;
        hook->stop = true;
        hook->wake.notify();
    }
    std::erase_if(entries_, [&](const auto& entry) { return !names.contains(entry.first); });
    counters_.failing = failing;
    co_return result<void>();
}

asio::awaitable<void> webhook_dispatcher::run(
    const std::atomic<bool>& active, runtime::task_group& work) {
    while (true) {
        if (active) {
            const auto outcome = co_await run_once(work);
            if (!outcome && outcome.error().code() == errc::cancelled) co_return;
            if (!outcome)
                deps_.log.debug("webhook loading failed", {{"error", to_string(outcome.error())}});
        } else {
            stop_all();
            counters_.failing = 0;
        }
        const auto slept = co_await deps_.clock.sleep_for(options_.poll_interval);
        if (!slept) co_return;
    }
}

void webhook_dispatcher::export_to(runtime::metrics& metrics) const {
    metrics.watch_counter(
        {"muster_webhook_events_total",
         "Total number of events delivered to webhooks since start."},
        [this] { return static_cast<double>(counters_.delivered.load()); });
    metrics.watch_counter(
        {"muster_webhook_failures_total", "Total number of failed webhook deliveries since start."},
        [this] { return static_cast<double>(counters_.failures.load()); });
    metrics.watch_gauge(
        {"muster_webhooks_failing", "Number of webhooks whose last delivery failed."},
        [this] { return static_cast<double>(counters_.failing.load()); });
}

}  // namespace muster::events
