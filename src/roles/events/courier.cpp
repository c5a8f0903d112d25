#include "roles/events/courier.h"

#include "adapters/net/http/url.h"
#include "adapters/os/file.h"
#include "adapters/pki/certificate.h"
#include "ports/deadline.h"
#include "roles/events/webhook_message.h"

#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace muster::events {
namespace {

namespace asio = boost::asio;
namespace http = net::http;

constexpr auto pause_after_failure = std::chrono::seconds(1);  // of an engine

// What became of a POST; empty: the receiver has taken it. Of its answer only the number is told.
std::string complaint(const result<http::answer>& answered) {
    if (!answered) return answered.error().detail();
    if (answered->status >= 200 && answered->status < 300) return {};
    return "the receiver answered with " + std::to_string(answered->status);
}

bool moved(const event_filter& wanted, const event_position& from, const event_position& to) {
    return from.events != to.events || (wanted.returns && from.tasks != to.tasks);
}

}  // namespace

result<std::shared_ptr<const net::tls_client>> courier::tls_for(const webhook_record& hook) const {
    TRY(const auto address, http::parse_url(hook.url));
    if (address.over == http::url::security::none) return std::shared_ptr<const net::tls_client>();
    auto pem = hook.authorities;
    if (pem.empty()) {
        auto read = os::load_file(how_.authorities);
        if (!read)
            return fail(
                errc::unavailable,
                "this server has no certificates of authorities in " + how_.authorities.string()
                    + "; install the package ca-certificates or give the webhook a `ca`");
        pem = std::move(*read);
    }
    TRY(auto trusted, pki::certificate::chain_from_pem(pem));
    return net::tls_client::make(
        {.trusted = net::trusted_authorities{std::move(trusted)}, .protocols = {"http/1.1"}});
}

async<void> courier::save(errand_ptr one, webhook_progress next) {
    CO_TRY(one->what.saved, co_await around_.book.save(one->what.hook.name, next, one->what.saved));
    one->what.progress = std::move(next);
    one->noted = around_.time.now();
    co_return result<void>();
}

// Nothing for it up to there. The place is noted now and then, so that a later courier need not
// read all of it again; it is no loss if it must.
async<void> courier::pass(errand_ptr one, event_position next) {
    const bool news = moved(one->wanted, one->what.progress.position, next);
    one->what.progress = passed(one->what.progress, next);
    if (!news || around_.time.now() < one->noted + how_.note_interval) co_return result<void>();
    co_return co_await save(one, one->what.progress);
}

async<void> courier::send(errand_ptr one, event_log::page page, http::client* through) {
    const auto count = page.items.size();
    const auto next = page.next;
    const webhook_parcel parcel{
        .since = one->what.progress.position, .next = next, .items = std::move(page.items)};
    auto message = webhook_message(one->what.hook, parcel, around_.names, around_.time.wall());
    const auto answered = co_await through->send(std::move(message));
    if (!answered && answered.error().code() == errc::cancelled) co_return fail(answered.error());
    const auto now = around_.time.wall();
    const auto why = complaint(answered);
    if (why.empty()) {
        counted_.delivered += count;
        const delivery done{.next = next, .events = static_cast<std::int64_t>(count), .at = now};
        co_return co_await save(one, delivered(one->what.progress, done));
    }
    ++counted_.failures;
    auto after = failed(one->what.progress, why, now, how_.policy);
    if (after.failures == 1 || after.given_up)
        around_.log.warning(
            after.given_up ? "a webhook is given up until somebody resumes it"
                           : "a webhook's receiver does not take its events",
            {{"webhook", one->what.hook.name}, {"reason", why}});
    CO_CHECK_OK(co_await save(one, after));
    const auto pause = pause_after(after, how_.policy, random_);
    const auto woken = co_await within(around_.time, pause, one->wake.wait());
    if (!woken && woken.error().code() == errc::cancelled) co_return fail(woken.error());
    co_return result<void>();
}

