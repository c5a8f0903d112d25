#include "roles/gateway/bulk_desk.h"

#include "adapters/net/http/events.h"
#include "adapters/os/random.h"
#include "base/hex.h"
#include "ports/deadline.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <utility>

namespace muster::gateway {
namespace {

using namespace std::chrono_literals;
namespace http = net::http;
namespace json = boost::json;
using fleet::operation;

constexpr std::size_t at_once_max = 1'000;
constexpr std::size_t targets_max = 10'000'000;
constexpr std::size_t id_bytes = 8;
constexpr auto quick = 500ms;  // an operation that ends within this is answered whole
constexpr auto quick_look = 20ms;
constexpr auto progress_look = 200ms;

std::string address_of(const std::string& id) {
    return "/api/v1/operations/" + id;
}

json::object counts(const fleet::tally& counted) {
    json::array reasons;
    for (const auto& each : counted.reasons) reasons.emplace_back(each);
    return {
        {"changed", counted.changed},
        {"unchanged", counted.unchanged},
        {"failed", counted.failed},
        {"reasons", std::move(reasons)}};
}

json::object told(const operation::report& shown) {
    auto members = counts(shown.counted);
    members.emplace("id", shown.id);
    members.emplace("href", address_of(shown.id));
    members.emplace("what", shown.what);
    members.emplace("by", shown.by);
    members.emplace("state", json::string_view(to_string(shown.now)));
    members.emplace("total", shown.total);
    members.emplace("done", shown.seen);
    members.emplace("made", cluster::iso_time(shown.made));
    if (shown.ended) members.emplace("ended", cluster::iso_time(*shown.ended));
    if (!shown.failure.empty()) members.emplace("error", shown.failure);
    return members;
}

deed deed_of(const visitor& who, const bulk_desk::change& what, std::string outcome) {
    return {
        .who = who.user,
        .what = what.what,
        .origin = who.origin,
        .outcome = std::move(outcome),
        .detail = what.detail};
}

async<void> record_end(visitor who, bulk_desk::change what, operation::report ended) {
    auto done = deed_of(who, what, ended.failure.empty() ? "done" : "refused");
    done.detail += fmt::format(
        "; changed {}, unchanged {}, failed {} {}",
        ended.counted.changed,
        ended.counted.unchanged,
        ended.counted.failed,
        ended.failure);
    co_return co_await within(who.desk->time, engine_patience, who.desk->audit.record(done));
}

async<void> send_progress(
    http::event_writer to, std::shared_ptr<const operation> shown, clock* time) {
    while (true) {
        const auto now = shown->read();
        http::event next{
            .data = json::serialize(told(now)), .name = now.over() ? "end" : "progress"};
        CO_CHECK_OK(co_await to.send(std::move(next)));
        if (now.over()) co_return result<void>();
        CO_CHECK_OK(co_await to.next(time->sleep_for(progress_look)));
    }
}

http::response progress_of(std::shared_ptr<const operation> shown, clock& time) {
    return http::event_stream([shown = std::move(shown), &time](http::event_writer to) {
        return send_progress(to, shown, &time);
    });
}

async<fleet::registrar::targets> given(fleet::registrar::targets which) {
    co_return which;
}

bool wants_events(const http::request& asked) {
    return asked.field("accept").value_or("").find("text/event-stream") != std::string_view::npos;
}

}  // namespace

result<target_list> bulk_desk::read_targets(json_body& body) {
    target_list which;
    TRY(which.query, body.optional_text("query"));
    TRY(const auto prints, body.optional_list("fingerprints"));
    if (which.query.has_value() == prints.has_value())
        return fail(errc::invalid, "say which systems: either `query` or `fingerprints`");
    if (which.query && which.query->empty())
        return fail(errc::invalid, "`query` is empty; for all systems, say *");
    if (!prints) return which;
    for (const auto& each : *prints) {
        TRY(const auto print, fingerprint::parse(each));
        which.prints.push_back(print);
    }
    return which;
}

result<std::shared_ptr<const targeting::query>> bulk_desk::parse(const std::string& text) const {
    auto parsed = around_.groups.parse(text);
    if (!parsed) return fail(parsed.error().within("the query"));
    return std::make_shared<const targeting::query>(std::move(*parsed));
}

async<http::response> bulk_desk::carry_out(
    http::request asked, visitor who, target_list which, change what) {
    if (!around_.known.complete())
        co_return fail(errc::unavailable, "the server is still reading the fleet");
    const bool watch = wants_events(asked);
    const bool few = !which.query && which.prints.size() <= at_once_max;
    what.detail += which.query ? fmt::format(" query {}", *which.query)
                               : fmt::format(" {} systems", which.prints.size());
    if (which.prints.size() == 1) what.detail += " " + which.prints.front().str();
    if (few && !watch)
        co_return co_await at_once(std::move(who), std::move(which), std::move(what));
    co_return co_await as_operation(std::move(who), std::move(which), std::move(what), watch);
}

async<http::response> bulk_desk::at_once(visitor who, target_list which, change what) {
    const auto done = co_await within(
        around_.time, engine_patience, what.perform(std::move(which.prints), nullptr));
    operation::report ended;
    if (done) ended.counted = *done;
    if (!done) ended.failure = done.error().detail();
    const auto recorded = co_await record_end(std::move(who), std::move(what), std::move(ended));
    if (!done) co_return refused(done.error());
    if (!recorded) co_return refused(recorded.error());
    auto members = counts(*done);
    members.emplace("state", "done");
    co_return no_store(http::json(200, json::serialize(members)));
}

async<http::response> bulk_desk::as_operation(
    visitor who, target_list which, change what, bool watch) {
    fleet::selection chosen{.stages = what.stages, .where = around_.where};
    if (which.query) {
        CO_TRY(chosen.wanted, parse(*which.query));
    }
    const auto begun = co_await within(
        around_.time, engine_patience, who.desk->audit.record(deed_of(who, what, "started")));
    if (!begun) co_return refused(begun.error());
    fleet::operations::task task{.what = what.what, .by = who.user};
    task.find = [this, chosen, which]() -> async<fleet::registrar::targets> {
        if (which.query)
            return fleet::select_all(
                {.known = around_.known, .found = around_.found}, chosen, targets_max);
        return given(which.prints);
    };
    task.perform = what.perform;
    task.record = [who, what](operation::report ended) {
        return record_end(who, what, std::move(ended));
    };
    CO_TRY(
        const auto shown,
        around_.running.start(to_hex(os::random_bytes(id_bytes)), std::move(task)));
    if (watch) co_return progress_of(shown, around_.time);
    const auto until = around_.time.now() + quick;
    while (!shown->read().over() && around_.time.now() < until) {
        CO_CHECK_OK(co_await around_.time.sleep_for(quick_look));
    }
    const auto now = shown->read();
    auto answer = no_store(http::json(now.over() ? 200 : 202, json::serialize(told(now))));
    answer.fields.emplace_back("location", address_of(now.id));
    co_return answer;
}

http::response bulk_desk::show(const std::string& id) const {
    const auto shown = around_.running.find(id);
    if (!shown) return http::problem(404, "this server knows no operation " + id);
    return no_store(http::json(200, json::serialize(told(shown->read()))));
}

http::response bulk_desk::follow(const std::string& id) const {
    auto shown = around_.running.find(id);
    if (!shown) return http::problem(404, "this server knows no operation " + id);
    return progress_of(std::move(shown), around_.time);
}

}  // namespace muster::gateway
