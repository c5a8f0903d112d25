#include "api/xmlrpc/methods/chain_methods.h"

#include "adapters/pki/base64.h"
#include "api/xmlrpc/methods/action_format.h"
#include "api/xmlrpc/methods/method_declarations.h"
#include "core/table/utf8.h"
#include "ports/deadline.h"
#include "services/jobs/functions.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

namespace json = boost::json;
using namespace api;
using access::right;
using api::engine_timeout;

constexpr std::int64_t empty_chain_fault = 10004;
constexpr std::int64_t script_seconds_max = 31'536'000;

fault_codes codes() {
    return {.not_found = action_not_found, .conflict = invalid_arguments_fault};
}

constexpr method_defaults methods{
    .prefix = "actionchain.",
    .read_right = right::jobs_read,
    .change_right = right::jobs_run,
    .change_scope = scope::filtered};

parameter label() {
    return argument("chainLabel", name());
}

shape chain_shape() {
    return record_of({required("label", name()), required("entrycount", integer(0))});
}

shape entry_shape() {
    return record_of(
        {required("id", action_id()),
         required("label", text()),
         required("created", api::time()),
         required("earliest", api::time()),
         required("type", text()),
         required("modified", api::time()),
         required("cuid", text())});
}

// Groups the systems of a chain by their steps.
std::map<std::string, std::vector<std::int64_t>> systems_by_steps(
    const compatibility::action_chain& chain) {
    std::map<std::int64_t, json::array> steps;
    for (const auto& entry : chain.entries) {
        json::object step{
            {"function", entry.function}, {"arguments", json::parse(entry.arguments)}};
        if (entry.timeout_seconds > 0) step["timeout"] = fmt::format("{}s", entry.timeout_seconds);
        steps[entry.system].push_back(std::move(step));
    }
    std::map<std::string, std::vector<std::int64_t>> result;
    for (const auto& [system, system_steps] : steps)
        result[json::serialize(system_steps)].push_back(system);
    return result;
}

result<compatibility::action_chain> add_to_chain(
    compatibility::action_chain chain, const compatibility::chain_entry& entry) {
    if (chain.scheduling) return fail(errc::conflict, "action chain is being scheduled");
    if (chain.entries.size() >= compatibility::action_chain_limits::entries_max)
        return fail(errc::invalid, "limit of 1000 actions per action chain reached");
    const auto step_count =
        std::ranges::count(chain.entries, entry.system, &compatibility::chain_entry::system);
    if (step_count >= static_cast<std::ptrdiff_t>(compatibility::action_chain_limits::steps_max))
        return fail(errc::invalid, "limit of 32 actions per system in an action chain reached");
    chain.entries.push_back(entry);
    return chain;
}

result<std::string> read_script(const call& call) {
    const auto decoded = pki::from_base64(call.text("scriptBody"));
    if (!decoded || !table::is_utf8_without_nul(*decoded))
        return fail(errc::invalid, "`scriptBody` must be a Base64 string");
    std::string content = *decoded;
    std::erase(content, '\r');
    return content;
}

}  // namespace

std::string chain_idempotency_key(const compatibility::action_chain& chain, std::size_t part) {
    return fmt::format("chain/{}/{}/{}", chain.number, chain.version, part);
}

result<void> chain_methods::declare_adding(method_registry& registry) {
    const auto system = argument("sid", system_id());
    CHECK_OK(registry.add(
        {methods.change_method(
             "addSystemReboot", "Add a reboot to a chain", {system, label()}, integer(1)),
         handler(this, &chain_methods::add_reboot),
         codes()}));
    for (const bool labelled : {true, false}) {
        auto script = methods.change_method(
            "addScriptRun", "Add a script to a chain", {system, label()}, integer(1));
        if (labelled) script.takes.push_back(argument("scriptLabel", text()));
        script.takes.push_back(argument("uid", text()));
        script.takes.push_back(argument("gid", text()));
        script.takes.push_back(argument("timeout", integer(0, script_seconds_max)));
        script.takes.push_back(
            argument("scriptBody", text(2 * static_cast<std::int64_t>(jobs::arguments_bytes_max))));
        CHECK_OK(
            registry.add({std::move(script), handler(this, &chain_methods::add_script), codes()}));
    }
    return {};
}

