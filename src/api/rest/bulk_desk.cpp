#include "api/rest/bulk_desk.h"

#include "adapters/net/http/events.h"
#include "adapters/os/random.h"
#include "base/hex.h"
#include "base/iso_time.h"
#include "ports/deadline.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <utility>

namespace muster::api {
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
    members.emplace("made", iso_time(shown.made));
    if (shown.ended) members.emplace("ended", iso_time(*shown.ended));
    if (!shown.failure.empty()) members.emplace("error", shown.failure);
    return members;
}

std::optional<std::int64_t> number_in(const std::optional<system_number>& which) {
    return which ? std::optional(which->value()) : std::nullopt;
}

deed deed_of(const call& asked, const bulk_desk::change& what, std::string outcome) {
    return {
        .who = asked.who().user,
        .what = asked.operation().name,
        .origin = asked.who().origin,
        .outcome = std::move(outcome),
        .detail = what.detail,
        .system = number_in(asked.note()->system)};
}

std::string counts_in_words(const fleet::tally& counted) {
    return fmt::format(
        "; changed {}, unchanged {}, failed {}",
        counted.changed,
        counted.unchanged,
        counted.failed);
}

async<void> record_end(call asked, bulk_desk::change what, operation::report ended) {
    auto done = deed_of(asked, what, ended.failure.empty() ? "done" : "refused");
    done.detail += counts_in_words(ended.counted) + " " + ended.failure;
    auto& desk = asked.desk();
    co_return co_await within(desk.time, engine_patience, desk.audit.record(std::move(done)));
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

reply progress_of(std::shared_ptr<const operation> shown, clock& time) {
    reply made;
    made.stream = [shown = std::move(shown), &time](http::event_writer to) {
        return send_progress(to, shown, &time);
    };
    return made;
}

async<fleet::registrar::targets> given(fleet::registrar::targets which) {
    co_return which;
}

}  // namespace

result<target_list> bulk_desk::read_targets(const call& asked) {
    target_list which{.query = asked.optional_text("query"), .prints = {}};
    const auto prints = asked.optional_texts("fingerprints");
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

result<void> bulk_desk::check_zones(
    const call& asked, const target_list& which, const std::set<enrolment>& stages) const {
    if (!asked.zones()) return {};
    const bool pool_too = stages.contains(enrolment::pooled);
    for (const auto& each : which.prints) {
        const auto record = around_.known.find(each);
        if (!record) return fail(errc::not_found, "there is no system " + each.str());
        if (record->zone.empty() && !pool_too)
            return fail(
                errc::denied,
                fmt::format(
                    "{} means systems that were accepted; {} is {}",
                    asked.operation().name,
                    each.str(),
                    to_string(record->stage)));
        if (!record->zone.empty() && !asked.may_in(record->zone))
            return fail(
                errc::denied,
                fmt::format(
                    "{} needs the right {} in zone {}",
                    asked.operation().name,
                    to_string(asked.operation().needed),
                    record->zone));
    }
    return {};
}

async<reply> bulk_desk::carry_out(call asked, target_list which, change what) {
    if (!around_.known.complete())
        co_return fail(errc::unavailable, "the server is still reading the fleet");
    CO_CHECK_OK(check_zones(asked, which, what.stages));
    const bool few = !which.query && which.prints.size() <= at_once_max;
    what.detail += which.query ? fmt::format(" query {}", *which.query)
                               : fmt::format(" {} systems", which.prints.size());
    if (which.prints.size() == 1) {
        const auto record = around_.known.find(which.prints.front());
        if (record && record->number) asked.set_system(record->number);
        what.detail += " " + which.prints.front().str();
    }
    if (few && !asked.wants_events)
        co_return co_await at_once(std::move(asked), std::move(which), std::move(what));
    co_return co_await as_operation(std::move(asked), std::move(which), std::move(what));
}

async<reply> bulk_desk::at_once(call asked, target_list which, change what) {
    asked.set_subject(what.detail);
    CO_TRY(
        const auto done,
        co_await within(
            around_.time, engine_patience, what.perform(std::move(which.prints), nullptr)));
    asked.set_subject(what.detail + counts_in_words(done));
    auto members = counts(done);
    members.emplace("state", "done");
    co_return reply{std::move(members)};
}

async<reply> bulk_desk::as_operation(call asked, target_list which, change what) {
    fleet::selection chosen{.stages = what.stages, .where = around_.where, .zones = asked.zones()};
    if (which.query) {
        CO_TRY(chosen.wanted, parse(*which.query));
    }
    CO_CHECK_OK(co_await within(
        around_.time, engine_patience, asked.desk().audit.record(deed_of(asked, what, "started"))));
    fleet::operations::task task{.what = asked.operation().name, .by = asked.who().user};
    task.find = [this, chosen, which]() -> async<fleet::registrar::targets> {
        if (which.query)
            return fleet::select_all(
                {.known = around_.known, .found = around_.found}, chosen, targets_max);
        return given(which.prints);
    };
    task.perform = what.perform;
    task.record = [asked, what](operation::report ended) {
        return record_end(asked, what, std::move(ended));
    };
    CO_TRY(
        const auto shown,
        around_.running.start(to_hex(os::random_bytes(id_bytes)), std::move(task)));
    if (asked.wants_events) {
        auto watched = progress_of(shown, around_.time);
        watched.recorded = true;
        co_return watched;
    }
    const auto until = around_.time.now() + quick;
    while (!shown->read().over() && around_.time.now() < until) {
        CO_CHECK_OK(co_await around_.time.sleep_for(quick_look));
    }
    const auto now = shown->read();
    co_return reply{
        .content = told(now),
        .fields = {{"location", address_of(now.id)}},
        .recorded = true,
        .status = now.over() ? 200 : 202};
}

result<std::shared_ptr<const operation>> bulk_desk::find(const call& asked) const {
    const auto& id = asked.text("operation");
    auto shown = around_.running.find(id);
    const bool hidden = shown && asked.zones() && shown->read().by != asked.who().user;
    if (!shown || hidden) return fail(errc::not_found, "this server knows no operation " + id);
    return shown;
}

result<reply> bulk_desk::show(const call& asked) const {
    TRY(const auto shown, find(asked));
    return reply{told(shown->read())};
}

result<reply> bulk_desk::follow(const call& asked) const {
    TRY(auto shown, find(asked));
    return progress_of(std::move(shown), around_.time);
}

}  // namespace muster::api
