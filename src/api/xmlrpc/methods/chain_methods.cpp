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

constexpr std::int64_t no_action_in_chain = 10004;
constexpr std::int64_t script_seconds_max = 31'536'000;

fault_codes codes() {
    return {.not_found = no_such_action, .conflict = fault_of_arguments};
}

constexpr method_defaults methods{
    .prefix = "actionchain.",
    .reads = right::jobs_read,
    .changes = right::jobs_run,
    .changes_within = scope::filtered};

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

// The steps of each system, those that do the same together.
std::map<std::string, std::vector<std::int64_t>> systems_by_steps(
    const compatibility::action_chain& of) {
    std::map<std::int64_t, json::array> steps;
    for (const auto& entry : of.entries) {
        json::object step{
            {"function", entry.function}, {"arguments", json::parse(entry.arguments)}};
        if (entry.timeout_seconds > 0) step["timeout"] = fmt::format("{}s", entry.timeout_seconds);
        steps[entry.system].push_back(std::move(step));
    }
    std::map<std::string, std::vector<std::int64_t>> together;
    for (const auto& [system, all] : steps) together[json::serialize(all)].push_back(system);
    return together;
}

result<compatibility::action_chain> with_entry(
    compatibility::action_chain chain, const compatibility::chain_entry& desired) {
    if (chain.scheduling) return fail(errc::conflict, "The action chain is being scheduled");
    if (chain.entries.size() >= compatibility::action_chain_limits::entries_max)
        return fail(errc::invalid, "An action chain has at most 1000 actions");
    const auto there =
        std::ranges::count(chain.entries, desired.system, &compatibility::chain_entry::system);
    if (there >= static_cast<std::ptrdiff_t>(compatibility::action_chain_limits::steps_max))
        return fail(errc::invalid, "An action chain has at most 32 actions on one system");
    chain.entries.push_back(desired);
    return chain;
}

result<std::string> script_in(const call& call) {
    const auto decoded = pki::from_base64(call.text("scriptBody"));
    if (!decoded || !table::is_utf8_without_nul(*decoded))
        return fail(errc::invalid, "`scriptBody` must be a text in Base64");
    std::string content = *decoded;
    std::erase(content, '\r');
    return content;
}

}  // namespace

std::string claim_of(const compatibility::action_chain& chain, std::size_t part) {
    return fmt::format("chain/{}/{}/{}", chain.number, chain.version, part);
}

result<void> chain_methods::declare_adding(method_registry& to) {
    const auto sid = argument("sid", system_id());
    CHECK_OK(to.add(
        {methods.changing(
             "addSystemReboot", "Adds a reboot to a chain", {sid, label()}, integer(1)),
         done_by(this, &chain_methods::add_reboot),
         codes()}));
    for (const bool labelled : {true, false}) {
        auto script = methods.changing(
            "addScriptRun", "Adds a script to a chain", {sid, label()}, integer(1));
        if (labelled) script.takes.push_back(argument("scriptLabel", text()));
        script.takes.push_back(argument("uid", text()));
        script.takes.push_back(argument("gid", text()));
        script.takes.push_back(argument("timeout", integer(0, script_seconds_max)));
        script.takes.push_back(
            argument("scriptBody", text(2 * static_cast<std::int64_t>(jobs::arguments_bytes_max))));
        CHECK_OK(to.add({std::move(script), done_by(this, &chain_methods::add_script), codes()}));
    }
    return {};
}

result<void> chain_methods::declare(method_registry& to) {
    CHECK_OK(declare_adding(to));
    CHECK_OK(to.add(
        {methods.reading("listChains", "The caller's chains", {}, list_of(chain_shape())),
         done_by(this, &chain_methods::list)}));
    auto entries =
        methods.reading("listChainActions", "What a chain does", {}, list_of(entry_shape()));
    entries.takes = {label()};
    CHECK_OK(to.add({std::move(entries), done_by(this, &chain_methods::list_actions_of), codes()}));
    CHECK_OK(to.add(
        {methods.changing("createChain", "Begins a chain", {label()}, integer(1)),
         done_by(this, &chain_methods::create),
         codes()}));
    CHECK_OK(to.add(
        {methods.changing("deleteChain", "Removes a chain", {label()}, integer(1)),
         done_by(this, &chain_methods::remove),
         codes()}));
    CHECK_OK(to.add(
        {methods.changing(
             "renameChain",
             "Gives a chain another label",
             {argument("previousLabel", name()), argument("newLabel", name())},
             integer(1)),
         done_by(this, &chain_methods::rename),
         codes()}));
    CHECK_OK(to.add(
        {methods.changing(
             "removeAction",
             "Takes an action out of a chain",
             {label(), argument("actionId", action_id())},
             integer(1)),
         done_by(this, &chain_methods::remove_action),
         codes()}));
    auto faults = codes();
    faults.conflict = no_action_in_chain;
    return to.add(
        {methods.changing(
             "scheduleChain", "Runs a chain", {label(), argument("date", api::time())}, integer(1)),
         done_by(this, &chain_methods::schedule),
         faults});
}

