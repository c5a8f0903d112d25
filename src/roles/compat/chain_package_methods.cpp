#include "roles/compat/chain_package_methods.h"

#include "core/packages/version_order.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <utility>

namespace muster::compat {
namespace {

namespace json = boost::json;
using namespace api;
using access::right;

constexpr std::int64_t package_unknown = 2300;
constexpr std::int64_t packages_of_step_max = 2'000;
constexpr std::int64_t seconds_of_step = 3'600;

operation adding(std::string name, std::string summary) {
    return {
        .name = "actionchain." + std::move(name),
        .summary = std::move(summary),
        .method = verb::post,
        .takes =
            {argument("sid", system_id()),
             argument("packageIds", list_of(content_number(), packages_of_step_max)),
             argument("chainLabel", api::name())},
        .gives = action_id(),
        .needed = right::jobs_run,
        .within = scope::filtered};
}

}  // namespace

result<void> chain_package_methods::declare(method_book& to) {
    const fault_codes codes{.not_found = package_unknown};
    CHECK_OK(to.add(
        {adding("addPackageInstall", "Adds the installation of packages to a chain"),
         done_by(this, &chain_package_methods::install),
         codes}));
    CHECK_OK(to.add(
        {adding("addPackageRemoval", "Adds the removal of packages to a chain"),
         done_by(this, &chain_package_methods::remove),
         codes}));
    return to.add(
        {adding("addPackageUpgrade", "Adds the upgrade of packages to a chain"),
         done_by(this, &chain_package_methods::upgrade),
         codes});
}

async<answer> chain_package_methods::add(call asked, std::string action) const {
    CO_CHECK_OK(co_await view_.catch_up());
    json::array words;
    for (const auto number : integers_of(asked, "packageIds")) {
        CO_TRY(const auto found, view_.package(number));
        const auto& what = found->what;
        words.emplace_back(
            fmt::format("{} {} {}", what.name, packages::to_string(what.at), what.arch));
    }
    if (words.empty()) co_return fail(errc::invalid, "at least one package is needed");
    chain_entry wanted{.function = "packages.change"};
    wanted.arguments =
        json::serialize(json::object{{"action", action}, {"packages", std::move(words)}});
    wanted.timeout_seconds = seconds_of_step;
    CO_TRY(const auto number, co_await chains_.add_entry(std::move(asked), std::move(wanted)));
    co_return answer{number};
}

async<answer> chain_package_methods::install(call asked) {
    return add(std::move(asked), "install");
}

async<answer> chain_package_methods::remove(call asked) {
    return add(std::move(asked), "remove");
}

async<answer> chain_package_methods::upgrade(call asked) {
    return add(std::move(asked), "upgrade");
}

}  // namespace muster::compat