result<void> chain_methods::declare(method_registry& registry) {
    CHECK_OK(declare_adding(registry));
    CHECK_OK(registry.add(
        {methods.read_method("listChains", "List the caller's chains", {}, list_of(chain_shape())),
         handler(this, &chain_methods::list)}));
    auto list_actions = methods.read_method(
        "listChainActions", "List the actions of a chain", {}, list_of(entry_shape()));
    list_actions.takes = {label()};
    CHECK_OK(registry.add(
        {std::move(list_actions), handler(this, &chain_methods::list_chain_actions), codes()}));
    CHECK_OK(registry.add(
        {methods.change_method("createChain", "Create a chain", {label()}, integer(1)),
         handler(this, &chain_methods::create),
         codes()}));
    CHECK_OK(registry.add(
        {methods.change_method("deleteChain", "Delete a chain", {label()}, integer(1)),
         handler(this, &chain_methods::remove),
         codes()}));
    CHECK_OK(registry.add(
        {methods.change_method(
             "renameChain",
             "Rename a chain",
             {argument("previousLabel", name()), argument("newLabel", name())},
             integer(1)),
         handler(this, &chain_methods::rename),
         codes()}));
    CHECK_OK(registry.add(
        {methods.change_method(
             "removeAction",
             "Remove an action from a chain",
             {label(), argument("actionId", action_id())},
             integer(1)),
         handler(this, &chain_methods::remove_action),
         codes()}));
    auto faults = codes();
    faults.conflict = empty_chain_fault;
    return registry.add(
        {methods.change_method(
             "scheduleChain",
             "Schedule a chain",
             {label(), argument("date", api::time())},
             integer(1)),
         handler(this, &chain_methods::schedule),
         faults});
}

async<method_response> chain_methods::list(call call) {
    auto& clock = deps_.actions.deps().clock;
    auto lookup = deps_.chains.list(call.caller().user);
    CO_TRY(const auto chains, co_await within(clock, engine_timeout, std::move(lookup)));
    value::list list;
    for (const auto& chain : chains)
        list.push_back(value::record{
            {"label", chain.label},
            {"entrycount", static_cast<std::int64_t>(chain.entries.size())}});
    co_return method_response{std::move(list)};
}

async<method_response> chain_methods::list_chain_actions(call call) {
    auto& clock = deps_.actions.deps().clock;
    auto lookup = deps_.chains.find(call.caller().user, call.text("chainLabel"));
    CO_TRY(const auto chain, co_await within(clock, engine_timeout, std::move(lookup)));
    value::list list;
    for (const auto& entry : chain.entries)
        list.push_back(value::record{
            {"id", entry.number},
            {"label", entry.name},
            {"created", entry.added},
            {"earliest", entry.added},
            {"type", action_type(entry.function)},
            {"modified", entry.added},
            {"cuid", chain.owner}});
    co_return method_response{std::move(list)};
}

async<method_response> chain_methods::create(call call) {
    const auto& deps = deps_.actions.deps();
    call.set_subject(call.text("chainLabel"));
    auto allocation = deps.numbers.allocate(std::string(compatibility::numbered::action), 1);
    CO_TRY(const auto numbers, co_await within(deps.clock, engine_timeout, std::move(allocation)));
    compatibility::action_chain chain{
        .owner = call.caller().user, .label = call.text("chainLabel")};
    chain.number = numbers.front();
    auto update = deps_.chains.add(std::move(chain));
    CO_CHECK_OK(co_await within(deps.clock, engine_timeout, std::move(update)));
    co_return method_response{numbers.front()};
}

async<method_response> chain_methods::remove(call call) {
    call.set_subject(call.text("chainLabel"));
    auto work = deps_.chains.remove(call.caller().user, call.text("chainLabel"));
    CO_CHECK_OK(co_await within(deps_.actions.deps().clock, engine_timeout, std::move(work)));
    co_return method_response{1};
}

async<method_response> chain_methods::rename(call call) {
    const auto& old_label = call.text("previousLabel");
    const auto& new_label = call.text("newLabel");
    call.set_subject(fmt::format("{} renamed to {}", old_label, new_label));
    auto work = deps_.chains.rename(call.caller().user, old_label, new_label);
    CO_CHECK_OK(co_await within(deps_.actions.deps().clock, engine_timeout, std::move(work)));
    co_return method_response{1};
}

async<method_response> chain_methods::remove_action(call call) {
    const auto number = call.integer("actionId");
    call.set_subject(fmt::format("{}: action {}", call.text("chainLabel"), number));
    const auto remove_entry =
        [number](compatibility::action_chain chain) -> result<compatibility::action_chain> {
        if (chain.scheduling) return fail(errc::conflict, "action chain is being scheduled");
        const auto removed = std::erase_if(
            chain.entries,
            [&](const compatibility::chain_entry& entry) { return entry.number == number; });
        if (removed == 0)
            return fail(
                errc::not_found,
                fmt::format("action \"{}\" not found in the action chain", number));
        return chain;
    };
    auto work = deps_.chains.change(call.caller().user, call.text("chainLabel"), remove_entry);
    CO_CHECK_OK(co_await within(deps_.actions.deps().clock, engine_timeout, std::move(work)));
    co_return method_response{1};
}

