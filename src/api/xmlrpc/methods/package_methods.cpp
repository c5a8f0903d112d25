#include "api/xmlrpc/methods/package_methods.h"

#include "services/content/architectures.h"
#include "services/fleet/let_others_run.h"

#include <algorithm>
#include <utility>

namespace muster::xmlrpc_api {

using namespace api;
using access::right;
using content::package_ref;

namespace {

constexpr std::int64_t package_unknown = 2300;
constexpr std::size_t looked_at_once = 5'000;
constexpr std::size_t found_max = 50'000;

parameter which_package() {
    return argument("pid", content_number());
}

std::string file_of(const std::string& path) {
    const auto slash = path.rfind('/');
    return slash == std::string::npos ? path : path.substr(slash + 1);
}

value overview(const content::stored_package& of) {
    return value::record{
        {"id", std::int64_t{of.number}},
        {"name", of.what.name},
        {"summary", of.summary},
        {"description", of.summary},
        {"version", of.what.at.version},
        {"release", shown_release(of.kind, of.what.at)},
        {"epoch", shown_epoch(of.kind, of.what.at)},
        {"arch", content::arch_label(of.kind, of.what.arch)},
        {"provider", ""}};
}

}  // namespace

result<void> package_methods::declare(method_registry& to) {
    const fault_codes codes{.not_found = package_unknown};
    const auto add = [&](operation operation, async<answer> (package_methods::*does)(call)) {
        return to.add({std::move(operation), done_by(this, does), codes});
    };
    const auto some = list_of(anything());
    CHECK_OK(
        add(asking("packages.getDetails", "A package", {which_package()}, anything()),
            &package_methods::get_details));
    CHECK_OK(add(
        asking(
            "packages.listProvidingChannels", "The channels of a package", {which_package()}, some),
        &package_methods::list_channels));
    CHECK_OK(add(
        asking("packages.listProvidingErrata", "The errata of a package", {which_package()}, some),
        &package_methods::list_errata));
    std::vector<parameter> parts;
    for (const char* const part : {"name", "version", "release", "epoch", "archLabel"})
        parts.push_back(argument(part, text()));
    CHECK_OK(
        add(asking("packages.findByNvrea", "Packages by all parts of their names", parts, some),
            &package_methods::find));
    CHECK_OK(
        add(changing(
                "packages.removePackage",
                "Forgets a package, and takes it out of its channels",
                {which_package()},
                right::common_edit),
            &package_methods::remove));
    const auto words = text(static_cast<std::int64_t>(package_query::text_bytes_max));
    CHECK_OK(
        add(asking(
                "packages.search.advanced",
                "Packages by terms",
                {argument("luceneQuery", words)},
                some),
            &package_methods::search_advanced));
    CHECK_OK(
        add(asking(
                "packages.search.name",
                "Packages by a part of the name",
                {argument("name", words)},
                some),
            &package_methods::search_name));
    return add(
        asking(
            "packages.search.nameAndSummary",
            "Packages by a part of the name or the summary",
            {argument("query", words)},
            some),
        &package_methods::search_name_and_summary);
}

async<answer> package_methods::get_details(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto existing, view_.package(call.integer("pid")));
    CO_TRY(const auto row, co_await view_.books().read_package(existing->number));
    value::list channels;
    for (const auto& each : view_.books().all<content::channel>())
        if (packages::contains(each->row.packages, existing->number))
            channels.push_back(each->label());
    const auto& more = row.details;
    co_return answer{value::record{
        {"id", std::int64_t{existing->number}},
        {"name", existing->what.name},
        {"epoch", shown_epoch(existing->kind, existing->what.at)},
        {"version", existing->what.at.version},
        {"release", shown_release(existing->kind, existing->what.at)},
        {"arch_label", content::arch_label(existing->kind, existing->what.arch)},
        {"providing_channels", std::move(channels)},
        {"build_host", more.build_host},
        {"description", more.description},
        {"checksum", existing->checksum},
        {"checksum_type", existing->checksum_type},
        {"vendor", more.vendor},
        {"summary", existing->summary},
        {"cookie", ""},
        {"license", more.license},
        {"path", more.path},
        {"file", file_of(more.path)},
        {"build_date", shown_date(more.built)},
        {"last_modified_date", shown_date(existing->changed)},
        {"size", std::to_string(more.size)},
        {"payload_size", std::to_string(more.installed_size)},
        {"part_of_retracted_patch", false}}};
}

async<answer> package_methods::list_channels(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto existing, view_.package(call.integer("pid")));
    value::list list;
    for (const auto& each : view_.books().all<content::channel>()) {
        if (!packages::contains(each->row.packages, existing->number)) continue;
        list.push_back(value::record{
            {"label", each->label()}, {"parent_label", each->parent}, {"name", each->name}});
    }
    co_return answer{std::move(list)};
}

async<answer> package_methods::list_errata(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto existing, view_.package(call.integer("pid")));
    value::list list;
    for (const auto& each : view_.books().all<content::erratum>()) {
        if (!packages::contains(each->row.packages, existing->number)) continue;
        list.push_back(value::record{
            {"advisory", each->name()},
            {"issue_date", shown_date(each->issued)},
            {"last_modified_date", shown_date(each->row.changed)},
            {"update_date", shown_date(each->updated)},
            {"synopsis", each->synopsis},
            {"type", each->type}});
    }
    co_return answer{std::move(list)};
}

async<answer> package_methods::find(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    value::list list;
    for (const auto& all_package : view_.books().all_packages()) {
        const auto& what = all_package->what;
        if (what.name != call.text("name") || what.at.version != call.text("version")) continue;
        if (shown_release(all_package->kind, what.at) != call.text("release")) continue;
        if (what.at.epoch != call.text("epoch")) continue;
        if (content::arch_label(all_package->kind, what.arch) == call.text("archLabel"))
            list.push_back(package_entry(*all_package));
    }
    co_return answer{std::move(list)};
}

async<answer> package_methods::remove(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto existing, view_.package(call.integer("pid")));
    call.set_subject(existing->what.name + " " + packages::to_string(existing->what.at));
    CO_CHECK_OK(co_await view_.service().remove_package(existing->number, call.who().user));
    co_return answer{1};
}

async<answer> package_methods::search(package_query package_query) {
    CO_CHECK_OK(co_await view_.catch_up());
    std::vector<package_ref> package_refs;
    std::size_t looked_at = 0;
    for (auto& all_package : view_.books().all_packages()) {
        if (++looked_at % looked_at_once == 0) co_await fleet::let_others_run();
        if (!package_query.matches(*all_package)) continue;
        if (package_refs.size() == found_max)
            co_return fail(errc::invalid, "too many packages fit; ask for less");
        package_refs.push_back(std::move(all_package));
    }
    co_return told_one_by_one<package_ref>(
        std::move(package_refs),
        [](const package_ref& package_ref) { return overview(*package_ref); });
}

async<answer> package_methods::search_advanced(call call) {
    CO_TRY(auto desired, package_query::parse(call.text("luceneQuery")));
    co_return co_await search(std::move(desired));
}

async<answer> package_methods::search_name(call call) {
    CO_TRY(auto desired, package_query::parse("name:\"*" + call.text("name") + "*\""));
    co_return co_await search(std::move(desired));
}

async<answer> package_methods::search_name_and_summary(call call) {
    CO_TRY(auto desired, package_query::parse("\"" + call.text("query") + "\""));
    co_return co_await search(std::move(desired));
}

}  // namespace muster::xmlrpc_api