async<answer> chain_methods::list(call call) {
    auto& clock = deps_.actions.around().clock;
    auto reading = deps_.chains.list(call.who().user);
    CO_TRY(const auto all, co_await within(clock, engine_timeout, std::move(reading)));
    value::list list;
    for (const auto& each : all)
        list.push_back(value::record{
            {"label", each.label}, {"entrycount", static_cast<std::int64_t>(each.entries.size())}});
    co_return answer{std::move(list)};
}

async<answer> chain_methods::list_actions_of(call call) {
    auto& clock = deps_.actions.around().clock;
    auto reading = deps_.chains.find(call.who().user, call.text("chainLabel"));
    CO_TRY(const auto chain, co_await within(clock, engine_timeout, std::move(reading)));
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
    co_return answer{std::move(list)};
}

async<answer> chain_methods::create(call call) {
    const auto& deps = deps_.actions.around();
    call.set_subject(call.text("chainLabel"));
    auto taking = deps.numbers.take(std::string(compatibility::numbered::action), 1);
    CO_TRY(const auto fresh, co_await within(deps.clock, engine_timeout, std::move(taking)));
    compatibility::action_chain chain{.owner = call.who().user, .label = call.text("chainLabel")};
    chain.number = fresh.front();
    auto adding = deps_.chains.add(std::move(chain));
    CO_CHECK_OK(co_await within(deps.clock, engine_timeout, std::move(adding)));
    co_return answer{fresh.front()};
}

async<answer> chain_methods::remove(call call) {
    call.set_subject(call.text("chainLabel"));
    auto work = deps_.chains.remove(call.who().user, call.text("chainLabel"));
    CO_CHECK_OK(co_await within(deps_.actions.around().clock, engine_timeout, std::move(work)));
    co_return answer{1};
}

async<answer> chain_methods::rename(call call) {
    const auto& before = call.text("previousLabel");
    const auto& after = call.text("newLabel");
    call.set_subject(fmt::format("{} becomes {}", before, after));
    auto work = deps_.chains.rename(call.who().user, before, after);
    CO_CHECK_OK(co_await within(deps_.actions.around().clock, engine_timeout, std::move(work)));
    co_return answer{1};
}

async<answer> chain_methods::remove_action(call call) {
    const auto number = call.integer("actionId");
    call.set_subject(fmt::format("{}: action {}", call.text("chainLabel"), number));
    const auto without =
        [number](compatibility::action_chain chain) -> result<compatibility::action_chain> {
        if (chain.scheduling) return fail(errc::conflict, "The action chain is being scheduled");
        const auto gone = std::erase_if(
            chain.entries,
            [&](const compatibility::chain_entry& entry) { return entry.number == number; });
        if (gone == 0)
            return fail(errc::not_found, fmt::format("The action chain has no action {}", number));
        return chain;
    };
    auto work = deps_.chains.change(call.who().user, call.text("chainLabel"), without);
    CO_CHECK_OK(co_await within(deps_.actions.around().clock, engine_timeout, std::move(work)));
    co_return answer{1};
}

async<std::int64_t> chain_methods::add_entry(call call, compatibility::chain_entry desired) const {
    const auto& deps = deps_.actions.around();
    const auto whom = desired.system > 0 ? desired.system : call.integer("sid");
    CO_TRY(const auto system, deps_.view.find(call, whom));
    CO_CHECK_OK(jobs::check_function(desired.function, desired.arguments));
    auto taking = deps.numbers.take(std::string(compatibility::numbered::action), 1);
    CO_TRY(const auto fresh, co_await within(deps.clock, engine_timeout, std::move(taking)));
    desired.number = fresh.front();
    desired.system = system.number.value();
    desired.added = deps.clock.wall();
    if (desired.name.empty()) desired.name = action_type(desired.function) + " on " + system.name;
    call.set_subject(fmt::format("{}: {}", call.text("chainLabel"), desired.name));
    auto work = deps_.chains.change(
        call.who().user, call.text("chainLabel"), [desired](compatibility::action_chain chain) {
            return with_entry(std::move(chain), desired);
        });
    CO_CHECK_OK(co_await within(deps.clock, engine_timeout, std::move(work)));
    co_return desired.number;
}