async<void> courier::turn(errand_ptr one, http::client* through) {
    const auto from = one->what.progress.position;
    auto page = co_await around_.events.read(one->wanted, from, how_.batch);
    if (!page && page.error().code() == errc::invalid) co_return fail(page.error());
    if (!page && page.error().code() == errc::cancelled) co_return fail(page.error());
    if (!page) co_return co_await around_.time.sleep_for(pause_after_failure);
    if (!page->items.empty()) co_return co_await send(one, std::move(*page), through);
    const bool more = page->more;
    CO_CHECK_OK(co_await pass(one, page->next));
    if (more) co_return result<void>();
    const auto waited =
        co_await around_.events.wait(one->wanted, one->what.progress.position, how_.patience);
    if (!waited && waited.error().code() == errc::cancelled) co_return fail(waited.error());
    if (!waited) co_return co_await around_.time.sleep_for(pause_after_failure);
    co_return result<void>();
}

asio::awaitable<void> courier::serve(errand_ptr one) {
    auto tls = tls_for(one->what.hook);
    result<void> done;
    if (!tls) {
        const auto now = around_.time.wall();
        done =
            co_await save(one, failed(one->what.progress, tls.error().detail(), now, how_.policy));
        if (done) done = co_await within(around_.time, how_.policy.longest_pause, one->wake.wait());
    } else {
        http::client through(
            {.time = &around_.time, .tls = std::move(*tls), .allowed = how_.limits});
        while (done && !one->stop && !one->what.progress.given_up)
            done = co_await turn(one, &through);
    }
    one->over = true;
    // A conflict is somebody else's progress: whoever looks next goes on from there.
    if (!done && done.error().code() != errc::conflict && done.error().code() != errc::cancelled)
        around_.log.warning(
            "a webhook is not served for a moment",
            {{"webhook", one->what.hook.name}, {"reason", to_string(done.error())}});
}

bool courier::begin(webhook_book::entry what, runtime::task_group& work) {
    auto wanted = filter_of(what.hook.kinds);
    if (!wanted) {
        around_.log.error(
            "a webhook's kinds are not known here",
            {{"webhook", what.hook.name}, {"reason", wanted.error().detail()}});
        return false;
    }
    auto one = std::make_shared<errand>();
    one->what = std::move(what);
    one->wanted = std::move(*wanted);
    one->noted = around_.time.now();
    served_[one->what.hook.name] = one;
    work.spawn("serve webhook " + one->what.hook.name, serve(one));
    return true;
}

void courier::stop_all() {
    for (auto& [name, each] : served_) {
        each->stop = true;
        each->wake.ring();
    }
}

async<void> courier::look(runtime::task_group& work) {
    CO_TRY(auto all, co_await around_.book.all());
    // What is spawned into a group that was cancelled would never end.
    const auto state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none)
        co_return fail(errc::cancelled, "the server stops");
    std::erase_if(served_, [](const auto& each) { return each.second->over; });
    std::set<std::string> there;
    std::uint64_t failing = 0;
    for (auto& each : all) {
        there.insert(each.hook.name);
        if (each.progress.failures > 0) ++failing;
        const auto found = served_.find(each.hook.name);
        if (found == served_.end()) {
            if (!each.progress.given_up) begin(std::move(each), work);
            continue;
        }
        // Made anew, or somebody has changed how far it is.
        auto& one = *found->second;
        if (each.made == one.what.made && each.saved <= one.what.saved) continue;
        one.stop = true;
        one.wake.ring();
    }
    for (auto& [name, each] : served_) {
        if (there.contains(name)) continue;
        each->stop = true;
        each->wake.ring();
    }
    counted_.failing = failing;
    co_return result<void>();
}

asio::awaitable<void> courier::run(std::function<bool()> active, runtime::task_group& work) {
    while (true) {
        if (active()) {
            const auto looked = co_await look(work);
            if (!looked && looked.error().code() == errc::cancelled) co_return;
            if (!looked)
                around_.log.debug(
                    "webhooks cannot be read", {{"reason", to_string(looked.error())}});
        } else {
            stop_all();
            counted_.failing = 0;
        }
        const auto slept = co_await around_.time.sleep_for(how_.look);
        if (!slept) co_return;
    }
}

void courier::export_to(runtime::metrics& where) const {
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
