#include "api/xmlrpc/methods/action_service.h"

#include "base/iso_time.h"
#include "ports/deadline.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

namespace json = boost::json;
using compatibility::numeric_id;

// Clients expect an action to wait for its systems and their windows, which may be a month away.
constexpr const char* waits_for = "768h";
constexpr std::size_t name_bytes_max = 1'024;

std::string action_kind() {
    return std::string(compatibility::numbered::action);
}

// A step of a chain on a system has a number of its own: "ID/2/17".
std::optional<job_id> job_named(const std::string& name) {
    const auto job = parse_job_id(name.substr(0, name.find('/')));
    return job ? std::optional(*job) : std::nullopt;
}

std::unexpected<error> unknown(std::int64_t number) {
    return fail(errc::not_found, fmt::format("There is no action {}", number));
}

bool may_have_happened(const error& failure) {
    return failure.code() == errc::timed_out || failure.code() == errc::cancelled;
}

// What stands behind the slash of this count; 0: none.
std::int64_t part_of(const std::string& name, int slashes) {
    std::size_t from = 0;
    for (; slashes > 0; --slashes) {
        from = name.find('/', from);
        if (from == std::string::npos) return 0;
        ++from;
    }
    std::int64_t read = 0;
    const auto [stopped, failure] =
        std::from_chars(name.data() + from, name.data() + name.size(), read);
    return failure == std::errc() ? read : 0;
}

json::object body_of(const action_request& desired, wall_time now) {
    json::array systems;
    for (const auto system : desired.systems) systems.emplace_back(std::to_string(system));
    const bool stored = desired.within == action_request::windows::count;
    json::object body{
        {"systems", std::move(systems)},
        {"function", desired.function},
        {"arguments", desired.arguments},
        {"note", desired.name.substr(0, name_bytes_max)},
        {"expires_after", waits_for},
        {"windows", stored ? "respect" : "ignore"}};
    const bool later = desired.earliest && *desired.earliest > now;
    if (later) body["at"] = iso_time(std::chrono::ceil<std::chrono::seconds>(*desired.earliest));
    if (desired.timeout) body["timeout"] = fmt::format("{}s", desired.timeout->count());
    return body;
}

}  // namespace

std::size_t action::step() const {
    return static_cast<std::size_t>(std::max(std::int64_t{0}, part_of(known.name, 1)));
}

std::optional<system_number> action::only_on() const {
    const auto system = part_of(known.name, 2);
    return system > 0 ? std::optional(system_number(system)) : std::nullopt;
}

std::string name_of_step(job_id job, std::size_t step, std::int64_t system) {
    return fmt::format("{}/{}/{}", to_string(job), step, system);
}

result<void> action_service::check_unlocked(const std::vector<std::int64_t>& systems) const {
    if (deps_.profiles == nullptr) return {};
    for (const auto system : systems) {
        if (deps_.profiles->is_locked(system_number(system)))
            return fail(
                errc::conflict,
                fmt::format("System {} is locked; system.setLockStatus unlocks it", system));
    }
    return {};
}

async<created_action> action_service::make_job(call call, action_request action_request) const {
    CO_CHECK_OK(check_unlocked(action_request.systems));
    // Before the job is made, so that little can fail afterwards.
    if (!action_request.number) {
        auto taking = deps_.numbers.take(action_kind(), 1);
        CO_TRY(
            const auto fresh, co_await within(deps_.clock, api::engine_timeout, std::move(taking)));
        action_request.number = fresh.front();
    }
    auto body = body_of(action_request, deps_.clock.wall());
    const auto result =
        co_await deps_.natives.ask(call, "jobs.make", std::move(body), action_request.key);
    if (!result) {
        if (may_have_happened(result.error())) call.set_partly_done();
        co_return fail(result.error());
    }
    auto job = json::value_to<std::string>(result->at("id"));
    CO_TRY(const auto id, parse_job_id(job));
    const auto number =
        co_await within(deps_.clock, api::engine_timeout, number_of(job, *action_request.number));
    if (!number) {
        call.set_partly_done();
        co_return fail(number.error().within("job " + job + " is made, but has no number yet"));
    }
    call.set_subject(fmt::format("{}: action {}, job {}", action_request.name, *number, job));
    co_return created_action{.number = *number, .job = id};
}

async<std::int64_t> action_service::make(call call, action_request action_request) const {
    CO_TRY(const auto job, co_await make_job(std::move(call), std::move(action_request)));
    co_return job.number;
}

// Whoever lists jobs at the same moment may have been faster: what is on record counts.
async<std::int64_t> action_service::number_of(std::string job, std::int64_t desired) const {
    std::vector<numeric_id> named;
    named.push_back({.name = job, .number = desired, .mark = 0});
    CO_CHECK_OK(co_await deps_.numbers.give_name(action_kind(), std::move(named)));
    CO_TRY(const auto existing, co_await deps_.numbers.number(action_kind(), std::move(job)));
    co_return existing.number;
}

async<action> action_service::find(call call, std::int64_t number) const {
    auto finding = deps_.numbers.find(action_kind(), number);
    const auto existing = co_await within(deps_.clock, api::engine_timeout, std::move(finding));
    if (!existing && existing.error().code() == errc::not_found) co_return unknown(number);
    CO_CHECK_OK(existing);
    const auto job = job_named(existing->name);
    if (!job || existing->mark >= action::deleted) co_return unknown(number);
    auto stored = co_await deps_.reader.find(*job);
    if (!stored && stored.error().code() == errc::not_found) co_return unknown(number);
    CO_CHECK_OK(stored);
    if (call.zones()) {
        auto reading = deps_.reader.records().audience(*job);
        CO_TRY(
            const auto who, co_await within(deps_.clock, api::engine_timeout, std::move(reading)));
        if (!deps_.targets.check_visible(call.zones(), *job, who.targets))
            co_return unknown(number);
    }
    co_return action{.known = *existing, .job = *std::move(stored)};
}

async<std::vector<action>> action_service::number_all(std::vector<jobs::stored_job> some) const {
    std::vector<std::string> names;
    for (const auto& each : some) names.push_back(to_string(each.record.job));
    auto numbering = deps_.numbers.number_all(action_kind(), std::move(names));
    CO_TRY(auto existing, co_await within(deps_.clock, api::engine_timeout, std::move(numbering)));
    std::vector<action> all;
    for (std::size_t n = 0; n < some.size(); ++n)
        all.push_back({.known = std::move(existing[n]), .job = std::move(some[n])});
    co_return all;
}

api::shape action_id() {
    return api::integer(1, compatibility::numeric_id_store::number_max);
}

std::vector<std::int64_t> integers_of(const call& call, std::string_view argument) {
    std::vector<std::int64_t> all;
    const auto* const given = call.arguments().find(argument);
    if (const auto* const one = given->get<std::int64_t>()) all.push_back(*one);
    if (const auto* const many = given->get<api::value::list>())
        for (const auto& each : *many) all.push_back(*each.get<std::int64_t>());
    std::ranges::sort(all);
    const auto [end, last] = std::ranges::unique(all);
    all.erase(end, last);
    return all;
}

}  // namespace muster::xmlrpc_api