async<answer> chain_methods::add_reboot(call call) {
    compatibility::chain_entry entry{.function = "system.reboot", .arguments = "{}"};
    CO_TRY(const auto number, co_await add_entry(std::move(call), std::move(entry)));
    co_return answer{number};
}

async<answer> chain_methods::add_script(call call) {
    CO_TRY(const auto content, script_in(call));
    json::object arguments{{"content", content}};
    if (const auto& user = call.text("uid"); !user.empty()) arguments["user"] = user;
    if (const auto& group = call.text("gid"); !group.empty()) arguments["group"] = group;
    compatibility::chain_entry entry{
        .function = "script.run", .arguments = json::serialize(arguments)};
    if (const auto* const name = call.arguments().find("scriptLabel"))
        entry.name = *name->get<std::string>();
    entry.timeout_seconds = call.integer("timeout");
    CO_TRY(const auto number, co_await add_entry(std::move(call), std::move(entry)));
    co_return answer{number};
}

// Each step of the chain can be asked for by the number it had in it.
async<void> chain_methods::name_steps(
    compatibility::action_chain chain, job_id job, std::vector<std::int64_t> systems) const {
    std::map<std::int64_t, std::size_t> steps;
    std::vector<compatibility::numeric_id> named;
    for (const auto& entry : chain.entries) {
        if (!std::ranges::binary_search(systems, entry.system)) continue;
        named.push_back(
            {.name = name_of_step(job, ++steps[entry.system], entry.system),
             .number = entry.number,
             .mark = 0});
    }
    const auto& deps = deps_.actions.around();
    auto work =
        deps.numbers.give_name(std::string(compatibility::numbered::action), std::move(named));
    co_return co_await within(deps.clock, engine_timeout, std::move(work));
}

async<answer> chain_methods::scheduled(call call, compatibility::action_chain chain) const {
    std::optional<std::int64_t> number = chain.number;
    std::size_t part = 0;
    for (const auto& [steps, systems] : systems_by_steps(chain)) {
        action_request action_request{.function = std::string(chain_function), .systems = systems};
        action_request.name = chain.label;
        action_request.arguments = {{"steps", json::parse(steps)}};
        action_request.earliest = *call.arguments().find("date")->get<wall_time>();
        action_request.number = std::exchange(number, std::nullopt);
        action_request.key = claim_of(chain, ++part);
        auto job = co_await deps_.actions.make_job(call, action_request);
        // It may be there: asked for by the same key, it is the same job.
        if (!job && job.error().code() == errc::timed_out)
            job = co_await deps_.actions.make_job(call, std::move(action_request));
        CO_CHECK_OK(job);
        call.set_partly_done();
        CO_CHECK_OK(co_await name_steps(chain, job->job, systems));
    }
    call.set_subject(fmt::format("{}: {} actions", chain.label, chain.entries.size()));
    co_return answer{1};
}

async<answer> chain_methods::schedule(call call) {
    auto& clock = deps_.actions.around().clock;
    const auto owner = call.who().user;
    const auto& label = call.text("chainLabel");
    call.set_subject(label);
    // Of two who schedule it at once one does.
    const auto begin =
        [](compatibility::action_chain chain) -> result<compatibility::action_chain> {
        if (chain.entries.empty()) return fail(errc::conflict, "The action chain has no action");
        if (chain.scheduling) return fail(errc::conflict, "The action chain is being scheduled");
        chain.scheduling = true;
        return chain;
    };
    auto beginning = deps_.chains.change(owner, label, begin);
    CO_TRY(auto chain, co_await within(clock, engine_timeout, std::move(beginning)));
    auto done = co_await scheduled(call, std::move(chain));
    if (!done && !call.note()->partly_done) {
        // Nothing was made, which is sure: it can be mended and tried again.
        auto giving_up = deps_.chains.change(owner, label, [](compatibility::action_chain was) {
            was.scheduling = false;
            return result<compatibility::action_chain>(std::move(was));
        });
        ignore_error(
            co_await within(clock, engine_timeout, std::move(giving_up)),
            "it stays locked and can be deleted");
    }
    if (!done) co_return fail(done.error());
    auto removing = deps_.chains.remove(owner, label);
    CO_CHECK_OK(co_await within(clock, engine_timeout, std::move(removing)));
    co_return answer{1};
}

}  // namespace muster::xmlrpc_api
