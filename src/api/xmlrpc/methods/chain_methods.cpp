#include "api/xmlrpc/methods/chain_methods.h"

#include "adapters/pki/base64.h"
#include "core/table/utf8.h"
#include "ports/deadline.h"
#include "api/xmlrpc/methods/action_words.h"
#include "api/xmlrpc/methods/declaring.h"
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
using api::engine_patience;

constexpr std::int64_t no_action_in_chain = 10004;
constexpr std::int64_t script_seconds_max = 31'536'000;

fault_codes codes() {
    return {.not_found = no_such_action, .conflict = fault_of_arguments};
}

constexpr method_family methods{
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
std::map<std::string, std::vector<std::int64_t>> systems_by_steps(const action_chain& of) {
    std::map<std::int64_t, json::array> steps;
    for (const auto& each : of.entries) {
        json::object step{{"function", each.function}, {"arguments", json::parse(each.arguments)}};
        if (each.timeout_seconds > 0) step["timeout"] = fmt::format("{}s", each.timeout_seconds);
        steps[each.system].push_back(std::move(step));
    }
    std::map<std::string, std::vector<std::int64_t>> together;
    for (const auto& [system, all] : steps) together[json::serialize(all)].push_back(system);
    return together;
}

result<action_chain> with_entry(action_chain chain, const chain_entry& wanted) {
    if (chain.scheduling) return fail(errc::conflict, "The action chain is being scheduled");
    if (chain.entries.size() >= chain_book_limits::entries_max)
        return fail(errc::invalid, "An action chain has at most 1000 actions");
    const auto there = std::ranges::count(chain.entries, wanted.system, &chain_entry::system);
    if (there >= static_cast<std::ptrdiff_t>(chain_book_limits::steps_max))
        return fail(errc::invalid, "An action chain has at most 32 actions on one system");
    chain.entries.push_back(wanted);
    return chain;
}

result<std::string> script_in(const call& asked) {
    const auto decoded = pki::from_base64(asked.text("scriptBody"));
    if (!decoded || !table::is_utf8_without_nul(*decoded))
        return fail(errc::invalid, "`scriptBody` must be a text in Base64");
    std::string content = *decoded;
    std::erase(content, '\r');
    return content;
}

}  // namespace

std::string claim_of(const action_chain& chain, std::size_t part) {
    return fmt::format("chain/{}/{}/{}", chain.number, chain.version, part);
}

