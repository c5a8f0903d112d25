#include "api/rest/bulk_change_service.h"

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

constexpr std::size_t at_once_max = 1'000;
constexpr std::size_t targets_max = 10'000'000;
constexpr std::size_t id_bytes = 8;
constexpr auto quick = 500ms;  // an operation that ends within this is answered whole
constexpr auto quick_look = 20ms;
constexpr auto progress_look = 200ms;

std::string address_of(const std::string& id) {
    return "/api/v1/operations/" + id;
}

json::object counts(const fleet::bulk_result& counted) {
    json::array reasons;
    for (const auto& reason : counted.reasons) reasons.emplace_back(reason);
    return {
        {"changed", counted.changed},
        {"unchanged", counted.unchanged},
        {"failed", counted.failed},
        {"reasons", std::move(reasons)}};
}

json::object told(const fleet::operation::report& report) {
    auto members = counts(report.counted);
    members.emplace("id", report.id);
    members.emplace("href", address_of(report.id));
    members.emplace("what", report.what);
    members.emplace("by", report.by);
    members.emplace("state", json::string_view(to_string(report.now)));
    members.emplace("total", report.total);
    members.emplace("done", report.seen);
    members.emplace("made", iso_time(report.made));
    if (report.ended) members.emplace("ended", iso_time(*report.ended));
    if (!report.failure.empty()) members.emplace("error", report.failure);
    return members;
}

std::optional<std::int64_t> number_in(const std::optional<system_number>& system_number) {
    return system_number ? std::optional(system_number->value()) : std::nullopt;
}

people::audit_entry audit_entry_of(
    const call& call, const bulk_change_service::change& change, std::string outcome) {
    return {
        .who = call.who().user,
        .what = call.operation().name,
        .origin = call.who().origin,
        .outcome = std::move(outcome),
        .detail = change.detail,
        .system = number_in(call.note()->system)};
}

std::string counts_in_words(const fleet::bulk_result& counted) {
    return fmt::format(
        "; changed {}, unchanged {}, failed {}",
        counted.changed,
        counted.unchanged,
        counted.failed);
}

async<void> record_end(
    call call, bulk_change_service::change change, fleet::operation::report ended) {
    auto done = audit_entry_of(call, change, ended.failure.empty() ? "done" : "refused");
    done.detail += counts_in_words(ended.counted) + " " + ended.failure;
    auto& desk = call.context();
    co_return co_await within(desk.clock, engine_timeout, desk.audit.record(std::move(done)));
}

async<void> send_progress(
    http::event_writer to,
    std::shared_ptr<const fleet::operation> operation,
    muster::clock* clock) {
    while (true) {
        const auto now = operation->read();
        http::event next{
            .data = json::serialize(told(now)), .name = now.over() ? "end" : "progress"};
        CO_CHECK_OK(co_await to.send(std::move(next)));
        if (now.over()) co_return result<void>();
        CO_CHECK_OK(co_await to.next(clock->sleep_for(progress_look)));
    }
}

reply progress_of(std::shared_ptr<const fleet::operation> operation, muster::clock& clock) {
    reply result;
    result.stream = [operation = std::move(operation), &clock](http::event_writer to) {
        return send_progress(to, operation, &clock);
    };
    return result;
}

async<fleet::system_service::targets> given(fleet::system_service::targets targets) {
    co_return targets;
}

}  // namespace

