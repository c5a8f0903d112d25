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

constexpr auto poll_interval = 5s;
constexpr auto abandoned_after = 5min;
constexpr std::size_t batch_max = 1'000;
constexpr std::size_t key_digits = 16;
constexpr const char* changed_by = "activation keys";

fleet::system_set to_set(const std::vector<system_number>& numbers) {
    fleet::system_set system_set;
    for (const auto number : numbers) system_set.add(number);
    return system_set;
}

// Drops the architecture of "name arch"; the agent knows its own.
std::string package_arguments(const std::vector<std::string>& packages) {
    json::array names;
    for (const auto& package : packages) names.emplace_back(package.substr(0, package.find(' ')));
    return json::serialize(json::object{{"action", "install"}, {"packages", std::move(names)}});
}

job_spec spec_for(const fleet::stored_rule& rule, std::string function, std::string note) {
    return {
        .function = std::move(function),
        .query = "systems enrolled by rule " + rule.name,
        .actor = "rule " + rule.name,
        .note = std::move(note)};
}

}  // namespace

boost::asio::awaitable<void> activation_key_provisioner::run() {
    while (true) {
        const auto looked = co_await run_once();
        if (!looked && looked.error().code() == errc::cancelled) co_return;
        if (!looked)
            deps_.log.warning(
                "activation key processing failed", {{"error", to_string(looked.error())}});
        const auto slept = co_await deps_.clock.sleep_for(poll_interval);
        if (!slept) co_return;
    }
}

std::optional<fleet::stored_rule> activation_key_provisioner::find_rule(
    const std::string& key) const {
    const auto rules = deps_.rules.current();
    for (const auto& rule : *rules)
        if (rule.stored.as_key && rule.stored.as_key->key == key) return rule.stored;
    return std::nullopt;
}

async<activation_key_provisioner::unprovisioned_systems>
activation_key_provisioner::find_unprovisioned() const {
    unprovisioned_systems found;
    auto numbers = deps_.profiles.unprovisioned().page(system_number(1), batch_max);
    if (numbers.empty()) co_return found;
    auto reading = deps_.profiles.read(std::move(numbers));
    CO_TRY(const auto profiles, co_await within(deps_.clock, engine_timeout, std::move(reading)));
    const auto now = deps_.clock.wall();
    for (const auto& [number, profile] : profiles) {
        if (!profile.needs_provisioning()) continue;
        if (profile.provisioning_batch.empty()) {
            found.unassigned[profile.activation_key].push_back(number);
        } else if (profile.changed + abandoned_after < now) {
            found.abandoned[profile.provisioning_batch].push_back(number);
            found.keys[profile.provisioning_batch] = profile.activation_key;
        }
    }
    co_return found;
}

async<void> activation_key_provisioner::run_once() {
    CO_TRY(auto found, co_await find_unprovisioned());
    for (auto& [key, numbers] : found.unassigned) {
        CO_CHECK_OK(co_await provision(key, std::move(numbers)));
    }
    for (auto& [batch, numbers] : found.abandoned) {
        CO_CHECK_OK(co_await start_jobs(batch, found.keys[batch], std::move(numbers)));
    }
    co_return result<void>();
}

async<void> activation_key_provisioner::provision(std::string key, systems numbers) {
    const auto rule = find_rule(key);
    const bool has_work = rule && (!rule->as_key->packages.empty() || rule->as_key->deploys_files);
    if (!has_work) co_return co_await mark_provisioned(std::move(numbers));
    const auto batch = revision::random_id();
    auto assigning = deps_.profiles.change(
        numbers,
        [batch](fleet::system_profile& profile) -> result<void> {
            if (profile.needs_provisioning() && profile.provisioning_batch.empty())
                profile.provisioning_batch = batch;
            return {};
        },
        changed_by);
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(assigning)));
    auto reading = deps_.profiles.read(numbers);
    CO_TRY(const auto profiles, co_await within(deps_.clock, engine_timeout, std::move(reading)));
    systems members;
    for (const auto& [number, profile] : profiles)
        if (profile.needs_provisioning() && profile.provisioning_batch == batch)
            members.push_back(number);
    if (members.empty()) co_return result<void>();
    co_return co_await start_jobs(batch, std::move(key), std::move(members));
}

async<void> activation_key_provisioner::start_jobs(
    std::string batch, std::string key, systems systems) {
    if (const auto rule = find_rule(key)) {
        CO_CHECK_OK(co_await start_packages(batch, *rule, systems));
        CO_CHECK_OK(co_await start_files(batch, *rule, systems));
    }
    co_return co_await mark_provisioned(std::move(systems));
}

async<void> activation_key_provisioner::start_packages(
    std::string batch, fleet::stored_rule rule, systems systems) {
    const auto& packages = rule.as_key->packages;
    if (packages.empty()) co_return result<void>();
    auto spec = spec_for(rule, "packages.change", "Packages of an activation key");
    spec.arguments = package_arguments(packages);
    co_return co_await create_job(
        std::move(spec), to_set(systems), "arrival " + batch + " packages");
}

// Skips files of groups with an expression, because facts of the system itself may put it there.
async<void> activation_key_provisioner::start_files(
    std::string batch, fleet::stored_rule rule, systems systems) {
    if (!rule.as_key->deploys_files) co_return result<void>();
    auto planning = deps_.deployment.plan(std::move(systems), {});
    CO_TRY(const auto plan, co_await within(deps_.clock, engine_timeout, std::move(planning)));
    for (const auto& part : plan.parts) {
        auto writing =
            deps_.deployment.arguments_of(part.files, configuration::deployment::mode::write);
        CO_TRY(
            const auto argument_lists,
            co_await within(deps_.clock, engine_timeout, std::move(writing)));
        for (const auto& arguments : argument_lists) {
            auto spec = spec_for(rule, "files.deploy", "Configuration of an activation key");
            spec.arguments = arguments;
            const auto digest = to_hex(pki::sha256(arguments)).substr(0, key_digits);
            auto idempotency_key = fmt::format(
                "arrival {} files {} {}", batch, digest, part.systems.smallest()->value());
            CO_CHECK_OK(
                co_await create_job(std::move(spec), part.systems, std::move(idempotency_key)));
        }
    }
    co_return result<void>();
}

// Logs and skips an error that a retry cannot fix.
async<void> activation_key_provisioner::create_job(
    job_spec spec, fleet::system_set targets, std::string idempotency_key) {
    const auto function = spec.function;
    auto creating = deps_.job_service.create(
        {.spec = std::move(spec),
         .targets = targets,
         .idempotency_key = idempotency_key,
         .digest = idempotency_key});
    const auto created = co_await within(deps_.clock, engine_timeout, std::move(creating));
    if (created) co_return result<void>();
    const auto code = created.error().code();
    const bool is_final = code == errc::invalid || code == errc::denied || code == errc::conflict;
    if (!is_final) co_return fail(created.error());
    deps_.log.warning(
        "activation key jobs not started",
        {{"function", function},
         {"systems", targets.size()},
         {"error", to_string(created.error())}});
    co_return result<void>();
}

async<void> activation_key_provisioner::mark_provisioned(systems systems) {
    auto writing = deps_.profiles.change(
        std::move(systems),
        [](fleet::system_profile& profile) -> result<void> {
            profile.unprovisioned = false;
            profile.provisioning_batch.clear();
            return {};
        },
        changed_by);
    co_return co_await within(deps_.clock, engine_timeout, std::move(writing));
}

}  // namespace muster::provisioning
