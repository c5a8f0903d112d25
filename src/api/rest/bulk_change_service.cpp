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
constexpr auto wait_max = 500ms;  // an operation that ends within this is answered whole
constexpr auto wait_interval = 20ms;
constexpr auto progress_interval = 200ms;

std::string operation_url(const std::string& id) {
    return "/api/v1/operations/" + id;
}

json::object counts_json(const fleet::bulk_result& result) {
    json::array reasons;
    for (const auto& reason : result.reasons) reasons.emplace_back(reason);
    return {
        {"changed", result.changed},
        {"unchanged", result.unchanged},
        {"failed", result.failed},
        {"reasons", std::move(reasons)}};
}

json::object report_json(const fleet::bulk_operation::report& report) {
    auto members = counts_json(report.result);
    members.emplace("id", report.id);
    members.emplace("href", operation_url(report.id));
    members.emplace("what", report.action);
    members.emplace("by", report.user);
    members.emplace("state", json::string_view(to_string(report.stage)));
    members.emplace("total", report.total);
    members.emplace("done", report.processed);
    members.emplace("made", iso_time(report.created));
    if (report.ended) members.emplace("ended", iso_time(*report.ended));
    if (!report.failure.empty()) members.emplace("error", report.failure);
    return members;
}

std::optional<std::int64_t> to_number(const std::optional<system_number>& number) {
    return number ? std::optional(number->value()) : std::nullopt;
}

people::audit_entry audit_entry_of(
    const call& call, const bulk_change_service::change& change, std::string outcome) {
    return {
        .who = call.caller().user,
        .what = call.operation().name,
        .origin = call.caller().origin,
        .outcome = std::move(outcome),
        .detail = change.detail,
        .system = to_number(call.note()->system)};
}

std::string counts_text(const fleet::bulk_result& result) {
    return fmt::format(
        "; changed {}, unchanged {}, failed {}", result.changed, result.unchanged, result.failed);
}

async<void> record_outcome(
    call call, bulk_change_service::change change, fleet::bulk_operation::report report) {
    auto entry = audit_entry_of(call, change, report.failure.empty() ? "done" : "refused");
    entry.detail += counts_text(report.result) + " " + report.failure;
    auto& context = call.context();
    co_return co_await within(
        context.clock, engine_timeout, context.audit.record(std::move(entry)));
}

async<void> send_progress(
    http::event_writer writer,
    std::shared_ptr<const fleet::bulk_operation> operation,
    muster::clock* clock) {
    while (true) {
        const auto report = operation->read();
        http::event event{
            .data = json::serialize(report_json(report)),
            .name = report.is_finished() ? "end" : "progress"};
        CO_CHECK_OK(co_await writer.send(std::move(event)));
        if (report.is_finished()) co_return result<void>();
        CO_CHECK_OK(co_await writer.next(clock->sleep_for(progress_interval)));
    }
}

reply progress_reply(std::shared_ptr<const fleet::bulk_operation> operation, muster::clock& clock) {
    reply result;
    result.stream = [operation = std::move(operation), &clock](http::event_writer writer) {
        return send_progress(writer, operation, &clock);
    };
    return result;
}

async<fleet::system_service::targets> return_targets(fleet::system_service::targets targets) {
    co_return targets;
}

}  // namespace

result<target_list> bulk_change_service::read_targets(const call& call) {
    target_list list{.query = call.optional_text("query"), .fingerprints = {}};
    const auto prints = call.optional_texts("fingerprints");
    if (list.query.has_value() == prints.has_value())
        return fail(errc::invalid, "exactly one of `query` and `fingerprints` is required");
    if (list.query && list.query->empty())
        return fail(errc::invalid, "`query` is empty; use * for all systems");
    if (!prints) return list;
    for (const auto& text : *prints) {
        TRY(const auto print, fingerprint::parse(text));
        list.fingerprints.push_back(print);
    }
    return list;
}

result<std::shared_ptr<const targeting::query>> bulk_change_service::parse(
    const std::string& text) const {
    auto parsed = deps_.groups.parse(text);
    if (!parsed) return fail(parsed.error().with_context("invalid query"));
    return std::make_shared<const targeting::query>(std::move(*parsed));
}