result<target_list> bulk_change_service::read_targets(const call& call) {
    target_list which{.query = call.optional_text("query"), .prints = {}};
    const auto prints = call.optional_texts("fingerprints");
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

result<std::shared_ptr<const targeting::query>> bulk_change_service::parse(
    const std::string& text) const {
    auto parsed = deps_.groups.parse(text);
    if (!parsed) return fail(parsed.error().within("the query"));
    return std::make_shared<const targeting::query>(std::move(*parsed));
}

result<void> bulk_change_service::check_zones(
    const call& call, const target_list& target_list, const std::set<enrolment>& stages) const {
    if (!call.zones()) return {};
    const bool pool_too = stages.contains(enrolment::pooled);
    for (const auto& print : target_list.prints) {
        const auto record = deps_.systems.find(print);
        if (!record) return fail(errc::not_found, "there is no system " + print.str());
        if (record->zone.empty() && !pool_too)
            return fail(
                errc::denied,
                fmt::format(
                    "{} means systems that were accepted; {} is {}",
                    call.operation().name,
                    print.str(),
                    to_string(record->stage)));
        if (!record->zone.empty() && !call.may_in(record->zone))
            return fail(
                errc::denied,
                fmt::format(
                    "{} needs the right {} in zone {}",
                    call.operation().name,
                    to_string(call.operation().needed),
                    record->zone));
    }
    return {};
}

async<reply> bulk_change_service::carry_out(call call, target_list target_list, change change) {
    if (!deps_.systems.complete())
        co_return fail(errc::unavailable, "the server is still reading the fleet");
    CO_CHECK_OK(check_zones(call, target_list, change.stages));
    const bool few = !target_list.query && target_list.prints.size() <= at_once_max;
    change.detail += target_list.query ? fmt::format(" query {}", *target_list.query)
                                       : fmt::format(" {} systems", target_list.prints.size());
    if (target_list.prints.size() == 1) {
        const auto record = deps_.systems.find(target_list.prints.front());
        if (record && record->number) call.set_system(record->number);
        change.detail += " " + target_list.prints.front().str();
    }
    if (few && !call.wants_events)
        co_return co_await at_once(std::move(call), std::move(target_list), std::move(change));
    co_return co_await as_operation(std::move(call), std::move(target_list), std::move(change));
}

async<reply> bulk_change_service::at_once(call call, target_list target_list, change change) {
    call.set_subject(change.detail);
    CO_TRY(
        const auto done,
        co_await within(
            deps_.clock, engine_timeout, change.perform(std::move(target_list.prints), nullptr)));
    call.set_subject(change.detail + counts_in_words(done));
    auto members = counts(done);
    members.emplace("state", "done");
    co_return reply{std::move(members)};
}

async<reply> bulk_change_service::as_operation(call call, target_list target_list, change change) {
    fleet::selection chosen{.stages = change.stages, .where = deps_.where, .zones = call.zones()};
    if (target_list.query) {
        CO_TRY(chosen.wanted, parse(*target_list.query));
    }
    CO_CHECK_OK(co_await within(
        deps_.clock,
        engine_timeout,
        call.context().audit.record(audit_entry_of(call, change, "started"))));
    fleet::bulk_operation_queue::task task{.what = call.operation().name, .by = call.who().user};
    task.find = [this, chosen, target_list]() -> async<fleet::system_service::targets> {
        if (target_list.query)
            return fleet::select_all(
                {.known = deps_.systems, .found = deps_.search}, chosen, targets_max);
        return given(target_list.prints);
    };
    task.perform = change.perform;
    task.record = [call, change](fleet::operation::report ended) {
        return record_end(call, change, std::move(ended));
    };
    CO_TRY(
        const auto output,
        deps_.running.start(to_hex(os::random_bytes(id_bytes)), std::move(task)));
    if (call.wants_events) {
        auto watched = progress_of(output, deps_.clock);
        watched.recorded = true;
        co_return watched;
    }
    const auto until = deps_.clock.now() + quick;
    while (!output->read().over() && deps_.clock.now() < until) {
        CO_CHECK_OK(co_await deps_.clock.sleep_for(quick_look));
    }
    const auto now = output->read();
    co_return reply{
        .content = told(now),
        .fields = {{"location", address_of(now.id)}},
        .recorded = true,
        .status = now.over() ? 200 : 202};
}

result<std::shared_ptr<const fleet::operation>> bulk_change_service::find(const call& call) const {
    const auto& id = call.text("operation");
    auto output = deps_.running.find(id);
    const bool hidden = output && call.zones() && output->read().by != call.who().user;
    if (!output || hidden) return fail(errc::not_found, "this server knows no operation " + id);
    return output;
}

result<reply> bulk_change_service::show(const call& call) const {
    TRY(const auto output, find(call));
    return reply{told(output->read())};
}

result<reply> bulk_change_service::follow(const call& call) const {
    TRY(auto output, find(call));
    return progress_of(std::move(output), deps_.clock);
}

}  // namespace muster::api