result<void> chain_methods::declare_adding(method_book& to) {
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

result<void> chain_methods::declare(method_book& to) {
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

async<answer> chain_methods::list(call asked) {
    auto& time = around_.actions.around().time;
    auto reading = around_.chains.list(asked.who().user);
    CO_TRY(const auto all, co_await within(time, engine_patience, std::move(reading)));
    value::list made;
    for (const auto& each : all)
        made.push_back(value::record{
            {"label", each.label}, {"entrycount", static_cast<std::int64_t>(each.entries.size())}});
    co_return answer{std::move(made)};
}

async<answer> chain_methods::list_actions_of(call asked) {
    auto& time = around_.actions.around().time;
    auto reading = around_.chains.find(asked.who().user, asked.text("chainLabel"));
    CO_TRY(const auto chain, co_await within(time, engine_patience, std::move(reading)));
    value::list made;
    for (const auto& each : chain.entries)
        made.push_back(value::record{
            {"id", each.number},
            {"label", each.name},
            {"created", each.added},
            {"earliest", each.added},
            {"type", action_type(each.function)},
            {"modified", each.added},
            {"cuid", chain.owner}});
    co_return answer{std::move(made)};
}

async<answer> chain_methods::create(call asked) {
    const auto& around = around_.actions.around();
    asked.set_subject(asked.text("chainLabel"));
    auto taking = around.numbers.take(std::string(cluster::numbered::action), 1);
    CO_TRY(const auto fresh, co_await within(around.time, engine_patience, std::move(taking)));
    action_chain wanted{.owner = asked.who().user, .label = asked.text("chainLabel")};
    wanted.number = fresh.front();
    auto adding = around_.chains.add(std::move(wanted));
    CO_CHECK_OK(co_await within(around.time, engine_patience, std::move(adding)));
    co_return answer{fresh.front()};
}

async<answer> chain_methods::remove(call asked) {
    asked.set_subject(asked.text("chainLabel"));
    auto work = around_.chains.remove(asked.who().user, asked.text("chainLabel"));
    CO_CHECK_OK(co_await within(around_.actions.around().time, engine_patience, std::move(work)));
    co_return answer{1};
}

async<answer> chain_methods::rename(call asked) {
    const auto& before = asked.text("previousLabel");
    const auto& after = asked.text("newLabel");
    asked.set_subject(fmt::format("{} becomes {}", before, after));
    auto work = around_.chains.rename(asked.who().user, before, after);
    CO_CHECK_OK(co_await within(around_.actions.around().time, engine_patience, std::move(work)));
    co_return answer{1};
}

async<answer> chain_methods::remove_action(call asked) {
    const auto number = asked.integer("actionId");
    asked.set_subject(fmt::format("{}: action {}", asked.text("chainLabel"), number));
    const auto without = [number](action_chain chain) -> result<action_chain> {
        if (chain.scheduling) return fail(errc::conflict, "The action chain is being scheduled");
        const auto gone = std::erase_if(
            chain.entries, [&](const chain_entry& each) { return each.number == number; });
        if (gone == 0)
            return fail(errc::not_found, fmt::format("The action chain has no action {}", number));
        return chain;
    };
    auto work = around_.chains.change(asked.who().user, asked.text("chainLabel"), without);
    CO_CHECK_OK(co_await within(around_.actions.around().time, engine_patience, std::move(work)));
    co_return answer{1};
}

async<std::int64_t> chain_methods::add_entry(call asked, chain_entry wanted) const {
    const auto& around = around_.actions.around();
    const auto whom = wanted.system > 0 ? wanted.system : asked.integer("sid");
    CO_TRY(const auto system, around_.view.find(asked, whom));
    CO_CHECK_OK(jobs::check_function(wanted.function, wanted.arguments));
    auto taking = around.numbers.take(std::string(cluster::numbered::action), 1);
    CO_TRY(const auto fresh, co_await within(around.time, engine_patience, std::move(taking)));
    wanted.number = fresh.front();
    wanted.system = system.number.value();
    wanted.added = around.time.wall();
    if (wanted.name.empty()) wanted.name = action_type(wanted.function) + " on " + system.name;
    asked.set_subject(fmt::format("{}: {}", asked.text("chainLabel"), wanted.name));
    auto work = around_.chains.change(
        asked.who().user, asked.text("chainLabel"), [wanted](action_chain chain) {
            return with_entry(std::move(chain), wanted);
        });
    CO_CHECK_OK(co_await within(around.time, engine_patience, std::move(work)));
    co_return wanted.number;
}

async<answer> chain_methods::add_reboot(call asked) {
    chain_entry wanted{.function = "system.reboot", .arguments = "{}"};
    CO_TRY(const auto number, co_await add_entry(std::move(asked), std::move(wanted)));
    co_return answer{number};
}

async<answer> chain_methods::add_script(call asked) {
    CO_TRY(const auto content, script_in(asked));
    json::object arguments{{"content", content}};
    if (const auto& user = asked.text("uid"); !user.empty()) arguments["user"] = user;
    if (const auto& group = asked.text("gid"); !group.empty()) arguments["group"] = group;
    chain_entry wanted{.function = "script.run", .arguments = json::serialize(arguments)};
    if (const auto* const name = asked.arguments().find("scriptLabel"))
        wanted.name = *name->get<std::string>();
    wanted.timeout_seconds = asked.integer("timeout");
    CO_TRY(const auto number, co_await add_entry(std::move(asked), std::move(wanted)));
    co_return answer{number};
}

// Each step of the chain can be asked for by the number it had in it.
async<void> chain_methods::name_steps(
    action_chain which, job_id job, std::vector<std::int64_t> systems) const {
    std::map<std::int64_t, std::size_t> steps;
    std::vector<compatibility::numbered_thing> named;
    for (const auto& each : which.entries) {
        if (!std::ranges::binary_search(systems, each.system)) continue;
        named.push_back(
            {.name = name_of_step(job, ++steps[each.system], each.system),
             .number = each.number,
             .mark = 0});
    }
    const auto& around = around_.actions.around();
    auto work = around.numbers.give_name(std::string(cluster::numbered::action), std::move(named));
    co_return co_await within(around.time, engine_patience, std::move(work));
}

async<answer> chain_methods::scheduled(call asked, action_chain which) const {
    std::optional<std::int64_t> number = which.number;
    std::size_t part = 0;
    for (const auto& [steps, systems] : systems_by_steps(which)) {
        action_wish wanted{.function = std::string(chain_function), .systems = systems};
        wanted.name = which.label;
        wanted.arguments = {{"steps", json::parse(steps)}};
        wanted.earliest = *asked.arguments().find("date")->get<wall_time>();
        wanted.number = std::exchange(number, std::nullopt);
        wanted.key = claim_of(which, ++part);
        auto made = co_await around_.actions.make_job(asked, wanted);
        // It may be there: asked for by the same key, it is the same job.
        if (!made && made.error().code() == errc::timed_out)
            made = co_await around_.actions.make_job(asked, std::move(wanted));
        CO_CHECK_OK(made);
        asked.set_partly_done();
        CO_CHECK_OK(co_await name_steps(which, made->job, systems));
    }
    asked.set_subject(fmt::format("{}: {} actions", which.label, which.entries.size()));
    co_return answer{1};
}

async<answer> chain_methods::schedule(call asked) {
    auto& time = around_.actions.around().time;
    const auto owner = asked.who().user;
    const auto& label = asked.text("chainLabel");
    asked.set_subject(label);
    // Of two who schedule it at once one does.
    const auto begin = [](action_chain chain) -> result<action_chain> {
        if (chain.entries.empty()) return fail(errc::conflict, "The action chain has no action");
        if (chain.scheduling) return fail(errc::conflict, "The action chain is being scheduled");
        chain.scheduling = true;
        return chain;
    };
    auto beginning = around_.chains.change(owner, label, begin);
    CO_TRY(auto chain, co_await within(time, engine_patience, std::move(beginning)));
    auto done = co_await scheduled(asked, std::move(chain));
    if (!done && !asked.note()->partly_done) {
        // Nothing was made, which is sure: it can be mended and tried again.
        auto giving_up = around_.chains.change(owner, label, [](action_chain was) {
            was.scheduling = false;
            return result<action_chain>(std::move(was));
        });
        ignore_error(
            co_await within(time, engine_patience, std::move(giving_up)),
            "it stays locked and can be deleted");
    }
    if (!done) co_return fail(done.error());
    auto removing = around_.chains.remove(owner, label);
    CO_CHECK_OK(co_await within(time, engine_patience, std::move(removing)));
    co_return answer{1};
}

}  // namespace muster::xmlrpc_api