result<void> bulk_change_service::check_zones(
    const call& call, const target_list& target_list, const std::set<enrolment>& stages) const {
    if (!call.zones()) return {};
    const bool includes_pool = stages.contains(enrolment::pooled);
    for (const auto& print : target_list.fingerprints) {
        const auto record = deps_.systems.find(print);
        if (!record) return fail(errc::not_found, "system \"" + print.str() + "\" not found");
        if (record->zone.empty() && !includes_pool)
            return fail(
                errc::denied,
                fmt::format(
                    "{} needs accepted systems; system {} is {}",
                    call.operation().name,
                    print.str(),
                    to_string(record->stage)));
        if (!record->zone.empty() && !call.may_in(record->zone))
            return fail(
                errc::denied,
                fmt::format(
                    "{} needs the right {} in zone \"{}\"",
                    call.operation().name,
                    to_string(call.operation().needed),
                    record->zone));
    }
    return {};
}

async<reply> bulk_change_service::apply(call call, target_list target_list, change change) {
    if (!deps_.systems.complete())
        co_return fail(errc::unavailable, "system cache is still loading; retry later");
    CO_CHECK_OK(check_zones(call, target_list, change.stages));
    const bool is_small = !target_list.query && target_list.fingerprints.size() <= at_once_max;
    change.detail += target_list.query
                         ? fmt::format(" query {}", *target_list.query)
                         : fmt::format(" {} systems", target_list.fingerprints.size());
    if (target_list.fingerprints.size() == 1) {
        const auto record = deps_.systems.find(target_list.fingerprints.front());
        if (record && record->number) call.set_system(record->number);
        change.detail += " " + target_list.fingerprints.front().str();
    }
    if (is_small && !call.wants_events)
        co_return co_await apply_now(std::move(call), std::move(target_list), std::move(change));
    co_return co_await start_operation(std::move(call), std::move(target_list), std::move(change));
}

async<reply> bulk_change_service::apply_now(call call, target_list target_list, change change) {
    call.set_subject(change.detail);
    CO_TRY(
        const auto outcome,
        co_await within(
            deps_.clock,
            engine_timeout,
            change.apply(std::move(target_list.fingerprints), nullptr)));
    call.set_subject(change.detail + counts_text(outcome));
    auto members = counts_json(outcome);
    members.emplace("state", "done");
    co_return reply{std::move(members)};
}

async<reply> bulk_change_service::start_operation(
    call call, target_list target_list, change change) {
    fleet::selection selection{
        .stages = change.stages, .presence = deps_.presence, .zones = call.zones()};
    if (target_list.query) {
        CO_TRY(selection.query, parse(*target_list.query));
    }
    CO_CHECK_OK(co_await within(
        deps_.clock,
        engine_timeout,
        call.context().audit.record(audit_entry_of(call, change, "started"))));
    fleet::bulk_operation_queue::bulk_work work{
        .action = call.operation().name, .user = call.caller().user};
    work.find_targets = [this, selection, target_list]() -> async<fleet::system_service::targets> {
        if (target_list.query)
            return fleet::select_all(
                {.systems = deps_.systems, .search = deps_.search}, selection, targets_max);
        return return_targets(target_list.fingerprints);
    };
    work.perform = change.apply;
    work.record = [call, change](fleet::bulk_operation::report ended) {
        return record_outcome(call, change, std::move(ended));
    };
    CO_TRY(
        const auto operation,
        deps_.operations.start(to_hex(os::random_bytes(id_bytes)), std::move(work)));
    if (call.wants_events) {
        auto progress = progress_reply(operation, deps_.clock);
        progress.recorded = true;
        co_return progress;
    }
    const auto deadline = deps_.clock.now() + wait_max;
    while (!operation->read().is_finished() && deps_.clock.now() < deadline) {
        CO_CHECK_OK(co_await deps_.clock.sleep_for(wait_interval));
    }
    const auto report = operation->read();
    co_return reply{
        .content = report_json(report),
        .fields = {{"location", operation_url(report.id)}},
        .recorded = true,
        .status = report.is_finished() ? 200 : 202};
}

result<std::shared_ptr<const fleet::bulk_operation>> bulk_change_service::find(
    const call& call) const {
    const auto& id = call.text("operation");
    auto operation = deps_.operations.find(id);
    const bool hidden = operation && call.zones() && operation->read().user != call.caller().user;
    if (!operation || hidden)
        return fail(errc::not_found, "operation \"" + id + "\" not found on this server");
    return operation;
}

result<reply> bulk_change_service::show(const call& call) const {
    TRY(const auto operation, find(call));
    return reply{report_json(operation->read())};
}

result<reply> bulk_change_service::follow(const call& call) const {
    TRY(auto operation, find(call));
    return progress_reply(std::move(operation), deps_.clock);
}

}  // namespace muster::api
