#include "services/provisioning/activation_key_provisioner.h"

#include "adapters/pki/fingerprint.h"
#include "base/hex.h"
#include "ports/deadline.h"
#include "services/cluster/engines.h"
#include "services/revision/random_id.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace muster::provisioning {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;
using cluster::engine_timeout;

constexpr auto looks_every = 5s;
constexpr auto left_behind_after = 5min;  // whoever took them is not there any more
constexpr std::size_t taken_at_once = 1'000;
constexpr std::size_t claim_digits = 16;
constexpr const char* by = "activation keys";

fleet::system_set set_of(const std::vector<system_number>& all) {
    fleet::system_set system_set;
    for (const auto each : all) system_set.add(each);
    return system_set;
}

// Of "name" and "name arch"; the agents' own programs know which architecture is theirs.
std::string package_arguments(const std::vector<std::string>& packages) {
    json::array words;
    for (const auto& each : packages) words.emplace_back(each.substr(0, each.find(' ')));
    return json::serialize(json::object{{"action", "install"}, {"packages", std::move(words)}});
}

job_spec spec_for(const fleet::stored_rule& rule, std::string function, std::string note) {
    return {
        .function = std::move(function),
        .query = "newcomers of rule " + rule.name,
        .by = "rule " + rule.name,
        .note = std::move(note)};
}

}  // namespace

boost::asio::awaitable<void> activation_key_provisioner::run() {
    while (true) {
        const auto looked = co_await look();
        if (!looked && looked.error().code() == errc::cancelled) co_return;
        if (!looked)
            deps_.log.warning(
                "what activation keys want of newcomers cannot be started",
                {{"reason", to_string(looked.error())}});
        const auto slept = co_await deps_.clock.sleep_for(looks_every);
        if (!slept) co_return;
    }
}

std::optional<fleet::stored_rule> activation_key_provisioner::rule_of(
    const std::string& key) const {
    const auto rules = deps_.rules.current();
    for (const auto& rule : *rules)
        if (rule.stored.as_key && rule.stored.as_key->key == key) return rule.stored;
    return std::nullopt;
}

async<activation_key_provisioner::waiting> activation_key_provisioner::duplicate_machine_policy()
    const {
    waiting waiting;
    auto some = deps_.profiles.arriving().page(system_number(1), taken_at_once);
    if (some.empty()) co_return waiting;
    auto reading = deps_.profiles.read(std::move(some));
    CO_TRY(const auto profiles, co_await within(deps_.clock, engine_timeout, std::move(reading)));
    const auto now = deps_.clock.wall();
    for (const auto& [number, each] : profiles) {
        if (!each.is_arriving()) continue;
        if (each.arrival.empty()) {
            waiting.taken_by_nobody[each.activation_key].push_back(number);
        } else if (each.changed + left_behind_after < now) {
            waiting.left_behind[each.arrival].push_back(number);
            waiting.keys[each.arrival] = each.activation_key;
        }
    }
    co_return waiting;
}

async<void> activation_key_provisioner::look() {
    CO_TRY(auto match, co_await duplicate_machine_policy());
    for (auto& [key, who] : match.taken_by_nobody) {
        CO_CHECK_OK(co_await take(key, std::move(who)));
    }
    for (auto& [batch, who] : match.left_behind) {
        CO_CHECK_OK(co_await settle(batch, match.keys[batch], std::move(who)));
    }
    co_return result<void>();
}

async<void> activation_key_provisioner::take(std::string key, systems who) {
    const auto rule = rule_of(key);
    const bool desired = rule && (!rule->as_key->packages.empty() || rule->as_key->deploys_files);
    if (!desired) co_return co_await forget(std::move(who));
    const auto batch = revision::random_name();
    auto taking = deps_.profiles.change(
        who,
        [batch](fleet::system_profile& system_profile) -> result<void> {
            if (system_profile.is_arriving() && system_profile.arrival.empty())
                system_profile.arrival = batch;
            return {};
        },
        by);
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(taking)));
    auto reading = deps_.profiles.read(who);
    CO_TRY(const auto profiles, co_await within(deps_.clock, engine_timeout, std::move(reading)));
    systems own;
    for (const auto& [number, each] : profiles)
        if (each.is_arriving() && each.arrival == batch) own.push_back(number);
    if (own.empty()) co_return result<void>();
    co_return co_await settle(batch, std::move(key), std::move(own));
}

async<void> activation_key_provisioner::settle(
    std::string batch, std::string key, systems systems) {
    if (const auto rule = rule_of(key)) {
        CO_CHECK_OK(co_await start_packages(batch, *rule, systems));
        CO_CHECK_OK(co_await start_files(batch, *rule, systems));
    }
    co_return co_await forget(std::move(systems));
}

async<void> activation_key_provisioner::start_packages(
    std::string batch, fleet::stored_rule by_key, systems systems) {
    const auto& packages = by_key.as_key->packages;
    if (packages.empty()) co_return result<void>();
    auto spec = spec_for(by_key, "packages.change", "Packages of an activation key");
    spec.arguments = package_arguments(packages);
    co_return co_await make(std::move(spec), set_of(systems), "arrival " + batch + " packages");
}

// Files that come by a group's expression are left out: a newcomer's own word may put it there.
async<void> activation_key_provisioner::start_files(
    std::string batch, fleet::stored_rule by_key, systems systems) {
    if (!by_key.as_key->deploys_files) co_return result<void>();
    auto planning = deps_.deployed.plan(std::move(systems), {});
    CO_TRY(const auto plan, co_await within(deps_.clock, engine_timeout, std::move(planning)));
    for (const auto& part : plan.parts) {
        auto writing =
            deps_.deployed.arguments_of(part.files, configuration::deployment::mode::write);
        CO_TRY(const auto all, co_await within(deps_.clock, engine_timeout, std::move(writing)));
        for (const auto& each : all) {
            auto spec = spec_for(by_key, "files.deploy", "Configuration of an activation key");
            spec.arguments = each;
            const auto digest = to_hex(pki::sha256(each)).substr(0, claim_digits);
            auto claim = fmt::format(
                "arrival {} files {} {}", batch, digest, part.systems.smallest()->value());
            CO_CHECK_OK(co_await make(std::move(spec), part.systems, std::move(claim)));
        }
    }
    co_return result<void>();
}

// What nobody can make by trying again is told, and left.
async<void> activation_key_provisioner::make(
    job_spec spec, fleet::system_set system_set, std::string claim) {
    const auto function = spec.function;
    auto making = deps_.job_service.make(
        {.spec = std::move(spec), .targets = system_set, .claim = claim, .digest = claim});
    const auto created = co_await within(deps_.clock, engine_timeout, std::move(making));
    if (created) co_return result<void>();
    const auto code = created.error().code();
    const bool hopeless = code == errc::invalid || code == errc::denied || code == errc::conflict;
    if (!hopeless) co_return fail(created.error());
    deps_.log.warning(
        "what an activation key wants of newcomers is not started",
        {{"function", function},
         {"systems", system_set.size()},
         {"reason", to_string(created.error())}});
    co_return result<void>();
}

async<void> activation_key_provisioner::forget(systems systems) {
    auto writing = deps_.profiles.change(
        std::move(systems),
        [](fleet::system_profile& system_profile) -> result<void> {
            system_profile.fresh = false;
            system_profile.arrival.clear();
            return {};
        },
        by);
    co_return co_await within(deps_.clock, engine_timeout, std::move(writing));
}

}  // namespace muster::provisioning
