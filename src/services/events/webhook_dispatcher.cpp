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

// What became of a POST; empty: the receiver has taken it.
std::string complaint(const result<http::answer>& answered) {
    if (!answered) return "no answer";
    if (answered->status >= 200 && answered->status < 300) return {};
    return "answered " + std::to_string(answered->status);
}

bool cancelled(const error& why) {
    return why.code() == errc::cancelled;
}

bool moved(const event_filter& event_filter, const event_position& from, const event_position& to) {
    return from.events != to.events || (event_filter.returns && from.tasks != to.tasks);
}

}  // namespace

result<std::shared_ptr<const net::tls_client>> webhook_dispatcher::tls_for(
    const webhook_record& hook) const {
    TRY(const auto address, http::parse_url(hook.url));
    if (address.over == http::url::security::none) return std::shared_ptr<const net::tls_client>();
    auto pem = hook.authorities;
    if (pem.empty()) {
        auto read = os::load_file(options_.authorities);
        if (!read)
            return fail(
                errc::unavailable,
                "the server has no certificates of authorities; install the package "
                "ca-certificates, set outbound.ca, or give the webhook a `ca`");
        pem = std::move(*read);
    }
    TRY(auto trusted, pki::certificate::chain_from_pem(pem));
    return net::tls_client::make(
        {.trusted = net::trusted_authorities{std::move(trusted)}, .protocols = {"http/1.1"}});
}

async<void> webhook_dispatcher::save(errand_ptr errand_ptr, webhook_progress next) {
    CO_TRY(
        errand_ptr->what.saved,
        co_await deps_.webhooks.save(errand_ptr->what.hook.name, next, errand_ptr->what.saved));
    errand_ptr->what.progress = std::move(next);
    errand_ptr->noted = deps_.clock.now();
    co_return result<void>();
}

// Nothing for it up to there. The place is noted now and then, so that a later courier need not
// read all of it again; it is no loss if it must.
async<void> webhook_dispatcher::pass(errand_ptr errand_ptr, event_position next) {
    const bool news = moved(errand_ptr->wanted, errand_ptr->what.progress.position, next);
    errand_ptr->what.progress = passed(errand_ptr->what.progress, next);
    if (!news || deps_.clock.now() < errand_ptr->noted + options_.note_interval)
        co_return result<void>();
    co_return co_await save(errand_ptr, errand_ptr->what.progress);
}

// The name may have come to stand for another address since the last time.
async<http::answer> webhook_dispatcher::post(
    std::string url, http::outgoing message, http::client* through) {
    CO_CHECK_OK(co_await deps_.addresses.check_reached(std::move(url)));
    co_return co_await through->send(std::move(message));
}

async<void> webhook_dispatcher::send(
    errand_ptr errand_ptr, event_log::page page, http::client* through) {
    const auto count = page.items.size();
    const auto next = page.next;
    const webhook_request parcel{
        .since = errand_ptr->what.progress.position, .next = next, .items = std::move(page.items)};
    auto message = webhook_message(errand_ptr->what.hook, parcel, deps_.names, deps_.clock.wall());
    const auto answered = co_await post(errand_ptr->what.hook.url, std::move(message), through);
    if (!answered && cancelled(answered.error())) co_return fail(answered.error());
    auto why = complaint(answered);
    if (why.empty()) {
        counted_.delivered += count;
        const delivery done{
            .next = next, .events = static_cast<std::int64_t>(count), .at = deps_.clock.wall()};
        co_return co_await save(errand_ptr, delivered(errand_ptr->what.progress, done));
    }
    auto detail = answered ? why : answered.error().detail();
    co_return co_await note_failure(errand_ptr, std::move(why), std::move(detail));
}

