#include "services/events/courier.h"

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
                "the server has no certificates of authorities; install the package "
                "ca-certificates, set outbound.ca, or give the webhook a `ca`");
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

// The name may have come to stand for another address since the last time.
async<http::answer> courier::post(std::string url, http::outgoing message, http::client* through) {
    CO_CHECK_OK(co_await around_.gate.check_reached(std::move(url)));
    co_return co_await through->send(std::move(message));
}

async<void> courier::send(errand_ptr one, event_log::page page, http::client* through) {
    const auto count = page.items.size();
    const auto next = page.next;
    const webhook_parcel parcel{
        .since = one->what.progress.position, .next = next, .items = std::move(page.items)};
    auto message = webhook_message(one->what.hook, parcel, around_.names, around_.time.wall());
    const auto answered = co_await post(one->what.hook.url, std::move(message), through);
    if (!answered && cancelled(answered.error())) co_return fail(answered.error());
    auto why = complaint(answered);
    if (why.empty()) {
        counted_.delivered += count;
        const delivery done{
            .next = next, .events = static_cast<std::int64_t>(count), .at = around_.time.wall()};
        co_return co_await save(one, delivered(one->what.progress, done));
    }
    auto detail = answered ? why : answered.error().detail();
    co_return co_await note_failure(one, std::move(why), std::move(detail));
}

// `why` is for everybody, `detail` for those who read the server's log.
async<void> courier::note_failure(errand_ptr one, std::string why, std::string detail) {
    ++counted_.failures;
    const auto after = failed(one->what.progress, std::move(why), around_.time.wall(), how_.policy);
    if (after.failures == 1 || after.given_up)
        around_.log.warning(
            after.given_up ? "a webhook is given up until somebody resumes it"
                           : "a webhook's receiver does not take its events",
            {{"webhook", one->what.hook.name}, {"reason", detail}});
    CO_CHECK_OK(co_await save(one, after));
    const auto pause = pause_after(after, how_.policy, random_);
    const auto woken = co_await within(around_.time, pause, one->wake.wait());
    if (!woken && cancelled(woken.error())) co_return fail(woken.error());
    co_return result<void>();
}

// It cannot be served as this server is set up, which may change: somebody looks again later.
async<void> courier::put_off(errand_ptr one, std::string why) {
    if (one->what.progress.failures == 0)
        around_.log.warning(
            "a webhook cannot be served", {{"webhook", one->what.hook.name}, {"reason", why}});
    auto after = failed(one->what.progress, std::move(why), around_.time.wall(), how_.policy);
    CO_CHECK_OK(co_await save(one, std::move(after)));
    const auto woken = co_await within(around_.time, how_.policy.longest_pause, one->wake.wait());
    if (!woken && cancelled(woken.error())) co_return fail(woken.error());
    co_return result<void>();
}

async<void> courier::give_up(errand_ptr one, std::string why) {
    around_.log.error(
        "a webhook is given up: it cannot go on from where it is",
        {{"webhook", one->what.hook.name}, {"reason", why}});
    co_return co_await save(one, given_up(one->what.progress, std::move(why), around_.time.wall()));
}

async<void> courier::turn(errand_ptr one, http::client* through) {
    const auto from = one->what.progress.position;
    auto page = co_await around_.events.read(one->wanted, from, how_.batch);
    if (!page) {
        const auto code = page.error().code();
        if (code == errc::cancelled) co_return fail(page.error());
        if (code == errc::invalid)
            co_return co_await give_up(
                one,
                "its place is ahead of all events: the ledger was restored from a copy; remove "
                "the webhook and add it again");
        if (code == errc::corrupt)
            co_return co_await note_failure(
                one, "the next events cannot be read from the ledger", page.error().detail());
        co_return co_await around_.time.sleep_for(pause_after_failure);
    }
    if (!page->items.empty()) co_return co_await send(one, std::move(*page), through);
    const bool more = page->more;
    CO_CHECK_OK(co_await pass(one, page->next));
    if (more) co_return result<void>();
    const auto waited =
        co_await around_.tail.wait(one->wanted, one->what.progress.position, how_.patience);
    if (!waited && cancelled(waited.error())) co_return fail(waited.error());
    if (!waited) co_return co_await around_.time.sleep_for(pause_after_failure);
    co_return result<void>();
}

result<std::shared_ptr<const net::tls_client>> courier::prepare(errand& one) const {
    TRY(one.wanted, filter_of(one.what.hook.kinds));
    CHECK_OK(around_.gate.check(one.what.hook.url));
    return tls_for(one.what.hook);
}

asio::awaitable<void> courier::serve(errand_ptr one) {
    auto tls = prepare(*one);
    result<void> done;
    if (!tls) {
        done = co_await put_off(one, tls.error().detail());
    } else {
        http::client through(
            {.time = &around_.time, .tls = std::move(*tls), .allowed = how_.limits});
        while (done && !one->stop && !one->what.progress.given_up)
            done = co_await turn(one, &through);
    }
    one->over = true;
    // A conflict is somebody else's progress: whoever looks next goes on from there.
    if (!done && done.error().code() != errc::conflict && !cancelled(done.error()))
        around_.log.warning(
            "a webhook is not served for a moment",
            {{"webhook", one->what.hook.name}, {"reason", to_string(done.error())}});
}

void courier::begin(webhook_book::entry what, runtime::task_group& work) {
    auto one = std::make_shared<errand>();
    one->what = std::move(what);
    one->noted = around_.time.now();
    served_[one->what.hook.name] = one;
    work.spawn("serve webhook " + one->what.hook.name, serve(one));
}

void courier::stop_all() {
    for (auto& [name, each] : served_) {
        each->stop = true;
        each->wake.ring();
    }
}

// What is spawned into a group that was cancelled would never end.
async<void> courier::look_at(webhook_book::sighting seen, runtime::task_group& work) {
    const auto found = served_.find(seen.name);
    if (found != served_.end()) {
        // Made anew, or somebody has changed how far it is.
        auto& one = *found->second;
        if (seen.made == one.what.made && seen.saved <= one.what.saved) co_return result<void>();
        one.stop = true;
        one.wake.ring();
        co_return result<void>();
    }
    if (seen.progress.given_up) co_return result<void>();
    auto known = known_.find(seen.name);
    if (known == known_.end() || known->second.made != seen.made) {
        auto read = co_await around_.book.find(seen.name);
        if (!read && read.error().code() == errc::not_found) co_return result<void>();
        if (!read) co_return fail(read.error());
        known = known_.insert_or_assign(seen.name, *std::move(read)).first;
    }
    const auto state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none)
        co_return fail(errc::cancelled, "the server stops");
    auto one = known->second;
    if (one.saved <= seen.saved) {
        one.progress = std::move(seen.progress);
        one.saved = seen.saved;
    }
    begin(std::move(one), work);
    co_return result<void>();
}

async<void> courier::look(runtime::task_group& work) {
    CO_TRY(auto all, co_await around_.book.look());
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