async<std::int64_t> chain_methods::add_entry(call call, compatibility::chain_entry entry) const {
    const auto& deps = deps_.actions.deps();
    const auto number = entry.system > 0 ? entry.system : call.integer("sid");
    CO_TRY(const auto system, deps_.fleet.find(call, number));
    CO_CHECK_OK(jobs::check_function(entry.function, entry.arguments));
    auto allocation = deps.numbers.allocate(std::string(compatibility::numbered::action), 1);
    CO_TRY(const auto numbers, co_await within(deps.clock, engine_timeout, std::move(allocation)));
    entry.number = numbers.front();
    entry.system = system.number.value();
    entry.added = deps.clock.wall();
    if (entry.name.empty()) entry.name = action_type(entry.function) + " on " + system.name;
    call.set_subject(fmt::format("{}: {}", call.text("chainLabel"), entry.name));
    auto work = deps_.chains.change(
        call.caller().user, call.text("chainLabel"), [entry](compatibility::action_chain chain) {
            return add_to_chain(std::move(chain), entry);
        });
    CO_CHECK_OK(co_await within(deps.clock, engine_timeout, std::move(work)));
    co_return entry.number;
}

async<method_response> chain_methods::add_reboot(call call) {
    compatibility::chain_entry entry{.function = "system.reboot", .arguments = "{}"};
    CO_TRY(const auto number, co_await add_entry(std::move(call), std::move(entry)));
    co_return method_response{number};
}

async<method_response> chain_methods::add_script(call call) {
    CO_TRY(const auto content, read_script(call));
    json::object arguments{{"content", content}};
    if (const auto& user = call.text("uid"); !user.empty()) arguments["user"] = user;
    if (const auto& group = call.text("gid"); !group.empty()) arguments["group"] = group;
    compatibility::chain_entry entry{
        .function = "script.run", .arguments = json::serialize(arguments)};
    if (const auto* const name = call.arguments().find("scriptLabel"))
        entry.name = *name->get<std::string>();
    entry.timeout_seconds = call.integer("timeout");
    CO_TRY(const auto number, co_await add_entry(std::move(call), std::move(entry)));
    co_return method_response{number};
}

// Gives the step of each system the number that its entry had in the chain.
async<void> chain_methods::name_steps(
    compatibility::action_chain chain, job_id job, std::vector<std::int64_t> systems) const {
    std::map<std::int64_t, std::size_t> steps;
    std::vector<compatibility::numeric_id> ids;
    for (const auto& entry : chain.entries) {
        if (!std::ranges::binary_search(systems, entry.system)) continue;
        ids.push_back(
            {.name = step_name(job, ++steps[entry.system], entry.system),
             .number = entry.number,
             .mark = 0});
    }
    const auto& deps = deps_.actions.deps();
    auto work =
        deps.numbers.set_names(std::string(compatibility::numbered::action), std::move(ids));
    co_return co_await within(deps.clock, engine_timeout, std::move(work));
}

async<method_response> chain_methods::schedule_chain(
    call call, compatibility::action_chain chain) const {
    std::optional<std::int64_t> number = chain.number;
    std::size_t part = 0;
    for (const auto& [steps, systems] : systems_by_steps(chain)) {
        action_request request{.function = std::string(chain_function), .systems = systems};
        request.name = chain.label;
        request.arguments = {{"steps", json::parse(steps)}};
        request.earliest = *call.arguments().find("date")->get<wall_time>();
        request.number = std::exchange(number, std::nullopt);
        request.idempotency_key = chain_idempotency_key(chain, ++part);
        auto job = co_await deps_.actions.create_action(call, request);
        // The job may exist already: a request with the same key returns the same job.
        if (!job && job.error().code() == errc::timed_out)
            job = co_await deps_.actions.create_action(call, std::move(request));
        CO_CHECK_OK(job);
        call.set_partly_done();
        CO_CHECK_OK(co_await name_steps(chain, job->job, systems));
    }
    call.set_subject(fmt::format("{}: {} actions", chain.label, chain.entries.size()));
    co_return method_response{1};
}

async<method_response> chain_methods::schedule(call call) {
    auto& clock = deps_.actions.deps().clock;
    const auto owner = call.caller().user;
    const auto& label = call.text("chainLabel");
    call.set_subject(label);
    // Only one of two concurrent calls schedules the chain.
    const auto lock_chain =
        [](compatibility::action_chain chain) -> result<compatibility::action_chain> {
        if (chain.entries.empty()) return fail(errc::conflict, "action chain has no actions");
        if (chain.scheduling) return fail(errc::conflict, "action chain is being scheduled");
        chain.scheduling = true;
        return chain;
    };
    auto update = deps_.chains.change(owner, label, lock_chain);
    CO_TRY(auto chain, co_await within(clock, engine_timeout, std::move(update)));
    auto scheduled = co_await schedule_chain(call, std::move(chain));
    if (!scheduled && !call.note()->partly_done) {
        // No job was created, so the chain is unlocked for another attempt.
        auto rollback =
            deps_.chains.change(owner, label, [](compatibility::action_chain locked_chain) {
                locked_chain.scheduling = false;
                return result<compatibility::action_chain>(std::move(locked_chain));
            });
        ignore_error(
            co_await within(clock, engine_timeout, std::move(rollback)),
            "the chain stays locked and can be deleted");
    }
    if (!scheduled) co_return fail(scheduled.error());
    auto removal = deps_.chains.remove(owner, label);
    CO_CHECK_OK(co_await within(clock, engine_timeout, std::move(removal)));
    co_return method_response{1};
}

}  // namespace muster::xmlrpc_api