// `why` is for everybody, `detail` for those who read the server's log.
async<void> webhook_dispatcher::note_failure(
    errand_ptr errand_ptr, std::string why, std::string detail) {
    ++counted_.failures;
    const auto after =
        failed(errand_ptr->what.progress, std::move(why), deps_.clock.wall(), options_.policy);
    if (after.failures == 1 || after.given_up)
        deps_.log.warning(
            after.given_up ? "a webhook is given up until somebody resumes it"
                           : "a webhook's receiver does not take its events",
            {{"webhook", errand_ptr->what.hook.name}, {"reason", detail}});
    CO_CHECK_OK(co_await save(errand_ptr, after));
    const auto pause = pause_after(after, options_.policy, random_);
    const auto woken = co_await within(deps_.clock, pause, errand_ptr->wake.wait());
    if (!woken && cancelled(woken.error())) co_return fail(woken.error());
    co_return result<void>();
}

// It cannot be served as this server is set up, which may change: somebody looks again later.
async<void> webhook_dispatcher::put_off(errand_ptr errand_ptr, std::string why) {
    if (errand_ptr->what.progress.failures == 0)
        deps_.log.warning(
            "a webhook cannot be served",
            {{"webhook", errand_ptr->what.hook.name}, {"reason", why}});
    auto after =
        failed(errand_ptr->what.progress, std::move(why), deps_.clock.wall(), options_.policy);
    CO_CHECK_OK(co_await save(errand_ptr, std::move(after)));
    const auto woken =
        co_await within(deps_.clock, options_.policy.longest_pause, errand_ptr->wake.wait());
    if (!woken && cancelled(woken.error())) co_return fail(woken.error());
    co_return result<void>();
}

async<void> webhook_dispatcher::give_up(errand_ptr errand_ptr, std::string why) {
    deps_.log.error(
        "a webhook is given up: it cannot go on from where it is",
        {{"webhook", errand_ptr->what.hook.name}, {"reason", why}});
    co_return co_await save(
        errand_ptr, given_up(errand_ptr->what.progress, std::move(why), deps_.clock.wall()));
}

async<void> webhook_dispatcher::turn(errand_ptr errand_ptr, http::client* through) {
    const auto from = errand_ptr->what.progress.position;
    auto page = co_await deps_.events.read(errand_ptr->wanted, from, options_.batch);
    if (!page) {
        const auto code = page.error().code();
        if (code == errc::cancelled) co_return fail(page.error());
        if (code == errc::invalid)
            co_return co_await give_up(
                errand_ptr,
                "its place is ahead of all events: the ledger was restored from a copy; remove "
                "the webhook and add it again");
        if (code == errc::corrupt)
            co_return co_await note_failure(
                errand_ptr,
                "the next events cannot be read from the ledger",
                page.error().detail());
        co_return co_await deps_.clock.sleep_for(pause_after_failure);
    }
    if (!page->items.empty()) co_return co_await send(errand_ptr, std::move(*page), through);
    const bool more = page->more;
    CO_CHECK_OK(co_await pass(errand_ptr, page->next));
    if (more) co_return result<void>();
    const auto waited = co_await deps_.watcher.wait(
        errand_ptr->wanted, errand_ptr->what.progress.position, options_.timeout);
    if (!waited && cancelled(waited.error())) co_return fail(waited.error());
    if (!waited) co_return co_await deps_.clock.sleep_for(pause_after_failure);
    co_return result<void>();
}

result<std::shared_ptr<const net::tls_client>> webhook_dispatcher::prepare(
    webhook_delivery& webhook_delivery) const {
    TRY(webhook_delivery.wanted, filter_of(webhook_delivery.what.hook.kinds));
    CHECK_OK(deps_.addresses.check(webhook_delivery.what.hook.url));
    return tls_for(webhook_delivery.what.hook);
}

asio::awaitable<void> webhook_dispatcher::serve(errand_ptr errand_ptr) {
    auto tls = prepare(*errand_ptr);
    result<void> done;
    if (!tls) {
        done = co_await put_off(errand_ptr, tls.error().detail());
    } else {
        http::client through(
            {.clock = &deps_.clock, .tls = std::move(*tls), .allowed = options_.limits});
        while (done && !errand_ptr->stop && !errand_ptr->what.progress.given_up)
            done = co_await turn(errand_ptr, &through);
    }
    errand_ptr->over = true;
    // A conflict is somebody else's progress: whoever looks next goes on from there.
    if (!done && done.error().code() != errc::conflict && !cancelled(done.error()))
        deps_.log.warning(
            "a webhook is not served for a moment",
            {{"webhook", errand_ptr->what.hook.name}, {"reason", to_string(done.error())}});
}

