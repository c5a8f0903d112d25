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

// Clients expect an action to wait for its systems and their windows, perhaps for a month.
constexpr const char* expires_after = "768h";
constexpr std::size_t name_bytes_max = 1'024;

std::string action_kind() {
    return std::string(compatibility::numbered::action);
}

// The number of a chain step on a system is stored as "JOB/STEP/SYSTEM": "ID/2/17".
std::optional<job_id> parse_step_job(const std::string& name) {
    const auto job = parse_job_id(name.substr(0, name.find('/')));
    return job ? std::optional(*job) : std::nullopt;
}

std::unexpected<error> action_not_found_error(std::int64_t number) {
    return fail(errc::not_found, fmt::format("action \"{}\" not found", number));
}

bool may_have_happened(const error& failure) {
    return failure.code() == errc::timed_out || failure.code() == errc::cancelled;
}

// The number after this many slashes; 0 if there is none.
std::int64_t part_of(const std::string& name, int slash_count) {
    std::size_t start = 0;
    for (; slash_count > 0; --slash_count) {
        start = name.find('/', start);
        if (start == std::string::npos) return 0;
        ++start;
    }
    std::int64_t number = 0;
    const auto [stopped, failure] =
        std::from_chars(name.data() + start, name.data() + name.size(), number);
    return failure == std::errc() ? number : 0;
}

json::object body_of(const action_request& request, wall_time now) {
    json::array systems;
    for (const auto system : request.systems) systems.emplace_back(std::to_string(system));
    const bool respects_windows = request.windows == action_request::window_mode::respect;
    json::object body{
        {"systems", std::move(systems)},
        {"function", request.function},
        {"arguments", request.arguments},
        {"note", request.name.substr(0, name_bytes_max)},
        {"expires_after", expires_after},
        {"windows", respects_windows ? "respect" : "ignore"}};
    const bool is_future = request.earliest && *request.earliest > now;
    if (is_future)
        body["at"] = iso_time(std::chrono::ceil<std::chrono::seconds>(*request.earliest));
    if (request.timeout) body["timeout"] = fmt::format("{}s", request.timeout->count());
    return body;
}

}  // namespace

std::size_t action::step() const {
    return static_cast<std::size_t>(std::max(std::int64_t{0}, part_of(id.name, 1)));
}

std::optional<system_number> action::only_system() const {
    const auto system = part_of(id.name, 2);
    return system > 0 ? std::optional(system_number(system)) : std::nullopt;
}

std::string step_name(job_id job, std::size_t step, std::int64_t system) {
    return fmt::format("{}/{}/{}", to_string(job), step, system);
}

result<void> action_service::check_unlocked(const std::vector<std::int64_t>& systems) const {
    if (deps_.profiles == nullptr) return {};
    for (const auto system : systems) {
        if (deps_.profiles->is_locked(system_number(system)))
            return fail(
                errc::conflict,
                fmt::format("system {} is locked; unlock it with system.setLockStatus", system));
    }
    return {};
}

async<created_action> action_service::create_action(call call, action_request request) const {
    CO_CHECK_OK(check_unlocked(request.systems));
    // Allocates the number before the job is created, so that little can fail afterwards.
    if (!request.number) {
        auto allocation = deps_.numbers.allocate(action_kind(), 1);
        CO_TRY(
            const auto numbers,
            co_await within(deps_.clock, api::engine_timeout, std::move(allocation)));
        request.number = numbers.front();
    }
    auto body = body_of(request, deps_.clock.wall());
    const auto result = co_await deps_.operations.perform(
        call, "jobs.create", std::move(body), request.idempotency_key);
    if (!result) {
        if (may_have_happened(result.error())) call.set_partly_done();
        co_return fail(result.error());
    }
    auto job = json::value_to<std::string>(result->at("id"));
    CO_TRY(const auto id, parse_job_id(job));
    const auto number =
        co_await within(deps_.clock, api::engine_timeout, number_of(job, *request.number));
    if (!number) {
        call.set_partly_done();
        co_return fail(number.error().with_context(
            "job " + job + " was created but has no action number yet"));
    }
    call.set_subject(fmt::format("{}: action {}, job {}", request.name, *number, job));
    co_return created_action{.number = *number, .job = id};
}

async<std::int64_t> action_service::create(call call, action_request request) const {
    CO_TRY(const auto action, co_await create_action(std::move(call), std::move(request)));
    co_return action.number;
}

// A concurrent listing of jobs may have assigned another number; the stored one counts.
async<std::int64_t> action_service::number_of(std::string job, std::int64_t reserved) const {
    std::vector<numeric_id> ids;
    ids.push_back({.name = job, .number = reserved, .mark = 0});
    CO_CHECK_OK(co_await deps_.numbers.set_names(action_kind(), std::move(ids)));
    CO_TRY(const auto existing, co_await deps_.numbers.number(action_kind(), std::move(job)));
    co_return existing.number;
}

async<action> action_service::find(call call, std::int64_t number) const {
    auto lookup = deps_.numbers.find(action_kind(), number);
    const auto existing = co_await within(deps_.clock, api::engine_timeout, std::move(lookup));
    if (!existing && existing.error().code() == errc::not_found)
        co_return action_not_found_error(number);
    CO_CHECK_OK(existing);
    const auto job = parse_step_job(existing->name);
    if (!job || existing->mark >= action::deleted) co_return action_not_found_error(number);
    auto stored = co_await deps_.reader.find(*job);
    if (!stored && stored.error().code() == errc::not_found)
        co_return action_not_found_error(number);
    CO_CHECK_OK(stored);
    if (call.zones()) {
        auto targets_lookup = deps_.reader.job_store().find_targets(*job);
        CO_TRY(
            const auto audience,
            co_await within(deps_.clock, api::engine_timeout, std::move(targets_lookup)));
        if (!deps_.targets.check_visible(call.zones(), *job, audience.systems))
            co_return action_not_found_error(number);
    }
    co_return action{.id = *existing, .job = *std::move(stored)};
}

async<std::vector<action>> action_service::number_all(std::vector<jobs::stored_job> jobs) const {
    std::vector<std::string> names;
    for (const auto& job : jobs) names.push_back(to_string(job.record.job));
    auto allocation = deps_.numbers.number_all(action_kind(), std::move(names));
    CO_TRY(auto ids, co_await within(deps_.clock, api::engine_timeout, std::move(allocation)));
    std::vector<action> actions;
    for (std::size_t index = 0; index < jobs.size(); ++index)
        actions.push_back({.id = std::move(ids[index]), .job = std::move(jobs[index])});
    co_return actions;
}

api::shape action_id() {
    return api::integer(1, compatibility::numeric_id_store::number_max);
}

std::vector<std::int64_t> read_integers(const call& call, std::string_view argument) {
    std::vector<std::int64_t> numbers;
    const auto* const value = call.arguments().find(argument);
    if (const auto* const number = value->get<std::int64_t>()) numbers.push_back(*number);
    if (const auto* const items = value->get<api::value::list>())
        for (const auto& item : *items) numbers.push_back(*item.get<std::int64_t>());
    std::ranges::sort(numbers);
    const auto [end, last] = std::ranges::unique(numbers);
    numbers.erase(end, last);
    return numbers;
}

}  // namespace muster::xmlrpc_api