void webhook_dispatcher::begin(webhook_store::entry entry, runtime::task_group& work) {
    auto one = std::make_shared<webhook_delivery>();
    one->what = std::move(entry);
    one->noted = deps_.clock.now();
    served_[one->what.hook.name] = one;
    work.spawn("serve webhook " + one->what.hook.name, serve(one));
}

void webhook_dispatcher::stop_all() {
    for (auto& [name, each] : served_) {
        each->stop = true;
        each->wake.ring();
    }
}

// What is spawned into a group that was cancelled would never end.
async<void> webhook_dispatcher::look_at(
    webhook_store::sighting sighting, runtime::task_group& work) {
    const auto it = served_.find(sighting.name);
    if (it != served_.end()) {
        // Made anew, or somebody has changed how far it is.
        auto& one = *it->second;
        if (sighting.made == one.what.made && sighting.saved <= one.what.saved)
            co_return result<void>();
        one.stop = true;
        one.wake.ring();
        co_return result<void>();
    }
    if (sighting.progress.given_up) co_return result<void>();
    auto existing = known_.find(sighting.name);
    if (existing == known_.end() || existing->second.made != sighting.made) {
        auto read = co_await deps_.webhooks.find(sighting.name);
        if (!read && read.error().code() == errc::not_found) co_return result<void>();
        if (!read) co_return fail(read.error());
        existing = known_.insert_or_assign(sighting.name, *std::move(read)).first;
    }
    const auto state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none)
        co_return fail(errc::cancelled, "the server stops");
    auto one = existing->second;
    if (one.saved <= sighting.saved) {
        one.progress = std::move(sighting.progress);
        one.saved = sighting.saved;
    }
    begin(std::move(one), work);
    co_return result<void>();
}

async<void> webhook_dispatcher::look(runtime::task_group& work) {
    CO_TRY(auto all, co_await deps_.webhooks.look());
    std::erase_if(served_, [](const auto& each) { return each.second->over; });
    std::set<std::string> there;
    std::uint64_t failing = 0;
    for (auto& each : all) {
        there.insert(each.name);
        if (each.progress.failures > 0) ++failing;
        CO_CHECK_OK(co_await look_at(std::move(each), work));
    }
    for (auto& [name, each] : served_) {
        if (there.contains(name)) continue;
        each->stop = true;
        each->wake.ring();
    }
    std::erase_if(known_, [&](const auto& each) { return !there.contains(each.first); });
    counted_.failing = failing;
    co_return result<void>();
}

asio::awaitable<void> webhook_dispatcher::run(
    const std::atomic<bool>& active, runtime::task_group& work) {
    while (true) {
        if (active) {
            const auto looked = co_await look(work);
            if (!looked && looked.error().code() == errc::cancelled) co_return;
            if (!looked)
                deps_.log.debug("webhooks cannot be read", {{"reason", to_string(looked.error())}});
        } else {
            stop_all();
            counted_.failing = 0;
        }
        const auto slept = co_await deps_.clock.sleep_for(options_.look);
        if (!slept) co_return;
    }
}

void webhook_dispatcher::export_to(runtime::metrics& where) const {
    where.watch_counter(
        {"muster_webhook_events_total", "Events that receivers of webhooks have taken."},
        [this] { return static_cast<double>(counted_.delivered.load()); });
    where.watch_counter(
        {"muster_webhook_failures_total", "Attempts that receivers of webhooks did not take."},
        [this] { return static_cast<double>(counted_.failures.load()); });
    where.watch_gauge(
        {"muster_webhooks_failing", "Webhooks whose receiver does not take its events now."},
        [this] { return static_cast<double>(counted_.failing.load()); });
}

}  // namespace muster::events
